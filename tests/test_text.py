"""Foreign text made plain: one rule for what is invisible."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from steelyard.text import REPLACEMENT, invisible, line_ends, narrow, normalised, short, unix, visible, without_comments

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "hi")

HIDDEN = {
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "word joiner": "\u2060",
    "invisible times": "\u2062",
    "soft hyphen": "\u00ad",
    "combining grapheme joiner": "\u034f",
    "Arabic letter mark": "\u061c",
    "Hangul fillers": "\u115f\u1160\u3164\uffa0",
    "Khmer inherent vowels": "\u17b4\u17b5",
    "Mongolian variation selectors": "\u180b\u180c\u180d\u180f",
    "Mongolian vowel separator": "\u180e",
    "direction overrides": "\u202a\u202b\u202d\u202e\u202c",
    "direction isolates": "\u2066\u2067\u2068\u2069",
    "direction marks": "\u200e\u200f",
    "byte order mark": "\ufeff",
    "variation selectors": "\ufe00\ufe0f",
    "more variation selectors": "\U000e0100\U000e01ef",
    "tags": TAGS,
    "music format controls": "\U0001d173\U0001d17a",
    "braille without dots": "\u2800",
    "control characters": "\x00\x07\x1b\x7f",
    "lone surrogates": "\ud800\udfff",
    "unassigned, but reserved as ignorable": "\u2065\U000e0fff",
    "noncharacters": "\ufffe\uffff",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
def test_no_invisible_character_survives(hidden: str) -> None:
    assert all(map(invisible, hidden))
    assert normalised(f"a{hidden}b") == ("ab", len(hidden))
    # Nothing is kept among Latin letters: two names must not look alike.
    assert visible(f"a{hidden}b") == "a" + REPLACEMENT * len(hidden) + "b"


@pytest.mark.parametrize("text", ["private \ue000 use", "not yet \U0001fbff assigned"])
def test_a_character_without_a_glyph_is_not_graded_but_shows_as_a_box(text: str) -> None:
    assert normalised(text).removed == 1
    assert visible(text) == text


def test_every_ignorable_character_of_unicode_is_invisible() -> None:
    ignorable = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    points = [*range(0x20000), *range(0xE0000, 0xE1000)]
    assert all(invisible(chr(point)) for point in points if ignorable.match(chr(point)))


@pytest.mark.parametrize("text", ["⚠️ slow", "👩‍💻 works", "❤️‍🔥", "می‌خواهم", "葛\U000e0100城", "1️⃣ first"])
def test_a_report_keeps_what_emoji_and_scripts_need(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("⚠\ufe0f\ufe0f\ufe0f", "⚠\ufe0f\ufffd\ufffd"),  # a run of selectors spells a message
        ("👩\u200d\u200d💻", "👩\ufffd\ufffd💻"),
        ("💻\u200d", "💻\ufffd"),
        ("🏴" + TAGS, "🏴\ufffd\ufffd"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("carriage\rreturn\u2028", "carriage\ufffdreturn\ufffd"),
        ("\u0600 is seen", "\u0600 is seen"),
    ],
)
def test_a_report_marks_what_hides(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_line_ends_and_widths() -> None:
    assert line_ends("a\r\nb\rc\n") == "a\nb\nc\n"
    assert unix("\ufeffa\0\r\nb\u2028") == "a\nb\u2028"
    assert normalised("a\u2028b\u2029c\x85d\r\n") == ("a\nb\nc\nd\n", 0)
    assert narrow("Ｐ０１：　○") == "P01: ○"


def test_text_that_unfolds_is_cut_one_character_after_the_limit() -> None:
    assert len(normalised("\ufdfa" * 10, 20).text) == 21
    assert normalised("a" * 30, 20).text == "a" * 30


def test_removing_a_mark_lets_its_neighbours_compose() -> None:
    assert normalised("e\u200b\u0301") == ("é", 1)


def test_short_is_one_printable_line() -> None:
    assert short("**A**\n`b` #c\u2028d\x1b") == "A b c d"
    assert short("word " * 100, 20) == "word word word word…"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <!-- x --> b", "a  b"),
        ("a <!-- x\ny --> b", "a \n b"),
        ("a <!-- x\nb", "a \nb"),  # never closed: it ends with its line
        ("a <!-->b --> c", "a  c"),
        ("a --> b", "a --> b"),
    ],
)
def test_comments_leave_their_line_ends(text: str, shown: str) -> None:
    assert without_comments(text) == shown


@given(st.text(max_size=300))
def test_normalising_is_idempotent_and_leaves_nothing_unseen(text: str) -> None:
    once = normalised(text).text
    assert normalised(once) == (once, 0)
    assert unicodedata.is_normalized("NFKC", once)
    assert not any(map(invisible, once))


@given(st.text(st.sampled_from("a1é⚠👩\u200d\ufe0f\u202e\U000e0041\n\x1b\u3164"), max_size=40))
def test_marking_is_idempotent_and_keeps_every_place(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert visible(shown) == shown
    assert not set(shown) & set("\u202e\U000e0041\x1b\u3164")


@given(st.text(st.sampled_from("<!-- >\nab"), max_size=60))
def test_comments_never_change_the_number_of_lines(text: str) -> None:
    assert without_comments(text).count("\n") == text.count("\n")
