"""What an attempt's number means for its verdict (docs/scoring.md §3.5). Pure.

From the second attempt on, an improvement counts only after fresh rounds of the same candidate, judged by themselves.
Until they are run it is undecided. Whoever tries ten times a change that does nothing then passes both with about
0.025² each time; whoever has a real gain pays once, when it is found.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from steelyard.gate.model import Attempts, Comparison, NoVerdict


@dataclass(frozen=True, slots=True)
class CountedAttempt:
    """One candidate tried against one baseline, as its logs record it."""

    id: str
    number: int = 1
    """1 for the first at this baseline, suite and branch."""
    comparison: str = ""
    ledger: str = ""
    """Where it is counted."""
    confirms: bool = False
    """Fresh rounds that judge an improvement again."""
    control: bool = False
    """The baseline alone, to be held against its record: no attempt at anything."""

    def as_metadata(self, confirms: bool = False) -> dict[str, Any]:
        """As recorded in the logs."""
        return asdict(replace(self, confirms=confirms))


def attempts_of(recorded: CountedAttempt | None, outcome: Comparison | NoVerdict) -> Attempts | None:
    """The attempt that logs belong to, and whether its verdict is owed a confirmation."""
    if recorded is None:
        return None
    owed = recorded.number > 1 and not recorded.confirms and won(outcome)
    return Attempts(recorded.number, recorded.ledger, "made" if recorded.confirms else "owed" if owed else "none")


def won(outcome: Comparison | NoVerdict) -> bool:
    """Whether a comparison says what people try again for."""
    return isinstance(outcome, Comparison) and outcome.verdict == "improved"


def until_confirmed(comparison: Comparison, attempts: Attempts | None) -> Comparison:
    """The comparison as it counts: an improvement that is owed a confirmation is undecided."""
    if attempts is None or attempts.confirmation != "owed":
        return comparison
    why = f"fresh rounds of the same candidate: this is attempt {attempts.number}, and an improvement needs them"
    evidence = comparison.evidence and replace(comparison.evidence, next=why)
    return replace(comparison, verdict="undecided", evidence=evidence)
