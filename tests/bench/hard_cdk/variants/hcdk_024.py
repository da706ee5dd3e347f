import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Uploads")
# A name that is known beforehand breaks the circle: nothing refers to the bucket itself.
name = f"uploads-{cdk.Aws.ACCOUNT_ID}-{cdk.Aws.REGION}"
arn = f"arn:aws:s3:::{name}"
role = iam.Role(
    stack,
    "Role",
    assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
    managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name("service-role/AWSLambdaBasicExecutionRole")],
)
function = lambda_.CfnFunction(
    stack,
    "Function",
    runtime="python3.12",
    handler="index.handler",
    role=role.role_arn,
    code={"zipFile": "def handler(event, context):\n    return None\n"},
)
permission = lambda_.CfnPermission(
    stack,
    "Permission",
    action="lambda:InvokeFunction",
    function_name=function.ref,
    principal="s3.amazonaws.com",
)
bucket = s3.CfnBucket(
    stack,
    "Bucket",
    bucket_name=name,
    notification_configuration={
        "lambdaConfigurations": [
            {
                "event": "s3:ObjectCreated:*",
                "function": function.attr_arn,
                "filter": {"s3Key": {"rules": [{"name": "prefix", "value": "in/"}]}},
            }
        ]
    },
)
bucket.node.add_dependency(permission)
permission.source_arn = cdk.Fn.sub("arn:${AWS::Partition}:s3:::uploads-${AWS::AccountId}-${AWS::Region}")
permission.source_account = cdk.Aws.ACCOUNT_ID
function.environment = {"variables": {"BUCKET": name}}
role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[f"{arn}/in/*"]))
role.add_to_policy(iam.PolicyStatement(actions=["s3:PutObject"], resources=[f"{arn}/out/*"]))

app.synth()
