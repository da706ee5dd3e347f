import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_efs as efs
from aws_cdk import aws_lambda as lambda_
from constructs import Construct


class SharedModelsStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vpc = ec2.Vpc(
            self,
            "Network",
            max_azs=2,
            nat_gateways=0,
            subnet_configuration=[
                ec2.SubnetConfiguration(name="private", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            ],
        )
        models = efs.FileSystem(
            self,
            "Models",
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            encrypted=True,
            lifecycle_policy=efs.LifecyclePolicy.AFTER_30_DAYS,
            throughput_mode=efs.ThroughputMode.ELASTIC,
            removal_policy=cdk.RemovalPolicy.RETAIN,
        )
        access_point = models.add_access_point(
            "ModelsAccess",
            path="/models",
            create_acl=efs.Acl(owner_uid="1000", owner_gid="1000", permissions="750"),
            posix_user=efs.PosixUser(uid="1000", gid="1000"),
        )
        lambda_.Function(
            self,
            "Predict",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline(
                "import os\ndef handler(event, context):\n    return os.listdir('/mnt/models')\n"
            ),
            memory_size=1024,
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            filesystem=lambda_.FileSystem.from_efs_access_point(access_point, "/mnt/models"),
        )


app = cdk.App()
SharedModelsStack(app, "SharedModels")
app.synth()
