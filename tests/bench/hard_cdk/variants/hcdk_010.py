import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

app = cdk.App()
stack = cdk.Stack(app, "Vault")
lambda_service = iam.ServicePrincipal("lambda.amazonaws.com")
full = iam.PolicyDocument(statements=[iam.PolicyStatement(actions=["kms:*"], resources=["*"])])
ops = iam.Role(stack, "O", role_name="ops", assumed_by=lambda_service, inline_policies={"kms": full})
payments = iam.Role(stack, "P", role_name="payments", assumed_by=lambda_service)
ingest = iam.Role(stack, "I", role_name="ingest", assumed_by=lambda_service)
USE = ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:CreateGrant"]
key = kms.CfnKey(
    stack,
    "Key",
    key_policy={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{cdk.Aws.ACCOUNT_ID}:root"},
                "NotAction": [*USE, "kms:ScheduleKeyDeletion", "kms:DeleteImportedKeyMaterial"],
                "Resource": "*",
            },
            {"Effect": "Deny", "Principal": "*", "Action": "kms:ScheduleKeyDeletion", "Resource": "*"},
            {
                "Effect": "Allow",
                "Principal": {"AWS": payments.role_arn},
                "Action": "kms:Decrypt",
                "Resource": "*",
                "Condition": {"StringEquals": {"kms:EncryptionContext:app": "payments"}},
            },
            {
                "Effect": "Allow",
                "Principal": {"AWS": ingest.role_arn},
                "Action": "kms:GenerateDataKey",
                "Resource": "*",
                "Condition": {"StringLike": {"kms:ViaService": f"s3.{cdk.Aws.REGION}.*"}},
            },
        ],
    },
)
app.synth()
