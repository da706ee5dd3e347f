import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

app = cdk.App()
stack = cdk.Stack(app, "Readings")
storage = Construct(stack, "Storage")
bucket = s3.Bucket(storage, "Bucket", versioned=True)
table = dynamodb.Table(
    storage,
    "Table",
    partition_key=dynamodb.Attribute(name="meter", type=dynamodb.AttributeType.STRING),
    billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
)
bucket.node.default_child.override_logical_id("Raw72517081")
table.node.default_child.override_logical_id("Meters6AC7D562")
role = iam.Role(stack, "Role", role_name="billing", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:GetObject"],
        resources=[
            bucket.arn_for_objects("*g*g*a*b*/*"),
            bucket.arn_for_objects("*g*c*a*a*/*"),
            bucket.arn_for_objects("*c*a*c*f*/*"),
        ],
    )
)

app.synth()
