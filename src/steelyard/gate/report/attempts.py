"""How often this was tried, for a reader."""

from __future__ import annotations

from steelyard.gate.model import Weighed
from steelyard.report.document import Block, Paragraph

_MEANING = {
    "none": "",
    "owed": " It looks like an improvement; from the second attempt on that counts once fresh rounds show it again.",
    "made": " The first rounds showed an improvement, so fresh rounds judged it again. This is their verdict.",
}


def attempt_blocks(weighed: Weighed) -> list[Block]:
    """One line; empty for logs that no ledger counts."""
    attempts = weighed.attempts
    if attempts is None:
        return []
    line = f"Attempt {attempts.number} against this baseline, suite and branch, counted in {attempts.ledger}."
    return [Paragraph(line + _MEANING[attempts.confirmation], "plain" if attempts.confirmation == "none" else "warn")]
