"""What repairs will cost, said before they start. Pure.

    measured   US dollars a repair, from earlier repairs in the same folder of logs
    floor      each repair reads its code and its finding once, and writes nothing; agents read again in every turn

At four characters a token, the floor is a rough one; it says "at least".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.report.numbers import things, usd

_CHARACTERS = 4
"""Of a token."""


@dataclass(frozen=True, slots=True)
class RepairText:
    """What one repair must read."""

    code: int
    """Characters of the code that is shown."""
    finding: int
    """Characters of the finding."""


def announcement(
    readings: Sequence[RepairText], findings: int, done: int, measured: float | None, input_price: float | None
) -> str:
    """How many repairs there will be for how many findings, and their price as far as it is known.

    Args:
        readings: One for each repair that has no result yet.
        findings: In all runs, repeated ones too.
        done: Repairs that are in the logs already.
        measured: US dollars of one repair.
        input_price: US dollars for a million tokens of input.
    """
    known = f", {done} more are in the logs" if done else ""
    head = f"{things(len(readings), 'repair')} to try for {things(findings, 'finding')}{known}"
    return f"{head}; {_price(readings, measured, input_price)}" if readings else head


def _price(readings: Sequence[RepairText], measured: float | None, input_price: float | None) -> str:
    if measured is not None:
        return f"about {usd(measured * len(readings))}, at {usd(measured)} a repair as measured so far"
    if input_price is None:
        return "their price is not known here"
    tokens = sum(reading.code + reading.finding for reading in readings) / _CHARACTERS
    return f"at least {usd(tokens * input_price / 1e6)}, for reading the code once each; agents read it several times"
