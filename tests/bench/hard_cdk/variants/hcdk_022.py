import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

app = cdk.App()
stack = cdk.Stack(app, "Net")
vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.0.0.0/16", enable_dns_hostnames=True, enable_dns_support=True)
gateway = ec2.CfnInternetGateway(stack, "Gateway")
attachment = ec2.CfnVPCGatewayAttachment(stack, "Attachment", vpc_id=vpc.ref, internet_gateway_id=gateway.ref)


def subnet(name: str, block: str, zone: int) -> ec2.CfnSubnet:
    return ec2.CfnSubnet(
        stack,
        name,
        vpc_id=vpc.ref,
        cidr_block=block,
        availability_zone=cdk.Fn.select(zone, cdk.Fn.get_azs()),
    )


def table(name: str) -> ec2.CfnRouteTable:
    return ec2.CfnRouteTable(stack, name, vpc_id=vpc.ref)


def associate(where: ec2.CfnSubnet, routes: ec2.CfnRouteTable) -> None:
    ec2.CfnSubnetRouteTableAssociation(
        stack, f"{where.node.id}In{routes.node.id}", subnet_id=where.ref, route_table_id=routes.ref
    )


public_a, public_b = subnet("PublicA", "10.0.0.0/24", 0), subnet("PublicB", "10.0.1.0/24", 1)
app_a, app_b = subnet("AppA", "10.0.10.0/24", 0), subnet("AppB", "10.0.11.0/24", 1)
data_a, data_b = subnet("DataA", "10.0.20.0/24", 0), subnet("DataB", "10.0.21.0/24", 1)

public = table("PublicRoutes")
ec2.CfnRoute(
    stack,
    "PublicDefault",
    route_table_id=public.ref,
    destination_cidr_block="0.0.0.0/0",
    gateway_id=gateway.ref,
).add_dependency(attachment)
associate(public_a, public)
associate(public_b, public)

nats = {}
for zone in "AB":
    address = ec2.CfnEIP(stack, f"Address{zone}", domain="vpc")
    nats[zone] = ec2.CfnNatGateway(
        stack,
        f"Nat{zone}",
        subnet_id={"A": public_a, "B": public_b}[zone].ref,
        allocation_id=address.attr_allocation_id,
    )
private = {zone: table(f"Private{zone}Routes") for zone in "AB"}
for zone in "AB":
    ec2.CfnRoute(
        stack,
        f"Private{zone}Default",
        route_table_id=private[zone].ref,
        destination_cidr_block="0.0.0.0/0",
        nat_gateway_id=nats[zone].ref,
    )
associate(app_a, private["A"])
associate(data_a, private["A"])
associate(app_b, private["B"])
ec2.CfnSubnetRouteTableAssociation(stack, "Missing", subnet_id=data_b.ref, route_table_id=private["B"].ref)

ec2.CfnVPCEndpoint(
    stack,
    "S3",
    vpc_id=vpc.ref,
    service_name=f"com.amazonaws.{cdk.Aws.REGION}.s3",
    vpc_endpoint_type="Gateway",
    route_table_ids=[routes.ref for routes in (private["B"], private["A"])],
)

app.synth()
