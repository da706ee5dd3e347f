"""Tables in a terminal: long names give way before a column of figures breaks."""

from __future__ import annotations

import pytest

from steelyard.report import terminal
from steelyard.report.document import Cell, Column, Document, table
from steelyard.report.names import shortened


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
    assert "█" in narrow(68) and "Too narrow" not in narrow(68)
    assert "█" not in narrow(60) and "Too narrow" not in narrow(60)
    assert narrow(48).rstrip().endswith("Too narrow to show: 95%.")
    assert narrow(40).rstrip().endswith("Too narrow to show: 95%, Exam.")


def test_spare_columns_go_and_texts_fold_before_names_become_illegible() -> None:
    names = [f"openrouter/maker/model-{letter}-instruct-2026" for letter in "ab"]
    columns = [Column("Model", shrink=True), Column("Measured"), Column("Δ", "right"), Column("Tie", spare=1)]
    rows = [[name, "unresolved, about 500 items", "+0.162", "A"] for name in names]
    # 20 for the name, 11 for the longest word of the text, 6 for the figure, 3 for the tie, 3 gaps of 2.
    for width, tie in ((46, True), (45, False)):
        drawn = terminal.render(Document("T", (table(columns, rows),)), width=width)
        assert ("Too narrow to show: Tie." not in drawn) is tie, width
        assert "…-a-" in drawn.replace("model", "…") and "+0.162" in drawn and "unresolved," in drawn
        assert max(map(len, drawn.splitlines())) <= width


def test_paths_of_names_and_air_go_before_a_spare_column() -> None:
    columns = [Column("Model", shrink=True), Column("Overall", "right"), Column("Unread", "right", spare=1)]
    rows = [[f"openrouter/maker/model-{letter}", "99.8%", "12%"] for letter in "ab"]
    # 8 for "…model-a", 7 for Overall, 6 for Unread: 25 with two gaps of 2, 27 with two gaps of 3.
    drawn = {width: terminal.render(Document("T", (table(columns, rows),)), width=width) for width in (27, 25, 24)}
    assert "…model-a     99.8%      12%\n" in drawn[27]
    assert "…model-a    99.8%     12%\n" in drawn[25]
    assert "Too narrow to show: Unread." in drawn[24].replace("\n", " ")


def test_a_name_with_line_breaks_is_one_row() -> None:
    rows = [["one\ntwo\r\nthree\u2028four", "1"], ["five", "2"]]
    drawn = terminal.render(Document("T", (table(["Model", "n"], rows),)))
    assert "one two three four" in drawn and len(drawn.splitlines()) == 6


def test_names_that_differ_stay_different_when_cut() -> None:
    names = [f"openrouter/anthropic/claude-{name}" for name in ("opus-4.1", "sonnet-4.5", "haiku-4.5-20251001")]
    for room in (8, 12, 14, 20, 30):
        short = shortened([*names, "steelyard/ceiling"], room)
        assert len(set(short.values())) == 4 and all(len(text) <= room for text in short.values()), room
    assert shortened(names, 20)[names[0]] == "…claude-opus-4.1"
    assert shortened(["a/b", "a/c"], 20) == {"a/b": "a/b", "a/c": "a/c"}


def test_a_single_long_name_loses_its_middle() -> None:
    [short] = shortened(["openrouter/anthropic/claude-opus-4.1"], 15).values()
    assert short == "openrou…pus-4.1"


@pytest.mark.parametrize("room", [8, 10, 12, 16, 20, 24, 30, 40])
def test_names_that_agree_at_both_ends_stay_different(room: int) -> None:
    names = [
        *("openrouter/openai/gpt-6-turbo-2026-05-13", "openrouter/openai/gpt-6-mini-2026-05-13"),
        *("openrouter/google/gemini-3.5-pro-preview-06-05", "openrouter/google/gemini-3.5-flash-preview-06-05"),
        *("azure/openai/gpt-6-turbo-2026-05-13", "anthropic/claude-haiku-5", "x" * 60 + "a" + "y" * 60),
        "x" * 60 + "b" + "y" * 60,
    ]
    short = shortened(names, room)
    assert len(set(short.values())) == len(names) and all(len(text) <= room for text in short.values())


def test_a_path_that_tells_two_names_apart_stays() -> None:
    short = shortened(["openrouter/openai/gpt-6-turbo", "azure/openai/gpt-6-turbo"], 26)
    assert list(short.values()) == ["openrouter/op…/gpt-6-turbo", "azure/openai/gpt-6-turbo"]


def test_a_text_folds_between_words() -> None:
    columns = [Column("Model", shrink=True), Column("against", shrink=True), "Reading", "By size alone"]
    rows = [["steelyard/partial-70", "steelyard/partial-65", "unresolved, n ≈ 927", "likely"]]
    for width in range(50, 100):
        shown = terminal.render(Document("T", (table(columns, rows),)), width=width)
        assert "unresolved," in shown and max(map(len, shown.splitlines())) <= width
