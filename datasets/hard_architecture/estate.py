"""A transit gateway with several route tables: who reaches whom, in one direction or both, and where ranges overlap."""

import random
from ipaddress import IPv4Address, IPv4Network
from itertools import combinations
from typing import Any

from task import Diagram, fact, near_misses, row, statements

NAMES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Data center")
TABLES = ("RT1", "RT2", "RT3")


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    rng = random.Random(seed)
    second = rng.randint(16, 90)
    ranges: dict[str, IPv4Network] = {}
    for place, member in enumerate(NAMES[:-1]):
        length = rng.choice((16, 17, 18, 20))
        ranges[member] = IPv4Network((int(IPv4Address(f"10.{second + place}.0.0")), length), strict=False)
    inside = rng.choice(NAMES[:3])
    ranges["Zeta"] = rng.choice(list(ranges[inside].subnets(new_prefix=ranges[inside].prefixlen + 2)))
    ranges["Data center"] = IPv4Network((int(IPv4Address(f"10.{second + 3}.0.0")), 14), strict=False)
    attached = [member for member in NAMES if member != "Eta"]
    associated = {member: rng.choice(TABLES) for member in attached}
    propagated = {member: tuple(sorted(rng.sample(TABLES, rng.choice((1, 2, 2))))) for member in attached}
    blackhole_table = rng.choice(TABLES)
    blackhole_owner = rng.choice([m for m in attached if m not in ("Zeta", "Data center")])
    blackhole = next(iter(ranges[blackhole_owner].subnets(new_prefix=ranges[blackhole_owner].prefixlen + 3)))
    peer = rng.choice(NAMES[:5])

    def routes(table: str) -> dict[IPv4Network, str]:
        made = {ranges[m]: m for m in reversed(attached) if table in propagated[m]}
        return made | ({blackhole: "blackhole"} if table == blackhole_table else {})

    def hop(table: str, address: IPv4Address) -> str:
        matching = [network for network in routes(table) if address in network]
        return routes(table)[max(matching, key=lambda network: network.prefixlen)] if matching else "none"

    def host(member: str) -> IPv4Address:
        """An address of a member near the end of its range, where no blackhole is."""
        return ranges[member][-20]

    def one_way(source: str, target: str) -> bool:
        return hop(associated[source], host(target)) == target

    pairs = list(combinations(attached, 2))
    shown = rng.sample(pairs, 10)
    labels = {f"P{place}": pair for place, pair in enumerate(shown, start=1)}
    both = [label for label, (one, two) in labels.items() if one_way(one, two) and one_way(two, one)]
    single = [label for label, (one, two) in labels.items() if one_way(one, two) != one_way(two, one)]
    overlapping = [pair for pair in combinations(NAMES, 2) if ranges[pair[0]].overlaps(ranges[pair[1]])]
    probes = []
    for table in TABLES:
        member = rng.choice(attached)
        address = rng.choice(
            (ranges[member][rng.randint(40, 200)], ranges[member][-rng.randint(40, 200)], blackhole[rng.randint(3, 60)])
        )
        probes.append((table, address))
    counts = {m: sum(one_way(other, m) for other in attached if other != m) for m in attached}
    sizes = {table: len(routes(table)) for table in TABLES}
    silent = [m for m in attached if not any(one_way(m, other) for other in attached if other != m)]
    diagram = Diagram(name, f"{domain.capitalize()} network")
    diagram.cluster("region", "One Region")
    diagram.cluster("tables", "Transit gateway route tables", "region")
    diagram.cluster("site", "On premises")
    for table in TABLES:
        diagram.node(
            table.lower(),
            table,
            "network.TransitGateway",
            "tables",
            f"blackhole {blackhole}" if table == blackhole_table else None,
        )
    diagram.node("tgw", "Transit gateway", "network.TransitGateway", "region")
    for table in TABLES:
        diagram.edge("tgw", table.lower())
    for member in NAMES:
        icon, cluster = (
            ("general.GenericOfficeBuilding", "site") if member == "Data center" else ("network.VPC", "region")
        )
        note = str(ranges[member])
        if member in attached:
            note += f"; associated {associated[member]}; propagates to {', '.join(propagated[member])}"
        diagram.node(_key(member), member, icon, cluster, note)
    for member in attached:
        diagram.edge(_key(member), "tgw", "attachment")
    diagram.edge("eta", peer.lower(), "VPC peering")
    usable = sum(ranges[m].num_addresses - 5 for m in NAMES[:-1])
    attached_count = len(attached)
    lines, contradicted = statements(
        rng,
        [
            (
                "{} attachments are associated with RT2.",
                sum(t == "RT2" for t in associated.values()),
                sum(t == "RT2" for t in associated.values()) + 1,
            ),
            ("RT1 has {} routes, a blackhole included if it has one.", sizes["RT1"], sizes["RT1"] + 1),
            ("RT3 has {} routes, a blackhole included if it has one.", sizes["RT3"], sizes["RT3"] - 1),
            ("{} pairs of ranges overlap.", len(overlapping), len(overlapping) - 1 if len(overlapping) > 1 else 0),
            ("Eta {} the transit gateway.", "is not attached to", "is attached to"),
            (f"Instances in Eta {{}} the other attachments by way of {peer}.", "cannot reach", "can reach"),
            ("The data center's range ends at {}.", ranges["Data center"][-1], ranges["Data center"][-1] - 65536),
            (
                f"Packets to {host('Gamma')} from Alpha are {{}}.",
                "delivered to Gamma" if one_way("Alpha", "Gamma") else "not delivered to Gamma",
                "not delivered to Gamma" if one_way("Alpha", "Gamma") else "delivered to Gamma",
            ),
        ],
    )
    hops = [*attached, "blackhole", "none"]
    facts = [
        contradicted,
        fact(
            "both_ways",
            "the pairs of P1 to P10 between which packets are delivered in both directions",
            both,
            "Route table by route table.",
            list(labels),
        ),
        fact(
            "one_way_only",
            "the pairs of P1 to P10 between which packets are delivered in exactly one direction",
            single,
            "Route table by route table.",
            list(labels),
        ),
        fact(
            "overlapping",
            "how many pairs of the eight ranges overlap",
            len(overlapping),
            ", ".join(f"{one} and {two}" for one, two in overlapping) + ".",
        ),
        *(
            fact(
                f"hop_{place}",
                f"where {table} sends a packet to {address}",
                hop(table, address),
                "The longest prefix in this table.",
                hops,
            )
            for place, (table, address) in enumerate(probes, start=1)
        ),
        fact(
            "most_reached",
            "the number of other attachments that reach the attachment that is reached by most",
            max(counts.values()),
            "Counted over all attachments.",
        ),
        fact(
            "reach_nobody",
            "the attachments whose packets reach no other attachment",
            silent,
            "Counted over all attachments.",
            attached,
        ),
        fact(
            "usable",
            "the usable addresses if each of the seven VPCs were one subnet, added up",
            usable,
            "Each range less five addresses.",
        ),
    ]
    slips = {
        "both_ways": ([label for label, (one, two) in labels.items() if one_way(one, two)], "looks at one direction"),
        "one_way_only": ([], "takes routing to be symmetric"),
        "overlapping": (len(overlapping) + 1, "misreads a range"),
        "usable": (usable + 21, "takes two addresses from each range"),
        "most_reached": (max(counts.values()) + 1, "overlooks an association"),
        "hop_1": ("none" if facts[4]["value"] != "none" else "blackhole", "looks into another table"),
    }
    named = "; ".join(f"{label}: {one} and {two}" for label, (one, two) in labels.items())
    text = f"""The architecture below is the network of a {domain} company, {attached_count} attachments of one transit gateway with three route tables. A packet that leaves an attachment is routed by the table with which the attachment is associated; that table has the ranges that attachments propagate to it, and the longest prefix wins; between equal prefixes there is no conflict here. A blackhole drops packets. What is not drawn does not exist. For pairs, a packet is sent to the twentieth address of the target's range, counted from its end.

Pairs: {named}.

The handover document says:

{lines}"""
    made = row(
        number,
        "network",
        domain,
        ["AWS Transit Gateway", "Amazon VPC", "AWS Direct Connect"],
        diagram,
        text,
        facts,
        near_misses(rng, facts, slips),
    )
    return made, diagram


def _key(member: str) -> str:
    return member.lower().replace(" ", "-")
