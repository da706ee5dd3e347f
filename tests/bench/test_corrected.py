"""Judges' means on the board, corrected where labels are on record."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from steelyard.bench.board import JUDGE_ALONE, corrected_notes

LABELS = tuple((grade / 10 + 0.1, grade / 10) for grade in range(10))
"""A judge that is always 0.1 too kind."""


def board(scorer: str = JUDGE_ALONE) -> Any:
    def row(model: str, *scores: float) -> Any:
        items = {f"i{place}": score for place, score in enumerate(scores)}
        found = SimpleNamespace(judge="a/b", scorer=scorer, items=items, fingerprint=SimpleNamespace(rubric="r"))
        return SimpleNamespace(model=model, results={"texts": found})

    categories = {"texts": SimpleNamespace(name="Texts"), "exam": SimpleNamespace(name="Exam")}
    rows = [row("m/one", *([0.5, 0.7] * 5)), row("m/two", *([0.2, 0.4] * 5))]
    return SimpleNamespace(rows=rows, suite=SimpleNamespace(categories=categories))


def test_the_board_shows_raw_and_corrected_means_and_whether_the_order_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.judge.calibration.record.labelled_totals", lambda judge, rubric: LABELS)
    first, second, order = corrected_notes(board())
    # λ = 1/(1 + 10/10) = .5: θ = .5·.6 + mean(y − .5·f) = .3 + (.45 − .275) = .475
    assert first.startswith("m/one, Texts: judge's mean 0.600, corrected by 10 labels 0.475 (95%: ")
    assert second.startswith("m/two, Texts: judge's mean 0.300, corrected by 10 labels 0.325")
    assert order == "Texts: corrected, the order of the models is the same"


def test_a_score_that_is_not_the_judges_alone_is_not_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.judge.calibration.record.labelled_totals", lambda judge, rubric: LABELS)
    assert corrected_notes(board("llm_judge_scorer")) == []


def test_without_labels_the_board_says_nothing() -> None:
    assert corrected_notes(board()) == []
