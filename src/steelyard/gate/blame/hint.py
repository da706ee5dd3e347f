"""The command that finds the cause of a loss, with its price, for the end of a gate run. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from steelyard.errors import command
from steelyard.gate.agents import AgentSpec
from steelyard.gate.blame.plan import MARGIN
from steelyard.gate.blame.weigh import runs_for
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.run.plan import RunSpec
from steelyard.report.numbers import count, usd


def hint(spec: RunSpec, weighed: Weighed) -> str | None:
    """What to run next; None unless a gate run of two known configurations found a loss."""
    outcome = weighed.outcome
    baseline = (spec.baseline or "").removeprefix("stored:")
    if not isinstance(outcome, Comparison) or outcome.verdict not in ("regressed", "mixed") or not baseline:
        return None
    words = ["steelyard", "gate", "blame", "--tasks", str(spec.tasks), "--baseline", baseline]
    words += ["--candidate", spec.candidate, *options(spec)]
    runs, price = runs_for(MARGIN), _price(outcome)
    words += [] if price is None else ["--usd-per-run", f"{price:.4g}"]
    cost = "at a cost that no run recorded" if price is None else f"about {usd(price * runs)}"
    return f"which part did it: {command(*words)} (about {count(runs)} runs for effects of {MARGIN:g}, {cost})"


def options(spec: RunSpec) -> Iterator[str]:
    """Options that make the same agent run in the same way."""
    agent = spec.agent
    valued = {
        "--agent": agent.name,
        "--model": agent.model,
        "--agent-command": shlex.join(agent.command) or None,
        "--agent-version": agent.version,
        "--sandbox": None if agent.sandbox == AgentSpec(agent.name).sandbox else agent.sandbox,
        "--network": agent.network,
        "--repo": spec.repo,
        "--prices": spec.prices,
        "--store": spec.store,
    }
    for name, value in valued.items():
        yield from () if value is None else (name, str(value))
    for name in agent.environment:
        yield from ("--agent-env", name)
    yield from ("--direct",) if agent.direct else ()
    yield from ("--trust-telemetry",) if agent.telemetry == "trusted" else ()


def _price(outcome: Comparison) -> float | None:
    """US dollars a run, on average over tasks and sides."""
    sides = [standing for delta in outcome.tasks for standing in (delta.baseline, delta.candidate) if standing]
    known = [price for side in sides if (price := side.cost.or_claimed(side.claims).cost_usd) is not None]
    # A mean over the known prices alone would promise a price that nobody measured.
    return sum(known) / len(known) if known and len(known) == len(sides) else None
