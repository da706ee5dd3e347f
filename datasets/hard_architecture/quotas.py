"""Token buckets in a row and a shared limit of concurrent executions, with retries, while a dependency is slow."""

import random
from collections import Counter
from typing import Any

from task import Diagram, Study, asks, first_that_bites, with_early

CLIENTS = ("Mobile", "Partner", "Kiosk", "Reports")
SECONDS = 20
EARLY = 6
"""Seconds after which first facts are asked for."""
WAITS = (1, 2, 4)
"""Seconds before the first, second and third retry."""


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    return with_early(_run(world, slip, SECONDS), _run(world, slip, EARLY), ("accepted", "refused", "dropped"))


def _run(world: dict[str, Any], slip: str, until: int) -> dict[str, Any]:
    level = {bucket: burst for bucket, (_, burst) in world["buckets"].items()}
    due: dict[int, list[tuple[str, int]]] = {}
    ends: Counter[int] = Counter()
    accepted, refused, dropped = Counter[str](), Counter[str](), Counter[str]()
    peak, busiest, tried, first_drop, full = 0, (0, 0), 0, 0, 0
    for second in range(1, until + 1):
        if second > 1:
            for bucket, (rate, burst) in world["buckets"].items():
                level[bucket] = min(burst, level[bucket] + rate)
        order = CLIENTS if second % 2 or slip == "order" else CLIENTS[::-1]
        used = sum(count for end, count in ends.items() if end >= second)
        here = 0
        for client in order:
            retries = sorted((number for owner, number in due.get(second, []) if owner == client), reverse=True)
            for number in [*retries, *[0] * world["load"][client][(second - 1) // 5]]:
                tried, here = tried + 1, here + 1
                layers = [client, *(["Stage"] if client != "Reports" else []), "Account"]
                empty = next((layer for layer in layers if not level[layer]), None)
                spent = [] if empty and slip == "kept" else layers[: layers.index(empty)] if empty else layers
                for layer in spent:
                    level[layer] -= 1
                if empty is None and used == world["slots"]:
                    empty = "Function"
                if empty is None:
                    slow = world["slow"][0] <= second <= world["slow"][1] and slip != "fast"
                    ends[second + (world["slow_s"] if slow else world["normal_s"]) - 1] += 1
                    used += 1
                    accepted[client] += 1
                    continue
                refused[empty if empty not in CLIENTS else "Client"] += 1
                if number == 3 or client == "Kiosk":
                    dropped[client] += 1
                    first_drop = first_drop or (second if client != "Kiosk" else 0)
                else:
                    due.setdefault(second + WAITS[number], []).append((client, number + 1))
        peak = max(peak, used)
        full += used == world["slots"]
        busiest = max(busiest, (here, -second))
    waiting = sum(len(entries) for second, entries in due.items() if second > until)
    return {
        **{f"accepted_{client.lower()}": accepted[client] for client in CLIENTS},
        **{f"refused_{layer.lower()}": refused[layer] for layer in ("Client", "Stage", "Account", "Function")},
        "accepted": sum(accepted.values()),
        "dropped": sum(dropped.values()),
        "dropped_kiosk": dropped["Kiosk"],
        "waiting": waiting,
        "tried": tried,
        "busiest": -busiest[1],
        "busiest_count": busiest[0],
        "full": full,
        "first_drop": first_drop,
        "refused": sum(refused.values()),
        "stage_left": level["Stage"],
        "account_left": level["Account"],
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    world: dict[str, Any] = {
        "buckets": {
            "Mobile": (rng.randint(9, 14), rng.randint(20, 35)),
            "Partner": (rng.randint(5, 8), rng.randint(12, 20)),
            "Kiosk": (rng.randint(4, 7), rng.randint(8, 14)),
            "Reports": (rng.randint(3, 5), rng.randint(6, 15)),
            "Stage": (rng.randint(17, 21), rng.randint(25, 45)),
            "Account": (rng.randint(19, 24), rng.randint(30, 60)),
        },
        "load": {
            "Mobile": [rng.randint(6, 17) for _ in range(SECONDS // 5)],
            "Partner": [rng.randint(4, 11) for _ in range(SECONDS // 5)],
            "Kiosk": [rng.randint(3, 8) for _ in range(SECONDS // 5)],
            "Reports": [rng.randint(1, 7) for _ in range(SECONDS // 5)],
        },
        "slots": rng.randint(48, 62),
        "normal_s": 2,
        "slow_s": rng.choice((4, 5)),
    }
    start = rng.randint(6, 9)
    world["slow"] = (start, start + rng.randint(3, 5))
    right = _outcome(world)
    if (
        min(right[f"refused_{layer}"] for layer in ("client", "stage", "account", "function")) < 6
        or right["dropped"] < 12
    ):
        return None
    diagram = Diagram(name, f"{domain.capitalize()} API")
    diagram.cluster("callers", "Callers")
    diagram.cluster("account", "Account bucket: {} per second, burst {}".format(*world["buckets"]["Account"]))
    for client in CLIENTS:
        diagram.node(client.lower(), client, "general.Users", "callers", _bucket(world, client))
    diagram.node("stage", "API stage", "network.APIGateway", "account", _bucket(world, "Stage"))
    diagram.node("function", "Function", "compute.Lambda", "account", f"reserved concurrency {world['slots']}")
    diagram.node("table", "Table", "database.Dynamodb", "account")
    for client in CLIENTS[:-1]:
        diagram.edge(client.lower(), "stage", "no retries" if client == "Kiosk" else "retries after 1, 2 and 4 s")
    diagram.edge("reports", "function", "function URL; retries after 1, 2 and 4 s")
    diagram.edge("stage", "function")
    diagram.edge("function", "table")
    spans = [f"{5 * place + 1} to {5 * place + 5}" for place in range(SECONDS // 5)]
    table = "\n".join(
        f"| {span} | {' | '.join(str(world['load'][client][place]) for client in CLIENTS)} |"
        for place, span in enumerate(spans)
    )
    text = f"""The architecture below shows the API of a {domain} company. Follow it for {SECONDS} seconds, from second 1. Every bucket is full (its burst) at the start, and no executions are running. The callers send this many new requests in each second:

| seconds | {" | ".join(CLIENTS)} |
|---|---|---|---|---|
{table}

The table is slow in seconds {world["slow"][0]} to {world["slow"][1]}, both included. These rules are exact:

1. At the beginning of every second except the first, each bucket gains its tokens per second, but never holds more than its burst.
2. In odd seconds the callers are served in the order {", ".join(CLIENTS)}, in even seconds in the opposite order, one caller after the other. Of each caller, first come its retries that are due in this second, third retries before second before first ones, then its new requests. Requests are served one by one.
3. A request needs a token of its caller's bucket, then one of the stage's bucket, then one of the account's bucket, then a free execution of the function, in this order. What is drawn decides which of these a caller passes: requests that do not go through the stage need no token of the stage. Where there is no token or no free execution, the request is refused; tokens that it has taken by then are spent.
4. A request that gets everything is accepted and occupies one execution of the function for {world["normal_s"]} seconds, its own second included: accepted in second 3, it occupies seconds 3 and 4. If it is accepted while the table is slow, it occupies {world["slow_s"]} seconds instead. At most {world["slots"]} executions are occupied in any second.
5. A refused request is sent again 1 second later (first retry); if that is refused, 2 seconds after that (second retry); if that is refused, 4 seconds after that (third retry). A request whose third retry is refused is dropped. A caller without retries drops a request at once.
6. Every time a request or retry is refused counts as one refusal, of the place that refused it. Facts are about what happens in these seconds, not after them.

The document about these {SECONDS} seconds says:

{{lines}}"""
    followed = "Followed request by request."
    return Study(
        "capacity",
        domain,
        ["Amazon API Gateway", "AWS Lambda", "Amazon DynamoDB"],
        diagram,
        text,
        asks(
            followed,
            {
                "early_accepted": f"the requests of all callers that are accepted in seconds 1 to {EARLY}",
                "early_refused": f"the refusals of all places together in seconds 1 to {EARLY}",
                "early_dropped": f"the requests of all callers that are dropped in seconds 1 to {EARLY}",
                "accepted_mobile": "the requests of Mobile that are accepted",
                "accepted_kiosk": "the requests of Kiosk that are accepted",
                "refused_client": "the refusals by the buckets of the four callers together",
                "refused_stage": "the refusals by the bucket of the stage",
                "refused_account": "the refusals by the bucket of the account",
                "refused_function": "the refusals for want of a free execution",
            },
        ),
        [
            ("{} retries are still to come after second " + str(SECONDS) + ".", "waiting"),
            (
                "Second {} is the one with the most requests and retries (the first of them if there are several).",
                "busiest",
            ),
            ("In the busiest second {} requests and retries are served.", "busiest_count"),
            ("{} of the seconds end with all executions occupied.", "full"),
            (
                "The first request that is dropped after a third retry is dropped in second {}, where 0 means none.",
                "first_drop",
            ),
            ("The stage's bucket holds {} tokens at the end.", "stage_left"),
            ("Kiosk drops {} requests.", "dropped_kiosk"),
        ],
        right,
        {
            "gives the tokens of refused requests back": _outcome(world, "kept"),
            "overlooks that the table is slow": _outcome(world, "fast"),
            "serves the callers in the same order in every second": _outcome(world, "order"),
        },
    )


def _bucket(world: dict[str, Any], bucket: str) -> str:
    return "{} per second, burst {}".format(*world["buckets"][bucket])
