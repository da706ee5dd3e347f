import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Imports")
bucket = s3.Bucket(stack, "Files", versioned=True, removal_policy=cdk.RemovalPolicy.RETAIN)
role = iam.Role(stack, "Role", role_name="importer", assumed_by=iam.ServicePrincipal("glue.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:GetObject"],
        resources=[
            bucket.arn_for_objects("*h*g*b*a*/*"),
            bucket.arn_for_objects("*h*g*h*c*/*"),
            bucket.arn_for_objects("*d*b*e*b*/*"),
        ],
    )
)

app.synth()
