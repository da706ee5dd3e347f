"""Headings that number findings: `### 3. …`, `### C-2: …`, `#### Issue 1-4: …`, `## 問題2: …`, `**P01: …**`.

A numbered heading and everything below it is one finding, however it is laid out. Numbers also order other things: the
chapters of a report (`1. Critical issues`), its steps (`Step 2`), the parts of one recommendation (`1. Add an index`).
Each rule below tells one of them from a finding.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.audit.findings.titles import in_praise, is_frame, is_group

BOLD_LEVEL = 7
"""The level of a line that is bold and nothing else: below every heading."""

_ORNAMENT = re.compile(r"^(?:[^\w(\[#]|_)+")
_STRUCTURE = re.compile(
    r"(?:step|phase|pass|part|section|chapter|stage|round|tier|level|priority|week|day|month|quarter|sprint|categor(?:y|ies)"
    r"|criteri(?:on|a)|appendix|table|figure|layer|version|score|iteration|perspective|dimension|area|option|alternative"
    r"|approach|solution|fix|action|scenario|example|recommendation|mitigation|countermeasure|query|method|module|file|line"
    r"|top|ステップ|フェーズ|段階|セクション|章|節|案|対策|推奨|評価|良い点|優先度?|付録|表|図|例)\b",
    re.IGNORECASE,
)
"""Words before a number that order a report, or the parts of one finding."""
_NUMBER = r"\d{1,3}(?:[.-]\d{1,3}){0,4}(?:-?[A-Za-z](?=\s?[:.)\]、–—]|\s-\s))?"
"""`3`, `1.2.3`, `3a`, `03-A`; a letter counts only if a mark follows it."""
_PLAIN = re.compile(rf"\(?(?P<number>{_NUMBER})(?P<mark>\s?[.):、\]–—-]|(?=\s))\s*(?=\S)")
_CODED = re.compile(
    rf"\[?(?P<word>[A-Za-z]{{1,12}})(?P<joint>[-_ ]?)(?P<number>{_NUMBER})(?P<mark>\s?[:.)\]–—]|\s-(?=\s)|(?=\s|$))\s*"
)
_WORDED = re.compile(
    rf"\[?(?P<word>(?:[A-Za-z][\w/-]{{0,20}}\s){{1,4}}|[\u3040-\u30ff\u4e00-\u9fff]{{1,10}}\s?)(?:#|no\.?\s?|[A-Za-z]{{1,4}}-?)?"
    rf"(?P<number>{_NUMBER})(?P<mark>\s?[:.)\]、–—]|\s-(?=\s)|\s?\[[^\[\]]{{1,20}}\]\s?:|$)\s*",
    re.IGNORECASE,
)


class Heading(NamedTuple):
    """A heading of a report."""

    place: int
    """Index of its line; 0 is the first."""
    level: int
    """1 to 6, or `BOLD_LEVEL`."""
    title: str


class Number(NamedTuple):
    """The number that a title begins with."""

    word: str
    """What precedes it, in lower case: `c` of `C-1`, `issue` of `Issue 2`; empty for plain numbers."""
    parts: tuple[int, ...]
    """`1.2.3` as (1, 2, 3), `3b` as (3,): its parts share its number."""
    coded: bool
    """Whether letters stand right before it: `C-1`, `Issue R-01`, `問題2`; not `Operation 2`."""
    marked: bool
    """Whether a mark follows (`1.`, `C-1:`); without one, only a series of such headings is numbering."""


class Span(NamedTuple):
    """The lines of one numbered finding."""

    heading: Heading
    end: int
    """Index after its last line."""
    group: tuple[str, ...]
    """Titles of the headings above it."""


def number_of(title: str) -> Number | None:
    """The number a title begins with; None if it has none, or one that orders something other than findings."""
    flat = _ORNAMENT.sub("", title[:200])
    match = _PLAIN.match(flat) or _CODED.match(flat) or _WORDED.match(flat)
    if match is None:
        return None
    word = (match.groupdict().get("word") or "").strip().casefold()
    if word and _STRUCTURE.search(word):
        return None
    parts = tuple(map(int, re.findall(r"\d+", match["number"])))
    # `S3 bucket`, `OAuth 2 flow` and `404 pages` are words of a title; `1.2 Title` is not.
    marked = bool(match["mark"].strip()) or (not word and len(parts) > 1)
    before = flat[: match.start("number")].rstrip("-_")
    return Number(word, parts, before[-1:].isalpha(), marked)


def is_numbered(title: str) -> bool:
    """Whether a title begins with a number and a mark after it: `3. …`, `Finding 3: …`, `[SEC-03] …`."""
    number = number_of(title)
    return number is not None and number.marked


def numbered_findings(headings: Sequence[Heading], total: int) -> list[Span]:
    """The findings of a report that numbers them in its headings; `total` is the number of its lines."""
    numbers = _series([number_of(heading.title) for heading in headings])
    ends = _ends(_deepened(headings, numbers), total)
    trails = _trails(headings)
    spans: list[Span] = []
    until = 0
    for place, heading in enumerate(headings):
        titles = tuple(headings[above].title for above in trails[place])
        if heading.place < until or numbers[place] is None or _names_no_finding(heading.title, titles):
            continue
        if _holds_findings(place, headings, numbers, ends):
            continue
        until = ends[place]
        spans.append(Span(heading, until, titles))
    return spans


def _names_no_finding(title: str, above: Sequence[str]) -> bool:
    """Whether a number belongs to a chapter of the report, or to something that is not wrong."""
    return is_group(title) or is_frame(title) or in_praise([*above, title])


def _series(numbers: list[Number | None]) -> list[Number | None]:
    """Numbers without a mark count only where the report has two of a kind: `C-1 Title`, `C-2 Title`."""
    kinds: dict[str, set[tuple[int, ...]]] = {}
    for number in numbers:
        if number is not None:
            kinds.setdefault(number.word, set()).add(number.parts)
    return [number if number and (number.marked or len(kinds[number.word]) > 1) else None for number in numbers]


def _deepened(headings: Sequence[Heading], numbers: Sequence[Number | None]) -> list[Heading]:
    """The headings with bold labels (`**Impact**`) below bold numbers (`**C1: …**`): they do not end a finding."""
    return [
        heading._replace(level=BOLD_LEVEL + 1) if heading.level == BOLD_LEVEL and number is None else heading
        for heading, number in zip(headings, numbers, strict=True)
    ]


def _ends(headings: Sequence[Heading], total: int) -> list[int]:
    """For each heading, the index of the line at which its section ends: the next heading that is not deeper."""
    ends = [total] * len(headings)
    stack: list[int] = []
    for place, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            ends[stack.pop()] = heading.place
        stack.append(place)
    return ends


def _trails(headings: Sequence[Heading]) -> list[tuple[int, ...]]:
    """For each heading, the places of the headings above it, outermost first."""
    trails: list[tuple[int, ...]] = []
    stack: list[int] = []
    for place, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            stack.pop()
        trails.append(tuple(stack))
        stack.append(place)
    return trails


def _holds_findings(
    place: int, headings: Sequence[Heading], numbers: Sequence[Number | None], ends: Sequence[int]
) -> bool:
    """Whether a numbered heading is a chapter: it says so, or the headings below it continue its number."""
    if is_group(headings[place].title):
        return True
    below = range(place + 1, len(headings))
    for child in below:
        if headings[child].place >= ends[place]:
            return False
        number = numbers[child]
        # Bold lines also count parts of a finding: `**Operation 3: …**`, not `**Major issue 3: …**`.
        counts = number is not None and (number.coded or headings[child].level < BOLD_LEVEL or is_group(number.word))
        if counts and _continues(numbers[place], number):
            return True
    return False


def _continues(above: Number | None, below: Number | None) -> bool:
    """Whether a number below another one begins a finding of its own: `1.2` or `C-1` below `1`, not `1` below `C-1`."""
    if above is None or below is None:
        return False
    if below.word == above.word:
        return len(below.parts) > len(above.parts) and below.parts[: len(above.parts)] == above.parts
    return bool(below.word) and not above.word
