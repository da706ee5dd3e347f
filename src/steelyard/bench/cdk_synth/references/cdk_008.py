import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct


class ReportReaderStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        reports = s3.Bucket(
            self,
            "Reports",
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        )
        reader = iam.Role(
            self,
            "ReportReader",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name("AmazonSSMManagedInstanceCore")],
        )
        reader.add_to_policy(iam.PolicyStatement(actions=["s3:ListBucket"], resources=[reports.bucket_arn]))
        reader.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[reports.arn_for_objects("*")]))
        iam.InstanceProfile(self, "ReportReaderProfile", role=reader)


app = cdk.App()
ReportReaderStack(app, "ReportReader")
app.synth()
