"""Markdown table rows as people and agents write them: escaped bars, bars in code, missing or full-width bars."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.markdown import is_table_rule
from steelyard.text import narrow

_SPECIAL = re.compile(r"(?P<escapes>(?<!\\)\\*)(?P<mark>[|｜`\n]|<br\s{0,9}/?>)", re.IGNORECASE)
"""Characters with a meaning inside a cell, with the backslashes before them; other backslashes are literal."""


def is_row(line: str) -> bool:
    """Whether a line is a table row: it starts with a bar and has at least two."""
    flat = narrow(line).strip()
    return flat.startswith("|") and flat.count("|") >= 2


def bare_rows(lines: Sequence[str]) -> set[int]:
    """Indices of the lines of tables without outer bars: a rule of dashes, the header above it, the rows below."""
    rows: set[int] = set()
    for index, line in enumerate(lines):
        if index in rows or not is_rule(line) or line.strip().startswith("|"):
            continue
        first = index - 1 if index and "|" in lines[index - 1] else index
        end = next((after for after in range(index, len(lines)) if "|" not in lines[after]), len(lines))
        rows |= set(range(first, end))
    return rows


def is_rule(line: str) -> bool:
    """Whether a line is the `|---|---|` under a header."""
    return "-" in line and is_table_rule(narrow(line))


def cells(line: str) -> list[str]:
    """The cells of one row; `\\|` and bars inside code spans belong to their cell, `<br>` is a line break."""
    body = line.strip()
    # One character for one, so that places are the same in both.
    flat = narrow(body)
    parts, start, index, ticked = list[str](), 0, 0, False
    while index < len(flat):
        if body[index] == "\\":
            index += 2
            continue
        # An unpaired backtick opens no code span; otherwise it would swallow the rest of the row.
        if body[index] == "`" and (ticked or body.find("`", index + 1) >= 0):
            ticked = not ticked
        elif flat[index] == "|" and not ticked:
            parts.append(body[start:index])
            start = index + 1
        index += 1
    parts.append(body[start:])
    if parts and not parts[0].strip() and flat.startswith("|"):
        parts = parts[1:]
    if parts and not parts[-1].strip() and flat.endswith("|"):
        parts = parts[:-1]
    return [_SPECIAL.sub(_unescaped, part).strip() for part in parts]


def cell(text: str) -> str:
    """`text` escaped for a cell; `cells` reverses it."""
    unpaired = text.count("`") % 2 == 1

    def escaped(special: re.Match[str]) -> str:
        plain = special["mark"] == "\n" or (special["mark"] == "`" and not unpaired)
        mark = "<br>" if special["mark"] == "\n" else special["mark"]
        return 2 * special["escapes"] + ("" if plain else "\\") + mark

    return _SPECIAL.sub(escaped, text)


def _unescaped(special: re.Match[str]) -> str:
    """A special character as text: each pair of backslashes before it is one, an odd one makes it literal."""
    backslashes, literal = divmod(len(special["escapes"]), 2)
    line_break = not literal and special["mark"].startswith("<")
    return "\\" * backslashes + ("\n" if line_break else special["mark"])
