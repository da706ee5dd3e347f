import aws_cdk as cdk
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "PortalData", stack_name="portal-v1")
api = cdk.Stack(app, "PortalApi", stack_name="portal-api")
table = dynamodb.Table(
    stack,
    "Sessions",
    partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
    time_to_live_attribute="expires",
)
bucket = s3.Bucket(stack, "Documents", versioned=True)
pool = cognito.UserPool(
    stack,
    "Users",
    sign_in_aliases=cognito.SignInAliases(email=True),
    custom_attributes={
        "plan": cognito.StringAttribute(mutable=True),
        "tenant": cognito.StringAttribute(mutable=True, min_len=1, max_len=40),
    },
    password_policy=cognito.PasswordPolicy(min_length=12),
)
pool.add_client("Web", generate_secret=False)
function = lambda_.Function(
    api,
    "Api",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    environment={
        "TABLE_NAME": table.table_name,
        "BUCKET_NAME": bucket.bucket_name,
        "POOL_ID": pool.user_pool_id,
    },
)
table.grant_read_write_data(function)
bucket.grant_read(function)

app.synth()
