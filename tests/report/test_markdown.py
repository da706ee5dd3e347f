"""Markdown: hostile text stays text, on one line, without a mention and without anything unseen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steelyard.report import markdown
from steelyard.report.document import Code, Document, table


def test_foreign_text_breaks_no_table_and_pings_nobody() -> None:
    drawn = markdown.render(Document("T", (table(["A", "B"], [["x | y\n| z |", "@team <b>"]]),)))
    assert drawn.splitlines()[-1] == "| x \\| y \\| z \\| | @\u200bteam \\<b\\> |"


@given(st.text())
def test_nothing_unseen_gets_through(text: str) -> None:
    drawn = markdown.render(Document(text, (table(["A"], [[text]]), Code(text))))
    assert not {mark for mark in drawn if ord(mark) < 32 and mark not in "\n\t"}
    assert not set(drawn) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x7f\x1b")


def test_a_fence_is_longer_than_what_it_holds() -> None:
    assert markdown.fence("a ```` b").startswith("`````")
