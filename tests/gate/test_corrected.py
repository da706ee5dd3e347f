"""Corrected means of a judge in a comparison (docs/scoring.md §4), and the verdict under them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from steelyard import artifact
from steelyard.gate.evidence.policy import CONTRACT
from steelyard.gate.model import Arm, Comparison, Run, Side
from steelyard.gate.report.data import as_json
from steelyard.gate.report.document import document
from steelyard.gate.weigh import Spec, weigh

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EXACT = tuple((grade / 10, grade / 10) for grade in range(11))
DEAF = tuple((grade / 10, 0.5) for grade in range(11))
"""A judge whose grades have nothing to do with those of people."""


def arm(name: str, scores: tuple[float, ...], labels: Any = None) -> Arm:
    runs = tuple(Run(task=f"t{place}", passed=1, total=1, judge=score) for place, score in enumerate(scores))
    known = {} if labels is None else {run.task: labels for run in runs}
    return Arm(Side(name, "results", (name,), len(runs), 1), runs, labels=known)


def weighed(labels: Any, after: tuple[float, ...] = (0.9, 0.8, 0.9)) -> Any:
    sides = arm("baseline", (0.5, 0.4, 0.6), labels), arm("candidate", after, labels)
    return weigh(*sides, Spec(policy=CONTRACT), now=NOW)


def test_a_good_judge_leaves_the_verdict_and_the_report_shows_both_means() -> None:
    found = weighed(EXACT)
    correction = found.judge_correction
    assert isinstance(found.outcome, Comparison) and found.outcome.verdict == "improved"
    assert (correction.verdict, correction.same) == ("improved", True)
    # λ = 1/(1 + 11/3) = .2143; θ = .2143·.5 + .5·(1 − .2143) = .5
    assert (correction.baseline.raw, correction.baseline.value) == (pytest.approx(0.5), pytest.approx(0.5))
    # θ = .2143·.8667 + .5·.7857 = .5786
    assert correction.candidate.value == pytest.approx(0.5786, abs=1e-4)
    assert correction.candidate.low < correction.candidate.value < correction.candidate.high
    text = str(document(found))
    assert "corrected by 11 labels 0.579" in text and "the verdict is the same" in text
    artifact.validate(as_json(found), "gate")
    assert as_json(found)["judge_correction"]["same"] is True


def test_a_deaf_judge_made_the_verdict_and_the_report_says_so() -> None:
    found = weighed(DEAF)
    assert found.outcome.verdict == "improved"
    assert (found.judge_correction.verdict, found.judge_correction.same) == ("neutral", False)
    assert "the verdict is neutral" in str(document(found))


@pytest.mark.parametrize("labels", [None, ((0.5, 0.5),)])
def test_without_labels_there_is_nothing_to_correct(labels: Any) -> None:
    found = weighed(labels)
    assert found.judge_correction is None and "judge_correction" not in as_json(found)


def test_one_task_without_labels_means_no_correction() -> None:
    before, after = arm("baseline", (0.5, 0.4), EXACT), arm("candidate", (0.9, 0.8), EXACT)
    part = {"t0": EXACT}
    sides = replace(before, labels=part), replace(after, labels=part)
    assert weigh(*sides, Spec(policy=CONTRACT), now=NOW).judge_correction is None


def test_a_task_with_one_label_and_no_verdict_does_not_matter() -> None:
    """A single label has no spread, so there is no line through it; nothing here needs one."""
    before, after = arm("baseline", (0.5, 0.4), EXACT), arm("candidate", (0.9, 0.8), EXACT)
    sides = (replace(side, labels={**side.labels, "gone": ((0.5, 0.5),)}) for side in (before, after))
    assert weigh(*sides, Spec(policy=CONTRACT), now=NOW).judge_correction is not None
