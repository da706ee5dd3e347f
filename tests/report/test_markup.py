"""Markdown as markup: readable, harmless, and every character in its place."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steelyard.report.markup import Highlight, markup
from steelyard.text import visible

SIGNS = st.text(st.sampled_from(list("ab |*_`#->~\n[]().1<&\"'")), max_size=80)


def text_of(shown: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", shown))


@given(SIGNS, st.lists(st.integers(0, 80), max_size=6))
@example("| a | b |\n|---|---|\n| `c|d` | **e** |\n", [3, 9])
@example("```\n# code\n```\n~~~\nnever closed", [])
@example("1. one\n   - two\n> three\n---\n", [0, 80])
def test_every_character_stays(text: str, places: list[int]) -> None:
    bounds = sorted({min(place, len(text)) for place in places})
    spans = [Highlight(*pair, "P01", "problem") for pair in zip(bounds[::2], bounds[1::2], strict=False)]
    assert text_of(markup(text, spans)) == visible(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("### Title", '<div class="line heading h3"><span class="sign">### </span>Title</div>'),
        ("**bold** `code`", "<strong>bold</strong>"),
        ("a `c<d` e", "<code>c&lt;d</code>"),
        ("- item", '<div class="line item d0">'),
        ("| a | b |\n|---|---|\n| 1 | 2 |", '<span class="cell">2</span>'),
        ("```py\nx = 1\n```", '<div class="fence"><div class="sign">```py\n</div><div class="line">x = 1\n</div>'),
        ("snake_case_name and 2*3*4", '<div class="line">snake_case_name and 2*3*4</div>'),
    ],
)
def test_shapes(text: str, part: str) -> None:
    assert part in markup(text)


def test_hostile_text_stays_text() -> None:
    shown = markup(
        '<script>x</script> [a](javascript:alert(1)) ![b](https://c.invalid/d) <img src=x onerror="y">\n```\n<b>'
    )
    assert not re.findall(r"<(?!/?(?:div|span|code|strong|em|mark)\b)", shown)
    assert "href" not in shown and "src=x" in text_of(shown)


def test_a_highlight_is_one_mark_across_looks_and_lines() -> None:
    text = "one **two** three\nfour"
    shown = markup(text, [Highlight(4, 22, "P01 ○", "problem", 'say "so"')])
    assert shown.count("<mark") == 1
    assert '<mark class="problem" data-label="P01 ○" title="say &quot;so&quot;">' in shown
    assert shown.count('<span class="marked problem">') == 2
    assert "<strong>two</strong></mark>" in shown


@pytest.mark.parametrize("sign", ["*", "`", "_", "[", "|", "**a", "`a", "- ", "```\n", "|-|\n", "> "])
@pytest.mark.no_cover  # the tracer would take most of the time
def test_long_texts_take_linear_time(sign: str) -> None:
    assert len(markup(sign * 12_000)) > 12_000  # only a hang fails it
