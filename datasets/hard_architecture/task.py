"""What a generated task is made of: a diagram's source, a text, facts, and statements that may be false."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

CANARY = "steelyard-hard-architecture canary d3c8a9e4-51b2-4f76-8a0d-97e6c4b1f35a"


@dataclass
class Diagram:
    """The source of a picture, in the form of `datasets/architecture_diagrams`."""

    name: str
    title: str
    clusters: dict[str, dict[str, str]] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[dict[str, str]] = field(default_factory=list)

    def cluster(self, key: str, label: str, parent: str | None = None) -> None:
        self.clusters[key] = {"label": label} | ({"parent": parent} if parent else {})

    def node(self, key: str, name: str, icon: str, cluster: str | None = None, note: str | None = None) -> None:
        optional = {"cluster": cluster, "note": note}
        self.nodes[key] = {"name": name, "icon": icon} | {k: v for k, v in optional.items() if v}

    def edge(self, source: str, target: str, label: str | None = None) -> None:
        self.edges.append({"from": source, "to": target} | ({"label": label} if label else {}))

    def as_source(self) -> dict[str, Any]:
        return {"title": self.title, "clusters": self.clusters, "nodes": self.nodes, "edges": self.edges}


def fact(name: str, ask: str, value: Any, why: str, options: Sequence[str] = (), trap: bool = True) -> dict[str, Any]:
    """One fact; its kind follows from its value."""
    kinds = {bool: "yes_no", int: "number", float: "number", list: "set", str: "choice"}
    return {
        "name": name,
        "ask": ask,
        "kind": kinds[type(value)],
        "options": list(options),
        "value": sorted(value, key=list(options).index) if isinstance(value, list) else value,
        "trap": trap,
        "why": why,
    }


def statements(rng: random.Random, pairs: Sequence[tuple[str, Any, Any]]) -> tuple[str, dict[str, Any]]:
    """Lines `D1: …` and the fact which of them are contradicted; a pair is sentence, right and wrong value."""
    shuffled = list(pairs)
    rng.shuffle(shuffled)
    false = set(rng.sample(range(len(shuffled)), rng.randint(2, len(shuffled) - 2)))
    lines, contradicted = [], []
    for place, (sentence, right, wrong) in enumerate(shuffled):
        assert right != wrong, sentence
        lines.append(f"D{place + 1}: {sentence.format(wrong if place in false else right)}")
        contradicted += [f"D{place + 1}"] if place in false else []
    options = [f"D{place + 1}" for place in range(len(shuffled))]
    asked = f"the statements of D1 to {options[-1]} that are false of the architecture"
    return "\n".join(lines), fact(
        "contradicted", asked, contradicted, "Each was compared with the computed value.", options
    )


def near_misses(
    rng: random.Random, facts: Sequence[dict[str, Any]], slips: dict[str, tuple[Any, str]]
) -> list[dict[str, Any]]:
    """Two references with slipped facts."""
    usable = {
        name: slip for name, slip in slips.items() if slip[0] != next(f for f in facts if f["name"] == name)["value"]
    }
    names = sorted(usable)
    rng.shuffle(names)
    assert len(names) >= 2, names
    halves = (names[::2], names[1::2])
    return [
        {
            "changes": {name: usable[name][0] for name in half},
            "why": "; ".join(dict.fromkeys(usable[name][1] for name in half)),
        }
        for half in halves
    ]


def row(
    number: int,
    subtype: str,
    domain: str,
    services: list[str],
    diagram: Diagram,
    text: str,
    facts: list[dict[str, Any]],
    misses: list[dict[str, Any]],
) -> dict[str, Any]:
    """One row of the dataset."""
    return {
        "id": f"ha-{number:03d}",
        "input": text.strip(),
        "metadata": {
            "subtype": subtype,
            "difficulty": "hard",
            "domain": domain,
            "aws_services": services,
            "diagram": diagram.name,
            "facts": facts,
            "near_misses": misses,
            "as_of": "2026-11",
            "canary": CANARY,
        },
    }
