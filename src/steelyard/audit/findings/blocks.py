"""The lines of one section, grouped into blocks: list items, table rows, bold leads and paragraphs of prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from steelyard.audit import tables
from steelyard.audit.findings.lists import ITEM, LEAD, leaf_items, repeated
from steelyard.audit.findings.phrases import is_field, long_enough
from steelyard.audit.findings.sections import Line
from steelyard.audit.findings.titles import is_group

_SUBJECT = re.compile(
    r"^\W*(?:issue|title|finding|problem|defect|bug|vulnerability|description|what|risk)\W*$", re.IGNORECASE
)
"""The column of a table that holds the subject of a row."""
_COUNT = frozenset("0123456789 .,%/+*()-")
"""Characters of a number in a tally."""
_TALLY_WORDS = 4
"""From this many words on, the first cell of a row is a claim and the number beside it a line number."""

Kind: TypeAlias = Literal["item", "row", "lead", "prose"]


class Block(NamedTuple):
    """Lines that belong together."""

    kind: Kind
    lines: tuple[Line, ...]
    title: str = ""
    about: str = ""
    """The categories that the surrounding list names."""

    @property
    def is_part(self) -> bool:
        """Whether it is a labelled part of the finding above it."""
        return self.kind == "item" and is_field(self.lines[0].text)

    @property
    def begins_finding(self) -> bool:
        """Whether it is a list entry of its own: not prose, not a part of the entry above."""
        return self.kind != "prose" and not self.is_part


def blocks(lines: Sequence[Line]) -> list[Block]:
    """The blocks of a section, in order."""
    return _Reader(lines).read()


class _Reader:
    """Reads a section line by line; the open block grows until a rule starts another one."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._marked = repeated(lines)
        self._bare_rows = tables.bare_rows([line.text for line in lines])
        self._blocks: list[Block] = []
        self._open: list[Line] = []
        self._kind: Kind = "prose"
        self._indent = 0
        """Of the open item."""
        self._header: list[str] = []
        """Column names of the table being read; empty outside of one."""

    def read(self) -> list[Block]:
        for index, line in enumerate(self._lines):
            if self._is_row(index):
                self._take_row(index)
            else:
                self._header = []
                self._choose_block(index)
                self._open.append(line)
        self._close()
        return self._blocks

    def _choose_block(self, index: int) -> None:
        """Starts another block if this line calls for one."""
        line = self._lines[index]
        item = None if line.code else ITEM.match(line.text)
        if item and self._begins_item(len(item["indent"])):
            self._start("item", len(item["indent"]))
        elif index in self._marked:
            # Marks such as `[C-1]` begin an item only where their paragraph repeats them.
            self._start("item")
        elif not line.code and not item and LEAD.match(line.text) and self._at_paragraph_start():
            # Bold words further on in a paragraph are emphasis.
            self._start("lead")
        elif self._kind == "item" and self._leaves_item(line):
            self._start("prose")
        elif self._kind in ("prose", "row"):
            # A blank line ends prose, but not an item or a lead: their explanation often follows it.
            if not line.text.strip():
                self._close()
            self._kind = "prose"

    def _begins_item(self, indent: int) -> bool:
        """Deeper items belong to the open one; `leaf_items` decides later whether they are findings."""
        return self._kind != "item" or not self._open or indent <= self._indent

    def _at_paragraph_start(self) -> bool:
        return not self._open or not self._open[-1].text.strip()

    def _leaves_item(self, line: Line) -> bool:
        """Unindented text after a blank line no longer belongs to the item; unindented code does."""
        after_blank = bool(self._open) and not self._open[-1].text.strip()
        return after_blank and bool(line.text.strip()) and not line.text.startswith((" ", "\t")) and not line.code

    def _start(self, kind: Kind, indent: int = 0) -> None:
        self._close()
        self._kind, self._indent = kind, indent

    def _close(self) -> None:
        lines = tuple(self._open)
        self._open.clear()
        if not any(line.text.strip() for line in lines):
            return
        if self._kind == "item":
            self._blocks += [Block("item", item.lines, about=item.about) for item in leaf_items(lines)]
        else:
            self._blocks.append(Block(self._kind, lines))

    def _is_row(self, index: int) -> bool:
        line = self._lines[index]
        return not line.code and (index in self._bare_rows or tables.is_row(line.text))

    def _take_row(self, index: int) -> None:
        """Remembers a header; turns any other row into a block of `column: cell`."""
        self._start("row")
        line = self._lines[index]
        if tables.is_rule(line.text):
            return
        cells = tables.cells(line.text)
        after = self._lines[index + 1].text if index + 1 < len(self._lines) else ""
        if not self._header and tables.is_rule(after):
            self._header = [cell or " " for cell in cells]
            return
        names = [*self._header, *([""] * len(cells))]
        if any(cells) and not _is_tally(cells):
            named = [(name.strip(), cell) for name, cell in zip(names, cells, strict=False) if cell]
            text = "; ".join(f"{name}: {cell}" if name else cell for name, cell in named).replace("\n", " ")
            self._blocks.append(Block("row", (Line(line.number, text, False),), _row_title(named)))
        # A blank name: inside a table without a header, later rows are still not headers.
        self._header = self._header or [" "]


def _row_title(named: Sequence[tuple[str, str]]) -> str:
    """The cell in the column that names the finding, else the longest one, which says most."""
    title = next((cell for name, cell in named if _SUBJECT.search(name) and not is_group(cell)), "")
    return title or max((cell for _, cell in named), key=len, default="")


def _is_tally(cells: Sequence[str]) -> bool:
    """A row of a tally (`Critical | 3`) claims nothing; a sentence with its line number does."""
    short = not long_enough(cells[0], _TALLY_WORDS) or is_group(cells[0])
    return len(cells) >= 2 and short and all(_COUNT.issuperset(cell) for cell in cells[1:])
