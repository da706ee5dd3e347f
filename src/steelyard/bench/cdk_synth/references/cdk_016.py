import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct


class LoanWorkflowStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        scorer = lambda_.Function(
            self,
            "Scorer",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return {**event, 'score': 720}\n"),
        )
        loans = dynamodb.Table(
            self,
            "Loans",
            partition_key=dynamodb.Attribute(name="loanId", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        )
        rejected = sns.Topic(self, "Rejected")

        score = tasks.LambdaInvoke(self, "ScoreLoan", lambda_function=scorer, output_path="$.Payload")
        record = tasks.DynamoPutItem(
            self,
            "RecordApproval",
            table=loans,
            item={
                "loanId": tasks.DynamoAttributeValue.from_string(sfn.JsonPath.string_at("$.loanId")),
                "status": tasks.DynamoAttributeValue.from_string("approved"),
            },
        )
        notify = tasks.SnsPublish(
            self,
            "NotifyRejection",
            topic=rejected,
            message=sfn.TaskInput.from_json_path_at("$.loanId"),
        )
        decide = (
            sfn.Choice(self, "Decide")
            .when(sfn.Condition.number_greater_than_equals("$.score", 650), record)
            .otherwise(notify)
        )
        sfn.StateMachine(
            self,
            "LoanWorkflow",
            definition_body=sfn.DefinitionBody.from_chainable(score.next(decide)),
            timeout=cdk.Duration.minutes(10),
            tracing_enabled=True,
            logs=sfn.LogOptions(destination=logs.LogGroup(self, "LoanLogs"), level=sfn.LogLevel.ERROR),
        )


app = cdk.App()
LoanWorkflowStack(app, "LoanWorkflow")
app.synth()
