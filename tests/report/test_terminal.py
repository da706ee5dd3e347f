"""Tables in a terminal: long names give way before a column of figures breaks."""

from __future__ import annotations

import pytest

from steelyard.report import terminal
from steelyard.report.document import Column, Document, table


@pytest.mark.parametrize("width", [60, 80, 100])
def test_long_names_are_cut_before_figures_wrap(width: int) -> None:
    columns = [Column("Model", shrink=True), Column("against", shrink=True), Column("Δ", "right"), "Declared"]
    drawn = terminal.render(Document("T", (table(columns, [["m" * 70, "n" * 70, "+0.162", "definite"]]),)), width=width)
    lines = drawn.splitlines()
    # title, blank, head, rule, one row
    assert len(lines) == 5 and max(map(len, lines)) <= width
    assert lines[-1].endswith("definite") and lines[-1].count("…") == 2
