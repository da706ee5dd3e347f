import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

TIERS = {
    "app": ["10.40.8.128/25", "10.40.9.0/25", "10.40.9.128/25"],
    "data": ["10.40.10.0/27", "10.40.10.32/27", "10.40.10.64/27"],
    "public": ["10.40.10.128/28", "10.40.10.144/28", "10.40.10.160/28"],
    "attach": ["10.40.10.192/28", "10.40.10.208/28", "10.40.10.224/28"],
}

app = cdk.App()
stack = cdk.Stack(app, "Plan")
vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.40.8.0/22", enable_dns_hostnames=True, enable_dns_support=True)
gateway = ec2.CfnInternetGateway(stack, "Gateway")
attachment = ec2.CfnVPCGatewayAttachment(stack, "Attachment", vpc_id=vpc.ref, internet_gateway_id=gateway.ref)
for tier, blocks in TIERS.items():
    table = ec2.CfnRouteTable(stack, f"{tier.capitalize()}Routes", vpc_id=vpc.ref)
    for zone, block in enumerate(blocks):
        subnet = ec2.CfnSubnet(
            stack,
            f"{tier.capitalize()}{zone}",
            vpc_id=vpc.ref,
            cidr_block=block,
            availability_zone=cdk.Fn.select(zone, cdk.Fn.get_azs()),
            map_public_ip_on_launch=tier == "public",
            tags=[cdk.CfnTag(key="tier", value=tier)],
        )
        ec2.CfnSubnetRouteTableAssociation(
            stack, f"{tier.capitalize()}{zone}Routes", subnet_id=subnet.ref, route_table_id=table.ref
        )
    if tier == "public":
        ec2.CfnRoute(
            stack,
            "Internet",
            route_table_id=table.ref,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway.ref,
        ).add_dependency(attachment)

app.synth()
