"""A document as GitHub-flavoured Markdown. Untrusted text cannot break a table, open a tag or mention anyone."""

from __future__ import annotations

import re
from urllib.parse import quote

from steelyard.report.document import (
    TONE_MARKS,
    Block,
    Bullets,
    Cell,
    Code,
    Details,
    Document,
    Figure,
    Heading,
    Link,
    Paragraph,
    Table,
    cell,
)
from steelyard.text import visible

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")
_RULE = {"left": ":--", "right": "--:", "center": ":-:"}


def render(document: Document) -> str:
    """The document as Markdown, ending in one newline."""
    parts = [f"# {escape(document.title)}", *(_block(block) for block in document.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """Text that Markdown shows literally; `@name` does not become a mention."""
    flat = visible(" ".join(text.split()))
    return _SPECIAL.sub(r"\\\1", flat).replace("@", "@\u200b")


def fence(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any run of backticks inside it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{visible(text)}\n{marks}"


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {escape(block.text)}"
        case Paragraph():
            return TONE_MARKS[block.tone] + escape(block.text)
        case Bullets():
            return "\n".join(f"- {escape(item)}" for item in block.items)
        case Table():
            return _table(block)
        case Code():
            return fence(block.text, block.language)
        case Figure():
            return f"_{escape(block.caption or block.alt)}_"
        case Link():
            return f"[{escape(block.text)}]({quote(block.target)})"
        case Details():
            inner = "\n\n".join(_block(child) for child in block.blocks)
            return f"<details><summary>{escape(block.summary)}</summary>\n\n{inner}\n\n</details>"


def _table(table: Table) -> str:
    head = "| " + " | ".join(escape(column.name) for column in table.columns) + " |"
    rule = "| " + " | ".join(_RULE[column.align] for column in table.columns) + " |"
    rows = ["| " + " | ".join(_cell(cell(value)) for value in row) + " |" for row in table.rows]
    caption = [f"_{escape(table.caption)}_", ""] if table.caption else []
    return "\n".join([*caption, head, rule, *rows])


def _cell(content: Cell) -> str:
    return TONE_MARKS[content.tone] + escape(content.text)
