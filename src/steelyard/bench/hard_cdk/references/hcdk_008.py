import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

app = cdk.App()


def network(name: str, block: str) -> ec2.Vpc:
    return ec2.Vpc(
        cdk.Stack(app, name),
        "Vpc",
        ip_addresses=ec2.IpAddresses.cidr(block),
        max_azs=2,
        nat_gateways=0,
        subnet_configuration=[
            ec2.SubnetConfiguration(name="isolated", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=22)
        ],
    )


hub, spoke = network("Hub", "10.66.160.0/20"), network("Spoke", "10.66.176.0/20")
services = ec2.SecurityGroup(hub.stack, "Services", vpc=hub, description="hub services")

link = cdk.Stack(app, "Link")
peering = ec2.CfnVPCPeeringConnection(link, "Peering", vpc_id=hub.vpc_id, peer_vpc_id=spoke.vpc_id)
for name, here, there in (("Out", hub, spoke), ("Back", spoke, hub)):
    for number, subnet in enumerate(here.isolated_subnets):
        ec2.CfnRoute(
            link,
            f"{name}{number}",
            route_table_id=subnet.route_table.route_table_id,
            destination_cidr_block=there.vpc_cidr_block,
            vpc_peering_connection_id=peering.ref,
        )
ec2.CfnSecurityGroupIngress(
    link,
    "FromSpoke",
    group_id=services.security_group_id,
    cidr_ip=spoke.vpc_cidr_block,
    ip_protocol="tcp",
    from_port=443,
    to_port=443,
)

app.synth()
