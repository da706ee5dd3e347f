import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam

POOL = "eu-west-1:12345678-aaaa-bbbb-cccc-1234567890ab"
COGNITO = "cognito-identity.amazonaws.com"

app = cdk.App()
stack = cdk.Stack(app, "Game")


def text(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)


table = dynamodb.Table(stack, "Rounds", partition_key=text("player"), sort_key=text("round"))
table.add_global_secondary_index(index_name="by-score", partition_key=text("league"))
role = iam.Role(
    stack,
    "Player",
    role_name="player",
    assumed_by=iam.FederatedPrincipal(
        COGNITO,
        {
            "StringEquals": {f"{COGNITO}:aud": POOL},
            "ForAnyValue:StringLike": {f"{COGNITO}:amr": "authenticated"},
        },
        "sts:AssumeRoleWithWebIdentity",
    ),
)
role.add_to_policy(
    iam.PolicyStatement(
        actions=["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"],
        resources=[table.table_arn],
        conditions={
            "ForAllValues:StringEquals": {
                "dynamodb:LeadingKeys": ["${cognito-identity.amazonaws.com:sub}"],
                "dynamodb:Attributes": ["player", "round", "score", "name"],
            },
            # ForAllValues also holds for a request without these keys.
            "Null": {"dynamodb:LeadingKeys": "false", "dynamodb:Attributes": "false"},
        },
    )
)

app.synth()
