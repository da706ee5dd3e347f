import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

app = cdk.App()
stack = cdk.Stack(app, "Vault")
ops, payments, ingest = (
    iam.Role(stack, name.capitalize(), role_name=name, assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    for name in ("ops", "payments", "ingest")
)
ops.add_to_policy(iam.PolicyStatement(actions=["kms:*"], resources=["*"]))

ADMINISTRATION = [
    "kms:Describe*",
    "kms:Get*",
    "kms:List*",
    "kms:Put*",
    "kms:Update*",
    "kms:Enable*",
    "kms:Disable*",
    "kms:TagResource",
    "kms:UntagResource",
    "kms:CreateAlias",
    "kms:DeleteAlias",
    "kms:CancelKeyDeletion",
]
kms.Key(
    stack,
    "Key",
    enable_key_rotation=True,
    policy=iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(
                principals=[iam.AccountRootPrincipal()], actions=ADMINISTRATION, resources=["*"]
            ),
            iam.PolicyStatement(
                principals=[payments],
                actions=["kms:Decrypt"],
                resources=["*"],
                conditions={"StringEquals": {"kms:EncryptionContext:app": "payments"}},
            ),
            iam.PolicyStatement(
                principals=[ingest],
                actions=["kms:GenerateDataKey"],
                resources=["*"],
                conditions={"StringEquals": {"kms:ViaService": f"s3.{stack.region}.amazonaws.com"}},
            ),
        ]
    ),
)

app.synth()
