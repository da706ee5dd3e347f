import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

HOST = "token.actions.githubusercontent.com"
REPOSITORY = "repo:octo-shop/site:ref:refs"

app = cdk.App()
stack = cdk.Stack(app, "Publish")
bucket = s3.Bucket(stack, "Bucket", block_public_access=s3.BlockPublicAccess.BLOCK_ALL)
role = iam.Role(
    stack,
    "Publisher",
    role_name="publisher",
    max_session_duration=cdk.Duration.hours(1),
    assumed_by=iam.WebIdentityPrincipal(
        f"arn:aws:iam::111122223333:oidc-provider/{HOST}",
        {
            "StringEquals": {f"{HOST}:aud": "sts.amazonaws.com"},
            "StringLike": {
                f"{HOST}:sub": [
                    f"{REPOSITORY}/heads/main",
                    *(f"{REPOSITORY}/tags/v{digit}*" for digit in range(10)),
                ]
            },
        },
    ),
)
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:PutObject"],
        resources=[bucket.arn_for_objects("site/*"), bucket.arn_for_objects("releases/*")],
    )
)
role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[bucket.arn_for_objects("*")]))
role.add_to_policy(iam.PolicyStatement(actions=["s3:ListBucket"], resources=[bucket.bucket_arn]))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["cloudfront:CreateInvalidation"],
        resources=[f"arn:aws:cloudfront::{cdk.Aws.ACCOUNT_ID}:distribution/*"],
        conditions={"StringEquals": {"aws:ResourceTag/site": "shop"}},
    )
)
bucket.add_to_resource_policy(
    iam.PolicyStatement(
        effect=iam.Effect.DENY,
        principals=[iam.AnyPrincipal()],
        actions=["s3:PutObject"],
        resources=[bucket.arn_for_objects("releases/*")],
        conditions={"Null": {"s3:if-none-match": "true"}},
    )
)

app.synth()
