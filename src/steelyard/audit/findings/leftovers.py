"""The lines of an output that belong to no finding, grouped, each group with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.audit.findings.report import CODE, FRAME, Dropped
from steelyard.audit.findings.sections import Line, headings, marked
from steelyard.audit.model import Finding, LeftOut
from steelyard.audit.tables import is_row, is_rule
from steelyard.text import short

_SHOWN = 100
"""Characters of a group that are shown."""


def left_out(text: str, findings: Sequence[Finding], dropped: Sequence[Dropped]) -> tuple[LeftOut, ...]:
    """What belongs to no finding; headings over findings and the heads of their tables are part of the layout."""
    lines = list(marked(text))
    taken = {number for finding in findings for number in range(finding.line, finding.end + 1)}
    reasons = {number: part.reason for part in dropped for number in range(part.line, part.end + 1)}
    layout = _layout(lines, taken)
    groups: list[LeftOut] = []
    for line in lines:
        if line.number in taken or line.number in layout or not line.text.strip(" \t-*_=>|:"):
            continue
        reason = reasons.get(line.number, CODE if line.code else FRAME)
        if groups and groups[-1].reason == reason and _adjacent(groups[-1].end, line.number, taken):
            groups[-1] = LeftOut(groups[-1].line, line.number, reason, groups[-1].text)
        else:
            groups.append(LeftOut(line.number, line.number, reason, short(line.text, _SHOWN)))
    return tuple(groups)


def _layout(lines: Sequence[Line], taken: set[int]) -> set[int]:
    """Headings with a finding below them, and heads of tables with a finding in them."""
    layout: set[int] = set()
    open_heads: list[tuple[int, int]] = []
    heads = {heading.place: heading.level for heading in headings(lines)}
    for index, line in enumerate(lines):
        if line.number in taken:
            layout |= {number for _, number in open_heads}
            open_heads.clear()
        elif index in heads:
            open_heads = [head for head in open_heads if head[0] < heads[index]]
            open_heads.append((heads[index], line.number))
        elif is_row(line.text) and index + 1 < len(lines) and is_rule(lines[index + 1].text):
            layout |= {line.number} if index + 2 < len(lines) and lines[index + 2].number in taken else set()
    return layout


def _adjacent(end: int, number: int, taken: set[int]) -> bool:
    return not any(between in taken for between in range(end + 1, number))
