"""Marks of a person that the scoring rules would not give (docs/scoring.md §2.1); they stand, with a warning."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from steelyard.audit.model import Claim, Finding, Ruling
from steelyard.audit.text import place_of


def conflicts(claims: Sequence[Claim], rulings: Sequence[Ruling], findings: Sequence[Finding]) -> list[str]:
    """A warning for each finding that serves two problems by one passage, or is a bonus or penalty as well."""
    by_finding: dict[int, list[Claim]] = {}
    for claim in claims:
        by_finding.setdefault(claim.finding, []).append(claim)
    texts = {finding.index: finding.text for finding in findings}
    shared = [
        f"F{finding:02d} is named for {' and '.join(claim.problem for claim in named)}, though no passage serves "
        "two problems; the marks stand"
        for finding, named in by_finding.items()
        if len(named) > 1 and not _apart(texts.get(finding, ""), [claim.quote for claim in named])
    ]
    overruled = [
        f"F{ruling.finding:02d} is named for {by_finding[ruling.finding][0].problem}, so it is not a {ruling.verdict}"
        for ruling in rulings
        if ruling.verdict != "neither" and ruling.finding in by_finding
    ]
    return shared + overruled


def _apart(text: str, quotes: Sequence[str]) -> bool:
    """Whether these are different passages of a finding."""
    places = sorted(place for place in (place_of(text, quote) for quote in quotes) if place is not None)
    return len(places) == len(quotes) and all(one[1] <= other[0] for one, other in pairwise(places))
