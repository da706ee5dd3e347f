import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_rds as rds

app = cdk.App()

network = cdk.Stack(app, "Network")
vpc = ec2.Vpc(
    network,
    "Vpc",
    max_azs=2,
    nat_gateways=0,
    subnet_configuration=[
        ec2.SubnetConfiguration(name="isolated", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=24)
    ],
)
isolated = ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)
endpoint_group = ec2.SecurityGroup(network, "EndpointGroup", vpc=vpc, allow_all_outbound=False)
vpc.add_interface_endpoint(
    "Secrets",
    service=ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
    private_dns_enabled=True,
    open=False,
    security_groups=[endpoint_group],
)

data = cdk.Stack(app, "Data")
database_group = ec2.SecurityGroup(data, "DatabaseGroup", vpc=vpc, allow_all_outbound=False)
database = rds.DatabaseInstance(
    data,
    "Database",
    engine=rds.DatabaseInstanceEngine.postgres(version=rds.PostgresEngineVersion.VER_16),
    vpc=vpc,
    vpc_subnets=isolated,
    security_groups=[database_group],
    credentials=rds.Credentials.from_generated_secret("service"),
)

upper = cdk.Stack(app, "App")
function_group = ec2.SecurityGroup(upper, "FunctionGroup", vpc=vpc, allow_all_outbound=False)
function = lambda_.Function(
    upper,
    "Function",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    vpc=vpc,
    vpc_subnets=isolated,
    security_groups=[function_group],
    environment={"DB_SECRET_ARN": database.secret.secret_arn},
)
database.secret.grant_read(function)
for name, group, port in (("Database", database_group, 5432), ("Endpoint", endpoint_group, 443)):
    # Both rules belong to the upper stack, so that the lower ones know nothing of the function.
    function_group.add_egress_rule(group, ec2.Port.tcp(port))
    ec2.CfnSecurityGroupIngress(
        upper,
        f"To{name}",
        group_id=group.security_group_id,
        source_security_group_id=function_group.security_group_id,
        ip_protocol="tcp",
        from_port=port,
        to_port=port,
    )

app.synth()
