import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3

app = cdk.App()

storage = cdk.Stack(app, "Storage")
bucket = s3.Bucket(storage, "Uploads", event_bridge_enabled=True)

ingest = cdk.Stack(app, "Ingest")
function = lambda_.Function(
    ingest,
    "Function",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    environment={"BUCKET": bucket.bucket_name},
)
for action, folder in (("s3:GetObject", "incoming/*"), ("s3:PutObject", "done/*")):
    function.add_to_role_policy(
        iam.PolicyStatement(actions=[action], resources=[bucket.arn_for_objects(folder)])
    )
events.Rule(
    ingest,
    "Rule",
    event_pattern=events.EventPattern(
        source=["aws.s3"],
        detail_type=["Object Created"],
        detail={
            "bucket": {"name": [bucket.bucket_name]},
            "object": {"key": [{"wildcard": "incoming/*.csv"}], "size": [{"numeric": [">", 0]}]},
        },
    ),
    targets=[targets.LambdaFunction(function)],
)

app.synth()
