import aws_cdk as cdk
from aws_cdk import aws_s3 as s3

app = cdk.App()
vault = cdk.Stack(app, "Vault")
bucket = s3.Bucket(vault, "Bucket")
guests = cdk.Stack(app, "Guests")
roles = "arn:aws:iam::444455556666:role/"
s3.CfnBucketPolicy(
    guests,
    "Policy",
    bucket=bucket.bucket_name,
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::444455556666:root"},
                "Action": "s3:GetObject",
                "Resource": bucket.arn_for_objects("shared/*"),
                "Condition": {
                    "ArnLike": {"aws:PrincipalArn": [roles + "*l*b*l*c*", roles + "*l*n*c*f*", roles + "*d*b*c*c*"]},
                },
            }
        ],
    },
)

app.synth()
