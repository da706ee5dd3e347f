"""The definition as a JSON document with substitutions, and hand-written permissions."""

import json

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as _lambda
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_stepfunctions as sfn

DEFINITION = {
    "StartAt": "Score",
    "TimeoutSeconds": 600,
    "States": {
        "Score": {"Type": "Task", "Resource": "${ScoreArn}", "Next": "Decide"},
        "Decide": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.score", "NumericGreaterThanEquals": 650, "Next": "Put"}],
            "Default": "Tell",
        },
        "Put": {
            "Type": "Task",
            "Resource": "arn:aws:states:::dynamodb:putItem",
            "Parameters": {"TableName": "${Table}", "Item": {"id": {"S.$": "$.id"}}},
            "End": True,
        },
        "Tell": {
            "Type": "Task",
            "Resource": "arn:aws:states:::sns:publish",
            "Parameters": {"TopicArn": "${Topic}", "Message.$": "$.id"},
            "End": True,
        },
    },
}

app = cdk.App()
stack = cdk.Stack(app, "Loan")
fn = _lambda.Function(
    stack,
    "Fn",
    runtime=_lambda.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=_lambda.Code.from_inline("def handler(event, context): return event"),
)
table = dynamodb.TableV2(
    stack, "Table", partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING)
)
topic = sns.Topic(stack, "Topic")
role = iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com"))
fn.grant_invoke(role)
table.grant_read_write_data(role)
topic.grant_publish(role)
sfn.StateMachine(
    stack,
    "Machine",
    role=role,
    definition_body=sfn.DefinitionBody.from_string(json.dumps(DEFINITION)),
    definition_substitutions={"ScoreArn": fn.function_arn, "Table": table.table_name, "Topic": topic.topic_arn},
    tracing_enabled=True,
    logs=sfn.LogOptions(destination=logs.LogGroup(stack, "Logs"), level=sfn.LogLevel.ERROR),
)
app.synth()
