"""Tables in a terminal: long names give way before a column of figures breaks."""

from __future__ import annotations

import pytest

from steelyard.report import terminal
from steelyard.report.document import Cell, Column, Document, table


@pytest.mark.parametrize("width", [60, 80, 100])
def test_long_names_are_cut_before_figures_wrap(width: int) -> None:
    columns = [Column("Model", shrink=True), Column("against", shrink=True), Column("Δ", "right"), "Declared"]
    drawn = terminal.render(Document("T", (table(columns, [["m" * 70, "n" * 70, "+0.162", "definite"]]),)), width=width)
    lines = drawn.splitlines()
    # title, blank, head, rule, one row
    assert len(lines) == 5 and max(map(len, lines)) <= width
    assert lines[-1].endswith("definite") and lines[-1].count("…") == 2


FIGURES = ("98.5%", "97–100%", "100%", "+0.333")


def narrow(width: int) -> str:
    columns = [
        Column("Model", shrink=True),
        Column("Overall"),
        Column("95%", "right", spare=2),
        Column("Exam", "right", spare=1),
        Column("Δ", "right"),
    ]
    row = ["maker/a-rather-long-name", Cell(FIGURES[0], bar=0.985), *FIGURES[1:]]
    return terminal.render(Document("T", (table(columns, [row]),)), width=width)


@pytest.mark.parametrize("width", range(35, 90, 5))
def test_figures_never_break_however_narrow(width: int) -> None:
    drawn = narrow(width)
    # title, blank, head, rule, one row, and what is left out
    assert len(drawn.splitlines()) <= 6 and max(map(len, drawn.splitlines())) <= width
    for figure, name in zip(FIGURES[1:], ("95%", "Exam", "Δ"), strict=True):
        assert (figure in drawn) is (name not in drawn.partition("Too narrow to show: ")[2])
    assert "98.5%" in drawn


def test_bars_go_first_then_the_least_important_column() -> None:
    assert "█" in narrow(60) and "Too narrow" not in narrow(60)
    assert "█" not in narrow(52) and "Too narrow" not in narrow(52)
    assert narrow(44).rstrip().endswith("Too narrow to show: 95%.")
    assert narrow(35).rstrip().endswith("Too narrow to show: 95%, Exam.")


def test_a_name_with_line_breaks_is_one_row() -> None:
    rows = [["one\ntwo\r\nthree\u2028four", "1"], ["five", "2"]]
    drawn = terminal.render(Document("T", (table(["Model", "n"], rows),)))
    assert "one two three four" in drawn and len(drawn.splitlines()) == 6


def test_names_that_differ_stay_different_when_cut() -> None:
    names = [f"openrouter/anthropic/claude-{name}" for name in ("opus-4.1", "sonnet-4.5", "haiku-4.5-20251001")]
    for room in (8, 12, 14, 20, 30):
        short = terminal.shortened([*names, "steelyard/ceiling"], room)
        assert len(set(short.values())) == 4 and all(len(text) <= room for text in short.values()), room
    assert terminal.shortened(names, 20)[names[0]] == "…claude-opus-4.1"
    assert terminal.shortened(["a/b", "a/c"], 20) == {"a/b": "a/b", "a/c": "a/c"}


def test_a_single_long_name_loses_its_middle() -> None:
    [short] = terminal.shortened(["openrouter/anthropic/claude-opus-4.1"], 15).values()
    assert short == "openrou…pus-4.1"
