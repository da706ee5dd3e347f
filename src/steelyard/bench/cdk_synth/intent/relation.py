"""Relations between two resources, as docs/datasets/cdk_synth.md defines them.

`triggers` follows event source mappings, subscriptions, bucket notifications (the CDK's custom resource too), event
rules, schedules, pipes, API integrations, alarm actions, log subscriptions. The connecting resource may be the source.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator

from steelyard.bench.cdk_synth.intent.binding import Bound
from steelyard.bench.cdk_synth.intent.grant import admitted, may, only
from steelyard.bench.cdk_synth.intent.pattern import complies, numeric, picked, reached
from steelyard.bench.cdk_synth.intent.requirement import RelationClause
from steelyard.bench.cdk_synth.intent.template import Address, Resource, Templates
from steelyard.bench.cdk_synth.shape import listing, mapping

Items = list[Resource]
CONNECTORS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "AWS::Lambda::EventSourceMapping": (("EventSourceArn",), ("FunctionName",)),
    "AWS::SNS::Subscription": (("TopicArn",), ("Endpoint",)),
    "AWS::SNS::Topic": ((), ("Subscription.Endpoint",)),
    "Custom::S3BucketNotifications": (("BucketName",), ("NotificationConfiguration",)),
    "AWS::S3::Bucket": ((), ("NotificationConfiguration",)),
    "AWS::Events::Rule": (("EventBusName", "EventPattern"), ("Targets.Arn", "Targets.EcsParameters")),
    "AWS::Scheduler::Schedule": ((), ("Target.Arn", "Target.EcsParameters", "Target.Input")),
    "AWS::Pipes::Pipe": (("Source",), ("Target", "Enrichment")),
    "AWS::ApiGateway::Method": (("RestApiId",), ("Integration",)),
    "AWS::ApiGatewayV2::Integration": (("ApiId",), ("IntegrationUri", "IntegrationSubtype", "RequestParameters")),
    "AWS::CloudWatch::Alarm": ((), ("AlarmActions",)),
    "AWS::CloudWatch::CompositeAlarm": ((), ("AlarmActions",)),
    "AWS::Logs::SubscriptionFilter": (("LogGroupName",), ("DestinationArn",)),
    "AWS::ApiGateway::RestApi": ((), ("Body",)),
    "AWS::ApiGatewayV2::Api": ((), ("Target", "Body")),
}
"""Type of the connecting resource → the paths to its source (which may also be itself) and to its target."""

LAUNCHERS = ("AWS::EC2::LaunchTemplate", "AWS::AutoScaling::LaunchConfiguration", "AWS::EC2::NetworkInterface")
"""Types that hold security groups for the resources that mention them."""


def related(
    clause: RelationClause, templates: Templates, bound: Bound
) -> tuple[list[Resource], set[Address], list[Resource]]:
    """The sources that have the relation, the targets they have it to, and all candidate sources."""
    sources = bound.only(clause.of, picked(clause.source, clause.source_where, templates, clause.added))
    targets = bound.only(clause.target_of, picked(clause.target, clause.target_where, templates))
    relation = RELATIONS[clause.relation]
    met = {
        item.address: {
            address
            for address in relation(clause, item, targets, templates)
            if not clause.across or address.stack != item.address.stack
        }
        for item in sources
    }
    return [item for item in sources if met[item.address]], set[Address]().union(*met.values()), sources


def _references(clause: RelationClause, source: Resource, targets: Items, templates: Templates) -> Iterator[Address]:
    stack = source.address.stack
    root = source.attributes if clause.path.startswith("$") else source.properties
    values = reached(root, clause.path.removeprefix("$"), stack, templates)
    mentioned = {address for value in values for address in templates.mentions(value, stack)}
    return (item.address for item in targets if item.address in mentioned and item.address != source.address)


def _triggers(clause: RelationClause, source: Resource, targets: Items, templates: Templates) -> Iterator[Address]:
    for connector in templates.of(CONNECTORS):
        begins, ends = CONNECTORS[connector.type]
        if not complies(connector, clause.via, templates):
            continue
        if connector.address == source.address or source.address in _mentioned(connector, begins, templates):
            mentioned = _mentioned(connector, ends, templates)
            # A function of which none may run at once is never run.
            running = (item for item in targets if numeric(item.properties.get("ReservedConcurrentExecutions")) != 0)
            yield from (item.address for item in running if item.address in mentioned)


def _mentioned(item: Resource, paths: tuple[str, ...], templates: Templates) -> set[Address]:
    def found() -> set[Address]:
        stack = item.address.stack
        values = [value for path in paths for value in reached(item.properties, path, stack, templates)]
        return {address for value in values for address in templates.mentions(value, stack)}

    return templates.once(("ends", item.address, paths), found)


def _may(clause: RelationClause, source: Resource, targets: Items, templates: Templates) -> Iterator[Address]:
    """With target `*`, a grant on anything counts, and the source is returned as the target."""
    for end in _addresses(clause, targets):
        if clause.service and end is not None:
            if all(admitted(clause.service, source, action, end, templates) for action in clause.actions):
                yield end
        elif all(may(source, clause.path, clause.actions, end, clause.scoped, templates)):
            yield end or source.address


def _may_not(clause: RelationClause, source: Resource, targets: Items, templates: Templates) -> Iterator[Address]:
    """The source itself, if no action is allowed on any of the targets."""
    ends = _addresses(clause, targets)
    if not any(any(may(source, clause.path, clause.actions, end, False, templates, loosely=True)) for end in ends):
        yield source.address


def _may_only(clause: RelationClause, source: Resource, targets: Items, templates: Templates) -> Iterator[Address]:
    """The source itself, if it may do nothing else to any of the targets."""
    if all(only(source, clause.path, clause.actions, end, templates) for end in _addresses(clause, targets)):
        yield source.address


def _addresses(clause: RelationClause, targets: Items) -> list[Address] | list[None]:
    """The targets of a grant; None is anything."""
    return [None] if clause.target == "*" else [item.address for item in targets]


def _reaches(clause: RelationClause, source: Resource, targets: Items, templates: Templates) -> Iterator[Address]:
    own, home = _groups(source, templates), _networks(source, templates)
    for item in targets:
        guards, network = _groups(item, templates), _networks(item, templates)
        # Only where both are known: a resource that names no subnets may be in the same VPC.
        if home and network and not home & network:
            continue
        groups = own - guards if clause.apart else own
        if any(_connects({group}, guards, item, clause.port, templates) for group in groups):
            yield item.address


def _connects(
    group: set[Address], guards: set[Address], target: Resource, port: int | None, templates: Templates
) -> bool:
    """Whether the target's groups admit a group, which lets such traffic out."""
    entering = any(
        group & templates.mentions(rule.get("SourceSecurityGroupId"), stack)
        and _about_port(rule, stack, target, port, templates)
        for rule, stack in _rules(guards, "Ingress", templates)
    )
    # A security group without outbound rules lets everything out.
    leaving = list(_rules(group, "Egress", templates))
    return entering and (
        not leaving
        or any(
            _leads_to(rule, stack, guards, templates) and _about_port(rule, stack, target, port, templates)
            for rule, stack in leaving
        )
    )


def _networks(item: Resource, templates: Templates) -> set[Address]:
    """The VPCs of the subnets that a resource is in."""

    def found() -> set[Address]:
        carried = _through(item, lambda kind: kind.endswith("SubnetGroup") or kind in LAUNCHERS, templates)
        subnets = [carrier for carrier in carried if carrier.type == "AWS::EC2::Subnet"]
        return {vpc for one in subnets for vpc in templates.mentions(one.properties.get("VpcId"), one.address.stack)}

    return templates.once(("networks", item.address), found)


def _through(item: Resource, passes: Callable[[str], bool], templates: Templates) -> list[Resource]:
    """What a resource mentions, and what is mentioned by resources of certain types among those."""
    mentioned = templates.mentions(item.properties, item.address.stack)
    for carrier in [templates.resources[address] for address in mentioned]:
        if passes(carrier.type):
            mentioned |= templates.mentions(carrier.properties, carrier.address.stack)
    return [templates.resources[address] for address in sorted(mentioned)]


def _groups(item: Resource, templates: Templates) -> set[Address]:
    """Security groups of a resource, including those of its launch template."""

    def found() -> set[Address]:
        carried = _through(item, lambda kind: kind in LAUNCHERS, templates)
        return {carrier.address for carrier in carried if carrier.type == "AWS::EC2::SecurityGroup"}

    return templates.once(("groups", item.address), found)


def _rules(groups: set[Address], way: str, templates: Templates) -> Iterator[tuple[dict[str, object], str]]:
    """The rules of security groups, `Ingress` or `Egress`, with the stacks that they are in."""
    for address in groups:
        for rule in listing(templates.resources[address].properties.get(f"SecurityGroup{way}")):
            yield mapping(rule), address.stack
    for item in templates.of(f"AWS::EC2::SecurityGroup{way}"):
        if groups & templates.mentions(item.properties.get("GroupId"), item.address.stack):
            yield item.properties, item.address.stack


def _leads_to(rule: dict[str, object], stack: str, guards: set[Address], templates: Templates) -> bool:
    """Whether an outbound rule is for one of these groups, or for a network that may hold them."""
    if guards & templates.mentions(rule.get("DestinationSecurityGroupId"), stack):
        return True
    block = templates.text(rule.get("CidrIp", rule.get("CidrIpv6", "")), stack)
    try:
        # A single address holds no group: the CDK writes 255.255.255.255/32 for "no traffic".
        return ipaddress.ip_network(block, strict=False).num_addresses > 1
    except ValueError:
        return "${" in block


def _about_port(rule: dict[str, object], stack: str, target: Resource, port: int | None, templates: Templates) -> bool:
    protocol = rule.get("IpProtocol")
    if port is None or protocol in ("-1", -1):
        return True
    if isinstance(protocol, str | int) and str(protocol).lower() not in ("tcp", "6"):
        return False
    low, high = numeric(rule.get("FromPort")), numeric(rule.get("ToPort"))
    if low is None or high is None:
        # The port of a database is usually a reference to its own endpoint.
        return target.address in templates.mentions(rule.get("FromPort"), stack)
    return low <= port <= high


RELATIONS: dict[str, Callable[[RelationClause, Resource, Items, Templates], Iterator[Address]]] = {
    "references": _references,
    "triggers": _triggers,
    "may": _may,
    "may_not": _may_not,
    "may_only": _may_only,
    "reaches": _reaches,
}
"""Name of the relation → the function that yields the targets to which a source has it."""
