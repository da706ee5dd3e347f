import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3

app = cdk.App()
storage = cdk.Stack(app, "Storage")
bucket = s3.CfnBucket(
    storage,
    "Uploads",
    notification_configuration=s3.CfnBucket.NotificationConfigurationProperty(
        event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(event_bridge_enabled=True)
    ),
)
files = s3.Bucket.from_bucket_name(storage, "Files", bucket.ref)

ingest = cdk.Stack(app, "Ingest")
function = lambda_.Function(
    ingest,
    "Function",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context): pass"),
    environment={"BUCKET": bucket.ref},
)
imported = s3.Bucket.from_bucket_name(ingest, "Imported", bucket.ref)
function.add_to_role_policy(
    cdk.aws_iam.PolicyStatement(actions=["s3:GetObject"], resources=[imported.arn_for_objects("incoming/*")])
)
function.add_to_role_policy(
    cdk.aws_iam.PolicyStatement(actions=["s3:PutObject"], resources=[imported.arn_for_objects("done/*")])
)
rule = events.CfnRule(
    ingest,
    "Rule",
    event_pattern={
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {
            "bucket": {"name": [bucket.ref]},
            "object": {"key": [{"wildcard": "incoming/*.csv"}], "size": [{"anything-but": 0}]},
        },
    },
    targets=[events.CfnRule.TargetProperty(arn=function.function_arn, id="function")],
)
lambda_.CfnPermission(
    ingest,
    "Invoke",
    action="lambda:InvokeFunction",
    function_name=function.function_name,
    principal="events.amazonaws.com",
    source_arn=rule.attr_arn,
)
app.synth()
