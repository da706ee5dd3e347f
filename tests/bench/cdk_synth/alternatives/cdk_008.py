"""A grant and a managed policy of one's own instead of statements."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Reader")
bucket = s3.Bucket(stack, "Bucket")
role = iam.CfnRole(
    stack,
    "Role",
    assume_role_policy_document={
        "Version": "2012-10-17",
        "Statement": {
            "Effect": "Allow",
            "Action": "sts:AssumeRole",
            "Principal": {"Service": ["ec2.amazonaws.com"]},
        },
    },
    managed_policy_arns=["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"],
)
iam.CfnManagedPolicy(
    stack,
    "Read",
    roles=[role.ref],
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["s3:Get*", "s3:List*"],
                "Resource": [bucket.bucket_arn, bucket.bucket_arn + "/*"],
            }
        ],
    },
)
iam.CfnInstanceProfile(stack, "Profile", roles=[role.ref])
app.synth()
