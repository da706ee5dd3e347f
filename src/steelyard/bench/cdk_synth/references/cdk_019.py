import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_rds as rds
from constructs import Construct


class LedgerDatabaseStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vpc = ec2.Vpc(
            self,
            "Network",
            max_azs=2,
            nat_gateways=0,
            subnet_configuration=[
                ec2.SubnetConfiguration(name="public", subnet_type=ec2.SubnetType.PUBLIC),
                ec2.SubnetConfiguration(name="data", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            ],
        )
        clients = ec2.SecurityGroup(self, "LedgerClients", vpc=vpc, description="May connect to the ledger")
        database = rds.DatabaseInstance(
            self,
            "Ledger",
            engine=rds.DatabaseInstanceEngine.postgres(version=rds.PostgresEngineVersion.VER_16_9),
            instance_type=ec2.InstanceType.of(ec2.InstanceClass.T4G, ec2.InstanceSize.MEDIUM),
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            credentials=rds.Credentials.from_generated_secret("ledger"),
            multi_az=True,
            storage_encrypted=True,
            backup_retention=cdk.Duration.days(7),
            deletion_protection=True,
            publicly_accessible=False,
        )
        database.connections.allow_default_port_from(clients, "PostgreSQL from the application")


app = cdk.App()
LedgerDatabaseStack(app, "LedgerDatabase")
app.synth()
