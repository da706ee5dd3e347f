import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Dispatch")
role = iam.Role(stack, "Role", role_name="dispatcher", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
patterns = ["?a*-*a?-a*t", "*e?-z*h-*i?", "*c?-*a*-*e*"]
role.add_to_policy(
    iam.PolicyStatement(
        actions=["sqs:SendMessage"],
        resources=[f"arn:aws:sqs:{stack.region}:{stack.account}:{pattern}" for pattern in patterns],
    )
)

app.synth()
