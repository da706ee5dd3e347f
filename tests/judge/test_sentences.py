"""A text in numbered sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.judge.text import LONGEST, legible, numbered, sentences

LONG = "A sentence that is long enough to have a number of its own, here"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (f"{LONG}. {LONG}!", (f"{LONG}.", f"{LONG}!")),
        (f"{LONG}\n{LONG}", (LONG, LONG)),
        ("Short. Also short. No number each.", ("Short. Also short. No number each.",)),
        ("# Title\n\nText.", ("# Title", "Text.")),
        ("桜が咲く。" * 30, ("桜が咲く。" * 12, "桜が咲く。" * 12, "桜が咲く。" * 6)),
        (f"{'a' * 395} later words", ("a" * 395, "later words")),  # cut between words
        ("b" * 401, ("b" * 400, "b")),
        ("", ()),
        (" \n\n ", ()),
    ],
)
def test_where_sentences_end(text: str, parts: tuple[str, ...]) -> None:
    assert sentences(text) == parts


@given(st.text(alphabet=st.sampled_from("ab .!?\n。[1]"), max_size=900) | st.text(max_size=300))
def test_nothing_is_lost_or_said_twice(text: str) -> None:
    parts = sentences(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part and len(part) <= LONGEST for part in parts)


def test_numbers_of_the_text_are_not_ours() -> None:
    assert numbered(["See [2] and [x]."]) == "[1] See [ 2] and [x]."


@pytest.mark.parametrize(("text", "is_legible"), [("a", True), ("7", True), (":", False), ("", False), (" …\n", False)])
def test_what_there_is_to_read(text: str, is_legible: bool) -> None:
    assert legible(text) is is_legible
