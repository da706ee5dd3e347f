"""A Markdown text as a flat list of sections: each heading with the lines that are its own.

Fences are respected when they close; one that never closes is ordinary text, so that broken Markdown hides nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from steelyard.audit.findings.code_blocks import code_blocks
from steelyard.audit.findings.numbering import BOLD_LEVEL, Heading
from steelyard.audit.findings.phrases import is_label
from steelyard.audit.findings.titles import is_frame, is_group, is_part_noun, is_praise
from steelyard.audit.tables import is_rule
from steelyard.markdown import heading as heading_of

LONGEST_HEADING = 400
"""Characters; a longer line is not a heading, and no pattern runs over it."""
_BOLD_LINE = re.compile(r"^ {0,3}(?:\*\*|__)([^*_].{0,150}?)(?:\*\*|__)\s*:?\s*$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line, its number, and whether it is code."""

    number: int
    text: str
    code: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its own lines, up to the next heading of any level."""

    title: str
    level: int
    """0 for text before the first heading."""
    line: int
    parents: tuple[str, ...]
    lines: tuple[Line, ...]
    leaf: bool
    """Whether there is no heading below it."""

    def as_container(self) -> Section:
        """The same section as one with headings below it."""
        return replace(self, leaf=False)


def headings(lines: Sequence[Line]) -> list[Heading]:
    """Every heading, labels of parts included; a line that is bold and nothing else is one in everything but name."""
    found = ((index, _head(lines, index)) for index, line in enumerate(lines) if not line.code)
    return [Heading(index, *head) for index, head in found if head is not None]


def part_titles(headings: Iterable[Heading]) -> frozenset[str]:
    """Titles that label the same part of several findings, in any language: they occur below different headings.

    Praise labels no part of a finding: headings with `Strengths` below each are the criteria of the review.
    """
    named = [heading for heading in headings if heading.level > 1]
    seen = Counter(label(heading.title) for heading in named)
    bold = Counter(label(heading.title) for heading in named if heading.level == BOLD_LEVEL)
    return frozenset(
        title
        for title, times in seen.items()
        if times > 1
        and not (is_frame(title) or is_praise(title))
        and (not is_group(title) or (is_part_noun(title) and bold[title] == times))
    )


def label(title: str) -> str:
    """A title as a label: without case, emphasis and colon."""
    return " ".join(title.strip(" *_:").casefold().split())


def outline(text: str, parts: frozenset[str] = frozenset()) -> list[Section]:
    """All sections in order; a section without own text and with children is kept, with no lines.

    A heading whose title is one of the `parts` belongs to the section above it.
    """
    lines = list(marked(text))
    heads = [(0, 0, "")] + [(index, level, title) for index, level, title in _heads(lines, parts)]
    sections: list[Section] = []
    trail: list[tuple[int, str]] = []
    for position, (index, level, title) in enumerate(heads):
        after = heads[position + 1] if position + 1 < len(heads) else None
        start = index + 1 if level else 0
        body = lines[start : after[0] if after else len(lines)]
        trail = [each for each in trail if each[0] < level]
        parents = tuple(name for _, name in trail)
        leaf = after is None or after[1] <= level
        number = lines[index].number if lines else 1
        sections.append(Section(title, level, number, parents, tuple(body), leaf))
        if level:
            trail.append((level, title))
    return sections


def marked(text: str) -> Iterator[Line]:
    """The lines of a text; those inside a fence that closes are code."""
    raw = text.split("\n")
    closing = {block.opening.line: block.end for block in code_blocks(raw) if block.end is not None}
    until = -1
    for index, line in enumerate(raw):
        until = closing.get(index, until)
        yield Line(index + 1, line, index <= until)


def fences(text: str) -> Iterator[tuple[str, int, str]]:
    """Every fenced block that closes: its tag in lower case, the number of its first line, its text."""
    raw = text.split("\n")
    for block in code_blocks(raw):
        yield block.opening.tag, block.opening.line + 2, block.text(raw)


def _heads(lines: Sequence[Line], parts: frozenset[str]) -> Iterator[Heading]:
    """The headings that begin a section: not those that label a part of the finding above them."""
    above: tuple[int, str] = (0, "")
    every = headings(lines)
    labelled = _labelled(every, parts)
    for heading in every:
        if heading.place not in labelled and not _labels_part((heading.level, heading.title), above, parts):
            above = (heading.level, heading.title)
            yield heading


def _labelled(every: Sequence[Heading], parts: frozenset[str]) -> set[int]:
    """The places of bold lines below headings that are one finding: at least half of those lines label parts of it.

    The others label parts too, only that no other finding has them: `Affected endpoints` between `Issue` and `Impact`.
    """
    inside: set[int] = set()
    for above, bold in _with_bold_lines(every):
        labels = [heading for heading in bold if is_label(heading.title) or label(heading.title) in parts]
        titles = [heading.title for heading in bold]
        grouped = any(is_praise(title) or (is_group(title) and not is_part_noun(title)) for title in titles)
        if 2 * len(labels) >= len(bold) > 0 and not grouped and not is_group(above.title) and not is_frame(above.title):
            inside |= {heading.place for heading in bold}
    return inside


def _with_bold_lines(every: Sequence[Heading]) -> Iterator[tuple[Heading, list[Heading]]]:
    """Each heading of level 2 to 6 with the bold lines directly below it."""
    above: Heading | None = None
    bold: list[Heading] = []
    # A heading after the last one, so that the last is given as well.
    for heading in [*every, Heading(-1, 1, "")]:
        if heading.level == BOLD_LEVEL:
            bold.append(heading)
            continue
        if above is not None and above.level > 1:
            yield above, bold
        above, bold = heading, []


def _head(lines: Sequence[Line], index: int) -> tuple[int, str] | None:
    """Level and title; a line that is bold and nothing else is a heading in everything but name."""
    text = lines[index].text
    if len(text) > LONGEST_HEADING:
        return None
    found = heading_of(text)
    # `# | Severity | Finding` over a rule is the head of a table.
    if found and not ("|" in text and is_rule(_line_text(lines, index + 1))):
        return found
    bold = _BOLD_LINE.match(text)
    return (BOLD_LEVEL, bold.group(1).strip()) if bold else None


def _line_text(lines: Sequence[Line], index: int) -> str:
    return lines[index].text if index < len(lines) else ""


def _labels_part(found: tuple[int, str], above: tuple[int, str], parts: frozenset[str]) -> bool:
    """Whether a heading below a finding's own heading only labels a part of it (`#### Impact`)."""
    level, title = found
    labels = is_label(title) or label(title) in parts
    return labels and level > above[0] >= 2 and not is_group(above[1]) and not is_frame(above[1])
