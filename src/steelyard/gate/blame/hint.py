"""The command that finds the cause of a loss, with its price, for the end of a gate run. Pure."""

from __future__ import annotations

import shlex

from steelyard.errors import command
from steelyard.gate.blame.weigh import runs_for
from steelyard.gate.model import Comparison, Cost, Weighed
from steelyard.gate.run.plan import RunSpec
from steelyard.report.numbers import count, usd

_MARGIN = 0.10


def hint(spec: RunSpec, weighed: Weighed) -> str | None:
    """What to run next; None unless a gate run of two configurations found a loss."""
    outcome = weighed.outcome
    if not isinstance(outcome, Comparison) or outcome.verdict not in ("regressed", "mixed") or spec.baseline is None:
        return None
    agent = spec.agent
    words = ["steelyard", "gate", "blame", "--tasks", str(spec.tasks), "--baseline", spec.baseline]
    words += ["--candidate", spec.candidate, "--agent", agent.name]
    words += ["--model", agent.model] if agent.model else []
    words += ["--agent-command", shlex.join(agent.command)] if agent.command else []
    runs = runs_for(_MARGIN)
    price = _price(outcome)
    cost = "at a cost that no run recorded" if price is None else f"about {usd(price * runs)}"
    return f"which part did it: {command(*words)} (about {count(runs)} runs for effects of {_MARGIN:g}, {cost})"


def _price(outcome: Comparison) -> float | None:
    """US dollars a run, on average over tasks and sides."""
    sides = [standing for delta in outcome.tasks for standing in (delta.baseline, delta.candidate) if standing]
    known = [price for side in sides if (price := _usd(side.cost, side.claims)) is not None]
    return sum(known) / len(known) if known and len(known) == len(sides) else None


def _usd(cost: Cost, claims: Cost) -> float | None:
    return claims.cost_usd if cost.cost_usd is None else cost.cost_usd
