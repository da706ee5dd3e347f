"""Bills by tiered price lists, minimum charges and commitments."""

import random
from math import ceil

from scenario import Claim, Scenario, scenario, truth


def usd(value: float) -> str:
    return f"{value:,.2f}"


def tiered(amount: float, tiers: list[tuple[float, float]]) -> float:
    """The price of an amount; a tier is its size and its price per unit."""
    total = 0.0
    for size, price in tiers:
        part = min(amount, size)
        total += part * price
        amount -= part
    return total


@scenario((161, "video"), (162, "maps"))
def egress(setting: tuple[int, str]) -> Scenario:
    seed, name = setting
    rng = random.Random(seed)
    internet = [(100, 0.0), (10_140, 0.09), (40_960, 0.085), (102_400, 0.07), (1e12, 0.05)]
    cdn = [(1_000, 0.0), (9_240, 0.085), (40_960, 0.08), (102_400, 0.06), (1e12, 0.04)]
    terabytes = {"internet": rng.uniform(14, 33), "cdn": rng.uniform(58, 120)}
    gigabytes = {key: round(value * 1024) + rng.randint(3, 900) for key, value in terabytes.items()}
    between, zones = rng.randint(3_100, 9_900), rng.randint(11_000, 28_000)
    requests = rng.randint(213, 781) * 1_000_000 + rng.randint(1, 9) * 1_234
    miss = rng.choice((0.07, 0.11, 0.13))
    right = {
        "internet": tiered(gigabytes["internet"], internet),
        "cdn": tiered(gigabytes["cdn"], cdn),
        "between": between * 0.02,
        "zones": zones * 0.01 * 2,
        "requests": max(0, ceil((requests - 10_000_000) / 10_000)) * 0.01,
    }
    total = sum(right.values())
    moved = gigabytes["internet"] // 2
    after = tiered(gigabytes["internet"] - moved, internet) + tiered(gigabytes["cdn"] + moved, cdn)
    saving = right["internet"] + right["cdn"] - after
    flat = gigabytes["internet"] * 0.085
    fetched = gigabytes["cdn"] * miss

    def slips(value: float, *others: tuple[float, str]) -> list[tuple[str, str]]:
        return [(usd(other), why) for other, why in others if usd(other) != usd(value)]

    def no_free(tiers: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(tiers[0][0] + tiers[1][0], tiers[1][1]), *tiers[2:]]

    def decimal(tiers: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [tiers[0], (10_000 - tiers[0][0], tiers[1][1]), (40_000, tiers[2][1]), (100_000, tiers[3][1]), tiers[4]]

    claims = [
        Claim(
            "Transfer from EC2 to the internet costs USD {}.",
            usd(right["internet"]),
            slips(
                right["internet"],
                (tiered(gigabytes["internet"], no_free(internet)), "forgets the free part"),
                (tiered(gigabytes["internet"], decimal(internet)), "takes a TB for 1,000 GB"),
                (flat, "prices everything at the last tier reached"),
            ),
            "Tier by tier.",
        ),
        Claim(
            "Transfer from CloudFront to viewers costs USD {}.",
            usd(right["cdn"]),
            slips(
                right["cdn"],
                (tiered(gigabytes["cdn"], no_free(cdn)), "forgets the free part"),
                (tiered(gigabytes["cdn"], decimal(cdn)), "takes a TB for 1,000 GB"),
            ),
            "Tier by tier.",
        ),
        Claim(
            "Traffic between Availability Zones costs USD {}.",
            usd(right["zones"]),
            slips(
                right["zones"],
                (zones * 0.01, "counts one direction"),
                (zones * 0.02 + between * 0.01, "adds traffic between Regions"),
            ),
            "Each GB is paid by both sides.",
        ),
        Claim(
            "CloudFront requests cost USD {}.",
            usd(right["requests"]),
            slips(
                right["requests"],
                (ceil(requests / 10_000) * 0.01, "forgets the free requests"),
                ((requests - 10_000_000) // 10_000 * 0.01, "rounds down"),
                (right["requests"] * 0.75, "takes the price of HTTP"),
            ),
            "Beyond the free ten million, each started 10,000.",
        ),
        Claim(
            "The five items cost USD {} in all.",
            usd(total),
            slips(
                total,
                (total - right["zones"] / 2, "counts one direction between zones"),
                (total + tiered(100, [(100, 0.09)]), "forgets a free part"),
                (total + fetched * 0.02, "charges fetches from the origin"),
            ),
            "The sum of the items.",
        ),
        Claim(
            "Serving half of the EC2 gigabytes from CloudFront instead saves USD {}.",
            usd(saving),
            slips(
                saving,
                (right["internet"] / 2, "forgets what CloudFront charges"),
                (moved * 0.005, "compares the first tiers only"),
                (saving + 41.3, "leaves the tiers of EC2 as they are"),
            ),
            "Both tier tables are computed again.",
        ),
        Claim(
            "One more GB from EC2 to the internet costs USD {}.",
            f"{_marginal(gigabytes['internet'], internet):.3f}",
            [(f"{price:.3f}", "takes another tier") for _, price in internet[1:]],
            "The tier in which the amount ends.",
        ),
        Claim(
            "One more GB from CloudFront costs USD {}.",
            f"{_marginal(gigabytes['cdn'], cdn):.3f}",
            [(f"{price:.3f}", "takes another tier") for _, price in cdn[1:]],
            "The tier in which the amount ends.",
        ),
        Claim(
            "The mean price per GB from CloudFront is USD {}.",
            f"{right['cdn'] / gigabytes['cdn']:.4f}",
            [
                (f"{right['cdn'] / (gigabytes['cdn'] - 1000):.4f}", "leaves the free part out of the amount"),
                (f"{tiered(gigabytes['cdn'], no_free(cdn)) / gigabytes['cdn']:.4f}", "forgets the free part"),
            ],
            "Cost divided by all gigabytes.",
        ),
        Claim(
            "Fetches by CloudFront from the origin cost USD {}.",
            "0.00",
            [
                (usd(fetched * 0.02), "charges them like traffic between Regions"),
                (usd(fetched * 0.09), "charges them like traffic to the internet"),
            ],
            "They are free by the price list.",
        ),
    ]
    text = f"""Price list for this question (1 TB is 1,024 GB). EC2 to the internet per GB: the first 100 GB free, up to 10 TB USD 0.09, the next 40 TB USD 0.085, the next 100 TB USD 0.07, beyond that USD 0.05. CloudFront to viewers per GB: the first 1,000 GB free, up to 10 TB USD 0.085, the next 40 TB USD 0.08, the next 100 TB USD 0.06, beyond that USD 0.04. Free amounts are part of the first 10 TB. HTTPS requests to CloudFront USD 0.01 per 10,000 or part of it, the first ten million free. Between Regions USD 0.02 per GB; between Availability Zones USD 0.01 per GB in each of both directions, that is, on the sending and on the receiving side. From AWS origins to CloudFront free.

In a month the {name} service sends {gigabytes["internet"]:,} GB from EC2 to the internet and {gigabytes["cdn"]:,} GB from CloudFront to viewers in {requests:,} HTTPS requests, {miss:.0%} of whose bytes CloudFront fetches from EC2; it sends {between:,} GB from one Region to another and {zones:,} GB from one zone to another. The five items of the bill are EC2 to the internet, CloudFront to viewers, between Regions, between zones, and requests."""
    return Scenario(
        "cost",
        ["Amazon CloudFront", "Amazon EC2"],
        "Amazon EC2 pricing: data transfer; Amazon CloudFront pricing",
        text,
        claims,
        "Each tier has its own price, free amounts come first, and only the last gigabyte pays the last tier.",
    )


def _marginal(amount: float, tiers: list[tuple[float, float]]) -> float:
    return round(tiered(amount + 1, tiers) - tiered(amount, tiers), 6)


@scenario(171, 172)
def classes(setting: int) -> Scenario:
    rng = random.Random(setting)
    groups = {}
    for name in ("g1", "g2", "g3", "g4", "g5", "g6", "g7"):
        kilobytes = rng.choice((19, 37, 64, 96, 155, 410, 2300))
        groups[name] = (
            rng.randint(11, 97) * 100_000,
            kilobytes,
            rng.choice((12, 23, 31, 47, 58, 74, 103)),
            rng.choice(("IA", "GIR", "STD")),
        )
    kinds = [g[3] for g in groups.values()]
    for name, kind in (("g1", "IA"), ("g2", "GIR"), ("g3", "STD")):
        if kind not in kinds:
            groups[name] = (*groups[name][:3], kind)
    prices = {"STD": 0.023, "IA": 0.0125, "GIR": 0.004}
    least_days = {"STD": 0, "IA": 30, "GIR": 90}
    full = {"STD": "Standard", "IA": "Standard-IA", "GIR": "Glacier Instant Retrieval"}

    def cost(name: str, kind: str | None = None, size: bool = True, minimum: bool = True) -> float:
        number, kilobytes, days, own = groups[name]
        kind = kind or own
        billed = max(kilobytes, 128) if size and kind != "STD" else kilobytes
        counted = max(days, least_days[kind]) if minimum else days
        return number * billed / 1e6 * prices[kind] * counted / 30

    claims = []
    for name, (_, _, _, own) in groups.items():
        right = cost(name)
        slips = [
            (usd(cost(name, size=False)), "forgets the minimum size"),
            (usd(cost(name, minimum=False)), "forgets the minimum duration"),
            (usd(cost(name) * 1.024), "takes a GB for 1,024 MB"),
            (usd(cost(name, size=False, minimum=False)), "forgets both minimums"),
        ]
        claims.append(
            Claim(
                f"{name} costs USD {{}} in all for its time in {full[own]}.",
                usd(right),
                slips,
                "Objects x billed size x price x billed days / 30.",
            )
        )
    for name in rng.sample(sorted(groups), 4):
        best = min(prices, key=lambda kind: cost(name, kind))
        naive = min(prices, key=lambda kind: cost(name, kind, size=False, minimum=False))
        slips = [
            (full[kind], "forgets the minimums" if kind == naive else "misses a minimum")
            for kind in prices
            if kind != best
        ]
        claims.append(
            Claim(
                f"{name} would be cheapest in {{}}.",
                full[best],
                slips,
                ", ".join(f"{full[kind]} {usd(cost(name, kind))}" for kind in prices) + ".",
            )
        )
    total = sum(cost(name) for name in groups)
    claims.append(
        Claim(
            "All groups together cost USD {}.",
            usd(total),
            [
                (usd(sum(cost(name, size=False) for name in groups)), "forgets the minimum size"),
                (usd(sum(cost(name, minimum=False) for name in groups)), "forgets the minimum duration"),
            ],
            "The sum over the groups.",
        )
    )
    rng.shuffle(claims)
    rows = "\n".join(
        f"{name}: {number:,} objects of {kb:,} KB for {days} days in {full[kind]}"
        for name, (number, kb, days, kind) in groups.items()
    )
    text = f"""Price list for this question, per GB and 30 days: S3 Standard USD 0.023; S3 Standard-IA USD 0.0125, at least 128 KB per object and at least 30 days; S3 Glacier Instant Retrieval USD 0.004, at least 128 KB per object and at least 90 days. 1 GB is 1,000,000 KB. Storage is charged by the day; an object deleted before the minimum is charged for the minimum. Requests, retrievals and transitions are left out. Groups of objects, each put at once into its class and deleted together:

{rows}"""
    return Scenario(
        "cost",
        ["Amazon S3"],
        "Amazon S3 pricing; Amazon S3 User Guide: Storage classes",
        text,
        claims[:10],
        "Small objects are billed as 128 KB and short stays as the minimum duration, except in Standard.",
    )


@scenario((181, 3.3), (182, 2.7))
def commitment(setting: tuple[int, float]) -> Scenario:
    seed, committed = setting
    rng = random.Random(seed)
    rates = {"p": (1.37, 0.81), "q": (0.62, 0.41), "r": (0.29, 0.2), "fargate": (0.11, 0.09)}
    order = sorted(rates, key=lambda name: rates[name][1] / rates[name][0])
    phases = {}
    for name, hours in (("night", 7), ("morning", 5), ("noon", 3), ("evening", 9)):
        phases[name] = (
            hours,
            {kind: rng.randint(1, top) for kind, top in (("p", 5), ("q", 7), ("r", 9), ("fargate", 17))},
        )

    def hour(usage: dict[str, int], amount: float, ranked: list[str] | None = None) -> tuple[float, float]:
        """Bill and unused commitment of one hour."""
        left, extra = amount, 0.0
        for name in ranked or order:
            full, reduced = rates[name]
            covered = min(usage[name], left / reduced)
            left -= covered * reduced
            extra += (usage[name] - covered) * full
        return amount + extra, left

    def day(amount: float, ranked: list[str] | None = None) -> float:
        return sum(hours * hour(usage, amount, ranked)[0] for hours, usage in phases.values())

    demand = sum(hours * sum(usage[name] * rates[name][0] for name in rates) for hours, usage in phases.values())
    backwards = order[::-1]
    claims = []
    for name, (_, usage) in phases.items():
        bill, left = hour(usage, committed)
        reduced = sum(usage[kind] * rates[kind][1] for kind in rates)
        claims.append(
            Claim(
                f"An hour of the {name} costs USD {{}}.",
                usd(bill),
                [
                    (usd(hour(usage, committed, backwards)[0]), "applies the smallest discount first"),
                    (usd(max(committed, reduced)), "prices everything at the reduced rates"),
                    (usd(bill + 0.31), "covers whole instances only"),
                ],
                "The commitment goes to the highest discount first.",
            )
        )
        if left > 0.005:
            claims.append(
                Claim(
                    f"An hour of the {name} leaves USD {{}} of the commitment unused.",
                    usd(left),
                    [(usd(left + 0.41), "forgets one instance"), ("0.00", "overlooks that usage ends first")],
                    "All usage is covered before the commitment is spent.",
                )
            )
    whole = day(committed)
    claims += [
        Claim(
            "A whole day costs USD {}.",
            usd(whole),
            [
                (usd(day(committed, backwards)), "applies the smallest discount first"),
                (usd(demand - 24 * committed), "subtracts the commitment from On-Demand"),
                (usd(whole + 3.1), "covers whole instances only"),
            ],
            "Summed over the hours of the day.",
        ),
        Claim(
            "Without a commitment a whole day costs USD {}.",
            usd(demand),
            [(usd(demand * 0.93), "misses a phase"), (usd(day(committed) + 24 * committed), "adds the commitment")],
            "All usage On-Demand.",
        ),
        Claim(
            "The commitment saves USD {} a day.",
            usd(demand - whole),
            [
                (usd(demand - day(committed, backwards)), "applies the smallest discount first"),
                (usd(24 * committed * 0.35), "takes one discount for all"),
            ],
            "The difference of the two.",
        ),
    ]
    for other in (round(committed * 0.8, 2), round(committed * 1.3, 2)):
        better = day(other) < whole
        claims.append(
            truth(
                f"A commitment of USD {other:.2f} an hour {{}} cheaper per day.",
                better,
                ("would be", "would not be"),
                "looks at the largest phase only",
                f"It costs {usd(day(other))}, the present one {usd(whole)}.",
            )
        )
    claims = claims[:4] + rng.sample(claims[4:], min(6, len(claims) - 4))
    rows = "\n".join(
        f"{name}, {hours} hours: " + ", ".join(f"{count} {kind}" for kind, count in usage.items())
        for name, (hours, usage) in phases.items()
    )
    text = f"""A Compute Savings Plan has a commitment of USD {committed:.2f} per hour. In each hour it is applied to usage by the highest discount percentage first, at the reduced rates, also to a fraction of an instance; the rest of the usage is On-Demand, and an unused commitment is lost. Rates per hour, On-Demand and reduced: p 1.37 and 0.81; q 0.62 and 0.41; r 0.29 and 0.20; a Fargate task 0.11 and 0.09. Usage in each hour of the four parts of a day:

{rows}

Amounts in the statements are rounded to cents."""
    return Scenario(
        "cost",
        ["AWS Savings Plans", "Amazon EC2", "AWS Fargate"],
        "Savings Plans User Guide: How Savings Plans apply to your usage",
        text,
        claims,
        "Discounts are ranked by percentage, and the commitment is spent in that order each hour.",
    )
