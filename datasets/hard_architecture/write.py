"""Write the tasks and the sources of their diagrams: `python datasets/hard_architecture/write.py`, then draw them.

Facts are computed from the same data from which the diagram is drawn; a test checks that the shipped files are what this
script makes.
"""

import json
from pathlib import Path
from typing import Any

import calls
import estate
import paths
import yaml
from task import Diagram

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "src" / "steelyard" / "bench" / "hard_architecture" / "dataset.jsonl"
SOURCES = HERE.parent / "architecture_diagrams" / "hard"
PLAN = [
    (calls, ("grocery", "ticketing", "travel", "insurance", "energy")),
    (paths, ("clinic", "bank", "school", "airline", "museum")),
    (estate, ("logistics", "retail", "mining", "shipping", "media")),
]
FIRST = 101
"""The number of the first task; lower ones belonged to tasks that were thrown out."""


def tasks() -> list[tuple[dict[str, Any], Diagram]]:
    """All tasks with their diagrams."""
    made = []
    for module, domains in PLAN:
        for domain in domains:
            number = FIRST + len(made)
            made.append(module.build(number, 7 * number, domain, f"{domain}-{module.__name__}"))
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
