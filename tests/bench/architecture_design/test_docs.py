"""The pages about scoring and diagrams say what the code does: figures are measured, examples are checked."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from steelyard.bench.architecture_design import score
from steelyard.bench.architecture_design.dataset import load, responses
from steelyard.bench.architecture_design.diagram import judged
from steelyard.bench.architecture_design.diagram.mermaid import parser
from steelyard.bench.architecture_design.heuristic import dimensions, factors
from steelyard.bench.architecture_design.model import HELD_OUT

from . import attacks, weighing

pytestmark = weighing.SHARED
DOCS = Path(__file__).parents[3] / "docs"
SCORING = (DOCS / "architecture-scoring.md").read_text(encoding="utf-8")
STRUCTURED = (DOCS / "structured-outputs.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^(Valid|Invalid)[^\n]*:\n\n(```(\w+)\n.*?^```)", STRUCTURED, re.MULTILINE | re.DOTALL)
FIGURES = {
    name: float(value) for name, value in re.findall(r"^\| ([^|]+?) \|[^|]*\| (-?\d\.\d\d) \|$", SCORING, re.MULTILINE)
}


def correlation(pairs: list[tuple[float, float]]) -> float:
    """Spearman's."""
    from scipy.stats import spearmanr  # takes a second to load

    found: Any = spearmanr([first for first, _ in pairs], [second for _, second in pairs])
    return float(found[0])


def test_every_format_has_good_and_bad_examples() -> None:
    kinds = {(verdict, tag) for verdict, _, tag in EXAMPLES}
    assert kinds == {(verdict, tag) for verdict in ("Valid", "Invalid") for tag in ("mermaid", "plantuml", "json")}


@pytest.mark.parametrize(("verdict", "block", "tag"), EXAMPLES)
def test_examples_of_diagrams_are_what_they_are_called(verdict: str, block: str, tag: str) -> None:
    assert judged(block, tag, (), parser().complaint).status == verdict.lower()  # type: ignore[arg-type]


def test_figures_on_the_page_are_the_measured_ones() -> None:
    items = {item.id: item for item in load()}
    references = [weighing.score(item, weighing.reference(item.id)) for item in items.values()]
    rows = {(row.id, row.tier): (weighing.score(items[row.id], row.response), row.labels.mean) for row in responses()}
    held_out = [pair for (item_id, _), pair in rows.items() if item_id in HELD_OUT]
    held_out_rows = [row for row in responses() if row.id in HELD_OUT]
    measured = {
        "references, lowest": min(references),
        "references, mean": fmean(references),
        "Spearman with the labels, held-out tasks": correlation(held_out),
        "Spearman of the word count alone, held-out tasks": correlation(
            [(len(row.response.split()), row.labels.mean) for row in held_out_rows]
        ),
        "worst keyword soup for all tasks, mean": max(
            fmean(weighing.score(item, soup) for item in items.values()) for soup in attacks.SOUPS.values()
        ),
    }
    for name in ("good", "weak", "bad"):
        measured[f"{name} responses, mean"] = fmean(value for (_, tier), (value, _) in rows.items() if tier == name)
    assert {name: FIGURES[name] for name in measured} == pytest.approx(measured, abs=0.011)


def test_the_held_out_tasks_are_named() -> None:
    assert set(re.findall(r"ad-\d{3}", SCORING)) == set(HELD_OUT)


def test_constants_on_the_page_are_those_of_the_code() -> None:
    assert f"weighted mean credit / {dimensions.FULL}" in SCORING
    assert f"complete / {dimensions.ENOUGH}" in SCORING
    assert f"| names of the task's components in general sentences | earn {dimensions.NAMES} at most |" in SCORING
    assert f"| brevity | {factors.BRIEF} if" in SCORING
    assert f"1 from {factors.FOCUSED:.0%}, 0 up to {factors.ASTRAY:.0%} |" in SCORING
    assert f"costs nothing up to {factors.FILLER_ALLOWED:.0%} of other words |" in SCORING
    assert f"quality + {score.VALID_BONUS}" in SCORING
    assert f"fewer than {score.MIN_WORDS} original words × {score.SHORT_FACTOR}" in SCORING


def test_the_good_example_earns_more_than_the_list() -> None:
    quotes = [
        " ".join(line.removeprefix("> ") for line in quote.splitlines())
        for quote in re.findall(r"(?:^> .*\n)+", SCORING, re.MULTILINE)
    ]
    good, listed = quotes
    clinic = weighing.item("ad-007")
    assert weighing.score(clinic, good) > 3 * weighing.score(clinic, listed)
