import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_rds as rds


class Network(cdk.Stack):
    def __init__(self, scope, name):
        super().__init__(scope, name)
        subnets = [ec2.SubnetConfiguration(name="in", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)]
        self.vpc = ec2.Vpc(self, "Net", max_azs=2, subnet_configuration=subnets)
        # Open to the address range of the VPC on 443.
        service = ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER
        self.endpoint = self.vpc.add_interface_endpoint("SM", service=service)


class Data(cdk.Stack):
    def __init__(self, scope, name, vpc):
        super().__init__(scope, name)
        self.db = rds.DatabaseInstance(
            self,
            "Db",
            engine=rds.DatabaseInstanceEngine.POSTGRES,
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
        )


class Service(cdk.Stack):
    def __init__(self, scope, name, network, db):
        super().__init__(scope, name)
        group = ec2.SecurityGroup(self, "Group", vpc=network.vpc, allow_all_outbound=False)
        fn = lambda_.Function(
            self,
            "Fn",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(e, c): pass"),
            vpc=network.vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            security_groups=[group],
            environment={"DB_SECRET_ARN": db.secret.secret_full_arn or db.secret.secret_arn},
        )
        fn.connections.allow_to(db, ec2.Port.tcp(5432))
        fn.connections.allow_to(network.endpoint, ec2.Port.tcp(443))
        fn.add_to_role_policy(
            iam.PolicyStatement(actions=["secretsmanager:GetSecretValue"], resources=[db.secret.secret_arn])
        )


app = cdk.App()
network = Network(app, "Network")
data = Data(app, "Data", network.vpc)
Service(app, "App", network, data.db)
app.synth()
