"""Estimates: probabilities per cell, intervals of totals, and what two of them decide (docs/scoring.md §2.1)."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import artifact
from steelyard.audit.compare import compare
from steelyard.audit.marking import ByWords, marker, marks
from steelyard.audit.marking.estimate import SHIPPED, score_estimate, shared_half, shipped_weights, weights_from
from steelyard.audit.marking.lexical import proposals
from steelyard.audit.marking.questions import Brief
from steelyard.audit.model import Estimate, Probabilities, Result
from steelyard.audit.report import to_html, to_markdown
from steelyard.audit.report.data import result_data
from steelyard.audit.results import result_from
from steelyard.audit.weigh import Spec, total_estimate, weigh
from steelyard.cli.main import main

from .material import recorded, run_of

KEY = recorded()[0].key


def estimated(*texts: str) -> Result:
    brief = Brief(KEY)
    outputs = [replace(run_of(text), name=f"run{place}.md") for place, text in enumerate(texts, start=1)]
    return weigh(Spec("agent", 1, KEY, "d"), outputs, marks(brief, outputs, ByWords()), marker(brief, ByWords()))


def test_an_interval_by_hand() -> None:
    cells = [Probabilities(0.5, 0.0, 0.5), Probabilities(0.0, 1.0, 0.0), Probabilities(1.0, 0.0, 0.0)]
    # Expected 0.5 + 0.5 + 1; only the first cell varies: variance 0.25, times 4 → 1. The group errs by 0.25 on each of
    # three problems: 0.75² = 0.5625. sd = √1.5625 = 1.25; 1.644854 · 1.25 = 2.056 around 2, within 0 and 3.
    assert score_estimate(cells, 0, SHIPPED._replace(runs=4.0, groups=0.25)) == Estimate(2.0, 0.0, 3.0, 0.9)
    narrow = score_estimate(cells, 0, SHIPPED._replace(runs=1.0, groups=0.1))  # sd = √(0.25 + 0.09) = 0.583095
    assert (narrow.low, narrow.high) == pytest.approx((2.0 - 0.959107, 2.0 + 0.959107), abs=1e-5)
    assert score_estimate([], 0) == Estimate(0.0, 0.0, 0.0, 0.9)


def test_problems_that_no_finding_addresses_are_certain() -> None:
    assert score_estimate([Probabilities(0.0, 0.0, 1.0)] * 10, 0) == Estimate(0.0, 0.0, 0.0, 0.9)


def test_bonuses_and_penalties_widen_the_interval() -> None:
    cells = [Probabilities(0.6, 0.2, 0.2)] * 8
    none, few = score_estimate(cells, 0), score_estimate(cells, 4)
    assert few.expected > none.expected
    assert few.high - few.low > none.high - none.low


def test_every_cell_has_probabilities_and_every_run_an_interval() -> None:
    result = estimated(recorded()[0].output.text, "")
    for cell in result.runs[0].cells:
        assert cell.probabilities is not None
        chances = (cell.probabilities.detected, cell.probabilities.partial, cell.probabilities.missed)
        assert math.isclose(sum(chances), 1.0)
        assert min(chances) >= 0
    full, empty = (run.estimate for run in result.runs)
    assert full is not None
    assert empty is not None
    assert full.low <= full.expected <= full.high
    assert full.low < full.high
    assert (empty.low, empty.high) == (0.0, 0.0)
    assert result.estimate is not None
    assert result.estimate.high == pytest.approx((full.high + empty.high) / 2)


def test_the_word_estimate_is_on_every_report() -> None:
    result = estimated(recorded()[0].output.text)
    for text in (to_html(result), to_markdown(result)):
        assert "An estimate:" in text
        assert "steelyard audit mark --as chat" in text
    data = result_data(result)
    artifact.validate(data, "audit")
    assert set(data["estimate"]) == {"expected", "low", "high", "level"}
    assert set(data["runs"][0]["cells"][0]["probabilities"]) == {"detected", "partial", "missed"}
    back = result_from(json.loads(json.dumps(data)), "x.json")
    assert back.estimate == result.estimate
    assert back.runs[0].cells == result.runs[0].cells


def test_estimates_decide_only_when_their_intervals_part() -> None:
    result = estimated(recorded()[0].output.text)
    same = compare([result], [result])
    assert "overlap" in same.undecided
    assert "--judge" in same.undecided
    low = replace(result, estimate=Estimate(1.0, 0.5, 1.5, 0.9), mean=1.0)
    high = replace(result, estimate=Estimate(6.0, 5.0, 7.0, 0.9), mean=6.0)
    assert compare([low], [high]).undecided == ""
    assert compare([high], [low]).band == "worse"
    bare = replace(result, estimate=None)
    assert "without an interval" in compare([bare], [bare]).undecided


def test_the_interval_of_a_suite_by_hand() -> None:
    result = estimated(recorded()[0].output.text)
    parts = [
        replace(result, estimate=Estimate(2.0, 1.0, 4.0, 0.9)),
        replace(result, estimate=Estimate(3.0, 3.0, 3.0, 0.9)),
    ]
    assert total_estimate(parts) == Estimate(5.0, 4.0, 7.0, 0.9)
    assert total_estimate([replace(result, estimate=None)]) is None


def test_a_groups_error_adds_up_over_its_documents() -> None:
    result = estimated(recorded()[0].output.text)
    shared = shared_half(len(result.problems))
    wide = replace(result, estimate=Estimate(5.0, 5.0 - 2 * shared, 5.0 + 2 * shared, 0.9))
    # Of each half width 2g, g is shared and √3·g is not: together √(3g² + 3g² + (2g)²) = √10·g.
    both = total_estimate([wide, wide])
    assert both is not None
    assert both.high - both.expected == pytest.approx(math.sqrt(10) * shared)


def test_comparing_estimates_ends_in_3(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        data = result_data(estimated(recorded()[0].output.text), generated_at="2026-01-01T00:00:00+00:00")
        (tmp_path / name).write_text(json.dumps(data), "utf-8")
    done = CliRunner().invoke(main, ["audit", "compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")])
    assert done.exit_code == 3, done.output
    assert "Undecided" in done.output


def test_proposals_begin_with_the_least_certain() -> None:
    proposed = proposals(KEY, recorded()[0].output)
    certainties = [proposal.certainty for proposal in proposed]
    assert certainties == sorted(certainties)
    assert {proposal.problem for proposal in proposed} == {problem.id for problem in KEY.problems}


def test_weights_for_other_features_are_refused() -> None:
    weights = shipped_weights()
    assert len(weights.found) == len(weights.means) + 1
    with pytest.raises(ValueError, match="train again"):
        weights_from({"features": ["words"]})
