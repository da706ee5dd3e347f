"""Level-1 constructs and a parameter instead of the Bucket construct."""

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Documents")
days = cdk.CfnParameter(stack, "Days", type="Number", default=90)
bucket = s3.CfnBucket(
    stack,
    "Bucket",
    versioning_configuration={"status": "Enabled"},
    bucket_encryption={
        "serverSideEncryptionConfiguration": [{"serverSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]
    },
    public_access_block_configuration=s3.CfnBucket.PublicAccessBlockConfigurationProperty(
        block_public_acls=True, block_public_policy=True, ignore_public_acls=True, restrict_public_buckets=True
    ),
    lifecycle_configuration=s3.CfnBucket.LifecycleConfigurationProperty(
        rules=[
            s3.CfnBucket.RuleProperty(
                status="Enabled",
                noncurrent_version_expiration=s3.CfnBucket.NoncurrentVersionExpirationProperty(
                    noncurrent_days=days.value_as_number
                ),
            )
        ]
    ),
)
bucket.apply_removal_policy(cdk.RemovalPolicy.RETAIN)
s3.CfnBucketPolicy(
    stack,
    "Policy",
    bucket=bucket.ref,
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": [bucket.attr_arn, cdk.Fn.sub("${Bucket.Arn}/*")],
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ],
    },
)
app.synth()
