import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct


class NetworkStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.vpc = ec2.Vpc(self, "Vpc", max_azs=2, nat_gateways=1)
        self.app_group = ec2.SecurityGroup(self, "AppGroup", vpc=self.vpc, description="Booking functions")


class DataStack(cdk.Stack):
    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc: ec2.IVpc,
        app_group: ec2.ISecurityGroup,
        **kwargs,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        database_group = ec2.SecurityGroup(self, "DatabaseGroup", vpc=vpc, description="Booking database")
        database_group.add_ingress_rule(app_group, ec2.Port.tcp(5432), "Booking functions")
        self.cluster = rds.DatabaseCluster(
            self,
            "Bookings",
            engine=rds.DatabaseClusterEngine.aurora_postgres(version=rds.AuroraPostgresEngineVersion.VER_16_8),
            writer=rds.ClusterInstance.serverless_v2("Writer"),
            readers=[rds.ClusterInstance.serverless_v2("Reader", scale_with_writer=True)],
            serverless_v2_min_capacity=0.5,
            serverless_v2_max_capacity=8,
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS),
            security_groups=[database_group],
            storage_encrypted=True,
            default_database_name="bookings",
        )


class AppStack(cdk.Stack):
    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc: ec2.IVpc,
        app_group: ec2.ISecurityGroup,
        secret: secretsmanager.ISecret,
        **kwargs,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        function = lambda_.Function(
            self,
            "Book",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return 'booked'\n"),
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS),
            security_groups=[app_group],
            environment={"SECRET_ARN": secret.secret_arn},
        )
        secret.grant_read(function)


app = cdk.App()
network = NetworkStack(app, "BookingNetwork")
data = DataStack(app, "BookingData", vpc=network.vpc, app_group=network.app_group)
AppStack(app, "BookingApp", vpc=network.vpc, app_group=network.app_group, secret=data.cluster.secret)
app.synth()
