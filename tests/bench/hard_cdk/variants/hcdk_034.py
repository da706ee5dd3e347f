import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

app = cdk.App()
stack = cdk.Stack(app, "Plan")
vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.40.8.0/22")
gateway = ec2.CfnInternetGateway(stack, "Igw")
link = ec2.CfnVPCGatewayAttachment(stack, "Link", vpc_id=vpc.ref, internet_gateway_id=gateway.ref)
PLAN = {
    "app": ["10.40.10.0/25", "10.40.10.128/25", "10.40.11.0/25"],
    "data": ["10.40.8.128/27", "10.40.8.160/27", "10.40.8.192/27"],
    "public": ["10.40.9.0/28", "10.40.9.16/28", "10.40.9.32/28"],
    "attach": ["10.40.9.48/28", "10.40.9.64/28", "10.40.9.80/28"],
}
for tier, blocks in PLAN.items():
    table = ec2.CfnRouteTable(stack, f"T{tier}", vpc_id=vpc.ref)
    for letter, block in zip("abc", blocks, strict=True):
        subnet = ec2.CfnSubnet(
            stack, f"S{tier}{letter}", vpc_id=vpc.ref, cidr_block=block, availability_zone=f"{stack.region}{letter}"
        )
        cdk.Tags.of(subnet).add("tier", tier)
        ec2.CfnSubnetRouteTableAssociation(stack, f"A{tier}{letter}", subnet_id=subnet.ref, route_table_id=table.ref)
    if tier == "public":
        route = ec2.CfnRoute(
            stack, "Out", route_table_id=table.ref, destination_cidr_block="0.0.0.0/0", gateway_id=gateway.ref
        )
        route.node.add_dependency(link)
app.synth()
