"""The findings in an agent's output, in whatever form agents write them.

JSON and YAML are read as data, also in fenced blocks beside other text. Everything else is Markdown of some kind; a
finding is a heading with its text, a list item, a line whose mark its paragraph repeats, a table row, a bold lead or a
paragraph. Sections that only frame the report (summary, scope, method, praise) hold no findings as long as others do.
Nothing here raises: a text without findings has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.audit.findings.claims import RawFinding, claims, lists_claims
from steelyard.audit.findings.locations import locations
from steelyard.audit.findings.phrases import is_assessment, is_frame, is_praise, long_enough, without_denial
from steelyard.audit.findings.sections import Section, outline
from steelyard.audit.findings.structured import fenced_findings, json_findings
from steelyard.audit.model import Finding, Output
from steelyard.audit.text import plain
from steelyard.markdown import fence_at
from steelyard.text import short

_QUOTE = re.compile(r"^\s{0,3}(?:> ?)+")

TEXT_LIMIT = 2_000_000
"""Characters of one output that are read."""


def read_output(text: str, name: str) -> Output:
    """The output of one run, normalised, with its findings."""
    clean, flags = plain(text[:TEXT_LIMIT])
    if len(text) > TEXT_LIMIT:
        flags = (*flags, f"cut to {TEXT_LIMIT} characters")
    return Output(name, clean, findings(clean), flags)


def findings(text: str) -> tuple[Finding, ...]:
    """The findings of a normalised text, in order."""
    text = _unquoted(_unwrapped(text))
    raw = json_findings(text)
    if raw is None:
        fenced, around = fenced_findings(text)
        raw = sorted([*fenced, *_from_markdown(around)], key=lambda finding: finding.line)
    nonempty = (finding for finding in raw if finding.text.strip())
    return tuple(_numbered(index, finding) for index, finding in enumerate(nonempty, start=1))


def _unwrapped(text: str) -> str:
    """A report that is fenced as a whole, without its fence; the lines keep their numbers."""
    lines = text.split("\n")
    filled = [index for index, line in enumerate(lines) if line.strip()]
    if len(filled) > 2:
        first, last = fence_at(lines, filled[0]), fence_at(lines, filled[-1])
        wrapped = first is not None and first.indented() and first.info.strip().lower() in ("markdown", "md")
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
    return Finding(index, text, short(lead), raw.line, raw.end, locations(text))


def _from_markdown(text: str) -> list[RawFinding]:
    sections = [section for section in outline(text) if not any(map(is_praise, (section.title, *section.parents)))]
    substance = [section for section in sections if not _only_frames(section)]
    return _from_sections(substance) or _from_sections(sections) or _from_headings(sections)


def _only_frames(section: Section) -> bool:
    """Whether a section only frames the report; an assessment that lists its points is a list of findings."""
    return is_frame(section.title) and not (is_assessment(section.title) and lists_claims(section))


def _from_headings(sections: Sequence[Section]) -> list[RawFinding]:
    """The headings of a report that consists of nothing else."""
    if any(line.text.strip() for section in sections for line in section.lines):
        return []
    stated = [section for section in sections if long_enough(section.title) and not is_frame(section.title)]
    return [RawFinding(each.title, each.title, each.line, each.line) for each in stated if without_denial(each.title)]


def _from_sections(sections: Sequence[Section]) -> list[RawFinding]:
    """The findings outside of framing sections; those inside only where there are no others."""
    unframed = [section for section in sections if not any(map(is_frame, section.parents))]
    return _claims_of(unframed) or _claims_of(sections)


def _claims_of(sections: Sequence[Section]) -> list[RawFinding]:
    """The claims of all sections, without any text that denies there is a problem."""
    kept: list[RawFinding] = []
    for finding in (finding for section in sections for finding in claims(section)):
        rest = without_denial(finding.text)
        if rest == finding.text:
            kept.append(finding)
        elif rest:
            kept.append(finding._replace(text=rest, title=rest.split(". ")[0]))
    return kept
