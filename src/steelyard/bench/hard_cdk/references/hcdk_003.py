import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

app = cdk.App()

identity = cdk.Stack(app, "Identity")
role = iam.Role(identity, "Etl", role_name="etl", assumed_by=iam.ServicePrincipal("glue.amazonaws.com"))

data = cdk.Stack(app, "Data")
key = kms.Key(data, "Key", enable_key_rotation=True)
bucket = s3.Bucket(data, "Bucket", encryption=s3.BucketEncryption.KMS, encryption_key=key)
table = dynamodb.Table(
    data, "Runs", partition_key=dynamodb.Attribute(name="run", type=dynamodb.AttributeType.STRING)
)
# A policy of this stack that is attached to the role of the other one: nothing is written into Identity.
iam.Policy(
    data,
    "EtlAccess",
    roles=[role],
    statements=[
        iam.PolicyStatement(actions=["s3:GetObject", "s3:PutObject"], resources=[bucket.arn_for_objects("*")]),
        iam.PolicyStatement(actions=["s3:ListBucket"], resources=[bucket.bucket_arn]),
        iam.PolicyStatement(actions=["kms:Decrypt", "kms:GenerateDataKey"], resources=[key.key_arn]),
        iam.PolicyStatement(actions=["dynamodb:PutItem", "dynamodb:GetItem"], resources=[table.table_arn]),
    ],
)
bucket.add_to_resource_policy(
    iam.PolicyStatement(
        effect=iam.Effect.DENY,
        principals=[iam.AnyPrincipal()],
        actions=["s3:GetObject", "s3:PutObject"],
        resources=[bucket.arn_for_objects("*")],
        conditions={"ArnNotEquals": {"aws:PrincipalArn": role.role_arn}},
    )
)

app.synth()
