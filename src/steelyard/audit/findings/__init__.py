"""The findings in an agent's output, in whatever form agents write them.

JSON and YAML are read as data, also in fenced blocks beside other text; so are CSV and the lines of compilers.
Everything else is Markdown of some kind; a finding is a numbered heading with all that is below it, any other heading
with its text, a list item, a line whose mark its paragraph repeats, a table row, a bold lead or a paragraph. Text that
belongs to no finding is listed with the reason. Nothing here raises: a text without findings has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.audit.findings.claims import RawFinding
from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.report import CODE, FRAME, Dropped, read_report
from steelyard.audit.findings.sections import Line, headings, marked
from steelyard.audit.findings.structured import fenced_findings, json_findings, line_findings
from steelyard.audit.model import Finding, LeftOut, Output
from steelyard.audit.tables import is_row, is_rule
from steelyard.audit.text import plain
from steelyard.markdown import fence_at
from steelyard.text import short

_QUOTE = re.compile(r"^\s{0,3}(?:> ?)+")

_REPORT_TAGS = ("", "markdown", "md", "text", "txt", "plaintext")
"""Tags of a fence around a whole report; below any other tag there is code."""

TEXT_LIMIT = 8_000_000
"""Characters of one output that are read."""
_SHOWN = 100
"""Characters of a group that are shown."""


class Findings(NamedTuple):
    """What was read from a text."""

    findings: tuple[Finding, ...]
    left_out: tuple[LeftOut, ...]


def read_output(text: str, name: str) -> Output:
    """The output of one run, normalised, with its findings."""
    clean, flags = plain(text[:TEXT_LIMIT])
    if len(text) > TEXT_LIMIT:
        flags = (*flags, f"cut to {TEXT_LIMIT} characters")
    read = read_findings(clean)
    return Output(name, clean, read.findings, flags, read.left_out)


def read_findings(text: str) -> Findings:
    """The findings of a normalised text in order, and what belongs to none."""
    text = _unquoted(_unwrapped(text))
    raw = json_findings(text)
    if raw is None:
        raw = line_findings(text)
    if raw is not None:
        return Findings(_in_order(raw), ())
    fenced, around = fenced_findings(text)
    report = read_report(around)
    findings = _in_order([*fenced, *report.findings])
    return Findings(findings, _left_out(around, findings, report.dropped))


def _in_order(raw: list[RawFinding]) -> tuple[Finding, ...]:
    nonempty = (finding for finding in sorted(raw, key=lambda finding: finding.line) if finding.text.strip())
    return tuple(_numbered(index, finding) for index, finding in enumerate(nonempty, start=1))


def _unwrapped(text: str) -> str:
    """A report that is fenced as a whole, without its fence; the lines keep their numbers."""
    lines = text.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if len(filled) > 2:
        first, last = fence_at(lines, filled[0]), fence_at(lines, filled[-1])
        wrapped = first is not None and first.indented() and first.info.strip().lower() in _REPORT_TAGS
        if wrapped and last is not None and last.indented() and last.bare:
            lines[filled[0]] = lines[filled[-1]] = ""
    return "\n".join(lines)


def _unquoted(text: str) -> str:
    """A report that is quoted as a whole, without the quotation marks; a quotation inside a report stays one."""
    lines = text.split("\n")
    # A line like `The report:` may introduce the quotation.
    spoken = [line for line in lines if line.strip() and not line.rstrip().endswith(":")]
    if not spoken or not all(line.lstrip().startswith(">") for line in spoken):
        return text
    return "\n".join(_QUOTE.sub("", line) for line in lines)


def _numbered(index: int, raw: RawFinding) -> Finding:
    lead = raw.title or next((line for line in raw.text.split("\n") if line.strip()), "")
    text = raw.text.strip()
    return Finding(index, text, short(lead), raw.line, raw.end, raw.locations or locations(text), raw.group)


def _left_out(text: str, findings: Sequence[Finding], dropped: Sequence[Dropped]) -> tuple[LeftOut, ...]:
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
