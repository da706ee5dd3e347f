"""Services with queues that shed, retry and scale while one zone is lost and one service is slow, second by second."""

import random
from typing import Any

from task import Ask, Diagram, Study, first_that_bites

NAMES = ("Web", "Search", "Cart", "Orders", "Stock", "Payment", "Profile", "Ledger")
ZONES = ("a", "b", "c")
SECONDS = 60
EARLY = dict.fromkeys(NAMES, 12) | {"Payment": 15, "Ledger": 18}
"""Seconds after which a first fact is asked for: who follows the rules for a while earns something."""
SPAN = 4
"""Seconds for which the load of Web stays the same."""


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    queue, extra = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
    busy, next_order = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
    due: dict[tuple[int, str], int] = {}
    coming: dict[tuple[int, str], int] = {}
    total = {what: dict.fromkeys(NAMES, 0) for what in ("handled", "shed", "again")}
    early = dict.fromkeys(NAMES, 0)
    peak, seen, orders, first_shed = dict.fromkeys(NAMES, (0, 0)), [], 0, 0
    zones = world["wiki"] if slip == "wiki" else world["zones"]
    for second in range(1, SECONDS + 1):
        sent: dict[str, int] = {}
        for name in NAMES:
            new = world["load"][(second - 1) // SPAN] if name == "Web" else due.pop((second, name), 0)
            queue[name] += new + due.pop((second, f"{name} again"), 0)
            extra[name] += coming.get((second, name), 0)
            shed = max(0, queue[name] - world["room"][name])
            queue[name] -= shed
            first_shed = first_shed or (second if shed else 0)
            again = shed * 2 // 3 if slip != "lost" else 0
            due[second + world["wait"], f"{name} again"] = again
            gone = world["lost"][1] <= second <= world["lost"][2]
            up = [zone for zone in zones[name] if not (gone and zone == world["lost"][0])]
            capacity = len(up) * (world["rate"][name] + extra[name])
            if name == world["slow"][0] and world["slow"][1] <= second <= world["slow"][2]:
                capacity //= 2
            handled = min(queue[name], capacity)
            queue[name] -= handled
            for (caller, callee), (top, bottom) in world["calls"].items():
                if caller == name:
                    sent[callee] = sent.get(callee, 0) + handled * top // bottom
            total["handled"][name] += handled
            early[name] += handled if second <= EARLY[name] else 0
            total["shed"][name] += shed
            total["again"][name] += again
            peak[name] = max(peak[name], (queue[name], -second))
            busy[name] = busy[name] + 1 if queue[name] else 0
            if busy[name] >= 3 and next_order[name] <= second and slip != "fixed":
                coming[second + world["start"], name] = world["step"][name]
                next_order[name] = second + world["pause"]
                orders += 1
        for callee, count in sent.items():
            due[second + 1, callee] = count
        seen.append(sum(queue.values()))
    worst = max(peak, key=lambda name: (peak[name][0], -NAMES.index(name)))
    return {
        **{f"handled_{name.lower()}": total["handled"][name] for name in NAMES},
        **{f"shed_{name.lower()}": total["shed"][name] for name in NAMES},
        **{f"early_{name.lower()}": early[name] for name in NAMES},
        "shed": sum(total["shed"].values()),
        "again": sum(total["again"].values()),
        "peak": peak[worst][0],
        "peak_second": -peak[worst][1],
        "waiting_end": seen[-1],
        "waiting_20": seen[19],
        "waiting_40": seen[39],
        "orders": orders,
        "first_shed": first_shed,
        "never": sum(total["shed"][name] == 0 for name in NAMES),
        "extra_ledger": extra["Ledger"],
        "busiest": max(seen),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _world(rng: random.Random) -> dict[str, Any]:
    calls: dict[tuple[str, str], tuple[int, int]] = {}
    for place, caller in enumerate(NAMES[:-1]):
        later = NAMES[place + 1 : place + 4]
        for callee in rng.sample(later, min(len(later), 2)):
            calls[caller, callee] = rng.choice(((2, 3), (3, 4), (4, 5), (3, 5), (1, 2), (5, 7)))
    visits = {"Web": 1.0}
    for name in NAMES[1:]:
        visits[name] = sum(visits[one] * top / bottom for (one, two), (top, bottom) in calls.items() if two == name)
    zones = {name: tuple(sorted(rng.sample(ZONES, rng.choice((2, 2, 3))))) for name in NAMES}
    wiki = dict(zones)
    for name in rng.sample([name for name in NAMES if len(zones[name]) == 2], 2):
        wiki[name] = ZONES
    rate = {name: max(3, round(visits[name] * rng.uniform(54, 72) / len(zones[name]))) for name in NAMES}
    first, second = rng.randint(8, 14), rng.randint(22, 32)
    return {
        "calls": dict(sorted(calls.items(), key=lambda item: [NAMES.index(end) for end in item[0]])),
        "load": [rng.randint(37, 71) for _ in range(SECONDS // SPAN)],
        "zones": zones,
        "wiki": wiki,
        "rate": rate,
        "room": {name: round(rate[name] * len(zones[name]) * rng.uniform(1.5, 2.6)) for name in NAMES},
        "step": {name: rng.randint(1, 3) for name in NAMES},
        "wait": 3,
        "start": 5,
        "pause": 9,
        "lost": (rng.choice(ZONES), first, first + rng.randint(7, 12)),
        "slow": (rng.choice(NAMES[2:6]), second, second + rng.randint(7, 12)),
    }


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    world = _world(rng)
    right = _outcome(world)
    if (
        any(two not in {pair[1] for pair in world["calls"]} for two in NAMES[1:])
        or right["shed"] < 200
        or right["never"] > 3
    ):
        return None
    followed = "Followed second by second."
    shedding = sorted(NAMES, key=lambda one: -right[f"shed_{one.lower()}"])[:2]
    return Study(
        "capacity",
        domain,
        ["Amazon ECS", "Elastic Load Balancing"],
        _diagram(world, domain, name),
        _text(world, domain),
        [
            *[
                Ask(f"handled_{s.lower()}", f"the calls that {s} handles in the {SECONDS} seconds", followed)
                for s in ("Payment", "Ledger")
            ],
            *[
                Ask(f"early_{s.lower()}", f"the calls that {s} handles in seconds 1 to {EARLY[s]}", followed)
                for s in ("Orders", "Payment", "Ledger")
            ],
            *[
                Ask(f"shed_{s.lower()}", f"the calls that {s} sheds in the {SECONDS} seconds", followed)
                for s in shedding
            ],
            Ask("peak", "the longest queue of any service at the end of a second", followed),
            Ask("waiting_end", f"the calls in all queues together at the end of second {SECONDS}", followed),
        ],
        [
            ("At the end of second 20, {} calls are in all queues together.", "waiting_20"),
            ("At the end of second 40, {} calls are in all queues together.", "waiting_40"),
            ("{} of the calls that were shed are sent again or are still to be sent again.", "again"),
            ("Growth is ordered {} times.", "orders"),
            ("Second {} is the first in which a call is shed.", "first_shed"),
            ("{} services never shed a call.", "never"),
            ("At most {} calls are in all queues together at the end of a second.", "busiest"),
        ],
        right,
        {
            "takes the zones from the wiki": _outcome(world, "wiki"),
            "does not send shed calls again": _outcome(world, "lost"),
            "forgets that services grow": _outcome(world, "fixed"),
        },
    )


def _diagram(world: dict[str, Any], domain: str, name: str) -> Diagram:
    diagram = Diagram(name, f"{domain.capitalize()} services")
    for key, label in (("front", "Public tier"), ("app", "Application tier"), ("data", "Data tier")):
        diagram.cluster(key, label)
    for place, service in enumerate(NAMES):
        note = (
            f"zones {', '.join(world['zones'][service])}; {world['rate'][service]} per zone and second; "
            f"queue of {world['room'][service]}; grows by {world['step'][service]}"
        )
        diagram.node(service.lower(), service, "compute.ECS", ("front", "app", "data")[min(2, (place + 3) // 4)], note)
    for (caller, callee), (top, bottom) in world["calls"].items():
        diagram.edge(caller.lower(), callee.lower(), f"{top}/{bottom}")
    return diagram


def _text(world: dict[str, Any], domain: str) -> str:
    table = "\n".join(f"| {name} | {', '.join(world['wiki'][name])} |" for name in NAMES)
    load = ", ".join(str(count) for count in world["load"])
    zone, first, last = world["lost"]
    slow, since, until = world["slow"]
    return f"""The architecture below shows the services of a {domain} company. Follow them for {SECONDS} seconds, from second 1, with empty queues. Web receives the same number of requests in each second of a span of {SPAN} seconds; the numbers for seconds 1 to {SPAN}, {SPAN + 1} to {2 * SPAN} and so on are: {load}.

Zone {zone} is lost in seconds {first} to {last}, both included, and comes back after that. {slow} is slow in seconds {since} to {until}, both included. The wiki has this table of zones, which may be wrong; where it differs, the architecture is what runs:

| service | zones |
|---|---|
{table}

These rules are exact. In each second, every service does steps 1 to 5:

1. What arrives joins its queue: the requests of this second (Web), or the calls that its callers sent in the second before (all others); and the calls that it shed {world["wait"]} seconds ago and that are sent again (see 2). Growth that is due in this second takes effect.
2. If the queue is now longer than the room in its note ("queue of 90"), what is too much is shed. Of the calls shed in a second, two thirds, rounded down, are sent again to this service and arrive {world["wait"]} seconds later; the others are gone.
3. It handles as many calls of its queue as it can: the number "per zone and second", growth included, times the zones of this service that are not lost. A slow service can handle half of this, rounded down. Nothing of a queue is lost with a zone.
4. For every outgoing arrow it sends calls: the handled calls of this second times the fraction on the arrow, rounded down for each arrow by itself. They arrive in the next second.
5. If its queue has not been empty at the end of this second and of the two before, and it has not ordered growth in this or the {world["pause"] - 1} seconds before, it orders growth: {world["start"]} seconds later its number per zone and second grows by the number in its note, for good.

The runbook says about these {SECONDS} seconds:

{{lines}}"""
