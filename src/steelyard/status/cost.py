"""What one run cost, by the rules of its wing."""

from __future__ import annotations

from dataclasses import replace

from steelyard.rows import LogRow, RunRow


def cost(row: LogRow, run: RunRow) -> float | None:
    """US dollars that a run cost; None if unknown."""
    if row.stamp is not None and row.stamp.wing == "gate":
        from steelyard.gate.run.budget import spent_usd

        total, unknown = spent_usd([replace(row, runs=(run,))])
        return None if unknown else total
    return _by_usage(run)


def _by_usage(run: RunRow) -> float | None:
    from steelyard.bench.run.prices import priced

    total = 0.0
    for model, usage in run.usage.items():
        amount = usage.get("total_cost")
        if amount is None and not priced(model):
            return None
        total += float(amount or 0.0)
    return total
