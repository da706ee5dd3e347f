"""Security groups and address blocks of a deployment.

A connection is open if the source's group lets it out and the target's group lets it in, on that port over TCP. A
group without rules lets out everything (that is CloudFormation's default), and lets in nothing.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from steelyard.bench.cdk_synth.intent.pattern import numeric
from steelyard.bench.cdk_synth.intent.shape import listing, mapping
from steelyard.bench.hard_cdk.deploy import Deployment

Side = Literal["Ingress", "Egress"]
_PEER: Mapping[Side, str] = {"Ingress": "SourceSecurityGroupId", "Egress": "DestinationSecurityGroupId"}


def opens(source: str, target: str, port: int, deployment: Deployment) -> bool:
    """Whether a member of the group `source` can connect to a member of `target`."""
    out = list(_rules(source, "Egress", deployment))
    leaves = not out or any(_fits(rule, "Egress", target, port, deployment) for rule in out)
    into = _rules(target, "Ingress", deployment)
    return leaves and any(_fits(rule, "Ingress", source, port, deployment) for rule in into)


def _rules(group: str, side: Side, deployment: Deployment) -> Iterator[dict[str, Any]]:
    for item in deployment.resources:
        if item.type == "AWS::EC2::SecurityGroup" and item.identity.ref == group:
            yield from map(mapping, listing(item.properties.get(f"SecurityGroup{side}")))
        if item.type == f"AWS::EC2::SecurityGroup{side}" and item.properties.get("GroupId") == group:
            yield dict(item.properties)


def _fits(rule: Mapping[str, Any], side: Side, peer: str, port: int, deployment: Deployment) -> bool:
    if rule.get(_PEER[side]) != peer and not _covers(rule.get("CidrIp"), peer, deployment):
        return False
    protocol = str(rule.get("IpProtocol"))
    if protocol == "-1":
        return True
    low, high = numeric(rule.get("FromPort")), numeric(rule.get("ToPort"))
    return protocol in ("tcp", "6") and low is not None and high is not None and low <= port <= high


def _covers(block: object, group: str, deployment: Deployment) -> bool:
    """Whether an address range contains the whole VPC of a group."""
    refs = {item.identity.ref: item for item in deployment.resources}
    vpc = refs[group].properties.get("VpcId") if group in refs else None
    home = refs[str(vpc)].properties.get("CidrBlock") if str(vpc) in refs else None
    networks = blocks([block, home])
    return networks is not None and networks[1].subnet_of(networks[0])


def blocks(texts: Sequence[object]) -> list[ipaddress.IPv4Network] | None:
    """The address blocks; None if one is not one."""
    try:
        return [ipaddress.IPv4Network(str(text)) for text in texts]
    except ValueError:
        return None


def overlap(networks: Sequence[ipaddress.IPv4Network]) -> tuple[str, str] | None:
    """Two of them that overlap; None if there are none."""
    ordered = sorted(networks)
    return next(((str(a), str(b)) for a, b in pairwise(ordered) if a.overlaps(b)), None)
