import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_

app = cdk.App()
stack = cdk.Stack(app, "Shop")
table = dynamodb.Table(
    stack,
    "Orders",
    partition_key=dynamodb.Attribute(name="order", type=dynamodb.AttributeType.STRING),
    billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
    deletion_protection=True,
)
for name, key in (("by-customer", "customer"), ("by-state", "state")):
    table.add_global_secondary_index(
        index_name=name,
        partition_key=dynamodb.Attribute(name=key, type=dynamodb.AttributeType.STRING),
        projection_type=dynamodb.ProjectionType.KEYS_ONLY,
    )
# A third index beside the old one, which the running version still queries; an index cannot be changed.
table.add_global_secondary_index(
    index_name="by-customer-v2",
    partition_key=dynamodb.Attribute(name="customer", type=dynamodb.AttributeType.STRING),
    sort_key=dynamodb.Attribute(name="placed", type=dynamodb.AttributeType.NUMBER),
)
function = lambda_.Function(
    stack,
    "History",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    environment={"TABLE_NAME": table.table_name, "INDEX_NAME": "by-customer-v2"},
)
function.add_to_role_policy(
    iam.PolicyStatement(actions=["dynamodb:Query"], resources=[f"{table.table_arn}/index/by-customer"])
)
function.add_to_role_policy(
    iam.PolicyStatement(actions=["dynamodb:Query"], resources=[f"{table.table_arn}/index/by-customer-v2"])
)

app.synth()
