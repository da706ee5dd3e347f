import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Plants")
bucket = s3.Bucket(stack, "Readings")
role = iam.Role(stack, "Analyst", role_name="analyst", assumed_by=iam.ServicePrincipal("glue.amazonaws.com"))
# Two patterns allow slightly too much; what they share with the refused files is an even number in a JSON file.
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:GetObject"],
        resources=[bucket.arn_for_objects("*e*/2026-0?/*.json"), bucket.arn_for_objects("????/*/p*t")],
    )
)
role.add_to_policy(
    iam.PolicyStatement(
        effect=iam.Effect.DENY, actions=["s3:GetObject"], resources=[bucket.arn_for_objects("*2.json")]
    )
)

app.synth()
