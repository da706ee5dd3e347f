import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Lake")
bucket = s3.Bucket(stack, "Bucket")
role = iam.Role(stack, "Role", role_name="browser", assumed_by=iam.ServicePrincipal("glue.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:ListBucket"],
        resources=[bucket.bucket_arn],
        conditions={
            "StringLike": {"s3:prefix": ["*h*t*/", "*x*p*/"]},
            "StringNotLike": {"s3:prefix": "*x*t*/"},
        },
    )
)

app.synth()
