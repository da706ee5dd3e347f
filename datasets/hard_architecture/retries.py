"""Calls that fail by count, retried at every layer under budgets and breakers: every call is made, one after another."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from task import Ask, Diagram, Study, asks, first_that_bites, with_early

SERVICES = ("Edge", "Checkout", "Pricing", "Orders", "Stock", "Ledger")
LINKS = (
    ("Edge", "Checkout"),
    ("Edge", "Orders"),
    ("Checkout", "Pricing"),
    ("Checkout", "Stock"),
    ("Pricing", "Ledger"),
    ("Orders", "Stock"),
    ("Orders", "Ledger"),
    ("Stock", "Ledger"),
)
"""In the order in which a service works on them."""
EARLY = 6
"""Requests after which first facts are asked for."""
REQUESTS = tuple(f"R{number}" for number in range(1, 61))


@dataclass
class Run:
    """What has happened so far."""

    every: dict[str, int]
    attempts: dict[tuple[str, str], int]
    budget: dict[str, int]
    opens: int
    shut: int
    slip: str = ""
    received: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SERVICES, 0))
    retries: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SERVICES, 0))
    in_a_row: dict[tuple[str, str], int] = field(default_factory=lambda: dict.fromkeys(LINKS, 0))
    refuse: dict[tuple[str, str], int] = field(default_factory=lambda: dict.fromkeys(LINKS, 0))
    opened: int = 0
    refused: int = 0

    def call(self, service: str) -> bool:
        self.received[service] += 1
        broken = service in self.every and self.received[service] % self.every[service] == 0
        if broken and self.slip != "late":
            return False
        done = all(self.over(link) for link in LINKS if link[0] == service)
        return done and not broken

    def over(self, link: tuple[str, str]) -> bool:
        for attempt in range(self.attempts[link]):
            if attempt:
                if self.retries[link[0]] == self.budget[link[0]]:
                    return False
                self.retries[link[0]] += 1
            if self.attempt(link):
                return True
        return False

    def attempt(self, link: tuple[str, str]) -> bool:
        if self.refuse[link]:
            self.refuse[link] -= 1
            self.refused += 1
            return False
        if self.call(link[1]):
            self.in_a_row[link] = 0
            return True
        self.in_a_row[link] += 1
        if self.in_a_row[link] == self.opens and self.slip != "closed":
            self.opened, self.in_a_row[link], self.refuse[link] = self.opened + 1, 0, self.shut
        return False


def _outcome(run: Run, requests: Sequence[str] = REQUESTS) -> dict[str, Any]:
    failed = [request for request in requests if not run.call("Edge")]
    return {
        "failed_requests": failed,
        "failed": len(failed),
        "ledger_calls": run.received["Ledger"],
        "stock_calls": run.received["Stock"],
        "pricing_calls": run.received["Pricing"],
        "orders_calls": run.received["Orders"],
        "checkout_calls": run.received["Checkout"],
        "edge_retries": run.retries["Edge"],
        "inner_retries": sum(run.retries.values()) - run.retries["Edge"],
        "refused": run.refused,
        "opened": run.opened,
        "all_calls": sum(run.received.values()),
        "spent": sum(run.retries[s] == run.budget[s] for s in SERVICES if run.budget[s]),
        "ledger_failures": run.received["Ledger"] // run.every["Ledger"],
        "stock_retries": run.retries["Stock"],
        "last_failed": int(failed[-1][1:]) if failed else 0,
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    every = {"Ledger": rng.choice((3, 4)), "Stock": rng.choice((5, 6)), "Pricing": rng.choice((7, 8))}
    attempts = {link: rng.choice((2, 2, 3)) for link in LINKS}
    wiki = {link: count if rng.random() < 0.6 else 4 - count if count != 2 else 3 for link, count in attempts.items()}
    callers = [s for s in SERVICES if any(link[0] == s for link in LINKS)]
    budget = {s: rng.randint(24, 50) if s in callers else 0 for s in SERVICES}
    opens, shut = 3, 2

    def run(slip: str = "", used: dict[tuple[str, str], int] = attempts) -> dict[str, Any]:
        early, late = (Run(every, used, budget, opens, shut, slip) for _ in range(2))
        return with_early(
            _outcome(late), _outcome(early, REQUESTS[:EARLY]), ("ledger_calls", "stock_calls", "inner_retries")
        )

    right = run()
    if wiki == attempts or not (
        8 <= right["failed"] <= 40
        and right["opened"] >= 6
        and right["checkout_calls"] > 63
        and 500 <= right["all_calls"] <= 900
    ):
        return None
    diagram = Diagram(name, f"{domain.capitalize()} services")
    diagram.cluster("front", "Public tier")
    diagram.cluster("inner", "Private tier")
    for service in SERVICES:
        notes = [f"fails every {every[service]}th call".replace("3th", "3rd")] if service in every else []
        notes += [f"{budget[service]} retries in all"] if budget[service] else []
        tier = "front" if service == "Edge" else "inner"
        diagram.node(service.lower(), service, "compute.ECS", tier, "; ".join(notes))
    for link in LINKS:
        place = [one for one in LINKS if one[0] == link[0]].index(link)
        label = f"{('first', 'second')[place]}; at most {attempts[link]} attempt{'s' * (attempts[link] > 1)}"
        diagram.edge(link[0].lower(), link[1].lower(), label)
    table = "\n".join(f"| {one} to {two} | {wiki[one, two]} |" for one, two in LINKS)
    text = f"""The architecture below shows the services of a {domain} company. Sixty requests, {REQUESTS[0]} to {REQUESTS[-1]}, reach Edge one after another; each is finished before the next begins. No other calls are made, and all counters start at zero. These rules hold exactly:

1. A service counts the calls that it receives, those of all callers together and retries included. "Fails every 4th call" means that it fails the calls whose number is a multiple of 4, at once, without calling anybody. A request is a call that Edge receives.
2. Any other call makes the service work on its outgoing links, in the order of their labels (first, second). It goes on to the next link only when the one before has succeeded. When all its links have succeeded, or it has none, the call succeeds; when a link fails, the service fails the call at once.
3. Each time a link is used it makes a first attempt. When an attempt fails, another follows, up to the number of attempts on the label. Attempts after the first are retries. Each service has a budget of retries, as noted, for all its links and the whole time together; every retry uses up one of it, and when it is used up, there are no more retries: the link fails.
4. Each link has a breaker that counts failed attempts in a row; an attempt that succeeds sets the count to zero. The count lives on from one use of the link to the next. When it reaches {opens}, the breaker opens and the count is set to zero. The next {shut} attempts on this link are refused: they fail without reaching the other service, and they do not change the count. Then the breaker is closed again. A refused attempt is followed by a retry like any other failed attempt, and that retry uses the budget.

The wiki has this table of attempts, which may be wrong; where it differs, the architecture is what runs:

| link | attempts at most |
|---|---|
{table}

After a rehearsal with these sixty requests somebody noted:

{{lines}}"""
    counts = [
        Ask(f"{s.lower()}_calls", f"the number of calls that {s} receives, retries included", "Every call was made.")
        for s in ("Pricing", "Stock", "Ledger")
    ]
    return Study(
        "resilience",
        domain,
        ["Amazon ECS", "Elastic Load Balancing"],
        diagram,
        text,
        [
            Ask("failed_requests", "the requests that fail", "Every call was made.", REQUESTS),
            *counts,
            *asks(
                "Every call was made.",
                {
                    "early_ledger_calls": f"the number of calls that Ledger receives until R{EARLY} is finished",
                    "early_stock_calls": f"the number of calls that Stock receives until R{EARLY} is finished",
                    "early_inner_retries": f"the number of retries that all services but Edge make until R{EARLY} is finished",
                    "inner_retries": "the number of retries that all services but Edge make",
                    "refused": "the number of attempts that open breakers refuse",
                },
            ),
        ],
        [
            ("{} of the sixty requests failed.", "failed"),
            ("Breakers opened {} times.", "opened"),
            ("All services together received {} calls, the requests included.", "all_calls"),
            ("{} services used up their budget of retries.", "spent"),
            ("Ledger failed {} calls by their number.", "ledger_failures"),
            ("Stock made {} retries.", "stock_retries"),
            ("The last request that failed was R{}.", "last_failed"),
        ],
        right,
        {
            "takes the attempts from the wiki": run(used=wiki),
            "forgets the breakers": run("closed"),
            "lets a call that fails by its number call others first": run("late"),
        },
    )
