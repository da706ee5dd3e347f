import json

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Ledger")
table = dynamodb.Table(
    stack,
    "Orders",
    partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
    stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
    removal_policy=cdk.RemovalPolicy.RETAIN,
)
lost = sqs.Queue(stack, "Lost", retention_period=cdk.Duration.days(14))
function = lambda_.Function(
    stack,
    "OnPaid",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
)
table.grant_stream_read(function)
function.add_to_role_policy(cdk.aws_iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[lost.queue_arn]))
pattern = {
    "eventName": ["MODIFY"],
    "dynamodb": {
        "NewImage": {"status": {"S": ["PAID"]}},
        "OldImage": {"status": {"S": [{"anything-but": "PAID"}]}},
    },
}
lambda_.CfnEventSourceMapping(
    stack,
    "Changes",
    function_name=function.function_name,
    event_source_arn=table.table_stream_arn,
    starting_position="LATEST",
    batch_size=100,
    filter_criteria={"filters": [{"pattern": json.dumps(pattern)}]},
    maximum_retry_attempts=2,
    bisect_batch_on_function_error=True,
    maximum_record_age_in_seconds=3600,
    destination_config={"onFailure": {"destination": lost.queue_arn}},
)

app.synth()
