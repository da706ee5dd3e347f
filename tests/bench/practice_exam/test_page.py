"""The page about the dataset says what the data say."""

from __future__ import annotations

import re
from pathlib import Path

from steelyard.bench.practice_exam.dataset import CANARY, DATASET_VERSION, Question, load

from .giveaways import figures

PAGE = (Path(__file__).parents[3] / "docs/datasets/practice_exam.md").read_text(encoding="utf-8")
DOMAINS = ("security", "resilience", "performance", "cost", "migration", "operations")


def _block(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", PAGE, re.DOTALL)
    assert found is not None
    return found.group(1)


def _row(name: str, some: list[Question]) -> str:
    associate = sum(question.metadata.difficulty == "associate" for question in some)
    several = sum(question.several for question in some)
    counts = (associate, len(some) - associate, len(some) - several, several, len(some))
    return f"| {name} | {' | '.join(map(str, counts))} |"


def test_coverage_table() -> None:
    rows = [_row(domain, [q for q in load() if q.metadata.domain == domain]) for domain in DOMAINS]
    assert _block("coverage").splitlines()[2:] == [*rows, _row("**all**", list(load()))]


def test_giveaway_table() -> None:
    rows = [f"| {name} | {share:.3f} |" for name, share in figures(load()).guessers().items()]
    assert _block("giveaways").splitlines() == ["| guesser | right |", "|---|---|", *rows]


def test_version_and_canary() -> None:
    assert f"version {DATASET_VERSION} " in PAGE
    assert CANARY in PAGE
