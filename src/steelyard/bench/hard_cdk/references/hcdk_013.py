import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Watch")
role = iam.Role(stack, "Role", role_name="auditor", assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"))


def streams(patterns: list[str]) -> list[str]:
    base = f"arn:aws:logs:{stack.region}:{stack.account}:log-group:"
    return [f"{base}{pattern}:log-stream:*" for pattern in patterns]


role.add_to_policy(iam.PolicyStatement(actions=["logs:GetLogEvents"], resources=streams(["/ecs/*4*8*", "/ecs/*3*b*"])))
role.add_to_policy(
    iam.PolicyStatement(effect=iam.Effect.DENY, actions=["logs:GetLogEvents"], resources=streams(["/ecs/*4*4*"]))
)

app.synth()
