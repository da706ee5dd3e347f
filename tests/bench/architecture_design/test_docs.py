"""The pages about scoring and diagrams say what the code does: figures are measured, examples are checked."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest

from steelyard.bench.architecture_design import prose, score
from steelyard.bench.architecture_design.dataset import load
from steelyard.bench.architecture_design.diagram import judged
from steelyard.bench.architecture_design.diagram.mermaid import parser

from . import weighing
from .labelled import versions
from .weighing import HONEST, item, slips

pytestmark = weighing.SHARED
DOCS = Path(__file__).parents[3] / "docs"
SCORING = (DOCS / "architecture-scoring.md").read_text(encoding="utf-8")
STRUCTURED = (DOCS / "structured-outputs.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^(Valid|Invalid)[^\n]*:\n\n(```(\w+)\n.*?^```)", STRUCTURED, re.MULTILINE | re.DOTALL)
FIGURES = {
    name: float(value) for name, value in re.findall(r"^\| ([^|]+?) \|[^|]*\| (-?\d\.\d\d) \|$", SCORING, re.MULTILINE)
}


def test_every_format_has_good_and_bad_examples() -> None:
    kinds = {(verdict, tag) for verdict, _, tag in EXAMPLES}
    assert kinds == {(verdict, tag) for verdict in ("Valid", "Invalid") for tag in ("mermaid", "plantuml", "json")}


@pytest.mark.parametrize(("verdict", "block", "tag"), EXAMPLES)
def test_examples_of_diagrams_are_what_they_are_called(verdict: str, block: str, tag: str) -> None:
    assert judged(block, tag, (), parser().read).status == verdict.lower()  # type: ignore[arg-type]


def test_figures_on_the_page_are_the_measured_ones() -> None:
    from scipy.stats import spearmanr  # takes a second to load

    answers = [(one, weighing.score(item(one.id), one.answer)) for one in versions()]
    honest = [weighing.score(item(name), text) for name, text in HONEST.items()]
    labels = [one.share for one, _ in answers]
    measured = {
        "references, lowest": min(weighing.score(one, weighing.reference(one.id)) for one in load()),
        "honest answers, mean": fmean(honest),
        "honest answers, lowest": min(honest),
        "honest answers with one fact wrong, mean": fmean(slips()),
        "honest answers with one fact wrong, lowest": min(slips()),
        "short true answers, mean": fmean(value for one, value in answers if one.side == "true"),
        "all-false answers, highest": max(value for one, value in answers if one.share == 0),
        "Spearman with the labels": float(spearmanr([value for _, value in answers], labels)[0]),
        "Spearman of the number of words with the labels": float(
            spearmanr([len(one.prose.split()) for one, _ in answers], labels)[0]
        ),
    }
    assert {name: FIGURES[name] for name in measured} == pytest.approx(measured, abs=0.011)


def test_constants_on_the_page_are_those_of_the_code() -> None:
    assert f"above accuracy + {score.ALLOWED}" in SCORING
    assert f"quality + {score.VALID_BONUS}" in SCORING
    assert f"fewer than {score.MIN_WORDS} words × {score.SHORT_FACTOR}" in SCORING
    assert f"× {score.REPETITION_FACTOR}, falling to × {score.REPETITION_FLOOR}" in SCORING
    assert (prose.PASSAGE, prose.RUN) == (3, 8)
    assert "within three sentences in a row" in SCORING and "(eight in a row)" in SCORING
    assert f"{score.FACTS_WEIGHT} · facts + {score.JUDGE_WEIGHT} · judge" in SCORING
    assert score.ENOUGH == 0.5 and "from half of the facts and half of the elements on" in SCORING
