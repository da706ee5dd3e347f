"""Write the questions of the hard exam: `python datasets/hard_exam/write.py`.

Every scenario is simulated, and the simulation gives the key; a test checks that the shipped file is what this script
makes. Scenarios that a blind solver got right are listed in `EXCLUDED` and left out.
"""

import json
from pathlib import Path

import access
import network
import objects
import prices
import rates
import timelines
from scenario import SCENARIOS, question

MODULES = (access, network, objects, prices, rates, timelines)
"""Importing them registers their scenarios, which are numbered in this order."""
TARGET = Path(__file__).resolve().parents[2] / "src" / "steelyard" / "bench" / "hard_exam" / "dataset.jsonl"
FIRST = 101
"""The number of the first scenario; lower ones belonged to questions that were thrown out."""
EXCLUDED: frozenset[int] = frozenset({101, 102, 103, 104, 107, 108})
"""Numbers of scenarios that a blind solver got right."""


def rows() -> list[dict[str, object]]:
    """All questions; a number is never given to another question."""
    scenarios = [make for module in MODULES for make in SCENARIOS[module.__name__]]
    numbered = enumerate(scenarios, start=FIRST)
    return [question(number, make()) for number, make in numbered if number not in EXCLUDED]


def main() -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows())
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
