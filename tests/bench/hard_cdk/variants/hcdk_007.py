import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

app = cdk.App()


def data_stack(env: str) -> cdk.Stack:
    stack = cdk.Stack(app, f"Data-{env}")
    prod = env == "prod"
    table = dynamodb.Table(
        stack,
        "Orders",
        partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
        stream=dynamodb.StreamViewType.NEW_IMAGE,
        deletion_protection=prod,
        point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
            point_in_time_recovery_enabled=prod
        ),
        removal_policy=cdk.RemovalPolicy.RETAIN if prod else cdk.RemovalPolicy.DESTROY,
    )
    cdk.CfnOutput(stack, "TableArn", value=table.table_arn, export_name=f"{env}-orders-table-arn")
    cdk.CfnOutput(stack, "StreamArn", value=table.table_stream_arn, export_name=f"{env}-orders-stream-arn")
    return stack


def api_stack(env: str, data: cdk.Stack) -> None:
    stack = cdk.Stack(app, f"Api-{env}")
    stack.add_dependency(data)  # an import by name creates none
    table_arn = cdk.Token.as_string({"Fn::ImportValue": f"{env}-orders-table-arn"})
    stream_arn = cdk.Token.as_string({"Fn::ImportValue": f"{env}-orders-stream-arn"})
    table = dynamodb.Table.from_table_attributes(stack, "Table", table_arn=table_arn, table_stream_arn=stream_arn)

    def function(name: str, memory: int, environment: dict[str, str]) -> lambda_.Function:
        return lambda_.Function(
            stack,
            name.capitalize(),
            function_name=f"{env}-{name}",
            runtime=lambda_.Runtime.PYTHON_3_12,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
            memory_size=memory,
            environment=environment,
        )

    api = function("api", 1024 if env == "prod" else 256, {"TABLE_ARN": table_arn})
    api.add_to_role_policy(iam.PolicyStatement(actions=["dynamodb:GetItem", "dynamodb:PutItem"], resources=[table_arn]))
    projector = function("projector", 256, {})
    table.grant_stream_read(projector)
    projector.add_event_source_mapping(
        "Stream",
        event_source_arn=stream_arn,
        batch_size=100,
        starting_position=lambda_.StartingPosition.TRIM_HORIZON,
    )


for name in ("dev", "prod"):
    api_stack(name, data_stack(name))

app.synth()
