"""Markdown table rows as people and agents write them: escaped pipes, pipes in code, missing outer bars, full width."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.text import narrow

_LONGEST_RULE = 2_000
_RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$")


_SPECIAL = re.compile(r"(?P<escapes>(?<!\\)\\*)(?P<mark>[|｜`\n]|<br\s{0,9}/?>)", re.IGNORECASE)
"""What means something in a cell, with the backslashes before it; elsewhere a backslash is a backslash."""


def is_row(line: str) -> bool:
    """Whether a line reads as a table row: it starts with a bar, or has two bars inside."""
    flat = narrow(line).strip()
    return flat.startswith("|") and flat.count("|") >= 2


def bare_rows(lines: Sequence[str]) -> set[int]:
    """The places of tables without outer bars: a rule of dashes and bars, the head above it and the rows below."""
    found: set[int] = set()
    for place, line in enumerate(lines):
        if place in found or not is_rule(line) or line.strip().startswith("|"):
            continue
        first = place - 1 if place and "|" in lines[place - 1] else place
        last = next((after for after in range(place, len(lines)) if "|" not in lines[after]), len(lines))
        found |= set(range(first, last))
    return found


def is_rule(line: str) -> bool:
    """The `|---|---|` line under a header."""
    return len(line) <= _LONGEST_RULE and "-" in line and "|" in narrow(line) and _RULE.match(narrow(line)) is not None


def cells(line: str) -> list[str]:
    """The cells of one row; `\\|` and bars inside code spans belong to their cell, `<br>` is a line end."""
    body = line.strip()
    flat = narrow(body)
    parts, start, index, ticked = list[str](), 0, 0, False
    while index < len(flat):
        if body[index] == "\\":
            index += 2
            continue
        # An unpaired backtick opens nothing: the rest of the row would vanish into one cell.
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
    return [_SPECIAL.sub(_read, part).strip() for part in parts]


def cell(text: str) -> str:
    """`text` as it can stand in a cell: `cells` gives it back."""
    unpaired = text.count("`") % 2 == 1

    def written(found: re.Match[str]) -> str:
        plain = found["mark"] == "\n" or (found["mark"] == "`" and not unpaired)
        mark = "<br>" if found["mark"] == "\n" else found["mark"]
        return 2 * found["escapes"] + ("" if plain else "\\") + mark

    return _SPECIAL.sub(written, text)


def _read(found: re.Match[str]) -> str:
    """Backslashes before a special mark: each pair is one, an odd one makes the mark ordinary text."""
    kept, odd = divmod(len(found["escapes"]), 2)
    line_end = not odd and found["mark"].startswith("<")
    return "\\" * kept + ("\n" if line_end else found["mark"])
