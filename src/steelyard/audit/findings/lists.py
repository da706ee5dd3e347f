"""How agents mark the beginning of a claim on a line.

Some marks always begin an item (`-`, `1.`, `a)`). Others are ordinary text unless lines of one paragraph repeat them
(`A)`, `II.`, `[C-1]`, `P01:`, `Issue 1:`, `【重大】`, 🔴, a bold lead): only then each such line is a claim of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from steelyard.audit.findings.phrases import gathers, is_field, is_label, says
from steelyard.audit.findings.sections import Line

ITEM = re.compile(
    r"^(?P<indent>\s*)(?:(?:[-*+•–—]|\(?\d{1,3}[.):、]|[a-z][.)]|#\d{1,3}[:.)]?)\s+"
    # Full-width numbering (`１．`) has no space after it; 1.5 and 3.x are no numbering.
    r"|\(?\d{1,3}[.)、](?=\*\*|[^\W\da-z_])|・|<(?:li|finding|issue|problem)(?:\s[^>\n]{0,200})?>)\s*(?P<text>\S.*)$"
)
"""A line that begins an item of a list."""

LEAD = re.compile(
    r"^\s{0,3}(?:\*\*|__)[^*_\n]{3,160}(?:\*\*|__)|^\s{0,3}(?:Finding|Issue|Problem|Bug)\s*#?\d{1,3}\s*[:.)–—-]", re.I
)
"""A line that begins a claim at the start of a paragraph."""

_REPEATED = {
    "letter": re.compile(r"\(?(?:[A-Z]|[IVXL]{2,6})[.)]\s+\S"),
    "bracket": re.compile(r"(?:\*\*)?\[[^\]\n]{1,20}\](?![(:])|【[^】\n]{1,20}】"),
    "code": re.compile(r"(?:\*\*)?[A-Za-z]{1,8}-?\d{1,3}(?:\*\*)?\s{0,3}[:.)–—-]\s*\S"),
    "named": re.compile(
        r"(?:Finding|Issue|Problem|Bug|Vulnerability|問題|指摘|課題)\s{0,3}#?\d{1,3}\s{0,3}[:.)、–—-]", re.I
    ),
    "sign": re.compile(r"(?![✅✔☑])[\u2600-\u27bf\U0001f300-\U0001faff]\s*\S"),
    "bold": re.compile(r"(?:\*\*|__)(?P<label>[^*_\n]{3,160}?)(?P<end>[.:!?]?)(?:\*\*|__)(?P<after>:?)\s*\S"),
}
"""Marks that count where one paragraph repeats them."""


def repeated(lines: Sequence[Line]) -> set[int]:
    """The places of the lines that begin a claim because their paragraph repeats a mark."""
    found: set[int] = set()
    for paragraph in _paragraphs(lines):
        first = next((_mark(lines[place].text) for place in paragraph[:1]), "")
        # Below an introduction the second line is the first that counts.
        if not first and lines[paragraph[0]].text.rstrip().endswith(":"):
            first = _mark(lines[paragraph[1]].text) if len(paragraph) > 1 else ""
        places = [place for place in paragraph if first and _mark(lines[place].text) == first]
        found |= set(places) if len(places) > 1 else set()
    return found


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[int]]:
    current: list[int] = []
    for place, line in enumerate(lines):
        if line.code or not line.text.strip() or ITEM.match(line.text):
            if current:
                yield current
            current = []
            # What follows a list item without a blank line belongs to the item.
            if line.text.strip() and not line.code:
                current = [place]
        else:
            current.append(place)
    if current:
        yield current


def _mark(text: str) -> str:
    """The kind of mark a line begins with, or nothing."""
    flat = text.strip()
    if text.startswith("    ") or ITEM.match(text) or is_field(flat):
        return ""
    found = ((kind, pattern.match(flat)) for kind, pattern in _REPEATED.items())
    return next((kind for kind, match in found if match and (kind != "bold" or _leads(match))), "")


def _leads(bold: re.Match[str]) -> bool:
    """Whether bold words open a claim; a short label with a colon names a part of one."""
    label = bold["label"]
    if is_label(label):
        return False
    return ":" not in (bold["end"], bold["after"]) or gathers(label) or says(label, 3)
