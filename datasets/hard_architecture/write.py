"""Write the tasks and the sources of their diagrams: `python datasets/hard_architecture/write.py`, then draw them.

Facts are computed from the same data from which the diagram is drawn; a test checks that the shipped files are what this
script makes.
"""

import json
from pathlib import Path
from typing import Any

import backlog
import bill
import cascade
import failover
import flows
import grants
import placement
import quotas
import replicas
import retries
import sessions
import yaml
from task import Diagram

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "src" / "steelyard" / "bench" / "hard_architecture" / "dataset.jsonl"
SOURCES = HERE.parent / "architecture_diagrams" / "hard"
PLAN = [
    (cascade, {"grocery": 29707, "ticketing": 12714}),
    (grants, {"travel": 417721}),
    (quotas, {"insurance": 728}),
    (backlog, {"energy": 735}),
    (retries, {"clinic": 170742}),
    (backlog, {"bank": 749}),
    (quotas, {"school": 756}),
    (sessions, {"airline": 1763}),
    (placement, {"museum": 1053770}),
    (grants, {"logistics": 332777}),
    (flows, {"retail": 19784}),
    (bill, {"mining": 7791}),
    (failover, {"shipping": 1798}),
    (replicas, {"media": 419805}),
]
"""Domains with their seeds; a seed that a task rejects is followed by others, at the cost of a search."""
FIRST = 101
"""The number of the first task; lower ones belonged to tasks that were thrown out."""


def tasks() -> list[tuple[dict[str, Any], Diagram]]:
    """All tasks with their diagrams."""
    made = []
    for module, seeds in PLAN:
        for domain, seed in seeds.items():
            made.append(module.build(FIRST + len(made), seed, domain, f"{domain}-{module.__name__}"))
    return made


def main() -> None:
    made = tasks()
    TARGET.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row, _ in made), encoding="utf-8")
    for old in SOURCES.glob("*.yaml"):
        old.unlink()
    for _, diagram in made:
        text = yaml.safe_dump(diagram.as_source(), sort_keys=False, allow_unicode=True)
        (SOURCES / f"{diagram.name}.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
