import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Scans")
bucket = s3.Bucket(stack, "Files", versioned=True, removal_policy=cdk.RemovalPolicy.RETAIN)
role = iam.Role(stack, "Role", role_name="scanner", assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["s3:GetObject"],
        resources=[
            bucket.arn_for_objects("*r*p*k*s*/*"),
            bucket.arn_for_objects("*n*p*r*n*/*"),
        ],
    )
)
role.add_to_policy(
    iam.PolicyStatement(
        effect=iam.Effect.DENY,
        actions=["s3:GetObject"],
        resources=[bucket.arn_for_objects("*r*p*m*/*")],
    )
)

app.synth()
