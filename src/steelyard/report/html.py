"""A document as one HTML file that opens from disk, without network access and without third-party scripts.

Style and script are inline and allowed by hash in the content security policy; everything else is forbidden, so even
untrusted text that was not escaped could neither run nor load anything. Untrusted text is escaped only here.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape as _escape_markup
from importlib import resources

from steelyard import __version__
from steelyard.report.document import (
    TONE_MARKS,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Details,
    Document,
    Figure,
    Heading,
    Link,
    Paragraph,
    Table,
    Whisker,
    cell,
)
from steelyard.text import visible


def escape(text: str) -> str:
    """Untrusted text, safe in element content and in quoted attributes; invisible characters become visible."""
    # `visible` would mark a carriage return as a hidden character.
    return _escape_markup(visible(text.replace("\r\n", "\n")), quote=True)


def render(document: Document) -> str:
    """The document as a complete page."""
    body = f"<header><h1>{escape(document.title)}</h1></header>\n<main id=main>\n{fragment(document.blocks)}\n</main>"
    return page(document.title, body, script=asset("tables.js") if _has_table(document.blocks) else "")


def page(
    title: str, body: str, *, script: str = "", style: str = "", description: str = "", calls: bool = False
) -> str:
    """A complete page around `body`: style sheet, strict content security policy, footer.

    `body`, `script` and `style` are trusted; script and style are inlined and allowed by their hash. With `calls`, the
    script may ask the server of the page, and no other.
    """
    css = asset("page.css") + style
    about = f'<meta name="description" content="{escape(description)}">\n' if description else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(css, script, calls)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"{about}<title>{escape(title)}</title>\n<style>{css}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#main">Skip to content</a>\n{body}\n'
        f"<footer><p>Made with Steelyard {__version__}. This page loads nothing from anywhere.</p></footer>\n"
        f"{f'<script>{script}</script>' if script else ''}\n</body>\n</html>\n"
    )


def fragment(blocks: Iterable[Block]) -> str:
    """Blocks as markup, to be placed inside a page."""
    return "\n".join(_block(block) for block in blocks)


def bar(share: float) -> str:
    """A share in [0, 1] as a bar, hidden from screen readers because the number is beside it."""
    width = round(100 * max(0.0, min(share, 1.0)), 1)
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f'<rect class="rail" width="100" height="8"/><rect class="fill" width="{width:g}" height="8"/></svg>'
    )


def whisker(mark: Whisker, *, muted: bool = False) -> str:
    """A value as a mark on a rail, its interval as a band; hidden from screen readers like a bar."""
    low, value, high = (100 * place for place in mark[:3])
    zero = "" if mark.zero is None else f'<rect class="zero" x="{100 * mark.zero - 0.25:.2f}" width=".5" height="10"/>'
    return (
        f'<svg class="whisker{" muted" if muted else ""}" viewBox="0 0 100 10" preserveAspectRatio="none" '
        f'aria-hidden="true" focusable="false"><rect class="rail" y="4" width="100" height="2"/>{zero}'
        f'<rect class="band" x="{low:.1f}" y="2" width="{max(0.5, high - low):.1f}" height="6"/>'
        f'<rect class="mark" x="{value - 0.7:.1f}" width="1.4" height="10"/></svg>'
    )


def anchor(target: str, text: str) -> str:
    """A link to a page of the same report; a target that is not a relative path is shown as plain text."""
    if ":" in target or target.startswith(("/", "\\")):
        return escape(text)
    return f'<a href="{escape(target)}">{escape(text)}</a>'


@cache
def way_home(page: str) -> str:
    """The link to the page that leads here; nothing if there is none."""
    return anchor(page, "← All results") if page else ""


def asset(name: str) -> str:
    """A shipped style sheet or script."""
    return resources.files("steelyard.report").joinpath("assets", name).read_text("utf-8")


def _policy(css: str, script: str, calls: bool) -> str:
    scripts = f"'sha256-{_hash(script)}'" if script else "'none'"
    own = "; connect-src 'self'" if calls else ""
    return (
        f"default-src 'none'; style-src 'sha256-{_hash(css)}'; script-src {scripts}; img-src data:; "
        f"base-uri 'none'; form-action 'none'{own}"
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _block(block: Block) -> str:
    match block:
        case Heading():
            level = min(max(block.level, 2), 6)
            return f'<h{level} id="{slug(block.text)}">{escape(block.text)}</h{level}>'
        case Paragraph():
            return f'<p class="{block.tone}">{TONE_MARKS[block.tone]}{escape(block.text)}</p>'
        case Bullets():
            return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in block.items) + "</ul>"
        case Table():
            return table(block)
        case Code():
            return f'<pre tabindex="0"><code>{escape(block.text)}</code></pre>'
        case Figure():
            return figure(block)
        case Link():
            return f'<p class="onward">{anchor(block.target, block.text)}</p>'
        case Details():
            inner = fragment(block.blocks)
            return f"<details><summary>{escape(block.summary)}</summary>\n{inner}\n</details>"


def figure(block: Figure) -> str:
    """A picture with its caption; its SVG is trusted."""
    caption = f"<figcaption>{escape(block.caption)}</figcaption>" if block.caption else ""
    picture = block.svg
    if block.narrow:
        picture = f'<div class="wide">{block.svg}</div><div class="narrow">{block.narrow}</div>'
    return f'<figure role="img" aria-label="{escape(block.alt)}">{picture}{caption}</figure>'


def table(block: Table, *, name: str = "") -> str:
    """A table that scrolls in its own box on a narrow screen, and can be sorted if the page has the script."""
    label = escape(name or block.caption or "table")
    caption = f"<caption><span>{escape(block.caption)}</span></caption>" if block.caption else ""
    heads = "".join(f'<th scope="col" class="{column.align}">{escape(column.name)}</th>' for column in block.columns)
    rows = "\n".join(f"<tr>{_cells(block.columns, row)}</tr>" for row in block.rows)
    return scrolled(label, "data-sortable", heads, rows, caption)


def scrolled(label: str, attributes: str, heads: str, rows: str, caption: str = "") -> str:
    """A table in a box that scrolls by itself; all its parts are markup already."""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table {attributes}>{caption}'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def slug(text: str) -> str:
    """The anchor of a heading: letters, digits and dashes only."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"


def _cells(columns: Sequence[Column], row: Sequence[Cell | str]) -> str:
    return "".join(_cell(cell(value), column.align) for column, value in zip(columns, row, strict=True))


def _cell(content: Cell, align: str) -> str:
    text = TONE_MARKS[content.tone] + content.text
    # <bdi>: a name written from right to left must not turn the rest of its row around.
    shown = anchor(content.link, text) if content.link else f"<bdi>{escape(text)}</bdi>"
    drawn = f" {bar(content.bar)}" if content.bar is not None else ""
    drawn += f" {whisker(content.whisker)}" if content.whisker is not None else ""
    hint = f' data-hint="{escape(content.hint)}" tabindex="0"' if content.hint else ""
    # The script sorts by this value, because the text is rounded.
    by = content.order if content.bar is None else f"{content.bar:.6f}"
    order = "" if by is None else f' data-order="{escape(str(by))}"'
    return f'<td class="{align} {content.tone}"{order}{hint}>{shown}{drawn}</td>'


def _has_table(blocks: Iterable[Block]) -> bool:
    return any(
        isinstance(block, Table) or (isinstance(block, Details) and _has_table(block.blocks)) for block in blocks
    )
