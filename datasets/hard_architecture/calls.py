"""Services that call each other: load, bottlenecks, latency and the loss of a zone, with a table that is partly wrong."""

import random
from fractions import Fraction
from math import floor
from typing import Any

from task import Diagram, fact, near_misses, row, statements

NAMES = (
    "Web",
    "Search",
    "Catalog",
    "Pricing",
    "Cart",
    "Orders",
    "Payment",
    "Stock",
    "Profile",
    "Mail",
    "Ledger",
    "Tax",
)
ZONES = ("a", "b", "c")


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    rng = random.Random(seed)
    calls: dict[tuple[str, str], Fraction] = {}
    for place, caller in enumerate(NAMES[:-2]):
        later = NAMES[place + 1 : place + 6]
        for callee in sorted(rng.sample(later, min(len(later), rng.choice((2, 2, 3)))), key=NAMES.index):
            calls[caller, callee] = Fraction(rng.choice((15, 25, 40, 60, 75, 120, 150)), 100)
    for place, callee in enumerate(NAMES[1:], start=1):
        if not any(pair[1] == callee for pair in calls):
            calls[NAMES[max(0, place - 2)], callee] = Fraction(35, 100)
    zones = {service: tuple(sorted(rng.sample(ZONES, rng.choice((1, 2, 2, 3))))) for service in NAMES}
    zones["Web"] = ZONES
    latency = {service: rng.choice((4, 7, 9, 12, 18, 23, 31)) for service in NAMES}
    visits = _visits(calls, set())
    per_zone = {s: max(7, round(float(visits[s]) * rng.uniform(380, 760) / len(zones[s]))) for s in NAMES}

    def limit(lost: str = "") -> tuple[Fraction, str]:
        left = {s: len([z for z in zones[s] if z != lost]) for s in NAMES}
        return _limit(per_zone, left, _visits(calls, {s for s in NAMES if not left[s]}))

    def time(service: str) -> int:
        below = [time(callee) for caller, callee in calls if caller == service]
        return latency[service] + max(below, default=0)

    def depends(service: str, on: set[str]) -> bool:
        return service in on or any(depends(callee, on) for caller, callee in calls if caller == service)

    stated = dict(zones)
    wrong = rng.sample([s for s in NAMES if len(zones[s]) < 3], 4)
    for service in wrong:
        stated[service] = tuple(sorted({*zones[service], rng.choice([z for z in ZONES if z not in zones[service]])}))
    alone = {zone: {s for s in NAMES if zones[s] == (zone,)} for zone in ZONES}
    gone = max(ZONES, key=lambda zone: (len(alone[zone]), zone))
    affected = [s for s in NAMES if depends(s, alone[gone])]
    rate, bottleneck = limit()
    second = rng.choice(ZONES)
    load = rng.randint(117, 283)
    deep = sorted(NAMES[5:], key=lambda s: -sum(pair[1] == s for pair in calls))[:2]
    naive = {s: sum((share for (c, callee), share in calls.items() if callee == s), Fraction(0)) for s in NAMES}
    diagram = Diagram(name, f"{domain.capitalize()} services")
    for key, label in (("front", "Public tier"), ("app", "Application tier"), ("data", "Data tier")):
        diagram.cluster(key, label)
    for place, service in enumerate(NAMES):
        tier = "front" if place == 0 else "app" if place < 8 else "data"
        where = f"zone{'s' if len(zones[service]) > 1 else ''} {', '.join(zones[service])}"
        diagram.node(
            service.lower(),
            service,
            "compute.ECS",
            tier,
            f"{where}; {per_zone[service]} rps per zone; {latency[service]} ms",
        )
    for (caller, callee), share in calls.items():
        diagram.edge(caller.lower(), callee.lower(), f"x{float(share):g}")
    table = "\n".join(f"| {s} | {', '.join(stated[s])} |" for s in NAMES)
    most = max(NAMES, key=lambda s: (sum(pair[1] == s for pair in calls), -NAMES.index(s)))
    fewer = [s for s in NAMES if len(zones[s]) == 1]
    lines, contradicted = statements(
        rng,
        [
            ("{} services run in one zone only.", len(fewer), len([s for s in NAMES if len(stated[s]) == 1])),
            (
                "A request to Web causes {} calls to Tax on average.",
                f"{float(visits['Tax']):.4f}",
                f"{float(naive['Tax']):.4f}" if naive["Tax"] != visits["Tax"] else f"{float(visits['Tax']) * 1.15:.4f}",
            ),
            ("A request to Web takes {} ms.", time("Web"), time("Web") - latency["Web"]),
            (
                f"{most} is called by {{}} services.",
                sum(pair[1] == most for pair in calls),
                sum(pair[1] == most for pair in calls) + 1,
            ),
            (
                "All services together take {} calls per request to Web, that to Web included.",
                f"{float(sum(visits.values())):.4f}",
                f"{float(sum(naive.values())) + 1:.4f}",
            ),
            (
                f"When zone {gone} is lost, {{}} services are gone or cannot answer every call.",
                len(affected),
                len(alone[gone]),
            ),
            ("There are {} links between services.", len(calls), len(calls) - 1),
        ],
    )
    facts = [
        contradicted,
        fact(
            "zones_wrong_in_table",
            "the services whose zones in the table differ from the architecture",
            wrong,
            "Compared line by line.",
            NAMES,
        ),
        fact(
            "load_1",
            f"the calls per second that {deep[0]} receives at {load} requests per second to Web, with two decimals",
            round(float(visits[deep[0]] * load), 2),
            f"{deep[0]} is called {float(visits[deep[0]]):.4f} times per request.",
        ),
        fact(
            "load_2",
            f"the calls per second that {deep[1]} receives at {load} requests per second to Web, with two decimals",
            round(float(visits[deep[1]] * load), 2),
            f"{deep[1]} is called {float(visits[deep[1]]):.4f} times per request.",
        ),
        fact(
            "bottleneck",
            "the service that limits the requests to Web",
            bottleneck,
            "The smallest capacity per visit.",
            NAMES,
        ),
        fact(
            "limit_rps",
            "the whole requests per second to Web that the services sustain",
            floor(rate),
            f"{bottleneck}: {per_zone[bottleneck]} x {len(zones[bottleneck])} / {float(visits[bottleneck]):.4f}.",
        ),
        fact(
            "latency_ms",
            "the milliseconds of a request to Orders",
            time("Orders"),
            "Its own time and the slowest of its calls, all the way down.",
        ),
        fact(
            "gone_with_zone",
            f"the services that are gone when zone {gone} is lost",
            sorted(alone[gone], key=NAMES.index),
            "Those that run in this zone only.",
            NAMES,
        ),
        fact(
            "affected",
            f"the services that are gone or call, directly or by way of others, one that is gone, when zone {gone} is lost",
            affected,
            "Followed along the links.",
            NAMES,
        ),
        fact(
            "limit_without_zone",
            f"the whole requests per second to Web that are sustained when zone {second} is lost and services without a zone left fail at once and call nobody",
            floor(limit(second)[0]),
            "The smallest capacity per visit of the services that are left, which receive fewer calls where a caller is gone.",
        ),
    ]
    slips = {
        "zones_wrong_in_table": (wrong[:3], "overlooks a line of the table"),
        "load_1": (round(float(naive[deep[0]] * load), 2), "adds up the links without following them"),
        "limit_rps": (floor(rate * Fraction(9, 10)), "misreads a share"),
        "latency_ms": (time("Orders") - latency["Orders"], "forgets the service's own time"),
        "affected": (sorted(alone[gone], key=NAMES.index), "does not follow the links"),
        "bottleneck": (
            next(s for s in NAMES if s != bottleneck),
            "compares capacities instead of capacities per visit",
        ),
    }
    text = f"""The architecture below shows the services of a {domain} company. A note gives the zones in which a service runs, what it can take in each of them (calls per second, load spread evenly), and the time that it needs itself for a call. A link x0.4 means that each call to the first service causes 0.4 calls to the second on average. A service makes its calls to others at the same time and waits for the slowest of them; for latencies every link counts as one call.

The wiki has this table of zones, which may be wrong; where it differs, the architecture is what runs:

| service | zones |
|---|---|
{table}

It also says:

{lines}"""
    made = row(
        number,
        "capacity",
        domain,
        ["Amazon ECS", "Elastic Load Balancing"],
        diagram,
        text,
        facts,
        near_misses(rng, facts, slips),
    )
    return made, diagram


def _visits(calls: dict[tuple[str, str], Fraction], gone: set[str]) -> dict[str, Fraction]:
    """Calls of each service per request to Web; a service that is gone calls nobody."""
    visits = {"Web": Fraction(1)}
    for service in NAMES[1:]:
        shares = ((c, share) for (c, callee), share in calls.items() if callee == service and c not in gone)
        visits[service] = sum((visits[c] * share for c, share in shares), Fraction(0))
    return visits


def _limit(per_zone: dict[str, int], left: dict[str, int], visits: dict[str, Fraction]) -> tuple[Fraction, str]:
    """The requests per second that the services with a zone left sustain, and the service that limits them."""
    return min((Fraction(per_zone[s] * left[s]) / visits[s], s) for s in NAMES if left[s] and visits[s])
