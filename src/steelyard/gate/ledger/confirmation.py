"""What an attempt's number means for its verdict (docs/scoring.md §3.5). Pure.

From the second attempt on, an improvement counts only after fresh rounds of the same candidate, judged by themselves.
Until they are run it is undecided. Whoever tries ten times a change that does nothing then passes both with about
0.025² each time; whoever has a real gain pays once, when it is found.
"""

from __future__ import annotations

import dataclasses

from steelyard.gate.model import Attempts, Comparison, CountedAttempt, NoVerdict


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
    evidence = comparison.evidence and dataclasses.replace(comparison.evidence, next=why)
    return dataclasses.replace(comparison, verdict="undecided", evidence=evidence)
