"""A run's text as its findings and what is between them, and where the passage of a mark is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from steelyard.audit.model import SYMBOLS, Finding, LeftOut, Output, RunResult
from steelyard.audit.text import place_of
from steelyard.report.markup import Highlight

_LAYOUT = 1.25
"""How many times the letters of a finding its lines may hold: in JSON they hold names and excerpts as well."""


class Segment(NamedTuple):
    """A stretch of a run: one finding, or text that belongs to none."""

    finding: Finding | None
    line: int
    """First line in the output, from 1."""
    end: int
    """Last line."""
    text: str
    """The lines as they are, or the finding's own text where it shares its lines or the output is data."""
    left_out: tuple[LeftOut, ...] = ()
    """What the reader left out of this stretch, with the reasons."""


def segments(output: Output) -> list[Segment]:
    """The whole output in the order of its text."""
    lines = output.text.split("\n") if output.text else []
    shared = Counter(line for finding in output.findings for line in range(finding.line, finding.end + 1))
    # Between the findings of data there is only its syntax.
    is_data = output.text.lstrip()[:1] in ("{", "[")
    parts: list[Segment] = []
    covered = 0
    for finding in sorted(output.findings, key=lambda finding: (finding.line, finding.index)):
        if finding.line > covered + 1 and not is_data:
            parts += _between(output, lines, covered + 1, finding.line - 1)
        parts.append(_finding(finding, lines, shared))
        covered = max(covered, finding.end)
    return parts + ([] if is_data else _between(output, lines, covered + 1, len(lines)))


def _finding(finding: Finding, lines: Sequence[str], shared: Counter[int]) -> Segment:
    own = "\n".join(lines[finding.line - 1 : finding.end])
    alone = all(shared[line] == 1 for line in range(finding.line, finding.end + 1))
    as_written = alone and 0 < _letters(own) <= _LAYOUT * _letters(finding.text) + 20
    return Segment(finding, finding.line, finding.end, own if as_written else finding.text)


def _between(output: Output, lines: Sequence[str], first: int, last: int) -> list[Segment]:
    text = "\n".join(lines[first - 1 : last]).strip("\n")
    if not any(map(str.isalnum, text)):
        return []
    return [Segment(None, first, last, text, tuple(part for part in output.left_out if first <= part.line <= last))]


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def highlights(run: RunResult, segment: Segment) -> list[Highlight]:
    """What is highlighted in a segment, without overlaps."""
    finding = segment.finding
    if finding is None:
        return []
    highlights = [
        Highlight(
            *_place(segment.text, finding, cell.quote),
            f"{cell.problem} {SYMBOLS[cell.mark]}",
            f"problem {cell.mark}",
            cell.note,
        )
        for cell in run.cells
        if cell.finding == finding.index
    ]
    highlights += [
        Highlight(*_place(segment.text, finding), extra.verdict, extra.verdict, extra.reason)
        for extra in run.extras
        if extra.finding == finding.index and extra.verdict != "neither"
    ]
    return without_overlaps(highlights)


def without_overlaps(highlights: Iterable[Highlight]) -> list[Highlight]:
    """The highlights in the order of the text; of two that overlap the earlier one, problems first."""
    kept: list[Highlight] = []
    for span in sorted(highlights, key=lambda span: (span.start, not span.kind.startswith("problem"))):
        if span.end > span.start and (not kept or span.start >= kept[-1].end):
            kept.append(span)
    return kept


def _place(text: str, finding: Finding, quote: str = "") -> tuple[int, int]:
    """The quote, else the finding's title, else its first line."""
    title = finding.title.removesuffix("…")
    return place_of(text, quote) or place_of(text, title) or (0, len(text.partition("\n")[0]))
