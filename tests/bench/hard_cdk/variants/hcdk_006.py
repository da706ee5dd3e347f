import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm

app = cdk.App()

platform = cdk.Stack(app, "Platform")
key = kms.Key(platform, "Key", enable_key_rotation=True)
topic = sns.Topic(platform, "Alerts", master_key=key)
table = dynamodb.Table(
    platform, "Table", partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING)
)
NAMES = {
    "/platform/alerts/topic-arn": topic.topic_arn,
    "/platform/alerts/key-arn": key.key_arn,
    "/platform/table-name": table.table_name,
}
for number, (name, value) in enumerate(NAMES.items()):
    ssm.StringParameter(platform, f"Parameter{number}", parameter_name=name, string_value=value)

service = cdk.Stack(app, "Service")
service.add_dependency(platform)  # a parameter alone creates no dependency
topic_arn, key_arn, table_name = (f"{{{{resolve:ssm:{name}}}}}" for name in NAMES)
function = lambda_.Function(
    service,
    "Function",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    environment={"TOPIC_ARN": topic_arn, "TABLE_NAME": table_name},
)
table_arn = service.format_arn(service="dynamodb", resource="table", resource_name=table_name)
for actions, resource in (
    (["sns:Publish"], topic_arn),
    (["kms:GenerateDataKey", "kms:Decrypt"], key_arn),
    (["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"], table_arn),
):
    function.add_to_role_policy(iam.PolicyStatement(actions=actions, resources=[resource]))

app.synth()
