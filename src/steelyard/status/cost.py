"""What one run cost, by the rules of its wing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from steelyard.errors import LogError
from steelyard.location import location
from steelyard.rows import LogRow, RunRow
from steelyard.status.read import LogReader
from steelyard.status.weigh import weigh


class Spending:
    """What the runs of a folder have cost since it was first looked at. Mutable: it remembers unchanged logs."""

    def __init__(self, log_dir: str) -> None:
        self._reader, self._folder = LogReader([log_dir]), log_dir
        # A budget is that of one start: what the logs had cost before does not count.
        self._before = self._total()

    def since_start(self) -> float:
        """US dollars; calls of samples that have not ended, or whose worker was lost, are in no log."""
        return self._total() - self._before

    def _total(self) -> float:
        if not location(self._folder).exists():
            return 0.0
        try:
            observed = self._reader.read()
        except LogError:  # nothing is there yet
            return 0.0
        return sum(line.spent_usd for line in weigh(observed, datetime.now(UTC), cost).lines)


def cost(row: LogRow, run: RunRow) -> float | None:
    """US dollars that a run cost; None if unknown."""
    if row.stamp is not None and row.stamp.wing == "gate":
        from steelyard.gate.run.budget import spent_usd

        total, unknown = spent_usd([replace(row, runs=(run,))])
        return None if unknown else total
    return _by_usage(run)


def _by_usage(run: RunRow) -> float | None:
    from steelyard.models.prices import priced

    total = 0.0
    for model, usage in run.usage.items():
        amount = usage.get("total_cost")
        if amount is None and not priced(model):
            return None
        total += float(amount or 0.0)
    return total
