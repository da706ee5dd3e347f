"""Functions behind a database proxy: environments that are reused, sessions that are pinned, a pool that runs dry."""

import random
from dataclasses import dataclass
from typing import Any

from task import Ask, Diagram, Study, asks, first_that_bites, with_early

FUNCTIONS = ("Quote", "Report")
END = 1000
"""The second after which nothing is left to happen."""
EARLY = 70
"""The second after which first facts are asked for."""
IDS = tuple(f"I{number}" for number in range(1, 151))


@dataclass
class Environment:
    """One execution environment; `ends` is the end of its latest invocation."""

    function: str
    number: int
    ends: int
    pinned: bool = False
    holds: bool = False


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    return with_early(
        _run(world, slip, END), _run(world, slip, EARLY), ("failed_invocations", "throttles", "held_seconds")
    )


def _run(world: dict[str, Any], slip: str, until: int) -> dict[str, Any]:
    alive: list[Environment] = []
    queue = [(arrival, place, IDS[place], 0) for place, (arrival, *_) in enumerate(world["calls"])]
    started = dict.fromkeys(FUNCTIONS, 0)
    failed, throttled, lost, moments = [], 0, [], []
    last_destroyed, environments, cold_of = 0, 0, {}
    for second in range(1, until + 1):
        for env in alive:
            if env.holds and env.ends <= second and not env.pinned:
                env.holds = False
        gone = [env for env in alive if second - env.ends >= world["idle"]]
        last_destroyed = second if gone else last_destroyed
        alive = [env for env in alive if env not in gone]
        for entry in sorted(entry for entry in queue if entry[0] == second):
            _, place, name, tries = entry
            _, function, length, pins = world["calls"][place]
            mine = [env for env in alive if env.function == function]
            idle = [env for env in mine if env.ends <= second]
            if not idle and len(mine) == world["reserved"][function]:
                throttled += 1
                if tries:
                    lost.append(name)
                else:
                    queue.append((second + world["again"], place, name, 1))
                continue
            pick = min if slip == "oldest" else max
            env = pick(idle, key=lambda env: (env.ends, env.number)) if idle else None
            extra = 0
            if env is None:
                environments += 1
                started[function] += 1
                cold_of[name] = True
                extra = world["cold"][function]
                env = Environment(function, environments, second)
                alive.append(env)
            if not env.holds and sum(other.holds for other in alive) == world["pool"]:
                failed.append(name)
                env.ends = second
                continue
            env.holds = True
            env.pinned = env.pinned or (pins and slip != "unpinned")
            env.ends = second + length + (0 if slip == "warm" else extra)
        moments.append((sum(env.holds for env in alive), len(alive), sum(env.pinned for env in alive)))
    held = [moment[0] for moment in moments]
    return {
        "failed_invocations": sorted(failed, key=IDS.index),
        "lost_invocations": sorted(lost, key=IDS.index),
        "cold_quote": started["Quote"],
        "cold_report": started["Report"],
        "throttles": throttled,
        "peak_held": max(held),
        "peak_second": held.index(max(held)) + 1,
        "last_destroyed": last_destroyed,
        "most_pinned": max(moment[2] for moment in moments),
        "most_alive": max(moment[1] for moment in moments),
        "held_100": held[:100][-1],
        "held_150": held[:150][-1],
        "alive_200": moments[:200][-1][1],
        "held_seconds": sum(held),
        "empty_pool": sum(count == world["pool"] for count in held),
        "failed": len(failed),
        "lost": len(lost),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    arrivals = sorted(rng.sample(range(1, 800), len(IDS)))
    world: dict[str, Any] = {
        "calls": [
            (at, rng.choice(("Quote", "Quote", "Report")), rng.choice((9, 14, 22, 27, 31)), rng.random() < 0.25)
            for at in arrivals
        ],
        "reserved": {"Quote": rng.randint(4, 5), "Report": rng.randint(2, 3)},
        "cold": {"Quote": rng.choice((2, 3)), "Report": rng.choice((4, 6))},
        "idle": rng.choice((35, 45)),
        "again": rng.choice((12, 15)),
        "pool": rng.randint(4, 5),
    }
    right = _outcome(world)
    if right["failed"] < 3 or right["lost"] < 1 or right["throttles"] < 3 or right["peak_held"] < world["pool"]:
        return None
    wrong = {"Quote": world["reserved"]["Report"] + 3, "Report": world["reserved"]["Report"] + 2}
    diagram = Diagram(name, f"{domain.capitalize()} functions")
    diagram.cluster("vpc", "VPC")
    diagram.node("bus", "Events", "integration.Eventbridge")
    for function in FUNCTIONS:
        note = f"reserved concurrency {world['reserved'][function]}; cold start {world['cold'][function]} s"
        diagram.node(function.lower(), function, "compute.Lambda", "vpc", note)
        diagram.edge("bus", function.lower(), f"one retry, {world['again']} s later")
        diagram.edge(function.lower(), "proxy")
    diagram.node("proxy", "Proxy", "database.RDS", "vpc", f"at most {world['pool']} database connections")
    diagram.node("database", "Database", "database.Aurora", "vpc")
    diagram.edge("proxy", "database")
    table = "\n".join(
        f"| {name} | {at} | {function} | {length} | {'yes' if pins else 'no'} |"
        for name, (at, function, length, pins) in zip(IDS, world["calls"], strict=True)
    )
    text = f"""The architecture below shows two functions of a {domain} company that share a database proxy. The wiki gives them a reserved concurrency of {wrong["Quote"]} (Quote) and {wrong["Report"]} (Report); where it differs, the architecture is what runs. These {len(IDS)} invocations arrive; nothing is running before:

| invocation | arrives in second | function | seconds | pins |
|---|---|---|---|---|
{table}

These rules are exact:

1. In each second, invocations that end in it end first, then environments are destroyed, then invocations and retries that arrive in it are handled; if there are several, in the order of the table.
2. An invocation runs in an environment of its function. It takes an idle one, if there is any: the one whose latest invocation ended last (if there are several, the one that was created last). Otherwise a new environment is created, unless the function has as many environments, idle or not, as its reserved concurrency. In that case the invocation is throttled and sent once more, by the time on the arrow after it was throttled; if it is throttled again, it is lost.
3. An invocation that begins in second s and takes n seconds ends in second s + n. In a new environment the cold start is added to its n seconds. The environment is idle from the second in which the invocation ends.
4. An environment that has been idle for {world["idle"]} seconds is destroyed: one whose latest invocation ended in second 50 is destroyed in second {50 + world["idle"]}, if no other invocation has begun in it by then.
5. An invocation needs a database connection of the proxy from the second in which it begins (a cold start included). It gives the connection back in the second in which it ends. An invocation that pins keeps its environment's connection: the environment holds it until it is destroyed, and later invocations in this environment use this connection, whether they pin or not.
6. If an invocation in an environment without a connection needs one and all connections of the proxy are held, it fails: it ends in the second in which it began, is not repeated, and pins nothing. The environment that was chosen or created for it stays, idle from this second on.
7. Connections and environments are counted at the end of each second, after rule 1 is done.

The runbook says:

{{lines}}"""
    followed = "Followed second by second."
    return Study(
        "capacity",
        domain,
        ["AWS Lambda", "Amazon RDS Proxy", "Amazon Aurora"],
        diagram,
        text,
        [
            Ask("failed_invocations", "the invocations that fail for want of a connection", followed, IDS),
            Ask("lost_invocations", "the invocations that are lost", followed, IDS),
            *asks(
                followed,
                {
                    "cold_quote": "the environments that are created for Quote",
                    "throttles": "how often an invocation is throttled, second times included",
                    "most_pinned": "the most environments that hold a pinned connection at the end of a second",
                    "held_seconds": "the connections held, added up over the ends of all seconds",
                },
            ),
            Ask(
                "early_failed_invocations",
                f"the invocations that fail for want of a connection up to second {EARLY}",
                followed,
                IDS,
            ),
            Ask("early_throttles", f"how often an invocation is throttled up to second {EARLY}", followed),
            Ask(
                "early_held_seconds", f"the connections held, added up over the ends of seconds 1 to {EARLY}", followed
            ),
        ],
        [
            ("At the end of second 100, {} connections are held.", "held_100"),
            ("At the end of second 200 there are {} environments of both functions together.", "alive_200"),
            ("At the end of {} seconds all connections of the proxy are held.", "empty_pool"),
            ("At most {} environments of both functions together exist at the end of a second.", "most_alive"),
            ("Second {} is the first at whose end the most connections are held.", "peak_second"),
            ("{} invocations fail for want of a connection.", "failed"),
            ("{} invocations are lost.", "lost"),
        ],
        right,
        {
            "forgets that pinned connections stay": _outcome(world, "unpinned"),
            "takes the environment that has been idle longest": _outcome(world, "oldest"),
            "forgets the cold starts": _outcome(world, "warm"),
        },
    )
