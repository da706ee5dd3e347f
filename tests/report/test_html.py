"""Hostile text stays text; the policy names exactly what the page carries."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.report import html
from steelyard.report.document import (
    Bullets,
    Cell,
    Code,
    Column,
    Details,
    Document,
    Figure,
    Heading,
    Paragraph,
    table,
)

EVIL = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>&lt;"


def everywhere(text: str) -> Document:
    """A document with `text` wherever foreign text can stand."""
    cells = [[Cell(text, hint=text, bar=0.5), Cell(text, link="a.html"), text]]
    grid = table([Column(text), text, text], cells, caption=text)
    blocks = (Heading(text), Paragraph(text), Bullets((text,)), grid, Code(text, text), Figure("<svg/>", text, text))
    return Document(text, (*blocks, Details(text, blocks)))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.seen


@pytest.mark.parametrize("text", [EVIL, "plain", "javascript:alert(1)"])
def test_foreign_text_opens_no_tag_and_no_attribute(text: str) -> None:
    seen = tags(html.render(everywhere(text)))
    assert not [tag for tag, _ in seen if tag in {"img", "iframe", "object"}]
    assert sum(tag == "script" for tag, _ in seen) == 1
    assert not [name for _, attributes in seen for name in attributes if name.startswith("on") or name == "style"]


@given(st.text(min_size=1, max_size=60))
def test_any_text_leaves_the_same_tags(text: str) -> None:
    def names(page: str) -> list[str]:
        return [tag for tag, _ in tags(page)]

    assert names(html.render(everywhere(text))) == names(html.render(everywhere("plain")))


def test_the_policy_allows_exactly_the_inline_style_and_script() -> None:
    page = html.page("t", "<main id=main></main>", script="const a = 1;")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    css = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert policy and css
    assert "default-src 'none'" in policy[1] and "unsafe" not in policy[1] and "http" not in policy[1]
    for text in (css[1], "const a = 1;"):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]


def test_a_page_without_script_forbids_script() -> None:
    assert "script-src 'none'" in html.page("t", "")


def test_nothing_is_loaded_from_anywhere() -> None:
    page = html.render(everywhere("x"))
    assert "http:" not in page and "https:" not in page and "@import" not in page and "url(" not in page


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "//host/x", "https://host", "/etc/passwd", "data:text/html,x"]
)
def test_only_relative_links_become_links(target: str) -> None:
    assert html.anchor(target, "x") == "x"


def test_a_relative_link_is_a_link() -> None:
    assert html.anchor("models/a.html#item", "A & B") == '<a href="models/a.html#item">A &amp; B</a>'


def test_unseen_characters_become_visible() -> None:
    assert html.escape("a\u202eb\x1b[31m\ud800\r\nc") == "a\ufffdb\ufffd[31m\ufffd\nc"


def test_tone_is_never_colour_alone() -> None:
    page = html.fragment([Paragraph("fine", "good"), Paragraph("broken", "bad")])
    assert "✓ fine" in page and "✗ broken" in page


def test_bars_stay_inside_their_rail() -> None:
    assert 'width="100" height="8"/></svg>' in html.bar(7.0)
    assert 'class="fill" width="0"' in html.bar(-1.0)
