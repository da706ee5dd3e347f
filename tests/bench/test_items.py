from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest

from steelyard.bench.analysis.items import items
from steelyard.bench.report.item_analysis import csv_text, document
from steelyard.report import terminal


def exam(*scores: float) -> dict[str, float]:
    return {f"q{number}": score for number, score in enumerate(scores)}


@pytest.fixture
def found(make_board: Any, log_row: Any) -> Any:
    # ten subjects: q0 solved by all, q1 by none, q2 by the better, q3 by the worse; q4–q6 make the better better
    rows = [exam(1, 0, n >= 6, n < 6, n >= 2, n >= 4, n >= 6) for n in range(10)]
    logs = [log_row("practice_exam", scores, model=f"maker/{n}") for n, scores in enumerate(rows)]
    ceiling = log_row("practice_exam", exam(1, 1, 1, 1, 1, 1, 0), model="steelyard/ceiling")
    return {row.id: row for row in items(make_board(*logs, ceiling))}


def test_how_often_an_item_is_solved(found: Any) -> None:
    assert (found["q0"].solved, found["q1"].solved, found["q2"].solved) == (1.0, 0.0, 0.4)
    assert found["q2"].subjects == 10  # the ceiling has no say


def test_a_subject_on_one_item_counts(make_board: Any, log_row: Any) -> None:
    board = make_board(*(log_row("practice_exam", exam(1), model=f"maker/{number}") for number in range(3)))
    [row] = items(board)
    assert (row.subjects, row.solved, row.discrimination, row.verdict) == (3, 1.0, None, "saturated")


def test_discrimination(found: Any) -> None:
    assert found["q2"].discrimination > 0.5 and found["q3"].discrimination < -0.5
    assert found["q0"].discrimination is None  # everybody alike: nothing to correlate


def test_verdicts(found: Any) -> None:
    assert (found["q0"].verdict, found["q1"].verdict) == ("saturated", "saturated")
    assert found["q3"].verdict == "suspect" and "better subjects" in found["q3"].reason
    assert found["q6"].verdict == "suspect" and "reference" in found["q6"].reason
    assert found["q2"].verdict == "fine"


def test_the_correlation_has_an_interval_and_decides_only_when_it_is_clear(make_board: Any, log_row: Any) -> None:
    """Four of five subjects solve q0, and the best does not: that happens by chance, so it is not held against q0."""
    rows = [exam(n < 4, n >= 1, n >= 2, n >= 3, n >= 4, 1) for n in range(5)]
    logs = [log_row("practice_exam", scores, model=f"maker/{n}") for n, scores in enumerate(rows)]
    row = next(row for row in items(make_board(*logs)) if row.id == "q0")
    # own (1,1,1,1,0), rest (1,2,3,4,5)/5: r = −1/√2; z = −0.881 ± 1.96/√2 = (−2.267, 0.505) → (−0.979, 0.466)
    assert row.discrimination == pytest.approx(-0.7071, abs=1e-4)
    assert row.discrimination_low == pytest.approx(-0.979, abs=1e-3)
    assert row.discrimination_high == pytest.approx(0.466, abs=1e-3)
    assert row.verdict == "fine"


def test_suspects_come_first(make_board: Any, log_row: Any) -> None:
    logs = [log_row("practice_exam", exam(1, n % 2), model=f"maker/{n}") for n in range(3)]
    assert [row.verdict for row in items(make_board(*logs))] == ["saturated", "fine"]


def test_few_subjects_say_so(make_board: Any, log_row: Any) -> None:
    rows = items(make_board(log_row("practice_exam", exam(1, 0, 1))))
    assert all(row.discrimination is None and row.verdict == "fine" for row in rows)
    assert "too few" in terminal.render(document(rows))


def test_csv(found: Any) -> None:
    lines = list(csv.DictReader(io.StringIO(csv_text(list(found.values())))))
    assert len(lines) == 7 and {line["category"] for line in lines} == {"practice_exam"}


def test_a_table_of_nothing_has_its_heads() -> None:
    assert csv_text(()).startswith("category,id,")


def test_a_spreadsheet_runs_no_title(make_board: Any, log_row: Any) -> None:
    log = log_row("practice_exam", exam(1, 0))
    runs = tuple(replace(run, metadata={"title": "=cmd()"}) for run in log.runs)
    lines = csv.DictReader(io.StringIO(csv_text(items(make_board(replace(log, runs=runs))))))
    assert {line["title"] for line in lines} == {"'=cmd()"}


def test_a_ceiling_with_a_label_is_still_the_ceiling(make_board: Any, log_row: Any) -> None:
    ceiling = log_row("practice_exam", exam(1, 0), model="steelyard/ceiling", label="references")
    rows = items(make_board(log_row("practice_exam", exam(1, 1)), ceiling))
    assert [(row.ceiling, row.verdict) for row in rows] == [(0.0, "suspect"), (1.0, "fine")]


def test_items_have_titles(make_board: Any, log_row: Any) -> None:
    log = log_row("practice_exam", exam(1, 0))
    runs = tuple(replace(run, metadata={"title": f"About {run.id}"}) for run in log.runs)
    rows = items(make_board(replace(log, runs=runs)))
    assert [row.title for row in rows] == ["About q0", "About q1"]
    assert "About q1" in terminal.render(document(rows), width=100)
