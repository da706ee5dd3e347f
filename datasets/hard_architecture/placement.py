"""Tasks on uneven nodes in three zones: what is moved, pushed out and left waiting while zones and nodes come and go."""

import random
from dataclasses import dataclass, replace
from typing import Any

from task import Ask, Diagram, Study, first_that_bites

ZONES = ("a", "b", "c")
SERVICES = ("auth", "cart", "feed", "mail", "pay", "scan")
NONE = "none"


@dataclass(frozen=True)
class Unit:
    """One task: its service, priority (a higher one is more important), CPU and memory, and the zone of its volume."""

    name: str
    priority: int
    cpu: int
    memory: int
    volume: str = ""

    @property
    def service(self) -> str:
        return self.name.split("-")[0]


class Cluster:
    """Nodes, tasks and where they are; events change it."""

    def __init__(self, nodes: dict[str, tuple[int, int]], units: dict[str, Unit], where: dict[str, str], slip: str):
        self.nodes, self.units, self.slip = nodes, units, slip
        self.where = dict(where)
        self.down: set[str] = set()
        self.waiting: list[str] = []
        self.moves = self.pushed = 0

    def on(self, node: str) -> list[Unit]:
        return [self.units[name] for name, place in self.where.items() if place == node]

    def free(self, node: str) -> tuple[int, int]:
        cpu, memory = self.nodes[node]
        return cpu - sum(u.cpu for u in self.on(node)), memory - sum(u.memory for u in self.on(node))

    def up(self, unit: Unit) -> list[str]:
        usable = [node for node in self.nodes if node not in self.down]
        bound = unit.volume if self.slip != "loose" else ""
        return [node for node in usable if not bound or node[0] == bound]

    def lose(self, nodes: list[str]) -> None:
        self.down |= set(nodes)
        self.waiting += [name for name, place in self.where.items() if place in nodes]
        self.where = {name: place for name, place in self.where.items() if place not in nodes}
        self.settle()

    def settle(self) -> None:
        """Waiting tasks are placed, the most important first; those pushed out wait for the next round."""
        waiting, self.waiting = sorted(self.waiting, key=lambda name: (-self.units[name].priority, name)), []
        for name in waiting:
            node = self.fitting(self.units[name]) or self.pushing(self.units[name])
            if node is None:
                self.waiting.append(name)
            else:
                self.where[name] = node
                self.moves += 1

    def fitting(self, unit: Unit) -> str | None:
        def rank(node: str) -> tuple[int, int, str]:
            same = [
                u for place in self.nodes if place[0] == node[0] for u in self.on(place) if u.service == unit.service
            ]
            return (0 if self.slip == "spread" else len(same)), -self.free(node)[0], node

        fits = [n for n in self.up(unit) if self.free(n)[0] >= unit.cpu and self.free(n)[1] >= unit.memory]
        return min(fits, key=rank, default=None)

    def pushing(self, unit: Unit) -> str | None:
        if self.slip == "polite":
            return None
        for node in sorted(self.up(unit)):
            weaker = sorted(
                (u for u in self.on(node) if u.priority < unit.priority), key=lambda u: (u.priority, u.name)
            )
            cpu, memory = self.free(node)
            for count, victim in enumerate(weaker, start=1):
                cpu, memory = cpu + victim.cpu, memory + victim.memory
                if cpu >= unit.cpu and memory >= unit.memory:
                    for gone in weaker[:count]:
                        del self.where[gone.name]
                        self.waiting.append(gone.name)
                        self.pushed += 1
                    return node
        return None


def _outcome(world: dict[str, Any], probes: tuple[str, ...], slip: str = "") -> dict[str, Any]:
    cluster = Cluster(world["nodes"], world["units"], world["where"], slip)
    order = list(world["units"])
    found: dict[str, Any] = {}
    for place, (what, nodes) in enumerate(world["events"], start=1):
        if what == "lose":
            cluster.lose(nodes)
        else:
            cluster.down -= set(nodes)
            cluster.settle()
        found[f"waiting_{place}"] = sorted(cluster.waiting, key=order.index)
        found[f"count_{place}"] = len(cluster.waiting)
        found[f"moves_{place}"] = cluster.moves
        found[f"pushed_{place}"] = cluster.pushed
        found |= {f"in_{z}_{place}": sum(node[0] == z for node in cluster.where.values()) for z in ZONES}
    up = [node for node in world["nodes"] if node not in cluster.down]
    found |= {f"node_of_{i}": cluster.where.get(name, NONE) for i, name in enumerate(probes, start=1)}
    return found | {
        "moves": cluster.moves,
        "free_cpu": sum(cluster.free(node)[0] for node in up),
        "least_free": min(up, key=lambda node: (cluster.free(node)[1], node)),
        "c_memory": sum(cluster.free(node)[1] for node in up if node[0] == "c"),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    sizes = {"a": 5, "b": 4, "c": 4}
    nodes = {
        f"{z}{i}": (rng.choice((16, 20, 24)), rng.choice((32, 40, 48))) for z in ZONES for i in range(1, sizes[z] + 1)
    }
    units: dict[str, Unit] = {}
    priority = dict(zip(SERVICES, rng.sample((1, 2, 3, 4, 5, 6), 6), strict=True))
    for service in SERVICES:
        for number in range(1, rng.randint(10, 13)):
            unit = Unit(f"{service}-{number:02d}", priority[service], rng.randint(2, 7), rng.randint(3, 13))
            units[unit.name] = unit
    start = Cluster(nodes, units, {}, "spread")
    for unit in rng.sample(list(units.values()), len(units)):
        fits = [n for n in nodes if start.free(n)[0] >= unit.cpu and start.free(n)[1] >= unit.memory]
        if not fits:
            return None
        start.where[unit.name] = rng.choice(fits)
    for unit in rng.sample(list(units.values()), 11):
        units[unit.name] = replace(unit, volume=start.where[unit.name][0])
    where = {name: start.where[name] for name in units}
    first, single, second = rng.choice(("b", "c")), rng.choice(("a1", "a2", "a3")), "a4"
    lost = [node for node in nodes if node[0] == first]
    other = [node for node in nodes if node[0] == ("c" if first == "b" else "b")]
    events = [
        ("lose", lost),
        ("lose", [single]),
        ("back", lost[:2]),
        ("lose", [second]),
        ("back", [single, lost[2]]),
        ("lose", other),
        ("back", [second, lost[3]]),
        ("lose", ["a5"]),
    ]
    world = {"nodes": nodes, "units": units, "where": where, "events": events}
    probes = tuple(rng.sample([n for n in units if where[n] in (*lost, single, second)], 3))
    right = _outcome(world, probes)
    if not (3 <= right["count_1"] <= 20 and right["count_8"] >= 3 and right["pushed_8"] >= 6):
        return None
    diagram = Diagram(name, f"{domain.capitalize()} cluster")
    for zone in ZONES:
        diagram.cluster(zone, f"Zone {zone}", columns=3)
    diagram.node("control", "Control plane", "compute.EKS")
    for node, (cpu, memory) in nodes.items():
        listed = ", ".join(unit.name for unit in start.on(node))
        diagram.node(node, node, "compute.EC2", node[0], f"{cpu} CPU, {memory} GB: {listed}")
    diagram.node("people", "Administrators", "general.Users")
    diagram.edge("people", "control")
    table = "\n".join(f"| {u.name} | {u.priority} | {u.cpu} | {u.memory} | {u.volume or '-'} |" for u in units.values())
    told = "\n".join(
        f"{place}. {'Lost' if what == 'lose' else 'Back, empty'}: {', '.join(names)}."
        for place, (what, names) in enumerate(events, start=1)
    )
    text = f"""The architecture below shows the nodes of a {domain} company's cluster, with the tasks that run on each before anything happens. A planning document says that the tasks are spread evenly over the zones, {round(len(units) / 3)} in each; what is drawn is what runs. CPU and memory of the tasks, their priority (a larger number is more important), and the zone of their volume, if they have one:

| task | priority | CPU | GB | volume in zone |
|---|---|---|---|---|
{table}

The service of a task is its name up to the hyphen. These events follow one another, each after all placements of the one before are done:

{told}

These rules are exact:

1. When nodes are lost, the tasks on them join the waiting tasks. Tasks on other nodes stay where they are, unless they are pushed out by rule 5.
2. After each event there is one round of placement. The tasks that wait at the beginning of the round are taken once each, the largest priority first, those of the same priority in alphabetical order of their names.
3. A task with a volume can only be placed on nodes of that zone. A task fits a node that is up if the node has at least its CPU and its memory free.
4. Of the nodes that a task fits, it is placed on one in the zone with the fewest running tasks of its service (counted over the whole zone at this moment); of these nodes, on the one with the most free CPU; of these, on the first in alphabetical order.
5. If it fits no node, the nodes that are up (and allowed by rule 3) are tried in alphabetical order. On a node, tasks with a smaller priority than that of the waiting task are pushed out one by one, the smallest priority first, those of the same priority in alphabetical order, until the waiting task fits. If pushing out all of them would not be enough, nothing is pushed out and the next node is tried. On the first node where it is enough, those tasks are pushed out, no more than needed in this order, and the waiting task is placed. If there is no such node, it goes on waiting.
6. Tasks that are pushed out in a round wait for the next event; they are not placed in the same round. A placement is counted each time a task is placed on a node in a round.

The runbook says:

{{lines}}"""
    followed = "Followed task by task."
    spots = [*nodes, NONE]
    return Study(
        "capacity",
        domain,
        ["Amazon EKS", "Amazon EC2", "Amazon EBS"],
        diagram,
        text,
        [
            Ask("waiting_1", "the tasks that wait after event 1", followed, list(units)),
            Ask("waiting_2", "the tasks that wait after event 2", followed, list(units)),
            Ask("moves_1", "the number of placements in the round after event 1", followed),
            Ask("waiting_8", "the tasks that wait after event 8", followed, list(units)),
            *[
                Ask(f"node_of_{i}", f"the node of {probe} after event 8, {NONE} if it waits", followed, spots)
                for i, probe in enumerate(probes, start=1)
            ],
            Ask("moves", "the number of placements in all eight rounds together", followed),
            Ask(
                "least_free",
                "the node that is up with the least free memory after event 8 (of several, the first in alphabetical order)",
                followed,
                list(nodes),
            ),
        ],
        [
            ("After event 4, {} tasks wait.", "count_4"),
            ("By the end of event 6, {} tasks have been pushed out, counted each time.", "pushed_6"),
            ("By the end of event 1, {} tasks have been pushed out.", "pushed_1"),
            ("After event 4, {} tasks run in zone a.", "in_a_4"),
            ("After event 8, {} tasks run in zone c.", "in_c_8"),
            ("After event 5, {} tasks run in zone b.", "in_b_5"),
            ("After event 8, {} GB are free on the nodes of zone c that are up, together.", "c_memory"),
        ],
        right,
        {
            "forgets that volumes stay in their zone": _outcome(world, probes, "loose"),
            "looks for the most free CPU without counting the tasks of the service": _outcome(world, probes, "spread"),
            "pushes nothing out": _outcome(world, probes, "polite"),
        },
    )
