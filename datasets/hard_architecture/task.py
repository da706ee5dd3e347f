"""What a generated task is made of: a diagram's source, a text, facts, and statements that may be false."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CANARY = "steelyard-hard-architecture canary d3c8a9e4-51b2-4f76-8a0d-97e6c4b1f35a"


@dataclass
class Diagram:
    """The source of a picture, in the form of `datasets/architecture_diagrams`."""

    name: str
    title: str
    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[dict[str, str]] = field(default_factory=list)

    def cluster(self, key: str, label: str, parent: str | None = None, columns: int = 1) -> None:
        optional = {"parent": parent, "columns": columns if columns > 1 else None}
        self.clusters[key] = {"label": label} | {k: v for k, v in optional.items() if v}

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


@dataclass(frozen=True)
class Ask:
    """A fact to ask for; its value is in the outcome of the simulation under the same name."""

    name: str
    ask: str
    why: str
    options: Sequence[str] = ()


def asks(why: str, questions: Mapping[str, str]) -> list[Ask]:
    """Facts without options that one reason explains, from name to question."""
    return [Ask(name, question, why) for name, question in questions.items()]


@dataclass(frozen=True)
class Study:
    """A task whose facts are the outcome of a simulation, and the outcomes of the same simulation with one rule misread."""

    subtype: str
    domain: str
    services: list[str]
    diagram: Diagram
    text: str
    """With `{lines}` where the statements of the document go."""
    asks: Sequence[Ask]
    claims: Sequence[tuple[str, str]]
    """Sentence with one gap, and the name of the value in the outcomes."""
    right: dict[str, Any]
    slips: dict[str, dict[str, Any]]
    """The misreading, and the outcome that it leads to."""

    def row(self, number: int, rng: random.Random) -> dict[str, Any] | None:
        """The row of the dataset; None if a misreading changes too little to be told from the right answer."""
        facts = [fact(ask.name, ask.ask, self.right[ask.name], ask.why, ask.options) for ask in self.asks]
        misses = [{"changes": self._changes(outcome, facts), "why": why} for why, outcome in self.slips.items()]
        total = len(facts) + 1
        if any(2 * len(miss["changes"]) < total / 2 for miss in misses):
            return None
        lines, contradicted = statements(rng, [(text, self.right[key], self._wrong(key)) for text, key in self.claims])
        text = self.text.replace("{lines}", lines)
        made = [contradicted, *facts]
        return row(number, self.subtype, self.domain, self.services, self.diagram, text, made, misses)

    def _changes(self, outcome: dict[str, Any], facts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {f["name"]: outcome[f["name"]] for f in facts if outcome[f["name"]] != self.right[f["name"]]}

    def _wrong(self, key: str) -> Any:
        others = [outcome[key] for outcome in self.slips.values() if outcome[key] != self.right[key]]
        return others[0] if others else self.right[key] + 1


def first_that_bites(
    number: int, seed: int, study: Callable[[random.Random], Study | None]
) -> tuple[dict[str, Any], Diagram]:
    """The task of the first seed whose misreadings all lead astray."""
    for attempt in range(2_000):
        rng = random.Random(seed + 1000 * attempt)
        made = study(rng)
        written = None if made is None else made.row(number, rng)
        if made is not None and written is not None:
            return written, made.diagram
    raise ValueError(f"ha-{number}: no seed will do")


def with_early(late: dict[str, Any], early: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """An outcome with some values of a shorter run as `early_…`: who follows the rules for a while earns something."""
    return late | {f"early_{name}": early[name] for name in names}
