import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Tenants")
bucket = s3.CfnBucket(stack, "B")
s3.CfnBucketPolicy(
    stack,
    "P",
    bucket=bucket.ref,
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": [bucket.attr_arn, cdk.Fn.join("", [bucket.attr_arn, "/*"])],
                "Condition": {"Bool": {"aws:SecureTransport": False}},
            }
        ],
    },
)
files = iam.PolicyDocument(
    statements=[
        iam.PolicyStatement(
            actions=["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
            resources=[cdk.Fn.join("", [bucket.attr_arn, "/${aws:PrincipalTag/tenant}/*"])],
        ),
        iam.PolicyStatement(
            actions=["s3:ListBucket"],
            resources=[bucket.attr_arn],
            conditions={
                "StringLike": {"s3:prefix": ["${aws:PrincipalTag/tenant}/", "${aws:PrincipalTag/tenant}/*"]},
                "Null": {"aws:PrincipalTag/tenant": "false"},
            },
        ),
    ]
)
iam.CfnRole(
    stack,
    "R",
    role_name="tenant-files",
    assume_role_policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::111122223333:role/broker"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
                "Condition": {"StringLike": {"aws:RequestTag/tenant": "?*"}},
            }
        ],
    },
    policies=[iam.CfnRole.PolicyProperty(policy_name="files", policy_document=files)],
)
app.synth()
