import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

TENANT = "${aws:PrincipalTag/tenant}"

app = cdk.App()
stack = cdk.Stack(app, "Tenants")
bucket = s3.Bucket(stack, "Files", enforce_ssl=True, block_public_access=s3.BlockPublicAccess.BLOCK_ALL)
tagged = iam.ArnPrincipal("arn:aws:iam::111122223333:role/broker").with_conditions(
    {"Null": {"aws:RequestTag/tenant": "false"}}
)
role = iam.Role(stack, "Role", role_name="tenant-files", assumed_by=tagged.with_session_tags())
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
        resources=[bucket.arn_for_objects(f"{TENANT}/*")],
    )
)
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:ListBucket"],
        resources=[bucket.bucket_arn],
        conditions={"StringLike": {"s3:prefix": [f"{TENANT}/*"]}},
    )
)

app.synth()
