import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Operators")
role = iam.Role(stack, "Role", role_name="operator", assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"))
allowed = ["ec2:*ri*o*", "ec2:*e*l*r*"]
role.add_to_policy(iam.PolicyStatement(actions=allowed, resources=["*"]))
role.add_to_policy(iam.PolicyStatement(effect=iam.Effect.DENY, actions=["ec2:*d*l*"], resources=["*"]))

app.synth()
