"""Answer keys as Markdown, as people write them.

A problem starts at `### P01: Title` (any heading level, bold instead of a heading, full-width digits). Its fields are
`- **Name**: text` (bullets, bold and the bar of a two-column table are optional); text goes on over the following
lines. Lines indented by six or more always belong to the text above them, which is how any text survives a round trip;
only where the first criterion of a problem stands that deep, the others may too. The lines of a fenced block inside a
problem are text as well: a comment in sample code is no heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from steelyard.audit import tables as grid
from steelyard.audit.key.check import Draft, checked, problem_id
from steelyard.audit.key.labels import CRITERIA_LABELS, FIELD_NAMES, criterion_line, word
from steelyard.audit.model import BonusEntry, Key, Problem
from steelyard.errors import InputError
from steelyard.markdown import block_at
from steelyard.text import narrow, unix

_DEEP = 6
"""Spaces from which a line belongs to the text above it, whatever it looks like."""

_NESTED = 4
"""Spaces by which a line inside a criterion is indented further than the criterion."""

_HEADING = re.compile(r"^\s{0,3}(#{1,6})(?!#)\s*(?P<text>.*)$")
_CLOSING = re.compile(r"(?:^|(?<=\s))[#＃]+$")
"""The hashes that may close a heading stand apart: `C#` is a name."""
_HASHES = re.compile(r"(?:^|(?<=\s))(\\*[#＃]+)$")
_PROBLEM = re.compile(
    r"^\s*(?P<bold>[*_]{0,3})\s*\[?\s*(?:(?:Problem\s)?\s?P\s?-?|Problem\s?[#-]?(?=\d{1,4}\s?[*_]{0,3}\s?[:.)–—-]))"
    r"(?P<number>\d{1,4})\s*\]?(?P<closed>[*_]{0,3})\s*(?:[:.)\-–—]+|$|(?=\s))\s*(?P<title>.*)$",
    re.I,
)
_BOLD_PROBLEM = re.compile(r"^\s{0,3}(?:\*\*|__)\s*(?:Problem\s?)?(?:P\s?-?|[#-]?)\d{1,4}\b", re.I)
_FIELD = re.compile(
    r"^\s{0,5}(?:(?:[-*+•]|\d{1,2}[.)])\s+)?(?P<bold>[*_]{2})?(?P<name>[^:*_|]{2,40}?)\s*(?:[*_]{2})?\s*:(?:[*_]{2}(?=\s|$))?\s*(?P<text>.*)$"
)
_BONUS_HEAD = ("id", "category", "content", "bonus condition")


@dataclass(slots=True)
class _Reader:
    """Where the next line of text goes."""

    source: str
    drafts: list[Draft] = field(default_factory=list[Draft])
    bonuses: list[tuple[BonusEntry, int]] = field(default_factory=list[tuple[BonusEntry, int]])
    title: str = ""
    notes: list[tuple[str, list[str]]] = field(default_factory=lambda: [("", list[str]())])
    draft: Draft | None = None
    criteria_at: int | None = None
    """The indent of the problem's first criterion."""
    slot: bool = False
    """Whether a text is open that further lines continue."""
    bonus_columns: list[str] | None = None
    fenced_until: int = 0
    """The line that closes the fenced block being read."""
    texts: list[tuple[Draft, str, str, list[str]]] = field(default_factory=list[tuple[Draft, str, str, list[str]]])
    """Every text of every problem, the last one being continued."""


def read(text: str, source: str) -> Key:
    """The key in a Markdown text."""
    reader = _Reader(source)
    lines = unix(text).split("\n")
    for number, line in enumerate(lines, start=1):
        # Deep lines are text with or without a fence, and a fence in one text must not reach into the next.
        if reader.slot and number > reader.fenced_until and _indent(line) < _DEEP:
            reader.fenced_until = _fence_end(lines, number)
        if number <= reader.fenced_until:
            _continue(reader, line)
        else:
            _line(reader, line, number)
    for draft, kind, name, lines in reader.texts:
        _settle(draft, kind, name, _joined(lines))
    notes = [(heading, _joined(lines)) for heading, lines in reader.notes]
    kept = [(heading, body) for heading, body in notes if body]
    return checked(reader.drafts, reader.bonuses, source, reader.title, kept)


def _fence_end(lines: list[str], number: int) -> int:
    """The line that closes the fence opened on line `number`; 0 if none opens there or it is never closed."""
    block = block_at(lines, number - 1)
    return 0 if block is None or block.end is None else block.end + 1


def _settle(draft: Draft, kind: str, name: str, text: str) -> None:
    if kind == "fields":
        draft.fields[name] = text
    elif kind == "criteria":
        draft.criteria[name] = text
    elif text:
        draft.extra.append((name, text))


def _joined(lines: list[str]) -> str:
    """Continuation lines with their common indent removed."""
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in rest), default=0)
    cut = min(indent, _DEEP)
    return "\n".join([lines[0].strip(), *(line[cut:].rstrip() for line in lines[1:])]).strip() if lines else ""


def _indent(line: str) -> int:
    flat = narrow(line)
    return len(flat) - len(flat.lstrip(" "))


def _deep_criterion(reader: _Reader, line: str) -> bool:
    """Whether a deep line is a criterion all the same: the first one of its problem stands as deep."""
    beside = reader.criteria_at is not None and _indent(line) < reader.criteria_at + _NESTED
    return beside and criterion_line(line) is not None


def _line(reader: _Reader, line: str, number: int) -> None:
    flat = narrow(line)
    deep = _indent(line) >= _DEEP and not _deep_criterion(reader, line)
    if reader.slot and (deep or not flat.strip()):
        _continue(reader, line)
    elif heading := _HEADING.match(flat):
        _heading(reader, line, heading, number)
    elif _BOLD_PROBLEM.match(flat) and (found := _PROBLEM.match(flat.strip())):
        _open(reader, found, line.strip(), number)
    elif grid.is_row(line):
        _row(reader, line, number)
    elif reader.draft is not None:
        _inside(reader, line, flat, number)
    elif flat.strip() or reader.notes[-1][1]:
        reader.notes[-1][1].append(line)


def _heading(reader: _Reader, line: str, heading: re.Match[str], number: int) -> None:
    text = _HASHES.sub(_unescaped, _CLOSING.sub("", line[heading.start("text") :].strip()).strip())
    found = _PROBLEM.match(narrow(text))
    if found:
        _open(reader, found, text, number)
        return
    reader.draft, reader.slot, reader.bonus_columns = None, False, None
    if len(heading.group(1)) == 1 and not reader.title and not reader.drafts:
        reader.title = text
        return
    reader.notes.append((text, []))


def _open(reader: _Reader, found: re.Match[str], text: str, number: int) -> None:
    title = " ".join(text[found.start("title") :].split())
    if found["bold"] and not found["closed"]:
        title = _closed(title, found["bold"])
    reader.draft = Draft(int(found["number"]), title, number)
    reader.drafts.append(reader.draft)
    reader.slot, reader.bonus_columns, reader.criteria_at = False, None, None


def _closed(title: str, bold: str) -> str:
    """A title without the end of the emphasis that began before its number: `**P01:** Title`, `**P01: Title**`."""
    return title.removeprefix(bold).strip() if title.startswith(bold) else title.removesuffix(bold).strip()


def _unescaped(found: re.Match[str]) -> str:
    return found.group(1).removeprefix("\\")


def _inside(reader: _Reader, line: str, flat: str, number: int) -> None:
    assert reader.draft is not None
    if criterion := criterion_line(line):
        reader.criteria_at = _indent(line) if reader.criteria_at is None else reader.criteria_at
        _start(reader, "criteria", criterion[0], criterion[1], number)
        return
    found = _FIELD.match(flat)
    name = word(found["name"]) if found else ""
    if found is None and word(flat.strip("-•+ ")) in CRITERIA_LABELS:
        reader.slot = False
    elif found and name in CRITERIA_LABELS:
        reader.slot = False
        for part in re.split(r"(?=[○◯〇△▲×✕])", line[found.start("text") :]):
            if part.strip() and (criterion := criterion_line(part.strip(" ,;/"))):
                _start(reader, "criteria", criterion[0], criterion[1], number)
    elif found and name in FIELD_NAMES:
        reader.draft.lines[FIELD_NAMES[name]] = number
        _start(reader, "fields", FIELD_NAMES[name], line[found.start("text") :], number)
    elif found and found["bold"]:
        label = line[found.start("name") : found.end("name")].strip()
        _start(reader, "extra", label, line[found.start("text") :], number)
    elif reader.slot:
        _continue(reader, line)
    elif flat.strip():
        _start(reader, "extra", "", line, number)


def _start(reader: _Reader, kind: str, name: str, text: str, number: int) -> None:
    assert reader.draft is not None
    if kind != "extra" and any(each[:3] == (reader.draft, kind, name) for each in reader.texts):
        raise InputError(f"{reader.source}, line {number}: {name} of {problem_id(reader.draft.number)} is given twice")
    reader.slot = True
    reader.texts.append((reader.draft, kind, name, [text.strip()]))


def _continue(reader: _Reader, line: str) -> None:
    reader.texts[-1][3].append(line)


def _row(reader: _Reader, line: str, number: int) -> None:
    if grid.is_rule(line):
        return
    cells = grid.cells(line)
    heads = [word(each) for each in cells]
    if heads[:1] == ["id"] and "content" in heads:
        reader.bonus_columns, reader.draft, reader.slot = heads, None, False
    elif reader.bonus_columns is not None:
        named = dict(zip(reader.bonus_columns, cells, strict=False))
        texts = [named.get(each, "") for each in _BONUS_HEAD[:3]]
        condition = named.get("bonus condition", named.get("condition", ""))
        if any(cells):
            reader.bonuses.append((BonusEntry(narrow(texts[0]), texts[1], texts[2], condition), number))
    elif reader.draft is not None and len(cells) == 2 and _is_field(cells[0]):
        _inside(reader, f"{cells[0]}: {cells[1]}", narrow(f"{cells[0]}: {cells[1]}"), number)
    elif reader.draft is not None and reader.slot:
        _continue(reader, line)
    elif reader.draft is not None and heads == ["field", "value"]:
        return
    else:
        reader.notes[-1][1].append(line)


def _is_field(label: str) -> bool:
    return word(label) in FIELD_NAMES or criterion_line(label + ":") is not None


def write(key: Key) -> str:
    """The key as Markdown in its canonical shape."""
    parts = [f"# {_headed(key.title)}"] if key.title else []
    lead = [text for heading, text in key.notes if not heading]
    parts += lead
    parts += ["\n".join(_problem(problem)) for problem in key.problems]
    if key.bonuses:
        parts.append("\n".join(_bonus_table(key)))
    parts += [f"## {_headed(heading)}\n\n{text}" for heading, text in key.notes if heading]
    return "\n\n".join(parts) + "\n"


def _problem(problem: Problem) -> Iterator[str]:
    yield f"### {problem.id}: {_headed(problem.title)}"
    yield from (_hung(text) for name, text in problem.extra if not name)
    named = (("Category", problem.category), ("Severity", problem.severity), ("Location", problem.location))
    for name, text in (*named, ("Problem Description", problem.description)):
        if text:
            yield f"- **{name}**: {_hung(text)}"
    yield "- **Detection Criteria**:"
    yield f"  - ○ (Detected): {_hung(problem.criteria.detected)}"
    yield f"  - △ (Partial): {_hung(problem.criteria.partial)}"
    yield f"  - × (Not detected): {_hung(problem.criteria.missed)}"
    yield from (f"- **{name}**: {_hung(text)}" for name, text in problem.extra if name)


def _headed(title: str) -> str:
    """A title as it can stand in a heading: hashes at its end are no closing ones."""
    return _HASHES.sub(lambda found: "\\" + found.group(1), title)


def _hung(text: str) -> str:
    """Further lines hang under the first, deep enough to be nothing but text."""
    return text.replace("\n", "\n" + " " * _DEEP)


def _bonus_table(key: Key) -> Iterator[str]:
    yield "## Bonus\n"
    yield "| ID | Category | Content | Bonus Condition |"
    yield "|----|----------|---------|-----------------|"
    for each in key.bonuses:
        yield "| " + " | ".join(map(grid.cell, (each.id, each.category, each.content, each.condition))) + " |"
