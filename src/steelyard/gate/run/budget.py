"""The budget of a run in US dollars and in minutes, as running sums: no log is read again for it.

A round is not started if what is spent plus the mean cost of a round so far exceeds the budget. Dollars count every run
in the log folder, control rounds and those of a confirmation included; minutes count the wall clock of this start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from steelyard.artifact import table
from steelyard.errors import InputError
from steelyard.gate.metadata import JUDGE, PAIRWISE, SCORER, position_of
from steelyard.gate.run.plan import RunSpec
from steelyard.report.numbers import things, usd
from steelyard.rows import LogRow, RunRow, ScoreRow

_NO_MODEL = "none/none"
"""The model of a log whose agent does not use the model of the evaluation."""


class Budget:
    """What a run may still spend. Mutable: it grows with every round."""

    def __init__(
        self,
        spec: RunSpec,
        rows: Iterable[LogRow],
        clock: Callable[[], float] = time.monotonic,
        beside: Iterable[LogRow] = (),
        begun: float | None = None,
    ) -> None:
        """`beside` are runs that were paid for and are no rounds of this comparison; `begun` is when the start was."""
        self._spec = spec
        self._clock = clock
        self._opened = clock()
        self._begun = self._opened if begun is None else begun
        # Left out of `_paid`, from which the mean cost of a round is taken.
        self._total, self._unknown = spent_usd(beside)
        self._paid = 0.0
        """What the rounds of this comparison cost."""
        self._rounds: set[int] = set()
        self._timed: set[int] = set()
        self._add(rows)

    def add(self, rows: Iterable[LogRow]) -> None:
        """Count the logs of an evaluation that has just ended."""
        self._timed |= self._add(rows)

    def compared(self, before: Iterable[LogRow], after: Iterable[LogRow]) -> None:
        """Count what comparing results in pairs added to logs that are counted already."""
        paid = spent_usd(after)[0] - spent_usd(before)[0]
        self._total, self._paid = self._total + paid, self._paid + paid

    @property
    def total_usd(self) -> float:
        """US dollars that the runs in the log folder have cost, as far as that is known."""
        return self._total

    def exhausted(self) -> str | None:
        """Why no further round may start, or None; unknown costs are an error unless they are allowed."""
        return self._out_of_money() or self._out_of_time()

    def _add(self, rows: Iterable[LogRow]) -> set[int]:
        logs = list(rows)
        total, unknown = spent_usd(logs)
        self._total, self._unknown = self._total + total, self._unknown + unknown
        self._paid += total
        numbers = {position_of(row).round for row in logs if row.stamp is not None}
        self._rounds |= numbers
        return numbers

    def _out_of_money(self) -> str | None:
        budget = self._spec.budget_usd
        # Before the first round, its cost is unknown.
        if budget is None or not (self._rounds or self._total):
            return None
        if self._unknown and not self._spec.allow_unknown_cost:
            raise InputError(
                f"a budget of {usd(budget)} cannot be enforced: the cost of {things(self._unknown, 'run')} is unknown",
                cure="--allow-unknown-cost",
            )
        if self._total >= budget:
            return f"the budget of {usd(budget)} is spent ({usd(self._total)})"
        mean = self._paid / max(len(self._rounds), 1)
        if self._total + mean > budget:
            return f"the budget of {usd(budget)} leaves no room for a round of {usd(mean)} ({usd(self._total)} spent)"
        return None

    def _out_of_time(self) -> str | None:
        budget = self._spec.budget_minutes
        if budget is None or (not self._timed and self._begun == self._opened):
            return None
        now = self._clock()
        passed = (now - self._begun) / 60
        # Counted from here: what happened before the budget was opened was not a round.
        mean = (now - self._opened) / 60 / len(self._timed) if self._timed else 0.0
        if passed + mean > budget:
            return f"the budget of {budget:g} minutes leaves no time for another round ({passed:.1f} minutes passed)"
        return None


def spent_usd(rows: Iterable[LogRow]) -> tuple[float, int]:
    """US dollars spent by the runs of these logs, and the number of runs whose cost is unknown."""
    total, unknown = 0.0, 0
    for model, run in ((row.model, run) for row in rows for run in row.runs):
        # An agent whose calls go through us and who made none has spent nothing.
        costs = [] if model != _NO_MODEL and not run.usage else _prices(run)
        total += sum(cost for cost in costs if cost is not None)
        unknown += any(cost is None for cost in costs)
    return total, unknown


def _prices(run: RunRow) -> list[float | None]:
    """What the calls of a run cost by their tokens, scored or not; else what its scores say."""
    known = [_priced(model, tokens) for model, tokens in run.usage.items()]
    judged = run.scores.get(JUDGE)
    if known and None not in known:
        # A comparison in pairs comes after the run, so its tokens are not among those of the run.
        return [*known, *(_judge_price(judged) if judged is not None and judged.metadata.get(PAIRWISE) else ())]
    prices: list[float | None] = []
    if (score := run.scores.get(SCORER)) is not None:
        parts = [table(score.metadata.get(key)).get("cost_usd") for key in ("cost", "claims")]
        # Measured costs come before claimed ones.
        prices.append(next((float(part) for part in parts if part is not None), None))
    return [*prices, *(_judge_price(judged) if judged is not None else ())]


def _judge_price(judged: ScoreRow) -> list[float | None]:
    return [cast(float | None, judged.metadata.get("cost_usd"))]


def _priced(model: str, tokens: Mapping[str, Any]) -> float | None:
    # Imported here, because only priced runs need Inspect, which takes more than a second to load.
    from inspect_ai.model import ModelUsage

    from steelyard.models.prices import usage_usd

    return usage_usd(model, ModelUsage.model_validate(dict(tokens)))
