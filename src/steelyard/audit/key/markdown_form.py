"""Reads answer keys from Markdown, as people write them, and writes them.

A problem starts at `### P01: Title` (any heading level, bold instead of a heading, full-width digits); a heading with
another id (`### SEC-03: Title`) starts one if fields of a problem follow. Its fields are
`- **Name**: text` (bullets and bold are optional, a two-column table works too); text continues on the following lines.
Lines indented by six or more spaces always belong to the text above them, which is how any text survives a round trip
(`write`); the exception is a problem whose first criterion is indented that deep, where the others may be
too. Lines of a fenced block inside a problem are text as well: a comment in sample code is not a heading. Without
any such heading the problems are the rows of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steelyard.audit import tables
from steelyard.audit.key.check import Draft, Faults, checked, problem_name
from steelyard.audit.key.columns import (
    BONUS_NAMED,
    bonus_columns,
    bonus_heading,
    bonus_item,
    bonus_with_field,
    criteria_columns,
    header,
    is_bonus,
    is_bonus_header,
    problem_columns,
    problem_row,
)
from steelyard.audit.key.labels import CRITERIA_LABELS, FIELD_NAMES, criterion_line, word
from steelyard.audit.key.reader import DEEP, KeyReader
from steelyard.audit.model import Key, Problem
from steelyard.markdown import block_at, heading
from steelyard.text import narrow, unix

_NESTED = 4
"""How many spaces deeper than a criterion its continuation lines are."""

_CLOSING = re.compile(r"(?:^|(?<=\s))[#＃]+$")
"""Closing hashes of a heading follow a space: `C#` is a name."""
_HASHES = re.compile(r"(?:^|(?<=\s))(\\*[#＃]+)$")
"""Hashes at the end of a title, with the backslashes that keep them from closing the heading."""
_PROBLEM = re.compile(
    r"^\s*(?P<bold>[*_]{0,3})\s*\[?\s*(?:(?:Problem\s)?\s?P\s?-?|Problem\s?[#-]?(?=\d{1,4}\s?[*_]{0,3}\s?[:.)–—-]))"
    r"(?P<number>\d{1,4})\s*\]?(?P<closed>[*_]{0,3})\s*(?:[:.)\-–—]+|$|(?=\s))\s*(?P<title>.*)$",
    re.I,
)
_BOLD_PROBLEM = re.compile(r"^\s{0,3}(?:\*\*|__)\s*(?:Problem\s?)?(?:P\s?-?|[#-]?)\d{1,4}\b", re.I)
# Six spaces (`DEEP`) or more before it make it text.
_FIELD = re.compile(
    r"^\s{0,5}(?:(?:[-*+•]|\d{1,2}[.)])\s+)?(?P<bold>[*_]{2})?(?P<name>[^:*_|]{2,40}?)\s*(?:[*_]{2})?\s*:(?:[*_]{2}(?=\s|$))?\s*(?P<text>.*)$"
)
_OTHER_ID = re.compile(
    r"^\s*[*_]{0,3}\s*\[?(?P<id>[A-Za-z][A-Za-z0-9]{0,11}?\s?[-_]?\d{1,4})\]?[*_]{0,3}\s*(?:[:.)–—]+|-\s|(?<=\])|$)\s*(?P<title>.*)$"
)


def read(text: str, source: str) -> Key:
    """The key in a Markdown text."""
    reader = KeyReader(Faults(source))
    lines = unix(text).split("\n")
    problems = _other_problems(lines)
    for number, line in enumerate(lines, start=1):
        # Deep lines are text with or without a fence, and a fence in one text must not extend into the next.
        if reader.continuing and number > reader.fenced_until and _indent(line) < DEEP:
            reader.fenced_until = _fence_end(lines, number)
        if number <= reader.fenced_until:
            _continue(reader, line)
        else:
            _line(reader, line, number, starts_problem=number in problems)
    notes = reader.finish()
    # Beside problems with headings, a table of problems is only an overview of them.
    return checked(reader.drafts or reader.rows, reader.bonuses, reader.faults, reader.title, notes)


def _other_problems(lines: list[str]) -> set[int]:
    """The lines of headings with an id other than P01 that are followed by criteria, so that they start a problem."""
    problems: set[int] = set()
    open_heading = 0
    for number, line in enumerate(lines, start=1):
        flat = narrow(line)
        if found := heading(flat):
            start = _OTHER_ID.match(found[1])
            # `## Round 3: what this is` looks like an id, but no criteria follow.
            open_heading = number if start and problem_name(start["id"]) else 0
        elif open_heading and criterion_line(line):
            problems.add(open_heading)
    return problems


def _fence_end(lines: list[str], number: int) -> int:
    """The line that closes the fence opened on line `number`; 0 if none opens there or it is never closed."""
    block = block_at(lines, number - 1)
    return 0 if block is None or block.end is None else block.end + 1


def _indent(line: str) -> int:
    flat = narrow(line)
    return len(flat) - len(flat.lstrip(" "))


def _deep_criterion(reader: KeyReader, line: str) -> bool:
    """Whether a deep line is a criterion because the first one of its problem is as deep."""
    beside = reader.criteria_indent is not None and _indent(line) < reader.criteria_indent + _NESTED
    return beside and criterion_line(line) is not None


def _line(reader: KeyReader, line: str, number: int, *, starts_problem: bool) -> None:
    flat = narrow(line)
    deep = _indent(line) >= DEEP and not _deep_criterion(reader, line)
    if reader.continuing and (deep or not flat.strip()):
        _continue(reader, line)
    elif found := heading(flat):
        _heading(reader, line, number, level=found[0], starts_problem=starts_problem)
    elif _BOLD_PROBLEM.match(flat) and (start := _PROBLEM.match(flat.strip())):
        _start_problem(reader, start, line.strip(), number)
    elif tables.is_row(line):
        _row(reader, line, number)
    elif is_bonus(reader.heading) and _bonus_line(reader, line, number):
        return
    elif reader.draft is not None:
        _problem_line(reader, line, flat, number)
    elif flat.strip() or reader.notes[-1][1]:
        reader.notes[-1][1].append(line)


def _bonus_line(reader: KeyReader, line: str, number: int) -> bool:
    """Whether a line in a section of bonuses is a field of the last entry, or another entry."""
    if reader.bonus_open and (changed := bonus_with_field(reader.bonuses[-1][0], line)):
        reader.bonuses[-1] = (changed, reader.bonuses[-1][1])
        return True
    entry = bonus_item(line, len(reader.bonuses), unnamed=not reader.named_bonuses)
    if entry is not None:
        reader.add_bonus(entry, number, named=BONUS_NAMED.match(line) is not None)
    return entry is not None


def _heading(reader: KeyReader, line: str, number: int, *, level: int, starts_problem: bool) -> None:
    text = _HASHES.sub(_unescaped, _CLOSING.sub("", line.strip().lstrip("#＃").strip()).strip())
    if start := _PROBLEM.match(narrow(text)):
        _start_problem(reader, start, text, number, level=level)
        return
    if starts_problem and (start := _OTHER_ID.match(narrow(text))):
        draft = Draft(problem_name(start["id"]) or "", text[start.start("title") :].strip(" *_"), number)
        reader.open_problem(draft, level)
        return
    if _labels_part(reader, text, number, level=level):
        return
    reader.close()
    if is_bonus(reader.heading) and (entry := bonus_heading(text)):
        reader.add_bonus(entry, number)
        return
    reader.heading = text
    if level == 1 and not reader.title and not reader.drafts:
        reader.title = text
        return
    reader.notes.append((text, []))


def _labels_part(reader: KeyReader, text: str, number: int, *, level: int) -> bool:
    """Whether a heading below that of a problem labels a part of it: `#### Severity`, `#### Detection Criteria`."""
    name = word(text)
    # A problem that begins with a bold line has no level, so any heading ends it.
    if reader.draft is None or not 0 < reader.level < level or name not in (*FIELD_NAMES, *CRITERIA_LABELS):
        return False
    reader.continuing = False
    if name in FIELD_NAMES:
        reader.draft.lines[FIELD_NAMES[name]] = number
        _start_text(reader, "fields", FIELD_NAMES[name], "", number)
    return True


def _start_problem(reader: KeyReader, start: re.Match[str], text: str, number: int, level: int = 0) -> None:
    title = " ".join(text[start.start("title") :].split())
    if start["bold"] and not start["closed"]:
        title = _without_closing(title, start["bold"])
    reader.open_problem(Draft(f"P{int(start['number']):02d}", title, number), level)


def _without_closing(title: str, bold: str) -> str:
    """A title without the end of emphasis that began before its number: `**P01:** Title`, `**P01: Title**`."""
    return title.removeprefix(bold).strip() if title.startswith(bold) else title.removesuffix(bold).strip()


def _unescaped(hashes: re.Match[str]) -> str:
    return hashes.group(1).removeprefix("\\")


def _problem_line(reader: KeyReader, line: str, flat: str, number: int) -> None:
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
        # All three may be on one line.
        for part in re.split(r"(?=[○◯〇△▲×✕])", line[field_start.start("text") :]):
            if part.strip() and (criterion := criterion_line(part.strip(" ,;/"))):
                _start_text(reader, "criteria", criterion[0], criterion[1], number)
    elif field_start and name in FIELD_NAMES:
        reader.draft.lines[FIELD_NAMES[name]] = number
        _start_text(reader, "fields", FIELD_NAMES[name], line[field_start.start("text") :], number)
    # Without bold, `note: …` may be text of the field above.
    elif field_start and field_start["bold"]:
        label = line[field_start.start("name") : field_start.end("name")].strip()
        _start_text(reader, "extra", label, line[field_start.start("text") :], number)
    elif reader.continuing:
        _continue(reader, line)
    elif flat.strip():
        _start_text(reader, "extra", "", line, number)


def _start_text(reader: KeyReader, kind: str, name: str, text: str, number: int) -> None:
    assert reader.draft is not None
    before = next((lines for *of, lines in reader.texts if of == [reader.draft, kind, name]), None)
    if kind != "extra" and before is not None:
        if before[0] == text.strip():
            reader.draft.repeated.append((name, number))
        else:
            reader.faults.add(number, f"duplicate {name} of {reader.draft.id}")
        return
    reader.continuing = True
    reader.texts.append((reader.draft, kind, name, [text.strip()]))


def _continue(reader: KeyReader, line: str) -> None:
    reader.texts[-1][3].append(line)


def _row(reader: KeyReader, line: str, number: int) -> None:
    if tables.is_rule(line):
        _rule(reader, line)
        return
    cells = tables.cells(line)
    heads = header(cells)
    if reader.bonus_columns is None and is_bonus_header(heads, reader.heading):
        _start_bonus_table(reader, heads, number)
    elif reader.bonus_columns is not None:
        if any(cells):
            reader.add_bonus(reader.bonus_columns.entry(cells, len(reader.bonuses)), number)
    elif reader.problem_columns is None and reader.draft is None and (columns := problem_columns(heads)):
        reader.problem_columns = columns
        reader.keep_overview(line)
    elif reader.problem_columns is not None and (draft := problem_row(reader.problem_columns, cells, number)):
        reader.rows.append(draft)
        reader.keep_overview(line)
    elif reader.draft is not None and reader.criteria_columns is not None:
        for at, name in reader.criteria_columns.items():
            _start_text(reader, "criteria", name, cells[at] if at < len(cells) else "", number)
        reader.criteria_columns, reader.continuing = None, False
    elif reader.draft is not None and (columns := criteria_columns(heads)):
        reader.criteria_columns = columns
    elif reader.draft is not None and len(cells) == 2 and _is_field(cells[0]):
        _problem_line(reader, f"{cells[0]}: {cells[1]}", narrow(f"{cells[0]}: {cells[1]}"), number)
    elif reader.draft is not None and reader.continuing:
        _continue(reader, line)
    elif reader.draft is not None and heads == ["field", "value"]:
        return
    else:
        reader.notes[-1][1].append(line)


def _rule(reader: KeyReader, line: str) -> None:
    """The rule below a header is part of the text that its table is in."""
    if reader.problem_columns is not None:
        reader.keep_overview(line)
    elif reader.bonus_columns is None and reader.draft is None and reader.notes[-1][1]:
        reader.notes[-1][1].append(line)
    elif reader.draft is not None and reader.continuing and tables.is_row(reader.texts[-1][3][-1]):
        _continue(reader, line)


def _start_bonus_table(reader: KeyReader, heads: list[str], number: int) -> None:
    """A bonus table begins; one without a column for the content cannot be read."""
    columns = bonus_columns(heads)
    if columns is None:
        cure = "columns: ID, Category, Content, Bonus Condition"
        reader.faults.add(
            number, f"this looks like a bonus table, but no column holds the content ({', '.join(heads)})", cure
        )
        return
    reader.close()
    reader.bonus_columns = columns


def _is_field(label: str) -> bool:
    return word(label) in FIELD_NAMES or criterion_line(label + ":") is not None


def write(key: Key) -> str:
    """The key as Markdown in one canonical form, which `read` reads back unchanged."""
    parts = [f"# {_escaped(key.title)}"] if key.title else []
    parts += [text for name, text in key.notes if not name]
    parts += ["\n".join(_problem_lines(problem)) for problem in key.problems]
    if key.bonuses:
        parts.append("\n".join(_bonus_lines(key)))
    parts += [f"## {_escaped(name)}\n\n{text}" for name, text in key.notes if name]
    return "\n\n".join(parts) + "\n"


def _problem_lines(problem: Problem) -> Iterator[str]:
    yield f"### {problem.id}: {_escaped(problem.title)}"
    yield from (_indented(text) for name, text in problem.extra if not name)
    named = (("Category", problem.category), ("Severity", problem.severity), ("Location", problem.location))
    for name, text in (*named, ("Problem Description", problem.description)):
        if text:
            yield f"- **{name}**: {_indented(text)}"
    yield "- **Detection Criteria**:"
    yield f"  - ○ (Detected): {_indented(problem.criteria.detected)}"
    yield f"  - △ (Partial): {_indented(problem.criteria.partial)}"
    yield f"  - × (Not detected): {_indented(problem.criteria.missed)}"
    yield from (f"- **{name}**: {_indented(text)}" for name, text in problem.extra if name)


def _escaped(title: str) -> str:
    """A title escaped for a heading, so that hashes at its end do not close it."""
    return _HASHES.sub(lambda hashes: "\\" + hashes.group(1), title)


def _indented(text: str) -> str:
    """Text with its further lines indented so deep that they can only be text."""
    return text.replace("\n", "\n" + " " * DEEP)


def _bonus_lines(key: Key) -> Iterator[str]:
    yield "## Bonus\n"
    yield "| ID | Category | Content | Bonus Condition |"
    yield "|----|----------|---------|-----------------|"
    for bonus in key.bonuses:
        cells = (bonus.id, bonus.category, bonus.content, bonus.condition)
        yield f"| {' | '.join(map(tables.cell, cells))} |"
