import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_rds as rds

app = cdk.App()
stack = cdk.Stack(app, "Base")
vpc = ec2.Vpc(
    stack,
    "Vpc",
    ip_addresses=ec2.IpAddresses.cidr("10.20.0.0/20"),
    availability_zones=[f"{stack.region}a", f"{stack.region}b"],
    nat_gateways=1,
    subnet_configuration=[
        ec2.SubnetConfiguration(name="public", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=24),
        ec2.SubnetConfiguration(name="private", subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS, cidr_mask=24),
    ],
)
# A third zone in the list above would deal the address space anew; the new subnets get their own blocks instead.
zone = f"{stack.region}c"
public = ec2.PublicSubnet(
    stack,
    "PublicC",
    vpc_id=vpc.vpc_id,
    availability_zone=zone,
    cidr_block="10.20.14.0/24",
    map_public_ip_on_launch=True,
)
public.add_default_internet_route(vpc.internet_gateway_id, vpc.internet_connectivity_established)
private = ec2.PrivateSubnet(stack, "PrivateC", vpc_id=vpc.vpc_id, availability_zone=zone, cidr_block="10.20.15.0/24")
gateway = next(item for item in vpc.node.find_all() if isinstance(item, ec2.CfnNatGateway))
private.add_default_nat_route(gateway.ref)
subnets = rds.SubnetGroup(
    stack,
    "Subnets",
    vpc=vpc,
    description="databases",
    vpc_subnets=ec2.SubnetSelection(subnets=[*vpc.private_subnets, private]),
)
rds.DatabaseInstance(
    stack,
    "Database",
    engine=rds.DatabaseInstanceEngine.postgres(version=rds.PostgresEngineVersion.VER_16),
    vpc=vpc,
    subnet_group=subnets,
    credentials=rds.Credentials.from_generated_secret("app"),
)

app.synth()
