"""Flows between hosts: security groups, network ACLs in both directions, longest prefixes, and firewalls on the way back."""

import random
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from itertools import combinations_with_replacement, permutations
from typing import Any

from task import Ask, Diagram, Study, first_that_bites

HOSTS = ("Web", "App", "Batch", "Cache", "Store", "Ops", "Build", "Mail", "Queue", "Search", "Audit", "Proxy")
PORTS = (22, 443, 3306, 5432, 8080, 9092)
FLOWS = len(HOSTS) * (len(HOSTS) - 1) * len(PORTS)
CLIENT_PORTS = {"linux": (32768, 60999), "windows": (49152, 65535)}
FIREWALLS = ("FW1", "FW2")
ALL = IPv4Network("10.0.0.0/8")


@dataclass(frozen=True)
class Rule:
    """One numbered rule of a network ACL, for one direction."""

    number: int
    network: IPv4Network
    low: int
    high: int
    allow: bool

    def told(self) -> str:
        ports = str(self.low) if self.low == self.high else f"{self.low}-{self.high}"
        return f"{self.number} {'allow' if self.allow else 'deny'} {self.network} ports {ports}"


def _passes(rules: list[Rule], address: IPv4Address, low: int, high: int) -> bool:
    """Whether every port of a range is allowed; the first rule that matches a port decides about it."""
    edges = {low, *(port for rule in rules for port in (rule.low, rule.high + 1) if low <= port <= high)}
    return all(_first(rules, address, port) for port in edges)


def _first(rules: list[Rule], address: IPv4Address, port: int) -> bool:
    return next(
        (r.allow for r in sorted(rules, key=lambda r: r.number) if address in r.network and r.low <= port <= r.high),
        False,
    )


def _hop(world: dict[str, Any], source: str, target: str, slip: str) -> str | None:
    """What the source's route table says about the target's address; None if nothing matches."""
    routes = [(net, hop) for net, hop in world["routes"][source] if world["address"][target] in net]
    if slip == "first":
        return routes[0][1] if routes else None
    return max(routes, key=lambda route: route[0].prefixlen)[1] if routes else None


def _verdict(world: dict[str, Any], source: str, target: str, port: int, slip: str = "") -> str:
    """Empty if the flow works, otherwise what stops it first."""
    here, there = world["address"][source], world["address"][target]
    low, high = CLIENT_PORTS[world["system"][source]]
    out, back = _hop(world, source, target, slip), _hop(world, target, source, slip)
    if target not in world["egress"][source] or port not in world["ingress"][target].get(source, ()):
        return "group"
    if not _passes(world["acl"][source]["out"], there, port, port) or not _passes(
        world["acl"][target]["in"], here, port, port
    ):
        return "acl"
    if out is None:
        return "route"
    if out in FIREWALLS and port not in world["firewall"][out]:
        return "firewall"
    if slip == "stateful":
        return ""
    if not _passes(world["acl"][target]["out"], here, low, high) or not _passes(
        world["acl"][source]["in"], there, low, high
    ):
        return "return acl"
    if back is None:
        return "return route"
    return "asymmetric" if out != back and slip != "symmetric" else ""


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    flows = {(s, t, p): _verdict(world, s, t, p, slip) for s, t in permutations(HOSTS, 2) for p in PORTS}
    works = [flow for flow, why in flows.items() if not why]
    failing = list(flows.values())
    return {
        **{f"from_{host.lower()}": sum(s == host for s, _, _ in works) for host in HOSTS},
        **{f"on_{port}": sum(p == port for _, _, p in works) for port in PORTS},
        "to_store": [host for host in HOSTS if (host, "Store", 5432) in works],
        "to_app": [host for host in HOSTS if (host, "App", 8080) in works],
        "mutual": sum(
            all(any((a, b, p) in works for p in PORTS) for a, b in (pair, pair[::-1]))
            for pair in permutations(HOSTS, 2)
        )
        // 2,
        "all": len(works),
        "asymmetric": failing.count("asymmetric"),
        "rules_4_5": failing.count("return acl") + failing.count("return route"),
        "acl": failing.count("acl"),
        "group": failing.count("group"),
        "firewall": failing.count("firewall"),
        "by_firewall": sum(_hop(world, s, t, slip) in FIREWALLS for s, t, _ in works),
        "reached": sum(any(t == host for _, t, _ in works) for host in HOSTS),
        "to_ops": sum(t == "Ops" for _, t, _ in works),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _world(rng: random.Random) -> dict[str, Any]:
    second = rng.randint(20, 80)
    blocks = [IPv4Network(f"10.{second + place // 4}.{(place % 4) * 64}.0/18") for place in range(len(HOSTS))]
    subnet = dict(zip(HOSTS, rng.sample(blocks, len(HOSTS)), strict=True))
    wide = [IPv4Network(f"10.{second + place}.0.0/16") for place in range(3)]
    half = [network for block in wide for network in block.subnets(new_prefix=17)]
    nets = [*blocks, *half, *wide]

    def rules() -> list[Rule]:
        made = []
        for place in range(5):
            low, high = rng.choice(((443, 443), (22, 22), (1024, 65535), (5432, 8080), (3306, 9092)))
            made.append(Rule(100 + 10 * place, rng.choice(nets), low, high, rng.random() < 0.5))
        ports = rng.choice(((0, 65535), (22, 60999), (0, 65535), (0, 65535)))
        made.append(Rule(200, ALL, *ports, True))
        return [*made, Rule(210, rng.choice(wide), *rng.choice(((443, 443), (1024, 65535), (5432, 8080))), True)]

    usual = {pair: rng.choice(("peering", *FIREWALLS)) for pair in combinations_with_replacement(range(3), 2)}

    def routes(host: str) -> list[tuple[IPv4Network, str]]:
        """The usual way to both halves of the network, with exceptions that the other side may not share."""
        home = next(place for place, net in enumerate(wide) if subnet[host].subnet_of(net))
        table = [(net, usual[min(home, place), max(home, place)]) for place, net in enumerate(wide)]
        table += [(net, rng.choice(("peering", *FIREWALLS))) for net in rng.sample(half, 2)]
        return [*table, *((net, rng.choice(("peering", *FIREWALLS))) for net in rng.sample(blocks, 2))]

    return {
        "subnet": subnet,
        "address": {host: subnet[host][rng.randint(20, 9000)] for host in HOSTS},
        "system": {host: rng.choice(("linux", "linux", "windows")) for host in HOSTS},
        "acl": {host: {"in": rules(), "out": rules()} for host in HOSTS},
        "routes": {host: routes(host) for host in HOSTS},
        "firewall": {name: sorted(rng.sample(PORTS, 4)) for name in FIREWALLS},
        "egress": {host: rng.sample([h for h in HOSTS if h != host], rng.choice((7, 9, 10))) for host in HOSTS},
        "ingress": {
            host: {
                h: sorted(rng.sample(PORTS, rng.choice((2, 3, 4, 5))))
                for h in HOSTS
                if h != host and rng.random() < 0.85
            }
            for host in HOSTS
        },
    }


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    world = _world(rng)
    right = _outcome(world)
    if (
        not 70 <= right["all"] <= 240
        or not right["to_store"]
        or not right["to_app"]
        or min(right["asymmetric"], right["rules_4_5"]) < 6
    ):
        return None
    if sum(right[f"from_{host.lower()}"] == 0 for host in HOSTS):
        return None
    decided = f"All {FLOWS} flows were decided."
    return Study(
        "network",
        domain,
        ["Amazon VPC", "AWS Network Firewall", "Amazon EC2"],
        _diagram(world, domain, name),
        _text(world, domain),
        [
            *[
                Ask(
                    f"from_{h.lower()}",
                    f"the number of flows from {h} that work, of its {(len(HOSTS) - 1) * len(PORTS)}",
                    decided,
                )
                for h in HOSTS[::2]
            ],
            Ask(
                "to_store",
                "the hosts whose flow to Store on port 5432 works",
                decided,
                [h for h in HOSTS if h != "Store"],
            ),
            Ask("to_app", "the hosts whose flow to App on port 8080 works", decided, [h for h in HOSTS if h != "App"]),
            Ask("asymmetric", "the number of flows that rules 1 to 5 let pass and rule 6 alone stops", decided),
        ],
        [
            ("{} flows work on port 443.", "on_443"),
            ("{} flows work on port 22.", "on_22"),
            ("{} flows pass rules 1 to 3 and are stopped by rule 4 or 5.", "rules_4_5"),
            ("{} flows that work use a firewall on their way to the target.", "by_firewall"),
            ("Between {} pairs of hosts some flow works in each direction.", "mutual"),
            ("{} flows to Ops work.", "to_ops"),
            ("Rule 1 stops {} flows.", "group"),
        ],
        right,
        {
            "treats network ACLs and routes as if they knew the connection": _outcome(world, "stateful"),
            "takes the first route that matches": _outcome(world, "first"),
            "does not look for the same way back": _outcome(world, "symmetric"),
        },
    )


def _diagram(world: dict[str, Any], domain: str, name: str) -> Diagram:
    diagram = Diagram(name, f"{domain.capitalize()} network")
    diagram.cluster("hosts", "One VPC per host", columns=4)
    diagram.cluster("inspection", "Inspection")
    for host in HOSTS:
        note = f"{world['address'][host]}; {world['system'][host]}; " + "; ".join(
            f"{net} to {hop}" for net, hop in world["routes"][host]
        )
        diagram.node(host.lower(), host, "compute.EC2", "hosts", note)
    for name_ in FIREWALLS:
        passed = ", ".join(str(port) for port in world["firewall"][name_])
        diagram.node(name_.lower(), name_, "network.VPCElasticNetworkInterface", "inspection", f"passes {passed}")
    diagram.node("peering", "Peering", "network.VPCPeering", "inspection")
    diagram.node("people", "Administrators", "general.Users")
    diagram.edge("people", "ops", "console")
    return diagram


def _text(world: dict[str, Any], domain: str) -> str:
    groups = "\n".join(
        f"- {host}: out to {', '.join(sorted(world['egress'][host], key=HOSTS.index))} (all ports); in from "
        + ", ".join(f"{source} ({', '.join(map(str, ports))})" for source, ports in world["ingress"][host].items())
        for host in HOSTS
    )
    acls = "\n".join(
        f"- {host}, {way}: {'; '.join(rule.told() for rule in world['acl'][host][direction])}"
        for host in HOSTS
        for direction, way in (("in", "inbound"), ("out", "outbound"))
    )
    return f"""The architecture below shows the network of a {domain} company: hosts with their address, operating system and route table, two firewalls and the peering. A route "10.1.0.0/16 to FW1" sends this range to FW1. The hosts' security groups (in terms of hosts) and the network ACLs of their subnets are:

{groups}

{acls}

A flow is a TCP connection from one host to another on one of the ports {", ".join(map(str, PORTS))}; there are {FLOWS}. It works if all of these rules let it pass:

1. The source's security group has the target among "out to", and the target's group has the source among "in from" with the port. Groups know connections, so that nothing more is needed for the way back.
2. The outbound ACL of the source must allow the target's address with the port, and the inbound ACL of the target must allow the source's address with the port. In an ACL the rules are tried in the order of their numbers; the first whose range contains the address of the other host and whose ports contain the port decides. If none does, it is refused.
3. The source's route table sends the packet where the longest prefix that contains the target's address points. If no route matches, the flow fails. If it points at a firewall, the port must be among those that this firewall passes.
4. On the way back, the target answers to a port of the source that the source's system has chosen: 32768 to 60999 on linux, 49152 to 65535 on windows. Every port of this range must be allowed by the outbound ACL of the target (for the source's address) and by the inbound ACL of the source (for the target's address), since one does not know which was chosen.
5. The target's route table must have a route for the source's address; again the longest prefix decides.
6. Both ways must agree: the same firewall both times, or the peering both times. Firewalls do not look at ports on the way back.

A label in the design document calls the peering "not used any more"; what is drawn is what runs. The document also says:

{{lines}}"""
