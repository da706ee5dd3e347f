"""Where the routes of a network lead, as attributes of subnets and route tables.

`$Egress` is `internet` for a default route to an internet gateway, `nat` for one to a NAT device, `other` for any other
route out of the VPC, else `none`. A subnet has that of its route table. `$NatZone` of a subnet with a NAT gateway is
`own` if that is in the same zone, else `other`.
"""

from __future__ import annotations

from typing import Any

from steelyard.bench.cdk_synth.intent.template import Address, Resource, Templates

_EVERYWHERE = ("0.0.0.0/0", "::/0")
_NAT = ("NatGatewayId", "InstanceId", "NetworkInterfaceId", "EgressOnlyInternetGatewayId")
_ORDER = ("none", "other", "nat", "internet")


def attributes(item: Resource, templates: Templates) -> dict[str, Any]:
    """The attributes of a resource, with those that follow from the routes."""
    if item.type not in ("AWS::EC2::Subnet", "AWS::EC2::RouteTable"):
        return item.attributes
    return {**item.attributes, **templates.once(("routing",), lambda: _routing(templates))[item.address]}


def _routing(templates: Templates) -> dict[Address, dict[str, str]]:
    tables = {item.address: {"Egress": "none"} for item in templates.of("AWS::EC2::RouteTable")}
    gateways: dict[Address, set[Address]] = {}
    for route in templates.of("AWS::EC2::Route"):
        for table in _named(route, "RouteTableId", templates) & tables.keys():
            # The most open of several routes decides.
            tables[table]["Egress"] = max(tables[table]["Egress"], _egress(route, templates), key=_ORDER.index)
            gateways.setdefault(table, set()).update(_named(route, "NatGatewayId", templates))
    subnets = {item.address: {"Egress": "none"} for item in templates.of("AWS::EC2::Subnet")}
    for association in templates.of("AWS::EC2::SubnetRouteTableAssociation"):
        for table in _named(association, "RouteTableId", templates) & tables.keys():
            for subnet in _named(association, "SubnetId", templates) & subnets.keys():
                nats = [templates.resources[address] for address in gateways.get(table, ())]
                zones = [_zones(_named(nat, "SubnetId", templates), templates) for nat in nats]
                home = _zones({subnet}, templates)
                # A zone that CloudFormation chooses is not known to be another one.
                own = all("" in (zone, home) or zone == home for zone in zones)
                subnets[subnet] = tables[table] | ({"NatZone": "own" if own else "other"} if zones else {})
    return {**tables, **subnets}


def _named(item: Resource, key: str, templates: Templates) -> set[Address]:
    return templates.mentions(item.properties.get(key), item.address.stack)


def _egress(route: Resource, templates: Templates) -> str:
    stack = route.address.stack
    blocks = [route.properties.get(key) for key in ("DestinationCidrBlock", "DestinationIpv6CidrBlock")]
    if not any(templates.text(block, stack) in _EVERYWHERE for block in blocks if block is not None):
        return "other"
    if "GatewayId" in route.properties:
        kinds = {templates.resources[address].type for address in _named(route, "GatewayId", templates)}
        return "internet" if "AWS::EC2::InternetGateway" in kinds else "other"
    return "nat" if any(key in route.properties for key in _NAT) else "other"


def _zones(subnets: set[Address], templates: Templates) -> str:
    """The zones of subnets as text; empty if CloudFormation chooses them."""
    items = [templates.resources[address] for address in subnets]
    named = (templates.text(item.properties.get("AvailabilityZone", ""), item.address.stack) for item in items)
    return ",".join(sorted(named))
