import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Broadcast")
prefix = f"arn:aws:sns:{stack.region}:{stack.account}:"
boundary = iam.ManagedPolicy(
    stack,
    "Boundary",
    managed_policy_name="broadcast-boundary",
    statements=[
        iam.PolicyStatement(
            actions=["sns:Publish"],
            resources=[prefix + name for name in ["*s*l*", "*k*d*"]],  # boundary
        )
    ],
)
role = iam.Role(
    stack,
    "Role",
    role_name="announcer",
    assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
    permissions_boundary=boundary,
)
role.add_to_policy(
    iam.PolicyStatement(
        actions=["sns:Publish"],
        resources=[prefix + name for name in ["*k*n*", "*s*k*"]],  # role
    )
)

app.synth()
