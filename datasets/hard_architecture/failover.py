"""Failover in nested DNS records: probes, checks of checks, resolvers that cache each name, and clients that cache again."""

import random
from typing import Any

from task import Ask, Diagram, Study, asks, first_that_bites

CHECKERS = ("Dublin", "Oregon", "Tokyo")
END = 1500
CLIENTS = ("Tills", "Site", "App", "Partner", "Kiosk", "Desk", "Robot")
RESOLVERS = ("R1", "R2", "R3")


def _checks(world: dict[str, Any], slip: str) -> tuple[dict[str, list[bool]], list[bool]]:
    """Health of eu-a and eu-b, and of the Region, at the end of every second."""
    health: dict[str, list[bool]] = {}
    for endpoint in ("eu-a", "eu-b"):
        state = dict.fromkeys(CHECKERS, True)
        row = dict.fromkeys(CHECKERS, 0)
        seen = []
        for second in range(END + 1):
            for checker in CHECKERS:
                offset, period = world["probe"][checker]
                if second < offset or (second - offset) % period:
                    continue
                up = not _down(world, endpoint, second)
                row[checker] = row[checker] + 1 if up != state[checker] else 0
                if row[checker] == (1 if slip == "hasty" else world["rises"] if up else world["falls"]):
                    state[checker], row[checker] = up, 0
            seen.append(sum(state.values()) >= 2)
        health[endpoint] = seen
    region, now = [], True
    for second in range(END + 1):
        if second % world["every"] == 0:
            now = health["eu-a"][second] or health["eu-b"][second]
        region.append(now)
    return health, region


def _down(world: dict[str, Any], endpoint: str, second: int) -> bool:
    return any(start <= second < end for start, end in world["down"].get(endpoint, ()))


class Resolver:
    """Caches each name for itself."""

    def __init__(self, world: dict[str, Any], name: str, answers: Any, slip: str):
        self.least = world["least"].get(name, 0) if slip != "no least" else 0
        self.answers, self.ttl, self.slip = answers, world["ttl"], slip
        self.cache: dict[str, tuple[str, int]] = {}
        self.asked = 0

    def name(self, name: str, second: int) -> str:
        if name not in self.cache or self.cache[name][1] <= second:
            self.asked += 1
            self.cache[name] = (self.answers(name, second), second + max(self.least, self.ttl[name]))
        return self.cache[name][0]

    def endpoint(self, second: int) -> str:
        target = self.name("api", second)
        if target == "us":
            return "us"
        if self.slip == "flat":
            return self.answers("eu", second)
        return self.name("eu", second)


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    health, region = _checks(world, slip)

    def answers(name: str, second: int) -> str:
        if name == "api":
            return "eu" if region[second] else "us"
        return "eu-a" if health["eu-a"][second] or not health["eu-b"][second] else "eu-b"

    ready = next((s for s, up in enumerate(region) if not up), END) + world["warm"]
    resolvers = {name: Resolver(world, name, answers, slip) for name in RESOLVERS}
    using, failed, first_us = {}, dict.fromkeys(CLIENTS, 0), dict.fromkeys(CLIENTS, 0)
    last_us, changes = dict.fromkeys(CLIENTS, 0), dict.fromkeys(CLIENTS, 0)
    count_b, all_at_us = 0, 0
    for second in range(END + 1):
        for client in CLIENTS:
            resolver, offset, period = world["client"][client]
            if second >= offset and (second - offset) % period == 0:
                new = resolvers[resolver].endpoint(second)
                changes[client] += client in using and using[client] != new
                using[client] = new
        for client, endpoint in using.items():
            bad = second < ready if endpoint == "us" else _down(world, endpoint, second)
            failed[client] += bad
            if endpoint == "us":
                first_us[client] = first_us[client] or second
                last_us[client] = second
            count_b += endpoint == "eu-b"
        all_at_us += all(endpoint == "us" for endpoint in using.values())
    return {
        **{f"failed_{client.lower()}": failed[client] for client in CLIENTS},
        "unhealthy_region": sum(not up for up in region),
        "region_back": next((s for s, up in enumerate(region) if up and not all(region[:s])), 0),
        "unhealthy_seconds": sum(not up for up in health["eu-a"]),
        "b_unhealthy_seconds": sum(not up for up in health["eu-b"]),
        "first_us": first_us["Site"],
        "last_us": last_us["Partner"],
        "asked_r1": resolvers["R1"].asked,
        "asked_r2": resolvers["R2"].asked,
        "changes": sum(changes.values()),
        "on_b": count_b,
        "all_at_us": all_at_us,
        "changes_tills": changes["Tills"],
        "failed_all": sum(failed.values()),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _outages(rng: random.Random) -> list[tuple[int, int]]:
    """Seven outages, short and long, with a pause after each."""
    spans, second = [], rng.randint(20, 60)
    for _ in range(7):
        end = second + rng.randint(25, 160)
        spans.append((second, end))
        second = end + rng.randint(30, 120)
    return [span for span in spans if span[1] < END - 60]


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    world: dict[str, Any] = {
        "probe": {
            checker: (rng.randint(0, 9), period)
            for checker, period in zip(CHECKERS, rng.sample((10, 10, 13, 17), 3), strict=True)
        },
        "falls": 3,
        "rises": 2,
        "every": rng.choice((15, 20, 25)),
        "ttl": {"api": rng.choice((40, 50, 60)), "eu": rng.choice((15, 20, 25))},
        "least": {"R2": rng.choice((30, 45)), "R3": rng.choice((65, 75, 80))},
        "warm": rng.choice((20, 30, 35)),
        "down": {endpoint: _outages(rng) for endpoint in ("eu-a", "eu-b")},
        "client": {
            "Tills": ("R1", rng.randint(0, 9), rng.randint(7, 13)),
            "Site": ("R2", rng.randint(0, 9), rng.randint(11, 19)),
            "App": ("R1", rng.randint(0, 19), rng.randint(26, 37)),
            "Partner": ("R2", rng.randint(0, 29), rng.randint(41, 59)),
            "Kiosk": ("R3", rng.randint(0, 9), rng.randint(13, 23)),
            "Desk": ("R3", rng.randint(0, 29), rng.randint(34, 47)),
            "Robot": ("R1", rng.randint(0, 9), rng.randint(17, 29)),
        },
    }
    right = _outcome(world)
    if not right["last_us"] or not right["first_us"] or right["region_back"] in (0, END) or right["changes"] < 60:
        return None
    diagram = Diagram(name, f"{domain.capitalize()} failover")
    diagram.cluster("dns", "DNS")
    diagram.cluster("regions", "Endpoints")
    for client in CLIENTS:
        _, offset, period = world["client"][client]
        diagram.node(client.lower(), client, "general.Users", None, f"looks up at {offset}, then every {period} s")
    for resolver in RESOLVERS:
        note = (
            f"keeps answers {world['least'][resolver]} s at least"
            if resolver in world["least"]
            else "keeps answers for their TTL"
        )
        diagram.node(resolver.lower(), resolver, "network.Route53", "dns", note)
    diagram.node("api", "api", "network.Route53", "dns", f"TTL {world['ttl']['api']} s")
    diagram.node("eu", "eu", "network.Route53", "dns", f"TTL {world['ttl']['eu']} s")
    for endpoint in ("eu-a", "eu-b"):
        diagram.node(endpoint, endpoint, "network.ElbApplicationLoadBalancer", "regions")
    diagram.node(
        "us", "us", "network.ElbApplicationLoadBalancer", "regions", f"ready {world['warm']} s after it is called up"
    )
    for checker in CHECKERS:
        offset, period = world["probe"][checker]
        diagram.node(
            checker.lower(), checker, "management.Cloudwatch", None, f"probes at {offset}, then every {period} s"
        )
        for endpoint in ("eu-a", "eu-b"):
            diagram.edge(checker.lower(), endpoint)
    for client in CLIENTS:
        diagram.edge(client.lower(), world["client"][client][0].lower())
    for one, two, label in (
        *((resolver.lower(), "api", None) for resolver in RESOLVERS),
        ("api", "eu", "primary"),
        ("api", "us", "secondary"),
        ("eu", "eu-a", "primary"),
        ("eu", "eu-b", "secondary"),
    ):
        diagram.edge(one, two, label)
    downs = "\n".join(
        f"- {endpoint} is down from second {start} and up again from second {end}."
        for endpoint, spans in world["down"].items()
        for start, end in spans
    )
    text = f"""The architecture below shows the failover of a {domain} company. Follow it from second 0 to second {END}, both included. At the start everything is up and healthy and all caches are empty.

{downs}

These rules are exact. Within a second, 1 to 3 happen first, in this order, then lookups (of {", ".join(CLIENTS)}, in this order), then requests.

1. The three checkers probe eu-a and eu-b, both in the same second, at the times in their notes. A probe fails if the endpoint is down in this second; one that is down "from second 50 and up again from second 60" is down in seconds 50 to 59. For each endpoint, a checker that holds it healthy changes its mind after {world["falls"]} failed probes in a row; one that holds it unhealthy changes its mind after {world["rises"]} successful probes in a row.
2. The health check of an endpoint is healthy while at least two of the three checkers hold it healthy.
3. The health check of the Region is worked out only in seconds that are multiples of {world["every"]} (second 0 included): healthy if the health check of eu-a or that of eu-b is healthy in this second. In between it keeps its value.
4. The record api answers eu while the Region's health check is healthy, otherwise us. The record eu answers eu-a if eu-a's health check is healthy or eu-b's is not, otherwise eu-b.
5. A client looks up at the times in its note and uses the endpoint that it gets until its next lookup. It asks its resolver for api; if the answer is eu, the resolver then also looks for eu in the same second. Before its first lookup a client does nothing.
6. A resolver caches each name for itself. An answer fetched in second s with a TTL of 20 is used until second s + 19; a lookup in second s + 20 or later fetches it again. A resolver that keeps answers for some seconds at least uses this time instead of a TTL that is shorter. Cached answers are used even if the records would answer differently by now.
7. Each client sends one request in every second from its first lookup on, to the endpoint that it uses. It fails if the endpoint is down. The endpoint us is called up in the first second in which the Region's health check is unhealthy; requests to it fail in all seconds before that second + {world["warm"]}, and never after.

The runbook promises that all clients have left eu-a {world["ttl"]["eu"]} s after it has gone down; what is drawn is what runs. It also says:

{{lines}}"""
    followed = "Followed second by second."
    return Study(
        "resilience",
        domain,
        ["Amazon Route 53", "Elastic Load Balancing"],
        diagram,
        text,
        [
            Ask("unhealthy_region", "the number of seconds in which the Region's health check is unhealthy", followed),
            *[
                Ask(f"failed_{c.lower()}", f"the requests of {c} that fail", followed)
                for c in CLIENTS
                if c not in ("Partner", "Robot")
            ],
            *asks(
                followed,
                {
                    "first_us": "the first second in which Site uses us",
                    "last_us": "the last second in which Partner uses us",
                    "asked_r2": "the answers that R2 fetches, those for api and for eu together",
                },
            ),
        ],
        [
            ("The health check of eu-a is unhealthy in {} seconds in all.", "unhealthy_seconds"),
            ("The health check of eu-b is unhealthy in {} seconds in all.", "b_unhealthy_seconds"),
            ("R1 fetches {} answers.", "asked_r1"),
            ("A lookup gives a client another endpoint than the lookup before {} times, over all clients.", "changes"),
            ("In {} seconds all seven clients use us.", "all_at_us"),
            ("Second {} is the first in which the Region's health check is healthy again.", "region_back"),
            ("{} requests of all clients together go to eu-b.", "on_b"),
        ],
        right,
        {
            "lets one probe change a checker's mind": _outcome(world, "hasty"),
            "overlooks how long R2 and R3 keep answers": _outcome(world, "no least"),
            "does not cache the inner record": _outcome(world, "flat"),
        },
    )
