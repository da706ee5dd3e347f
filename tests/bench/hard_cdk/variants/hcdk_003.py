import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

app = cdk.App()
identity = cdk.Stack(app, "Identity")
iam.CfnRole(
    identity,
    "Role",
    role_name="etl",
    assume_role_policy_document={
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "glue.amazonaws.com"}, "Action": "sts:AssumeRole"}],
    },
)
data = cdk.Stack(app, "Data")
data.add_dependency(identity)
role_arn = f"arn:aws:iam::{cdk.Aws.ACCOUNT_ID}:role/etl"
key = kms.Key(data, "Key")
bucket = s3.Bucket(data, "Bucket", encryption_key=key)
table = dynamodb.TableV2(data, "Runs", partition_key=dynamodb.Attribute(name="run", type=dynamodb.AttributeType.STRING))
iam.CfnManagedPolicy(
    data,
    "Access",
    roles=["etl"],
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["s3:GetObject", "s3:PutObject", "s3:ListBucket"],
                "Resource": [bucket.bucket_arn, bucket.arn_for_objects("*")],
            },
            {"Effect": "Allow", "Action": ["kms:Decrypt", "kms:GenerateDataKey"], "Resource": key.key_arn},
            {"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:PutItem"], "Resource": table.table_arn},
        ],
    },
)
bucket.add_to_resource_policy(
    iam.PolicyStatement(
        effect=iam.Effect.DENY,
        principals=[iam.StarPrincipal()],
        actions=["s3:GetObject", "s3:PutObject"],
        resources=[bucket.arn_for_objects("*")],
        conditions={"StringNotEquals": {"aws:PrincipalArn": [role_arn]}},
    )
)
app.synth()
