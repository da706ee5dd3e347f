"""One section of a report, cut into the claims it makes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.audit import tables as grid
from steelyard.audit.findings.lists import ITEM, LEAD, repeated
from steelyard.audit.findings.nesting import children
from steelyard.audit.findings.phrases import gathers, is_field, names_finding, numbered, says, steps, unframed
from steelyard.audit.findings.sections import Line, Section

_COUNT = re.compile(r"^[\d\s.,%/+*()-]*$")
_TALLY_WORDS = 4
"""From so many words on the first cell of a row is a claim, and the number beside it a place."""
_TELLING_WORDS = 4
"""From so many words on a heading over a list is a claim of its own, not the name of a category."""
_AFTERTHOUGHT_WORDS = 10
"""A paragraph after a list needs so many words to be more than a closing remark."""


class Piece(NamedTuple):
    """A claim before it gets its number."""

    text: str
    title: str
    line: int
    end: int


class _Block(NamedTuple):
    """Lines that belong together, and what they are."""

    kind: str
    """`item`, `row`, `lead` or `prose`."""
    lines: tuple[Line, ...]
    title: str = ""
    about: str = ""
    """What the list it stands in is on."""


def lists_claims(section: Section) -> bool:
    """Whether a section lists several claims."""
    return _lists([block for block in _blocks(section.lines) if block.kind != "prose" and not _is_part(block)])


def pieces(section: Section) -> list[Piece]:
    """The claims of a section: its items, rows or leads where it lists several, else the section as one."""
    blocks = _blocks(section.lines)
    if section.level and section.leaf and not _collects(section, blocks):
        return [_whole(section)] if _says_something(section) else []
    if claims := _with_parts(blocks) or _labelled(blocks):
        about = section.title if section.level > 1 and not gathers(section.title) else ""
        told = [_piece(block, about) for block in claims]
        return sorted([*told, *_afterwards(blocks, claims)], key=lambda piece: piece.line)
    if section.level and not section.leaf:
        return []
    return [piece for block in blocks for piece in _prose(block)]


def _collects(section: Section, blocks: Sequence[_Block]) -> bool:
    """Whether a heading stands over several claims, and is not one claim itself."""
    if gathers(section.title) or section.level == 1:
        return True
    listed = [block for block in blocks if block.kind in ("item", "row", "lead")]
    claims = [block for block in listed if not _is_part(block)]
    if numbered(section.title) or len(claims) < len(listed) or says(section.title, _TELLING_WORDS):
        return any(block.kind == "row" for block in claims)
    explained = bool(blocks) and blocks[0].kind == "prose" and bool(_prose(blocks[0]))
    return _lists(claims) and not explained


def _lists(claims: Sequence[_Block]) -> bool:
    """Whether listed claims stand for themselves: several, or one row of a table."""
    return len(claims) >= 2 or any(block.kind == "row" for block in claims)


def _is_part(block: _Block) -> bool:
    return block.kind == "item" and is_field(block.lines[0].text)


def _with_parts(blocks: Sequence[_Block]) -> list[_Block]:
    """Claims with the labelled parts and the prose that follow them; what stands before the first claim is a frame."""
    found: list[_Block] = []
    for block in blocks:
        starts = block.kind in ("item", "row", "lead") and not _is_part(block)
        if starts:
            found.append(block)
        elif found and (found[-1].kind == "lead" or _is_part(block)):
            found[-1] = found[-1]._replace(lines=(*found[-1].lines, *block.lines))
    return found


def _afterwards(blocks: Sequence[_Block], claims: Sequence[_Block]) -> list[Piece]:
    """Longer paragraphs after the first claim that belong to none: agents add what they nearly forgot."""
    first = claims[0].lines[0].number
    taken = {line.number for claim in claims for line in claim.lines}
    loose = [block for block in blocks if block.kind == "prose" and block.lines[0].number > first]
    free = [block for block in loose if all(line.number not in taken for line in block.lines)]
    return [piece for block in free for piece in _prose(block) if says(piece.text, _AFTERTHOUGHT_WORDS)]


def _labelled(blocks: Sequence[_Block]) -> list[_Block]:
    """Items that are all labelled (`- title: …`, `  impact: …`): each item with the first one's label is a claim."""
    items = [block for block in blocks if block.kind == "item"]
    labels = [re.split(r"[:\s]", block.lines[0].text.strip(" -*+•\t"))[0].casefold() for block in items]
    return [block for block, label in zip(items, labels, strict=True) if label == labels[0]]


def _says_something(section: Section) -> bool:
    return any(line.text.strip() for line in section.lines) or says(section.title)


def _whole(section: Section) -> Piece:
    body = "\n".join(line.text for line in section.lines).strip()
    last = max((line.number for line in section.lines if line.text.strip()), default=section.line)
    return Piece(f"{section.title}\n{body}".strip(), section.title, section.line, last)


def _piece(block: _Block, about: str = "") -> Piece:
    """A block as a claim; `about` is the heading that says what its list is on."""
    text = "\n".join(line.text for line in block.lines).strip("\n")
    text = ": ".join(filter(None, (about, block.about, text)))
    numbers = [line.number for line in block.lines if line.text.strip()] or [block.lines[0].number]
    first = ITEM.match(block.lines[0].text)
    lead = re.sub(r"</\w{1,20}>\s*$", "", first["text"] if first else block.lines[0].text)
    bold = re.match(r"\s*(?:\*\*|__)(.+?)(?:\*\*|__)", lead)
    title = block.title or (bold.group(1) if bold else lead.split(". ")[0])
    return Piece(text, title, numbers[0], numbers[-1])


def _prose(block: _Block) -> list[Piece]:
    text = " ".join(line.text.strip() for line in block.lines).strip()
    if block.kind != "prose" or text.endswith(":") or not says(text):
        return []
    numbers = [line.number for line in block.lines if line.text.strip()]
    claims = [claim for step in steps(text.strip()) if (claim := unframed(step))]
    return [Piece(step, step.split(". ")[0], numbers[0], numbers[-1]) for step in claims]


def _blocks(lines: Sequence[Line]) -> list[_Block]:
    found: list[_Block] = []
    current: list[Line] = []
    kind, indent, header = "prose", 0, list[str]()
    marked, rows = repeated(lines), grid.bare_rows([line.text for line in lines])

    def close() -> None:
        if any(line.text.strip() for line in current):
            found.extend(_opened(kind, tuple(current)))
        current.clear()

    for index, line in enumerate(lines):
        item = None if line.code else ITEM.match(line.text)
        depth = len(item["indent"]) if item else 0
        if not line.code and (index in rows or grid.is_row(line.text)):
            close()
            kind, header = "row", _table_line(lines, index, header, found)
            continue
        header = []
        if item and (kind != "item" or not current or depth <= indent):
            close()
            kind, indent = "item", depth
        elif index in marked:
            close()
            kind, indent = "item", 0
        elif not line.code and not item and LEAD.match(line.text) and _fresh(current):
            close()
            kind = "lead"
        elif kind == "item" and _leaves(line, current):
            close()
            kind = "prose"
        elif kind in ("prose", "row"):
            if not line.text.strip():
                close()
            kind = "prose"
        current.append(line)
    close()
    return found


def _opened(kind: str, lines: tuple[Line, ...]) -> list[_Block]:
    """Lines as a block; an item that is only the name of a category, as the blocks below it."""
    if kind != "item":
        return [_Block(kind, lines)]
    return [_Block(kind, each.lines, about=each.about) for each in children(lines)]


def _fresh(current: Sequence[Line]) -> bool:
    """A bold lead starts a claim at the beginning of a paragraph only."""
    return not current or not current[-1].text.strip()


def _leaves(line: Line, current: Sequence[Line]) -> bool:
    """Unindented text after a blank line no longer belongs to a list item."""
    blank = bool(current) and not current[-1].text.strip()
    return blank and bool(line.text.strip()) and not line.text.startswith((" ", "\t")) and not line.code


def _table_line(lines: Sequence[Line], index: int, header: list[str], found: list[_Block]) -> list[str]:
    """Take in one table line: rules and headers are remembered, rows become blocks of `column: cell`."""
    line = lines[index]
    if grid.is_rule(line.text):
        return header
    cells = grid.cells(line.text)
    after = lines[index + 1].text if index + 1 < len(lines) else ""
    if not header and grid.is_rule(after):
        return [each or " " for each in cells]
    names = [*header, *([""] * len(cells))]
    if any(cells) and not _counts(cells):
        told = [(name.strip(), cell) for name, cell in zip(names, cells, strict=False) if cell]
        text = "; ".join(f"{name}: {cell}" if name else cell for name, cell in told).replace("\n", " ")
        found.append(_Block("row", (Line(line.number, text, False),), _row_title(told)))
    return header or [" "]


def _row_title(told: Sequence[tuple[str, str]]) -> str:
    """The cell under a telling head, else the longest one."""
    named = next((cell for name, cell in told if names_finding(name)), "")
    return named or max((cell for _, cell in told), key=len, default="")


def _counts(cells: Sequence[str]) -> bool:
    """A row of a tally (`Critical | 3`) claims nothing; a sentence with its line number does."""
    short = not says(cells[0], _TALLY_WORDS) or gathers(cells[0])
    return len(cells) >= 2 and short and all(_COUNT.match(cell) for cell in cells[1:])
