"""Lists in a report: which lines begin an item, and which items are findings rather than names of categories.

Some marks always begin an item (`-`, `1.`, `a)`). Others are ordinary text unless lines of one paragraph repeat them
(`A)`, `II.`, `[C-1]`, `P01:`, `Issue 1:`, `【重大】`, 🔴, a bold lead): only then does each such line begin a finding.
An item that only names a category (`Security:`) is replaced by the items below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steelyard.audit.findings.phrases import is_field, is_label, long_enough
from steelyard.audit.findings.sections import Line
from steelyard.audit.findings.titles import is_group

ITEM = re.compile(
    r"^(?P<indent>\s*)(?:(?:[-*+•–—]|\(?\d{1,3}[.):、]|[a-z][.)]|#\d{1,3}[:.)]?)\s+"
    # Full-width numbering (`１．`) has no space after it; 1.5 and 3.x are no numbering.
    r"|\(?\d{1,3}[.)、](?=\*\*|[^\W\da-z_])|・|<(?:li|finding|issue|problem)(?:\s[^>\n]{0,200})?>)\s*(?P<text>\S.*)$"
)
"""A line that begins an item of a list."""

LEAD = re.compile(
    r"^\s{0,3}(?:\*\*|__)[^*_\n]{3,160}(?:\*\*|__)|^\s{0,3}(?:Finding|Issue|Problem|Bug)\s*#?\d{1,3}\s*[:.)–—-]", re.I
)
"""A line that begins a finding at the start of a paragraph."""

_REPEATED = {
    "letter": re.compile(r"\(?(?:[A-Z]|[IVXL]{2,6})[.)]\s+\S"),
    # `[text](url)` is a link, and `[1]: url` says where one leads.
    "bracket": re.compile(r"(?:\*\*)?\[[^\]\n]{1,20}\](?![(:])|【[^】\n]{1,20}】"),
    "code": re.compile(r"(?:\*\*)?[A-Za-z]{1,8}-?\d{1,3}(?:\*\*)?\s{0,3}[:.)–—-]\s*\S"),
    "named": re.compile(
        r"(?:Finding|Issue|Problem|Bug|Vulnerability|問題|指摘|課題)\s{0,3}#?\d{1,3}\s{0,3}[:.)、–—-]", re.I
    ),
    # A tick stands before what is right or done.
    "sign": re.compile(r"(?![✅✔☑])[\u2600-\u27bf\U0001f300-\U0001faff]\s*\S"),
    "bold": re.compile(r"(?:\*\*|__)(?P<label>[^*_\n]{3,160}?)(?P<end>[.:!?]?)(?:\*\*|__)(?P<after>:?)\s*\S"),
}
"""Marks that count where one paragraph repeats them."""

_CATEGORY_WORDS = 6
"""Words of the longest category name."""
_FINDING_WORDS = 5
"""Words that each item needs before a bare one-word name above them is read as their category."""
_DEEPEST = 8
"""Levels of nesting that are opened; deeper ones stay with their parent."""
_PLACE = re.compile(
    r"^(?:section|chapter|part|step|file|module|class|function|lines?|page|§)\W*[\w.:-]+$", re.IGNORECASE
)


class Item(NamedTuple):
    """The lines of one item, and the names of the categories above it."""

    lines: tuple[Line, ...]
    about: str


def repeated(lines: Sequence[Line]) -> set[int]:
    """The indexes of the lines that begin a finding because their paragraph repeats a mark."""
    starts: set[int] = set()
    for paragraph in _paragraphs(lines):
        mark = _mark(lines[paragraph[0]].text)
        # Below an introduction the second line is the first that counts.
        if not mark and lines[paragraph[0]].text.rstrip().endswith(":"):
            mark = _mark(lines[paragraph[1]].text) if len(paragraph) > 1 else ""
        marked = [index for index in paragraph if mark and _mark(lines[index].text) == mark]
        starts |= set(marked) if len(marked) > 1 else set()
    return starts


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[int]]:
    current: list[int] = []
    for index, line in enumerate(lines):
        if line.code or not line.text.strip() or ITEM.match(line.text):
            if current:
                yield current
            # Text that follows a list item without a blank line belongs to the item.
            current = [index] if line.text.strip() and not line.code else []
        else:
            current.append(index)
    if current:
        yield current


def _mark(text: str) -> str:
    """The kind of mark a line begins with, or an empty string."""
    flat = text.strip()
    if text.startswith("    ") or ITEM.match(text) or is_field(flat):
        return ""
    matches = ((kind, pattern.match(flat)) for kind, pattern in _REPEATED.items())
    return next((kind for kind, match in matches if match and (kind != "bold" or _begins_finding(match))), "")


def _begins_finding(bold: re.Match[str]) -> bool:
    """Whether bold words begin a finding; a short label with a colon names a part of one."""
    label = bold["label"]
    if is_label(label):
        return False
    return ":" not in (bold["end"], bold["after"]) or is_group(label) or long_enough(label, 3)


def leaf_items(lines: tuple[Line, ...], about: str = "", depth: int = 0) -> list[Item]:
    """The item itself, or the items below it when it only names their category."""
    below = _below(lines) if depth < _DEEPEST else []
    name = _name(lines[0].text)
    if len(below) < 2 or not _is_category(name, below):
        return [Item(lines, about)]
    name = name.rstrip(" :")
    path = f"{about}: {name}" if about else name
    return [leaf for item in below for leaf in leaf_items(item, path, depth + 1)]


def _below(lines: Sequence[Line]) -> list[tuple[Line, ...]]:
    """The items directly below the first line; none if other text comes first."""
    items = [index for index, line in enumerate(lines) if index and not line.code and ITEM.match(line.text)]
    between = lines[1 : items[0]] if items else ()
    if not items or any(line.text.strip() for line in between):
        return []
    level = min(_depth(lines[index]) for index in items)
    starts = [index for index in items if _depth(lines[index]) == level]
    return [tuple(lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _depth(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip())


def _name(text: str) -> str:
    item = ITEM.match(text)
    return re.sub(r"[*_`]+", "", item["text"] if item else text).strip()


def _is_category(name: str, below: Sequence[tuple[Line, ...]]) -> bool:
    """Whether a short name announces the items below it, each of which can be a finding of its own."""
    if any(is_field(item[0].text) for item in below) or long_enough(name, _CATEGORY_WORDS + 1) or is_field(f"{name}:"):
        return False
    if name.endswith(":") or is_group(name) or _PLACE.match(name):
        return True
    texts = (" ".join(_name(line.text) for line in item) for item in below)
    return len(name.split()) == 1 and all(long_enough(text, _FINDING_WORDS) for text in texts)
