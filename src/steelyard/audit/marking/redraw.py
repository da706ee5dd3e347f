"""Findings as a person redraws them: several that make one claim are merged, one that makes several is split.

Ids stay: a merged finding keeps the id it is merged into, and what is split off gets an id of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from steelyard.audit.findings.locations import locations
from steelyard.audit.model import Finding
from steelyard.audit.text import place_of
from steelyard.text import short


class RedrawError(ValueError):
    """A merge or split that does not fit the findings."""


class Split(NamedTuple):
    """Where a further claim begins inside a finding."""

    source: int
    """The index of the finding."""
    words: str
    """How the further claim begins."""


def redrawn(findings: Sequence[Finding], merged: Mapping[int, int], split: Mapping[int, Split]) -> tuple[Finding, ...]:
    """`findings`, first split (new index → where it begins), in that order, then merged (index → the one it joins)."""
    by_index = {finding.index: finding for finding in findings}
    for index, cut in split.items():
        if cut.source not in by_index:
            raise RedrawError(f"there is no F{cut.source:02d} to split")
        if index < 1 or index in by_index:
            raise RedrawError(f"F{index:02d} is not a free number for what is split off")
        by_index |= {part.index: part for part in _parts(by_index[cut.source], cut.words, index)}
    # Before the first merge, because merging takes away findings that a chain may lead through.
    roots = {index: _root(index, merged, by_index) for index in merged}
    for index in sorted(roots):
        whole, part = by_index[roots[index]], by_index.pop(index)
        by_index[whole.index] = _joined(whole, part)
    return tuple(sorted(by_index.values(), key=lambda finding: (finding.line, finding.index)))


def _parts(finding: Finding, words: str, index: int) -> tuple[Finding, Finding]:
    """What is before the words, and what begins with them."""
    span = place_of(finding.text, words)
    if span is None:
        raise RedrawError(f"{finding.id} does not hold the words {short(words, 60)!r}")
    if not any(map(str.isalnum, finding.text[: span[0]])):
        raise RedrawError(f"{finding.id} already begins with the words {short(words, 60)!r}")
    return _part(finding, finding.index, 0, span[0]), _part(finding, index, span[0], len(finding.text))


def _part(finding: Finding, index: int, start: int, end: int) -> Finding:
    text = finding.text[start:end].strip()
    line = min(finding.line + finding.text.count("\n", 0, start), finding.end)
    last = finding.end if end == len(finding.text) else min(line + text.count("\n"), finding.end)
    title = finding.title if start == 0 else short(text.partition("\n")[0])
    return replace(finding, index=index, text=text, title=title, line=line, end=last, locations=locations(text))


def _root(index: int, merged: Mapping[int, int], findings: Mapping[int, Finding]) -> int:
    seen: set[int] = set()
    while index in merged:
        if index in seen:
            raise RedrawError(f"F{index:02d} is merged into itself")
        seen.add(index)
        index = merged[index]
    missing = next((name for name in (*seen, index) if name not in findings), None)
    if missing is not None:
        raise RedrawError(f"there is no F{missing:02d} to merge")
    return index


def _joined(whole: Finding, part: Finding) -> Finding:
    first, second = sorted((whole, part), key=lambda finding: (finding.line, finding.index))
    text = f"{first.text}\n\n{second.text}"
    places = tuple(dict.fromkeys((*first.locations, *second.locations)))
    return replace(whole, text=text, line=first.line, end=max(whole.end, part.end), locations=places)
