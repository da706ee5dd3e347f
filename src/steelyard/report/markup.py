"""Untrusted Markdown as HTML for reading, with every character kept.

    text of the markup = the text, character for character (`report.html.escape` aside)

Marks such as `**` or `###` stay in the markup, in elements that the style sheet hides. So a place in the text is a
place on the page: passages can be highlighted by their offsets, what a reader selects is found in the text again, and
no layout can hide words. Links and pictures are shown as text, HTML is escaped. Every text takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steelyard.markdown import blocks, heading, is_table_rule
from steelyard.report.html import escape

STYLE = "markup.css"
"""The style sheet among the assets that this markup needs."""

_ITEM = re.compile(r"^([ \t]*)([-*+•]|\d{1,4}[.)])[ \t]+")
_INLINE = re.compile(
    r"(?P<code>`[^`\n]+`)|(?P<strong>\*\*[^*\n]+\*\*|(?<!\w)__[^_\n]+__(?!\w))"
    r"|(?P<em>(?<![*\w])\*[^*\s][^*\n]*\*(?![*\w])|(?<![_\w])_[^_\s][^_\n]*_(?![_\w]))"
)
_DEEPEST = 6
"""Levels of a list that are indented."""
_WRAPPED = 60
"""Characters from which on a line break before plain text is taken for the writer's margin."""
_TEXT = re.compile(r"[^\W\d_]|[`(\"'“‘]|\d+(?![.)\d])")
"""How a line may begin that continues the one before: not with a label, a number or a sign."""


class Highlight(NamedTuple):
    """A highlighted stretch of a text."""

    start: int
    end: int
    label: str
    """Shown before it."""
    kind: str
    """A class of the style sheet."""
    hint: str = ""


class _Piece(NamedTuple):
    """A stretch of a line with one look."""

    start: int
    end: int
    look: str
    """`code`, `strong`, `em`, `sign` and `bar` (hidden), `wrap` (a line end shown as a space) or nothing."""


class _Line(NamedTuple):
    look: str
    """The classes of its element."""
    pieces: list[_Piece]
    cells: bool = False


def markup(text: str, highlights: Sequence[Highlight] = ()) -> str:
    """`text` as markup; `highlights` must not overlap and be in the order of the text."""
    writer = _Writer(text, highlights)
    parts: list[str] = []
    inside = ""
    for group, line in _lines(text):
        if group != inside:
            parts.append(("</div>" if inside else "") + (f'<div class="{group}">' if group else ""))
            inside = group
        parts.append(writer.line(line))
    return f'<div class="md">{"".join(parts)}{"</div>" if inside else ""}</div>'


class _Writer:
    """Writes pieces in the order of the text, cut where a highlight begins or ends."""

    def __init__(self, text: str, highlights: Sequence[Highlight]) -> None:
        self.text, self.highlights = text, highlights
        self.next = 0
        self.opened = False

    def line(self, line: _Line) -> str:
        inner = "".join(self._cells(line) if line.cells else map(self._piece, line.pieces))
        return f'<div class="{line.look}">{inner}</div>'

    def _cells(self, line: _Line) -> Iterator[str]:
        """The pieces of a table row; whatever is between two bars is a cell."""
        cell = ""
        for piece in line.pieces:
            if piece.look == "bar":
                yield f'<span class="cell">{cell}</span>' if cell else ""
                cell = ""
                yield self._piece(piece)
            else:
                cell += self._piece(piece)
        yield f'<span class="cell">{cell}</span>' if cell else ""

    def _piece(self, piece: _Piece) -> str:
        return "".join(self._cut(piece))

    def _cut(self, piece: _Piece) -> Iterator[str]:
        place = piece.start
        while place < piece.end:
            span = self._current(place)
            if span is None or span.start >= piece.end:
                yield self._plain(piece, place, piece.end)
                return
            if place < span.start:
                yield self._plain(piece, place, span.start)
                place = span.start
            end = min(piece.end, span.end)
            yield self._marked(span, piece, place, end)
            place = end

    def _current(self, place: int) -> Highlight | None:
        while self.next < len(self.highlights) and self.highlights[self.next].end <= place:
            self.next, self.opened = self.next + 1, False
        return self.highlights[self.next] if self.next < len(self.highlights) else None

    def _plain(self, piece: _Piece, start: int, end: int) -> str:
        shown = escape(self.text[start:end])
        tag = {"code": "code", "strong": "strong", "em": "em"}.get(piece.look)
        if tag:
            return f"<{tag}>{shown}</{tag}>"
        return f'<span class="{"wrap" if piece.look == "wrap" else "sign"}">{shown}</span>' if piece.look else shown

    def _marked(self, span: Highlight, piece: _Piece, start: int, end: int) -> str:
        inner = self._plain(piece, start, end)
        # Hidden signs and white space are not highlighted.
        if piece.look in ("sign", "bar") or not self.text[start:end].strip():
            return inner
        # Only the first piece of a highlight is a <mark>, however many lines it crosses.
        if self.opened:
            return f'<span class="marked {span.kind}">{inner}</span>'
        self.opened = True
        label = f' data-label="{escape(span.label)}"' if span.label else ""
        hint = f' title="{escape(span.hint)}"' if span.hint else ""
        return f'<mark class="{span.kind}"{label}{hint}>{inner}</mark>'


def _lines(text: str) -> Iterator[tuple[str, _Line]]:
    """Each line with the group it belongs to: `fence`, `grid` for a table, or none."""
    lines = text.split("\n")
    fenced = {
        number: number in (block.opening.line, block.end)
        for block in blocks(lines)
        if block.end is not None  # a fence that is never closed is ordinary text: nothing may hide behind it
        for number in range(block.opening.line, block.end + 1)
    }
    rows = _table_rows(lines, fenced)
    open_line: _Line | None = None
    start = 0
    for number, line in enumerate(lines):
        stop = min(start + len(line) + 1, len(text))
        if open_line is not None and (number in fenced or number in rows or not _continues(lines[number - 1], line)):
            yield "", open_line
            open_line = None
        if number in fenced:
            yield "fence", _Line("sign" if fenced[number] else "line", [_Piece(start, stop, "")])
        elif number in rows:
            yield "grid", _row(line, start, stop, rows[number])
        elif open_line is not None:
            open_line = _joined(open_line, _prose(line, start, stop))
        else:
            open_line = _prose(line, start, stop)
        start += len(line) + 1
    if open_line is not None:
        yield "", open_line


def _continues(above: str, line: str) -> bool:
    """Whether a line goes on with the sentence above it, which was broken at the writer's margin."""
    plain = not _is_rule(line) and not _ITEM.match(line) and _TEXT.match(line.lstrip())
    return bool(len(above) >= _WRAPPED and not above.endswith("  ") and plain and not heading(above))


def _joined(line: _Line, below: _Line) -> _Line:
    """Two lines as one; the line end between them is shown as a space."""
    end = line.pieces[-1]._replace(look="wrap")
    return _Line(line.look, [*line.pieces[:-1], end, *below.pieces])


def _table_rows(lines: Sequence[str], fenced: dict[int, bool]) -> dict[int, str]:
    """The lines of tables with their role: `head`, `sign` for the line below it, `line`."""
    roles: dict[int, str] = {}
    for number, line in enumerate(lines):
        if number in fenced or "|" not in line:
            continue
        below = lines[number + 1] if number + 1 < len(lines) and number + 1 not in fenced else ""
        if number in roles:
            continue
        if is_table_rule(below):
            roles[number], roles[number + 1] = "line head", "sign"
        elif number - 1 in roles or _is_row(line):
            roles[number] = "line"
    return roles


def _is_row(line: str) -> bool:
    """Whether a line is a row of a table even without its head: a passage may be a row alone."""
    row = line.strip()
    return row.startswith("|") and row.endswith("|") and row.count("|") > 3


def _is_rule(line: str) -> bool:
    """Whether a line is three or more of `-`, `*` or `_`, which is a ruled line."""
    signs = "".join(line.split())
    return len(signs) > 2 and signs in (len(signs) * "-", len(signs) * "*", len(signs) * "_") and _spaces(line) < 4


def _spaces(text: str) -> int:
    """How many characters of white space it begins with."""
    return len(text) - len(text.lstrip())


def _row(line: str, start: int, stop: int, look: str) -> _Line:
    pieces: list[_Piece] = []
    place = start
    for bar in re.finditer(r"\s*(?<!\\)\|\s*", line):
        pieces += _inline(line, start, place - start, bar.start())
        pieces.append(_Piece(start + bar.start(), start + bar.end(), "bar"))
        place = start + bar.end()
    pieces += _inline(line, start, place - start, len(line))
    pieces.append(_Piece(start + len(line), stop, "bar"))
    return _Line(look, pieces, cells=True)


def _prose(line: str, start: int, stop: int) -> _Line:
    look, signs = _shape(line)
    pieces = [_Piece(start, start + signs, "sign")] if signs else []
    pieces += _inline(line, start, signs, len(line))
    pieces.append(_Piece(start + len(line), stop, ""))
    return _Line(look, [piece for piece in pieces if piece.end > piece.start])


def _shape(line: str) -> tuple[str, int]:
    """The classes of a line, and how many characters at its start are signs."""
    if not line.strip():
        return "line blank", 0
    if _is_rule(line):
        return "line rule", len(line)
    if found := heading(line):
        return f"line heading h{found[0]}", line.index("#") + found[0] + _spaces(line.lstrip()[found[0] :])
    if item := _ITEM.match(line):
        depth = min(len(item[1].expandtabs(4)) // 2, _DEEPEST)
        numbered = item[2][0].isdigit()
        # The number of an item is text worth reading; a bullet is drawn by the style sheet.
        return f"line item{' numbered' if numbered else ''} d{depth}", len(item[1]) if numbered else item.end()
    indent = _spaces(line)
    if line[indent] == ">":
        return "line quoted", indent + 2 if line[indent + 1 : indent + 2] in (" ", "\t") else indent + 1
    depth = min(len(line[:indent].expandtabs(4)) // 2, _DEEPEST)
    return f"line d{depth}" if depth else "line", indent if depth else 0


def _inline(line: str, base: int, start: int, end: int) -> list[_Piece]:
    """The pieces of a stretch of a line: emphasis and code, with their signs."""
    pieces: list[_Piece] = []
    place = start
    for match in _INLINE.finditer(line, start, end):
        look = match.lastgroup or ""
        width = 2 if look == "strong" else 1
        first, last = match.start(), match.end()
        pieces.append(_Piece(base + place, base + first, ""))
        pieces.append(_Piece(base + first, base + first + width, "sign"))
        pieces.append(_Piece(base + first + width, base + last - width, look))
        pieces.append(_Piece(base + last - width, base + last, "sign"))
        place = last
    pieces.append(_Piece(base + place, base + end, ""))
    return [piece for piece in pieces if piece.end > piece.start]
