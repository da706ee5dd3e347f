"""Allowed connections between components: who reaches what, over how many ways, and what must go to close them."""

import random
from collections import deque
from itertools import combinations
from typing import Any

from task import Diagram, fact, near_misses, row, statements

NAMES = (
    "Internet",
    "Load balancer",
    "Bastion",
    "Web",
    "Gateway",
    "Orders",
    "Search",
    "Reports",
    "Batch",
    "Cache",
    "Queue",
    "Worker",
    "Export",
    "Database",
)
SUBNETS = {
    "public": ("Load balancer", "Bastion", "Gateway"),
    "application": ("Web", "Orders", "Search", "Reports"),
    "internal": ("Batch", "Queue", "Worker", "Export"),
    "data": ("Cache", "Database"),
}
ICONS = {
    "Internet": "general.InternetAlt1",
    "Load balancer": "network.ElbApplicationLoadBalancer",
    "Database": "database.RDS",
    "Cache": "database.ElastiCache",
    "Queue": "integration.SQS",
}
PORTS = (22, 443, 8080, 9092, 5432, 6379)


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    rng = random.Random(seed)
    edges: dict[tuple[str, str], int] = {
        ("Internet", "Load balancer"): 443,
        ("Internet", rng.choice(("Bastion", "Gateway"))): 22,
    }
    inner = NAMES[1:-1]
    while len(edges) < 19:
        one, two = rng.sample(inner, 2)
        # mostly forward, a few backward, so that there are cycles
        if (one, two) in edges or (two, one) in edges or (NAMES.index(one) > NAMES.index(two) and rng.random() < 0.85):
            continue
        edges[one, two] = rng.choice(PORTS[:4])
    for client in rng.sample(NAMES[3:-1], 4):
        edges[client, "Database"] = 5432
    places = {component: subnet for subnet, members in SUBNETS.items() for component in members}
    moved = rng.sample([c for c in places if c not in ("Load balancer", "Bastion")], 3)
    for component in moved:
        places[component] = rng.choice([subnet for subnet in SUBNETS if subnet != places[component]])

    def reach(start: str, used: dict[tuple[str, str], int], most: int = 99) -> dict[str, int]:
        """Component → fewest arrows from the start."""
        distance, waiting = {start: 0}, deque([start])
        while waiting:
            here = waiting.popleft()
            for one, two in used:
                if one == here and two not in distance and distance[here] < most:
                    distance[two] = distance[here] + 1
                    waiting.append(two)
        return distance

    def simple_paths(here: str, seen: tuple[str, ...], limit: int) -> int:
        if here == "Database":
            return 1
        if len(seen) > limit:
            return 0
        return sum(simple_paths(two, (*seen, two), limit) for one, two in edges if one == here and two not in seen)

    distance = reach("Internet", edges)
    hops = distance.get("Database", 0)
    if not hops:
        return build(number, seed + 1000, domain, name)
    cut = _cut(edges)
    closed = rng.choice((8080, 9092, 22))
    without = reach("Internet", {pair: port for pair, port in edges.items() if port != closed})
    inner_options = list(NAMES[1:])
    within = [c for c in inner_options if distance.get(c, 99) <= 2]
    unreached = [c for c in inner_options if c not in distance]
    clients = [c for c in NAMES if c != "Database" and "Database" in reach(c, edges)]
    ways = simple_paths("Internet", ("Internet",), 5)
    busiest = max(inner_options, key=lambda c: (sum(pair[1] == c for pair in edges), -NAMES.index(c)))
    loops = [c for c in inner_options if any(two == c and one in reach(c, edges) for one, two in edges)]
    diagram = Diagram(name, f"{domain.capitalize()} network")
    for subnet in SUBNETS:
        diagram.cluster(subnet, f"{subnet.capitalize()} subnet")
    diagram.node("internet", "Internet", ICONS["Internet"])
    for component in inner_options:
        diagram.node(
            component.lower().replace(" ", "-"), component, ICONS.get(component, "compute.EC2"), places[component]
        )
    for (one, two), port in sorted(edges.items()):
        diagram.edge(one.lower().replace(" ", "-"), two.lower().replace(" ", "-"), str(port))
    direct = [one for one, two in edges if two == "Database"]
    in_public = [c for c in inner_options if places[c] == "public"]
    by_port = {port: sum(p == port for p in edges.values()) for port in PORTS}
    cross = sum(places.get(one) != places.get(two) for one, two in edges if one != "Internet")
    lines, contradicted = statements(
        rng,
        [
            ("{} components may connect to the database directly.", len(direct), len(direct) - 1),
            ("The shortest way from the internet to the database has {} arrows.", hops, hops + 1),
            ("{} components cannot be reached from the internet at all.", len(unreached), len(unreached) + 1),
            ("{} arrows are for port 8080.", by_port[8080], by_port[8080] + 1),
            ("{} arrows lead from one subnet to another, those from the internet left out.", cross, cross - 1),
            (
                f"{busiest} is the target of {{}} arrows.",
                sum(pair[1] == busiest for pair in edges),
                sum(pair[1] == busiest for pair in edges) - 1,
            ),
            ("{} components are in the public subnet.", len(in_public), 3 if len(in_public) != 3 else 4),
            (
                "The database is in the {} subnet.",
                places["Database"],
                "data" if places["Database"] != "data" else "internal",
            ),
        ],
    )
    facts = [
        contradicted,
        fact(
            "misplaced",
            "the components that are drawn in another subnet than the list says",
            sorted(moved, key=NAMES.index),
            "Compared with the groups of the architecture.",
            inner_options,
        ),
        fact(
            "within_two",
            "the components that the internet reaches over at most two arrows",
            within,
            "Breadth-first search.",
            inner_options,
        ),
        fact(
            "unreached",
            "the components that the internet cannot reach",
            unreached,
            "Breadth-first search.",
            inner_options,
        ),
        fact(
            "to_database",
            "the components, the internet included, from which there is a way to the database",
            clients,
            "Followed backward from the database.",
            list(NAMES[:-1]),
        ),
        fact(
            "hops",
            "the number of arrows on the shortest way from the internet to the database",
            hops,
            "Breadth-first search.",
        ),
        fact(
            "ways",
            "the number of ways from the internet to the database with at most five arrows that meet no component twice",
            ways,
            "All ways were listed.",
        ),
        fact(
            "cut",
            "the fewest arrows whose removal leaves no way from the internet to the database, arrows from the internet itself kept",
            cut,
            "Computed over all sets of arrows.",
        ),
        fact(
            "hops_without_port",
            f"the number of arrows on the shortest way from the internet to the database when all arrows for port {closed} are removed, 0 if there is none",
            without.get("Database", 0),
            "Searched without these arrows.",
        ),
        fact(
            "on_a_cycle",
            "the components that lie on a cycle of arrows",
            loops,
            "Each reaches itself again.",
            inner_options,
        ),
    ]
    slips = {
        "misplaced": (sorted(moved[:2], key=NAMES.index), "overlooks a subnet"),
        "within_two": (within[:-1], "overlooks an arrow"),
        "hops": (hops + 1, "takes a longer way"),
        "ways": (max(0, ways - 1), "overlooks a way"),
        "cut": (cut + 1, "removes one arrow too many"),
        "to_database": (clients[:-1], "overlooks an arrow"),
    }
    listed = "\n".join(f"- {subnet}: {', '.join(members)}" for subnet, members in SUBNETS.items())
    text = f"""The architecture below shows a {domain} system. An arrow is a connection that security groups and network ACLs allow, in its direction, with its port; everything else is refused. Whoever controls a component can open the connections that leave it. A list from the planning phase puts the components into subnets:

{listed}

The security review says:

{lines}

Where list or review and architecture differ, the architecture is what runs."""
    made = row(
        number,
        "security",
        domain,
        ["Amazon VPC", "Amazon EC2", "Amazon RDS"],
        diagram,
        text,
        facts,
        near_misses(rng, facts, slips),
    )
    return made, diagram


def _cut(edges: dict[tuple[str, str], int]) -> int:
    """The fewest arrows to remove, those from the internet kept."""
    removable = [pair for pair in edges if pair[0] != "Internet"]

    def connected(removed: tuple[tuple[str, str], ...]) -> bool:
        seen, waiting = {"Internet"}, ["Internet"]
        while waiting:
            here = waiting.pop()
            for one, two in edges:
                if one == here and two not in seen and (one, two) not in removed:
                    seen.add(two)
                    waiting.append(two)
        return "Database" in seen

    return next(size for size in range(5) if any(not connected(removed) for removed in combinations(removable, size)))
