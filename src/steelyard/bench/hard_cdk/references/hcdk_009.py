import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Dispatch")
role = iam.Role(
    stack,
    "Dispatcher",
    role_name="dispatcher",
    assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
)
# Seven letters, a site with r in the middle, a name that ends in t; seven letters and a site with w; a second letter a.
patterns = ["???????-?r?-*t", "???????-w??-*", "?a*-?r?-?u*"]
role.add_to_policy(
    iam.PolicyStatement(
        actions=["sqs:SendMessage"],
        resources=[f"arn:aws:sqs:{stack.region}:{stack.account}:{pattern}" for pattern in patterns],
    )
)

app.synth()
