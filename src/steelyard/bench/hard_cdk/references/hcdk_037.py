import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Secrets")
role = iam.Role(stack, "Role", role_name="rotator", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def secrets(names: list[str]) -> list[str]:
    prefix = f"arn:aws:secretsmanager:{stack.region}:{stack.account}:secret:"
    return [f"{prefix}{name}-??????" for name in names]


action = "secretsmanager:GetSecretValue"
role.add_to_policy(iam.PolicyStatement(actions=[action], resources=secrets(["*d*k*a*", "*k*a*k*"])))
role.add_to_policy(iam.PolicyStatement(effect=iam.Effect.DENY, actions=[action], resources=secrets(["*e*a*k*"])))

app.synth()
