"""One bill for several accounts: reservations and plans that are shared, or not, hour by hour, and tiers that fill up."""

import random
from itertools import pairwise
from typing import Any

from task import Ask, Diagram, Study, asks, first_that_bites, with_early

ACCOUNTS = ("Shop", "Data", "Lab", "Games", "Media")
TYPES = ("large", "xlarge", "memory", "storage")
HOURS = 40
EARLY = 4
"""Hours after which first facts are asked for."""
TIERS = ((2500, 9), (4500, 7), (10**9, 5))
"""Gigabytes in the tier, cents per gigabyte."""


def _given(owner: str, world: dict[str, Any], slip: str) -> list[str]:
    """The accounts that an owner's reservations and plans can serve, in their order."""
    if slip == "shared":
        return [owner, *(a for a in ACCOUNTS if a != owner)]
    if owner in world["apart"]:
        return [owner]
    return [owner, *(a for a in ACCOUNTS if a != owner and a not in world["apart"])]


def _transfer(done: int, amount: int) -> int:
    """The cents of some gigabytes after others."""
    cost, low = 0, 0
    for size, price in TIERS:
        part = max(0, min(done + amount, low + size) - max(done, low))
        cost, low = cost + part * price, low + size
    return cost


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    return with_early(_run(world, slip, HOURS), _run(world, slip, EARLY), ("bill_shop", "bill_games", "covered"))


def _run(world: dict[str, Any], slip: str, until: int) -> dict[str, Any]:
    bill = dict.fromkeys(ACCOUNTS, 0)
    idle_reserved = idle_plan = received = 0
    demand, covered, hours_full = [], 0, 0
    sent, own, moved_games = 0, dict.fromkeys(ACCOUNTS, 0), 0
    first_low, data_demand, lab_hours = 0, 0, 0
    for hour in range(until):
        left = {(a, t): world["use"][a][t][hour] for a in ACCOUNTS for t in TYPES}
        unused = 0
        for owner, kind, count, price in world["reserved"]:
            bill[owner] += count * price
            for account in _given(owner, world, slip):
                taken = min(count, left[account, kind])
                left[account, kind] -= taken
                count -= taken
                received += taken if account != owner else 0
            unused += count
        idle_reserved += unused
        hours_full += unused == 0
        for owner, budget in world["plans"]:
            bill[owner] += budget
            for account in _given(owner, world, slip):
                for kind in world["saving"] if slip != "order" else TYPES:
                    taken = min(left[account, kind], budget // world["plan_price"][kind])
                    left[account, kind] -= taken
                    budget -= taken * world["plan_price"][kind]
                    covered += taken
            idle_plan += budget
        cost = {a: sum(left[a, t] * world["price"][t] for t in TYPES) for a in ACCOUNTS}
        data_demand += sum(left["Data", t] for t in TYPES)
        lab_hours += sum(left["Lab", t] for t in TYPES)
        demand.append(sum(cost.values()))
        for account in ACCOUNTS:
            amount = world["sent"][account][hour]
            price = _transfer(own[account] if slip == "apart" else sent, amount)
            bill[account] += cost[account] + price
            moved_games += price if account == "Games" else 0
            sent, own[account] = sent + amount, own[account] + amount
            first_low = first_low or (hour + 1 if sent > TIERS[0][0] + TIERS[1][0] else 0)
    return {
        **{f"bill_{account.lower()}": bill[account] for account in ACCOUNTS},
        "idle_reserved": idle_reserved,
        "idle_plan": idle_plan,
        "transfer_games": moved_games,
        "dearest_hour": demand.index(max(demand)) + 1,
        "demand": sum(demand),
        "demand_26": demand[:26][-1],
        "covered": covered,
        "received": received,
        "hours_full": hours_full,
        "first_low": first_low,
        "total": sum(bill.values()),
        "data_demand": data_demand,
        "lab_demand": lab_hours,
        "cheapest": min(demand),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    price = {
        "large": rng.randint(11, 17),
        "xlarge": rng.randint(23, 31),
        "memory": rng.randint(37, 49),
        "storage": rng.randint(29, 43),
    }
    plan_price = {kind: round(cents * rng.uniform(0.55, 0.8)) for kind, cents in price.items()}
    world: dict[str, Any] = {
        "price": price,
        "plan_price": plan_price,
        "saving": sorted(TYPES, key=lambda kind: plan_price[kind] / price[kind]),
        "use": {
            a: {t: [rng.randint(0, top) for _ in range(HOURS)] for t, top in zip(TYPES, (9, 7, 5, 4), strict=True)}
            for a in ACCOUNTS
        },
        "sent": {a: [rng.randint(7, 89) for _ in range(HOURS)] for a in ACCOUNTS},
        "apart": ("Games",),
        "reserved": [
            ("Shop", "large", rng.randint(5, 8), rng.randint(6, 8)),
            ("Lab", "xlarge", rng.randint(4, 6), rng.randint(13, 17)),
            ("Games", "large", rng.randint(5, 7), rng.randint(6, 8)),
            ("Data", "memory", rng.randint(3, 5), rng.randint(21, 27)),
            ("Media", "storage", rng.randint(3, 5), rng.randint(19, 25)),
            ("Media", "xlarge", rng.randint(3, 5), rng.randint(13, 17)),
        ],
        "plans": [("Data", rng.randint(70, 120)), ("Games", rng.randint(45, 80)), ("Shop", rng.randint(60, 110))],
    }
    right = _outcome(world)
    shares = sorted(plan_price[kind] / price[kind] for kind in TYPES)
    if world["saving"] == list(TYPES) or min(high - low for low, high in pairwise(shares)) < 0.03:
        return None
    if not right["first_low"] or right["idle_reserved"] < 8 or right["received"] < 15:
        return None
    diagram = Diagram(name, f"{domain.capitalize()} organization")
    diagram.cluster("shared", "Sharing on")
    diagram.cluster("apart", "Sharing off")
    diagram.node("payer", "Payer", "management.Organizations")
    for account in ACCOUNTS:
        notes = [
            f"{count} x {kind} reserved at {cents} cents"
            for owner, kind, count, cents in world["reserved"]
            if owner == account
        ]
        notes += [f"plan {cents} cents per hour" for owner, cents in world["plans"] if owner == account]
        diagram.node(
            account.lower(),
            account,
            "compute.EC2",
            "apart" if account in world["apart"] else "shared",
            "; ".join(notes),
        )
        diagram.edge("payer", account.lower(), "one bill")
    rows = "\n".join(
        f"| {hour + 1} | {' | '.join('/'.join(str(world['use'][a][t][hour]) for t in TYPES) + ' + ' + str(world['sent'][a][hour]) for a in ACCOUNTS)} |"
        for hour in range(HOURS)
    )
    text = f"""The architecture below shows the accounts of a {domain} company with their reservations and savings plans. In {HOURS} hours they run these instances ({"/".join(TYPES)}) and send this many gigabytes to the internet:

| hour | {" | ".join(ACCOUNTS)} |
|---|---|---|---|---|---|
{rows}

Prices per instance and hour, in cents: {", ".join(f"{kind} {price[kind]} on demand, {plan_price[kind]} under a plan" for kind in TYPES)}. The tiers for data sent in these {HOURS} hours are {TIERS[0][1]} cents per GB for the first {TIERS[0][0]} GB, {TIERS[1][1]} cents for the next {TIERS[1][0]} GB, {TIERS[2][1]} cents for the rest. These rules are exact; every hour is worked out for itself, except for the tiers:

1. Reservations come first, in this order of their owners: {", ".join(dict.fromkeys(owner for owner, *_ in world["reserved"]))}. One reservation covers one instance of its type, which then costs nothing more. Those of an owner cover the owner's instances first. What is left of them then covers instances of the other accounts, in the order {", ".join(ACCOUNTS)}. An account where sharing is off neither gives to others nor takes from them. The owner pays the noted cents for every reservation and hour, used or not.
2. Then come the plans, in this order of their owners: {", ".join(owner for owner, _ in world["plans"])}. A plan covers instances that are still uncovered, at the prices under a plan, until the cents per hour are used up: the owner's first, then those of other accounts in the same order and with the same rule about sharing. Within an account, the types are taken in the order of how much the plan saves in percent of the price on demand, the largest saving first. Only whole instances are covered; when what is left of the plan is not enough for one more of a type, the next type (then the next account) is tried. The owner pays the whole plan every hour, used or not; covered instances cost nothing more.
3. All other instances are paid on demand by the account that runs them.
4. The tiers count the gigabytes of all accounts together, sharing on or off, hour after hour, and within an hour in the order {", ".join(ACCOUNTS)}. Each account pays for its own gigabytes at the prices of the tiers into which they fall.

The finance team has written down:

{{lines}}"""
    worked = "Worked out hour by hour."
    return Study(
        "cost",
        domain,
        ["AWS Organizations", "Amazon EC2", "Savings Plans"],
        diagram,
        text,
        [
            *[
                Ask(f"bill_{a.lower()}", f"what {a} pays for the {HOURS} hours, in cents", worked)
                for a in ACCOUNTS
                if a not in ("Lab", "Data")
            ],
            *asks(
                worked,
                {
                    "early_bill_shop": f"what Shop pays for hours 1 to {EARLY}, in cents",
                    "early_bill_games": f"what Games pays for hours 1 to {EARLY}, in cents",
                    "early_covered": f"the instance-hours that the plans cover in hours 1 to {EARLY}",
                    "idle_reserved": f"the reservation-hours that cover nothing, of all accounts and {HOURS} hours",
                    "idle_plan": f"the cents of all plans that are not used up in the {HOURS} hours, together",
                    "covered": f"the instance-hours that the plans cover in the {HOURS} hours",
                },
            ),
        ],
        [
            ("In hour 26 the accounts together pay {} cents on demand.", "demand_26"),
            ("{} instance-hours are covered by a reservation of another account.", "received"),
            ("In {} of the hours every reservation covers something.", "hours_full"),
            ("Hour {} is the first with gigabytes in the cheapest tier.", "first_low"),
            ("Data pays {} instance-hours on demand.", "data_demand"),
            ("Lab pays {} instance-hours on demand.", "lab_demand"),
            ("The hour with the least cost on demand has {} cents of it.", "cheapest"),
        ],
        right,
        {
            "shares with and from the account where sharing is off": _outcome(world, "shared"),
            "takes the types in the order of the table": _outcome(world, "order"),
            "gives every account tiers of its own": _outcome(world, "apart"),
        },
    )
