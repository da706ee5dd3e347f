import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Archive")
key = kms.Key(stack, "Key", enable_key_rotation=True)
bucket = s3.Bucket(
    stack, "Bucket", block_public_access=s3.BlockPublicAccess.BLOCK_ALL, encryption=s3.BucketEncryption.S3_MANAGED
)
objects = bucket.arn_for_objects("*")


def role(name: str, permissions: dict[str, list[str]]) -> None:
    created = iam.Role(stack, name, role_name=name, assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"))
    for resource, actions in permissions.items():
        created.add_to_policy(iam.PolicyStatement(actions=actions, resources=[resource]))


role("writer", {objects: ["s3:PutObject"], key.key_arn: ["kms:GenerateDataKey"]})
role(
    "auditor",
    {objects: ["s3:GetObject"], bucket.bucket_arn: ["s3:ListBucket"], key.key_arn: ["kms:Decrypt"]},
)


def deny(actions: list[str], resources: list[str], conditions: dict | None = None) -> None:
    bucket.add_to_resource_policy(
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            principals=[iam.AnyPrincipal()],
            actions=actions,
            resources=resources,
            conditions=conditions,
        )
    )


deny(
    ["s3:*"],
    [bucket.bucket_arn, objects],
    {
        "StringNotEquals": {"aws:SourceVpce": "vpce-0a1b2c3d4e5f67890"},
        "ArnNotLike": {"aws:PrincipalArn": ["arn:aws:iam::111122223333:role/break-glass"]},
        "BoolIfExists": {"aws:PrincipalIsAWSService": "false"},
    },
)
# A negated operator also holds when the header is missing.
deny(["s3:PutObject"], [objects], {"Null": {"s3:x-amz-server-side-encryption": "true"}})
deny(["s3:PutObject"], [objects], {"StringNotEqualsIfExists": {"s3:x-amz-server-side-encryption": ["aws:kms"]}})
deny(
    ["s3:PutObject"],
    [objects],
    {"StringNotEquals": {"s3:x-amz-server-side-encryption-aws-kms-key-id": key.key_arn}},
)
deny(["s3:DeleteObject*"], [objects])
bucket.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("cloudtrail.amazonaws.com")],
        actions=["s3:PutObject"],
        resources=[bucket.arn_for_objects("trail/*")],
        conditions={"StringEquals": {"aws:SourceArn": "arn:aws:cloudtrail:eu-west-1:111122223333:trail/main"}},
    )
)

app.synth()
