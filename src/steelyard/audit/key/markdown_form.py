"""Reads answer keys from Markdown, as people write them.

A problem starts at `### P01: Title` (any heading level, bold instead of a heading, full-width digits). Its fields are
`- **Name**: text` (bullets and bold are optional, a two-column table works too); text continues on the following lines.
Lines indented by six or more spaces always belong to the text above them, which is how any text survives a round trip
(`markdown_writer`); the exception is a problem whose first criterion is indented that deep, where the others may be
too. Lines of a fenced block inside a problem are text as well: a comment in sample code is not a heading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from steelyard.audit import tables
from steelyard.audit.key.check import Draft, checked, problem_id
from steelyard.audit.key.labels import CRITERIA_LABELS, FIELD_NAMES, criterion_line, word
from steelyard.audit.model import BonusEntry, Key
from steelyard.errors import InputError
from steelyard.markdown import block_at
from steelyard.text import narrow, unix

DEEP = 6
"""A line with this many leading spaces belongs to the text above it, whatever it looks like."""

_NESTED = 4
"""How many spaces deeper than a criterion its continuation lines are."""

_HEADING = re.compile(r"^\s{0,3}(#{1,6})(?!#)\s*(?P<text>.*)$")
_CLOSING = re.compile(r"(?:^|(?<=\s))[#＃]+$")
"""Closing hashes of a heading follow a space: `C#` is a name."""
HASHES = re.compile(r"(?:^|(?<=\s))(\\*[#＃]+)$")
"""Hashes at the end of a title, with the backslashes that keep them from closing the heading."""
_PROBLEM = re.compile(
    r"^\s*(?P<bold>[*_]{0,3})\s*\[?\s*(?:(?:Problem\s)?\s?P\s?-?|Problem\s?[#-]?(?=\d{1,4}\s?[*_]{0,3}\s?[:.)–—-]))"
    r"(?P<number>\d{1,4})\s*\]?(?P<closed>[*_]{0,3})\s*(?:[:.)\-–—]+|$|(?=\s))\s*(?P<title>.*)$",
    re.I,
)
_BOLD_PROBLEM = re.compile(r"^\s{0,3}(?:\*\*|__)\s*(?:Problem\s?)?(?:P\s?-?|[#-]?)\d{1,4}\b", re.I)
_FIELD = re.compile(
    r"^\s{0,5}(?:(?:[-*+•]|\d{1,2}[.)])\s+)?(?P<bold>[*_]{2})?(?P<name>[^:*_|]{2,40}?)\s*(?:[*_]{2})?\s*:(?:[*_]{2}(?=\s|$))?\s*(?P<text>.*)$"
)
_BONUS_COLUMNS = ("id", "category", "content")
"""The columns of a bonus table besides its condition."""


@dataclass(slots=True)
class _Reader:
    """What has been read so far, and where the next line goes."""

    source: str
    drafts: list[Draft] = field(default_factory=list[Draft])
    bonuses: list[tuple[BonusEntry, int]] = field(default_factory=list[tuple[BonusEntry, int]])
    title: str = ""
    notes: list[tuple[str, list[str]]] = field(default_factory=lambda: [("", list[str]())])
    draft: Draft | None = None
    """The problem being read."""
    criteria_indent: int | None = None
    """Indent of the problem's first criterion."""
    continuing: bool = False
    """Whether further lines continue the last of `texts`."""
    bonus_columns: list[str] | None = None
    """Column names of the bonus table being read."""
    fenced_until: int = 0
    """The line that closes the fenced block being read."""
    texts: list[tuple[Draft, str, str, list[str]]] = field(default_factory=list[tuple[Draft, str, str, list[str]]])
    """(problem, kind, name, lines) of every text."""


def read(text: str, source: str) -> Key:
    """The key in a Markdown text."""
    reader = _Reader(source)
    lines = unix(text).split("\n")
    for number, line in enumerate(lines, start=1):
        # Deep lines are text with or without a fence, and a fence in one text must not extend into the next.
        if reader.continuing and number > reader.fenced_until and _indent(line) < DEEP:
            reader.fenced_until = _fence_end(lines, number)
        if number <= reader.fenced_until:
            _continue(reader, line)
        else:
            _line(reader, line, number)
    for draft, kind, name, lines in reader.texts:
        _store(draft, kind, name, _joined(lines))
    notes = [(heading, _joined(lines)) for heading, lines in reader.notes]
    kept = [(heading, body) for heading, body in notes if body]
    return checked(reader.drafts, reader.bonuses, source, reader.title, kept)


def _fence_end(lines: list[str], number: int) -> int:
    """The line that closes the fence opened on line `number`; 0 if none opens there or it is never closed."""
    block = block_at(lines, number - 1)
    return 0 if block is None or block.end is None else block.end + 1


def _store(draft: Draft, kind: str, name: str, text: str) -> None:
    if kind == "fields":
        draft.fields[name] = text
    elif kind == "criteria":
        draft.criteria[name] = text
    elif text:
        draft.extra.append((name, text))


def _joined(lines: list[str]) -> str:
    """The lines as one text, with the common indent of the continuation lines removed."""
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in rest), default=0)
    cut = min(indent, DEEP)
    return "\n".join([lines[0].strip(), *(line[cut:].rstrip() for line in lines[1:])]).strip() if lines else ""


def _indent(line: str) -> int:
    flat = narrow(line)
    return len(flat) - len(flat.lstrip(" "))


def _deep_criterion(reader: _Reader, line: str) -> bool:
    """Whether a deep line is a criterion because the first one of its problem is as deep."""
    beside = reader.criteria_indent is not None and _indent(line) < reader.criteria_indent + _NESTED
    return beside and criterion_line(line) is not None


def _line(reader: _Reader, line: str, number: int) -> None:
    flat = narrow(line)
    deep = _indent(line) >= DEEP and not _deep_criterion(reader, line)
    if reader.continuing and (deep or not flat.strip()):
        _continue(reader, line)
    elif heading := _HEADING.match(flat):
        _heading(reader, line, heading, number)
    elif _BOLD_PROBLEM.match(flat) and (start := _PROBLEM.match(flat.strip())):
        _start_problem(reader, start, line.strip(), number)
    elif tables.is_row(line):
        _row(reader, line, number)
    elif reader.draft is not None:
        _problem_line(reader, line, flat, number)
    elif flat.strip() or reader.notes[-1][1]:
        reader.notes[-1][1].append(line)


def _heading(reader: _Reader, line: str, heading: re.Match[str], number: int) -> None:
    text = HASHES.sub(_unescaped, _CLOSING.sub("", line[heading.start("text") :].strip()).strip())
    if start := _PROBLEM.match(narrow(text)):
        _start_problem(reader, start, text, number)
        return
    reader.draft, reader.continuing, reader.bonus_columns = None, False, None
    if len(heading.group(1)) == 1 and not reader.title and not reader.drafts:
        reader.title = text
        return
    reader.notes.append((text, []))


def _start_problem(reader: _Reader, start: re.Match[str], text: str, number: int) -> None:
    title = " ".join(text[start.start("title") :].split())
    if start["bold"] and not start["closed"]:
        title = _without_closing(title, start["bold"])
    reader.draft = Draft(int(start["number"]), title, number)
    reader.drafts.append(reader.draft)
    reader.continuing, reader.bonus_columns, reader.criteria_indent = False, None, None


def _without_closing(title: str, bold: str) -> str:
    """A title without the end of emphasis that began before its number: `**P01:** Title`, `**P01: Title**`."""
    return title.removeprefix(bold).strip() if title.startswith(bold) else title.removesuffix(bold).strip()


def _unescaped(hashes: re.Match[str]) -> str:
    return hashes.group(1).removeprefix("\\")


def _problem_line(reader: _Reader, line: str, flat: str, number: int) -> None:
    assert reader.draft is not None
    if criterion := criterion_line(line):
        reader.criteria_indent = _indent(line) if reader.criteria_indent is None else reader.criteria_indent
        _start_text(reader, "criteria", criterion[0], criterion[1], number)
        return
    field_start = _FIELD.match(flat)
    name = word(field_start["name"]) if field_start else ""
    if field_start is None and word(flat.strip("-•+ ")) in CRITERIA_LABELS:
        reader.continuing = False
    elif field_start and name in CRITERIA_LABELS:
        reader.continuing = False
        for part in re.split(r"(?=[○◯〇△▲×✕])", line[field_start.start("text") :]):
            if part.strip() and (criterion := criterion_line(part.strip(" ,;/"))):
                _start_text(reader, "criteria", criterion[0], criterion[1], number)
    elif field_start and name in FIELD_NAMES:
        reader.draft.lines[FIELD_NAMES[name]] = number
        _start_text(reader, "fields", FIELD_NAMES[name], line[field_start.start("text") :], number)
    elif field_start and field_start["bold"]:
        label = line[field_start.start("name") : field_start.end("name")].strip()
        _start_text(reader, "extra", label, line[field_start.start("text") :], number)
    elif reader.continuing:
        _continue(reader, line)
    elif flat.strip():
        _start_text(reader, "extra", "", line, number)


def _start_text(reader: _Reader, kind: str, name: str, text: str, number: int) -> None:
    assert reader.draft is not None
    if kind != "extra" and any(started[:3] == (reader.draft, kind, name) for started in reader.texts):
        raise InputError(f"{reader.source}, line {number}: duplicate {name} of {problem_id(reader.draft.number)}")
    reader.continuing = True
    reader.texts.append((reader.draft, kind, name, [text.strip()]))


def _continue(reader: _Reader, line: str) -> None:
    reader.texts[-1][3].append(line)


def _row(reader: _Reader, line: str, number: int) -> None:
    if tables.is_rule(line):
        return
    cells = tables.cells(line)
    heads = [word(cell) for cell in cells]
    if heads[:1] == ["id"] and "content" in heads:
        reader.bonus_columns, reader.draft, reader.continuing = heads, None, False
    elif reader.bonus_columns is not None:
        row = dict(zip(reader.bonus_columns, cells, strict=False))
        texts = [row.get(column, "") for column in _BONUS_COLUMNS]
        condition = row.get("bonus condition", row.get("condition", ""))
        if any(cells):
            reader.bonuses.append((BonusEntry(narrow(texts[0]), texts[1], texts[2], condition), number))
    elif reader.draft is not None and len(cells) == 2 and _is_field(cells[0]):
        _problem_line(reader, f"{cells[0]}: {cells[1]}", narrow(f"{cells[0]}: {cells[1]}"), number)
    elif reader.draft is not None and reader.continuing:
        _continue(reader, line)
    elif reader.draft is not None and heads == ["field", "value"]:
        return
    else:
        reader.notes[-1][1].append(line)


def _is_field(label: str) -> bool:
    return word(label) in FIELD_NAMES or criterion_line(label + ":") is not None
