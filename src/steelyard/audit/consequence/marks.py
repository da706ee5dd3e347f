"""Marks from what repairs did. Pure.

A finding whose repair turned several problems right serves one of them, as everywhere (docs/scoring.md §2.1). A finding
that repaired nothing is neither bonus nor penalty: that it is wrong has not been shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.audit.model import Claim, Finding, Key, Marks, Output, Ruling

OTHERS, OWN_RED, OWN_GREEN = "others stay green", "own test fails before", "own test passes after"
"""Names of the checks beside those of the problems."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What the repair that a finding led to did."""

    checks: Mapping[str, bool]
    """Problem id, or one of the names above → whether it passed."""

    @property
    def harmless(self) -> bool:
        # A check that did not run has shown nothing.
        return self.checks.get(OTHERS, False)

    @property
    def repaired(self) -> tuple[str, ...]:
        """The problems that are right now; none if something else broke."""
        own = (OTHERS, OWN_RED, OWN_GREEN)
        return (
            tuple(name for name, passed in self.checks.items() if passed and name not in own) if self.harmless else ()
        )

    @property
    def proves_itself(self) -> bool:
        """Whether its own test shows that something was wrong, and no longer is."""
        return self.harmless and self.checks.get(OWN_RED, False) and self.checks.get(OWN_GREEN, False)


def finding_key(finding: Finding) -> str:
    """Equal for findings with the same words, whatever their layout."""
    return hashlib.sha256(" ".join(finding.text.split()).casefold().encode("utf-8", "replace")).hexdigest()[:12]


def consequence_marks(key: Key, output: Output, repairs: Mapping[str, Repair]) -> Marks:
    """Marks for one run; every finding of it must have been tried."""
    known = {problem.id for problem in key.problems}
    claims: list[Claim] = []
    rulings: list[Ruling] = []
    for finding in output.findings:
        repair = repairs[finding_key(finding)]
        served = [name for name in repair.repaired if name in known]
        quote = finding.text.split("\n", 1)[0]
        claims += [
            Claim(name, finding.index, "detected", quote, "its repair turned the tests green") for name in served
        ]
        if not served:
            rulings.append(_ruling(finding, repair))
    return Marks(tuple(claims), tuple(rulings))


def _ruling(finding: Finding, repair: Repair) -> Ruling:
    if repair.proves_itself:
        return Ruling(finding.index, "bonus", "its own test fails before the repair and passes after it")
    why = "its repair changed nothing that tests show" if repair.harmless else "its repair broke other tests"
    return Ruling(finding.index, "neither", why)
