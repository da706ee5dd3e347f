"""The findings in an agent's output, in whatever form agents write them.

JSON and YAML are read as data, also in fenced blocks beside other text; so are CSV and the lines of compilers.
Everything else is Markdown of some kind; a finding is a numbered heading with all that is below it, any other heading
with its text, a list item, a line whose mark its paragraph repeats, a table row, a bold lead or a paragraph. Text that
belongs to no finding is listed with the reason. Nothing here raises: a text without findings has none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from steelyard.audit.findings.claims import RawFinding
from steelyard.audit.findings.leftovers import left_out
from steelyard.audit.findings.lines import line_findings
from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.report import read_report
from steelyard.audit.findings.structured import fenced_findings, json_findings
from steelyard.audit.model import Finding, LeftOut, Output
from steelyard.audit.text import plain
from steelyard.markdown import fence_at
from steelyard.text import short

_QUOTE = re.compile(r"^\s{0,3}(?:> ?)+")

_REPORT_TAGS = ("", "markdown", "md", "text", "txt", "plaintext")
"""Tags of a fence around a whole report; below any other tag there is code."""

TEXT_LIMIT = 8_000_000
"""Characters of one output that are read."""


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
    return Findings(findings, left_out(around, findings, report.dropped))


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
    spoken = [line for line in lines if line.strip() and not line.rstrip().endswith(":")]
    if not spoken or not all(line.lstrip().startswith(">") for line in spoken):
        return text
    return "\n".join(_QUOTE.sub("", line) for line in lines)


def _numbered(index: int, raw: RawFinding) -> Finding:
    lead = raw.title or next((line for line in raw.text.split("\n") if line.strip()), "")
    text = raw.text.strip()
    return Finding(index, text, short(lead), raw.line, raw.end, raw.locations or locations(text), raw.group)
