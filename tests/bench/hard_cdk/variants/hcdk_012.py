import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Teams")
boundary = iam.ManagedPolicy(
    stack,
    "Boundary",
    managed_policy_name="team-boundary",
    statements=[
        iam.PolicyStatement(actions=["*"], resources=["*"]),
        iam.PolicyStatement(effect=iam.Effect.DENY, not_actions=["s3:*", "dynamodb:*", "logs:*"], resources=["*"]),
    ],
)
admin = iam.Role(
    stack,
    "Admin",
    role_name="team-admin",
    assumed_by=iam.ArnPrincipal("arn:aws:iam::111122223333:role/sso"),
)
roles = f"arn:aws:iam::{cdk.Aws.ACCOUNT_ID}:role/team/*"
admin.add_to_policy(
    iam.PolicyStatement(
        actions=[
            "iam:CreateRole",
            "iam:PutRolePermissionsBoundary",
            "iam:PutRolePolicy",
            "iam:DeleteRolePolicy",
            "iam:AttachRolePolicy",
            "iam:DetachRolePolicy",
        ],
        resources=[roles],
        conditions={
            "ArnEquals": {"iam:PermissionsBoundary": f"arn:aws:iam::{cdk.Aws.ACCOUNT_ID}:policy/team-boundary"}
        },
    )
)
admin.add_to_policy(iam.PolicyStatement(actions=["iam:DeleteRole"], resources=[roles]))
admin.add_to_policy(
    iam.PolicyStatement(effect=iam.Effect.DENY, actions=["iam:DeleteRolePermissionsBoundary"], resources=["*"])
)
admin.add_to_policy(iam.PolicyStatement(actions=["iam:GetRole", "iam:GetPolicy", "iam:ListRoles"], resources=["*"]))

app.synth()
