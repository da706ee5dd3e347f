import aws_cdk as cdk
from aws_cdk import Fn
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticache as elasticache

MOST = 6
BLOCKS = {"public": range(0, 6), "private": range(6, 12), "isolated": range(15, 9, -1)}
EVERYWHERE = "0.0.0.0/0"

app = cdk.App()
net = cdk.Stack(app, "Net")
block = cdk.CfnParameter(net, "Block", default="10.0.0.0/16")
layout = cdk.CfnParameter(net, "Layout", type="CommaDelimitedList", default="public,private")

# The list with empty words behind it, so that every place can be selected.
padded = Fn.split(",", Fn.join(",", [Fn.join(",", layout.value_as_list), *[""] * MOST]))
words = [Fn.select(place, padded) for place in range(MOST)]
cidrs = Fn.cidr(block.value_as_string, 16, "12")


def condition(name: str, expression: cdk.ICfnConditionExpression) -> cdk.CfnCondition:
    return cdk.CfnCondition(net, name, expression=expression)


def chosen(test: cdk.CfnCondition, yes: str, no: str) -> str:
    return Fn.condition_if(test.logical_id, yes, no).to_string()


both, either, negation = Fn.condition_and, Fn.condition_or, Fn.condition_not
exists = [condition(f"Exists{place}", negation(Fn.condition_equals(words[place], ""))) for place in range(MOST)]
of_kind = {
    kind: [condition(f"{kind}{place}", Fn.condition_equals(words[place], kind)) for place in range(MOST)]
    for kind in BLOCKS
}
some = {kind: condition(f"some{kind}", either(*of_kind[kind])) for kind in BLOCKS}


def ranks(kind: str) -> list[list[cdk.CfnCondition]]:
    """For every place: whether exactly 0, 1, 2, … of the places before it are of this kind."""
    table = [[condition(f"{kind}None", Fn.condition_equals("", ""))]]
    for place in range(MOST - 1):
        here, before = of_kind[kind][place], table[-1]
        row = []
        for count in range(place + 2):
            ways = []
            if count < len(before):
                ways.append(both(before[count], negation(here)))
            if count:
                ways.append(both(before[count - 1], here))
            row.append(condition(f"{kind}{count}Of{place + 1}", either(*ways) if len(ways) > 1 else ways[0]))
        table.append(row)
    return table


rank = {kind: ranks(kind) for kind in BLOCKS}
vpc = ec2.CfnVPC(net, "Vpc", cidr_block=block.value_as_string)
subnets = []
for place in range(MOST):
    cidr = ""
    for kind, numbers in BLOCKS.items():
        for count, before in enumerate(rank[kind][place]):
            fits = condition(f"Is{kind}{place}Number{count}", both(of_kind[kind][place], before))
            cidr = chosen(fits, Fn.select(numbers[count], cidrs), cidr)
    subnet = ec2.CfnSubnet(
        net,
        f"Subnet{place}",
        vpc_id=vpc.ref,
        cidr_block=cidr,
        map_public_ip_on_launch=Fn.condition_if(of_kind["public"][place].logical_id, True, False),
        tags=[cdk.CfnTag(key="Name", value=f"net-{place + 1}")],
    )
    subnet.cfn_options.condition = exists[place]
    subnets.append(subnet)


def under(test: cdk.CfnCondition, resource: cdk.CfnResource) -> cdk.CfnResource:
    resource.cfn_options.condition = test
    return resource


gateway = under(some["public"], ec2.CfnInternetGateway(net, "Gateway"))
under(
    some["public"],
    ec2.CfnVPCGatewayAttachment(net, "Attachment", vpc_id=vpc.ref, internet_gateway_id=gateway.ref),
)
tables = {
    kind: under(
        some[kind],
        ec2.CfnRouteTable(net, f"{kind}Table", vpc_id=vpc.ref, tags=[cdk.CfnTag(key="Name", value=kind)]),
    )
    for kind in ("public", "private")
}
under(
    some["public"],
    ec2.CfnRoute(
        net,
        "PublicRoute",
        route_table_id=tables["public"].ref,
        destination_cidr_block=EVERYWHERE,
        gateway_id=gateway.ref,
    ),
)
translated = condition("Translated", both(some["public"], some["private"]))
first = subnets[-1].ref
for place in reversed(range(MOST - 1)):
    first = chosen(of_kind["public"][place], subnets[place].ref, first)
address = under(translated, ec2.CfnEIP(net, "Address", domain="vpc"))
nat = under(
    translated,
    ec2.CfnNatGateway(net, "Nat", subnet_id=first, allocation_id=address.get_att("AllocationId").to_string()),
)
under(
    translated,
    ec2.CfnRoute(
        net,
        "PrivateRoute",
        route_table_id=tables["private"].ref,
        destination_cidr_block=EVERYWHERE,
        nat_gateway_id=nat.ref,
    ),
)
for kind, table in tables.items():
    for place, subnet in enumerate(subnets):
        under(
            of_kind[kind][place],
            ec2.CfnSubnetRouteTableAssociation(
                net, f"{kind}Association{place}", subnet_id=subnet.ref, route_table_id=table.ref
            ),
        )

inner = [
    condition(f"Inner{place}", both(exists[place], negation(of_kind["public"][place]))) for place in range(MOST)
]
any_inner = condition("AnyInner", either(*inner))
ids = {
    name: Fn.join(
        ",", [chosen(tests[place], subnets[place].ref, cdk.Aws.NO_VALUE) for place in range(MOST)]
    )
    for name, tests in (("inner", inner), ("all", exists))
}
cdk.CfnOutput(
    net, "HostSubnets", export_name="net-host-subnets", value=chosen(any_inner, ids["inner"], ids["all"])
)

hosts = cdk.Stack(app, "Hosts")
hosts.add_dependency(net)
elasticache.CfnSubnetGroup(
    hosts,
    "Group",
    description="Subnets of the hosts",
    subnet_ids=Fn.split(",", Fn.import_value("net-host-subnets")),
)

app.synth()
