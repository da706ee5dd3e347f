import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_dynamodb as dynamodb

app = cdk.App()
stack = cdk.Stack(app, "Scores")
table = dynamodb.Table(
    stack,
    "Table",
    partition_key=dynamodb.Attribute(name="owner", type=dynamodb.AttributeType.STRING),
    sort_key=dynamodb.Attribute(name="at", type=dynamodb.AttributeType.STRING),
)
role = iam.Role(stack, "Role", role_name="reader", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
patterns = ["*3*F*", "*9*D*", "*X*4*"]
role.add_to_policy(
    iam.PolicyStatement(
        actions=["dynamodb:Query", "dynamodb:BatchGetItem"],
        resources=[table.table_arn],
        conditions={"ForAllValues:StringLike": {"dynamodb:LeadingKeys": patterns}},
    )
)

app.synth()
