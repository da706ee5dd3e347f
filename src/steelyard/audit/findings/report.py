"""A Markdown report as its findings, and what is left out of them with the reason.

Where a report numbers its findings in headings, each numbered heading with everything below it is one. Elsewhere
`claims` cuts sections into the claims they make. Text that frames the report (summary, score, recommendations, the
introduction of a section) usually says again what findings say. It is read all the same: what states a fault that no
finding has stated is a finding. Praise is not, unless it takes itself back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from steelyard.audit.findings.claims import RawFinding, asides, claims
from steelyard.audit.findings.numbering import Span, numbered_findings
from steelyard.audit.findings.overlap import Vocabulary
from steelyard.audit.findings.phrases import long_enough, states_fault, takes_back, without_denial
from steelyard.audit.findings.sections import Line, Section, headings, marked, outline, part_titles
from steelyard.audit.findings.titles import in_praise, is_frame, is_group

PRAISE = "praise"
FRAME = "frames the report"
CODE = "code outside findings"
DENIAL = "says that nothing is wrong"
NO_FAULT = "states no fault"
SUMS_UP = "sums up findings"


class Dropped(NamedTuple):
    """Lines that were looked at and are no finding."""

    line: int
    end: int
    reason: str


class Reading(NamedTuple):
    """What a report says."""

    findings: list[RawFinding]
    dropped: list[Dropped]


def numbered_spans(lines: Sequence[Line]) -> list[Span]:
    """The findings that a report numbers in its headings."""
    return numbered_findings(headings(lines), len(lines))


def read_report(text: str) -> Reading:
    """The findings of a report in the order of the text, and what was dropped."""
    lines = list(marked(text))
    spans = numbered_spans(lines)
    numbered = [_whole(span, lines) for span in spans]
    sections = _sections(lines, spans)
    praise = [section for section in sections if _is_praise(section)]
    dropped = [_dropped(section, PRAISE) for section in praise]
    sections = [section for section in sections if not _is_praise(section)]
    beside = {(span.heading.level, span.group) for span in spans}
    main = [section for section in sections if _is_main(section, beside)]
    findings = [*numbered, *_claims_of(main, dropped)]
    if findings:
        side = [section for section in sections if not _is_main(section, beside)]
        qualified = [finding for finding in _claims_of(praise, dropped) if takes_back(finding.text)]
        findings += _news(findings, [*_claims_of(side, dropped), *_asides_of(sections, dropped), *qualified], dropped)
    else:
        # No part lists anything, so the framing parts are all that there is.
        findings = _claims_of(sections, dropped) or _from_headings(sections)
    return Reading(sorted(findings, key=lambda finding: finding.line), dropped)


def _whole(span: Span, lines: Sequence[Line]) -> RawFinding:
    """A numbered heading with all that is below it, as one finding."""
    first = span.heading.place
    body = list(lines[first + 1 : span.end])
    while body and not _carries_text(body[-1].text):
        body.pop()
    text = "\n".join([span.heading.title, *(line.text for line in body)])
    end = body[-1].number if body else lines[first].number
    return RawFinding(text, span.heading.title, lines[first].number, end, " > ".join(span.group))


def _carries_text(line: str) -> bool:
    """Whether a line is more than white space or a rule between findings."""
    return bool(line.strip(" \t-*_=>"))


def _sections(lines: Sequence[Line], spans: Sequence[Span]) -> list[Section]:
    """The sections of what is outside numbered findings; one that held some is not a claim of its own."""
    inside = {index for span in spans for index in range(span.heading.place, span.end)}
    rest = "\n".join("" if index in inside else line.text for index, line in enumerate(lines))
    above = {title for span in spans for title in span.group}
    sections = outline(rest, part_titles(headings(lines)))
    return [section.as_container() if section.title in above else section for section in sections]


def _is_praise(section: Section) -> bool:
    return in_praise([*section.parents, section.title])


def _is_main(section: Section, beside: Collection[tuple[int, tuple[str, ...]]]) -> bool:
    """Whether a section is there to list findings.

    In a report that numbers its findings these are groups and headings beside numbered ones; `beside` holds the level
    of those and the titles above them.
    """
    if any(map(is_frame, (section.title, *section.parents))):
        return False
    grouped = any(map(is_group, (section.title, *section.parents[1:])))
    return not beside or grouped or (section.level, section.parents) in beside


def _claims_of(sections: Sequence[Section], dropped: list[Dropped]) -> list[RawFinding]:
    """The claims of all sections, without any text that denies there is a problem."""
    return list(_without_denials((finding for section in sections for finding in claims(section)), dropped))


def _asides_of(sections: Sequence[Section], dropped: list[Dropped]) -> list[RawFinding]:
    """The prose that introduces other headings."""
    return list(_without_denials((finding for section in sections for finding in asides(section)), dropped))


def _without_denials(findings: Iterator[RawFinding], dropped: list[Dropped]) -> Iterator[RawFinding]:
    for finding in findings:
        rest = without_denial(finding.text)
        if rest == finding.text:
            yield finding
        elif rest:
            yield finding._replace(text=rest, title=rest.split(". ")[0])
        else:
            dropped.append(Dropped(finding.line, finding.end, DENIAL))


def _news(stated: Sequence[RawFinding], candidates: Sequence[RawFinding], dropped: list[Dropped]) -> list[RawFinding]:
    """The candidates that state a fault no finding has stated; the others are dropped with the reason."""
    vocabulary = Vocabulary([finding.text for finding in stated])
    news: list[RawFinding] = []
    for candidate in candidates:
        reason = _no_news(candidate, vocabulary, stated)
        if reason:
            dropped.append(Dropped(candidate.line, candidate.end, reason))
        else:
            news.append(candidate)
    return news


def _no_news(candidate: RawFinding, vocabulary: Vocabulary, stated: Sequence[RawFinding]) -> str:
    if not states_fault(candidate.text):
        return NO_FAULT
    place = vocabulary.repeated(candidate.text)
    if place is not None:
        return f"repeats the finding on line {stated[place].line}"
    # A row of a matrix and a paragraph touch on several findings at once.
    if candidate.kind in ("row", "prose") and vocabulary.covers(candidate.text):
        return SUMS_UP
    return ""


def _dropped(section: Section, reason: str) -> Dropped:
    last = max((line.number for line in section.lines if line.text.strip()), default=section.line)
    return Dropped(section.line, last, reason)


def _from_headings(sections: Sequence[Section]) -> list[RawFinding]:
    """The headings of a report that consists of nothing else."""
    if any(line.text.strip() for section in sections for line in section.lines):
        return []
    stated = [section for section in sections if long_enough(section.title) and not is_frame(section.title)]
    titles = [section for section in stated if without_denial(section.title)]
    return [RawFinding(section.title, section.title, section.line, section.line) for section in titles]
