import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Tenants")
role = iam.Role(stack, "Role", role_name="meter", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["dynamodb:GetItem"],
        resources=[f"arn:aws:dynamodb:{stack.region}:{stack.account}:table/{name}" for name in ["*f*d*j*", "*k*g*f*", "*j*c*h*"]],
    )
)

app.synth()
