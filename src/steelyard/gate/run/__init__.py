"""Executes a plan with Inspect: one short eval per arm and round, then compares the logs.

Every eval writes its samples as they finish, so a run that was killed continues where it stopped. One task's timeout
or error never ends the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, cast

from steelyard import artifact
from steelyard.errors import InputError, LogError, SteelyardError, boundary
from steelyard.gate.metadata import JUDGE, SCORER
from steelyard.gate.model import Weighed
from steelyard.gate.read import read_arms
from steelyard.gate.report.data import SCHEMA, as_json
from steelyard.gate.run.plan import Plan, RunSpec, Unit, plan
from steelyard.gate.weigh import Spec, weigh
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.read import read_logs
from steelyard.report.document import Column, Document, Paragraph, table
from steelyard.report.numbers import count, seconds, things, usd
from steelyard.rows import LogRow, RunRow

COMPARISON = "comparison.json"
"""File beside the logs that `gate promote` takes."""

Notify = Callable[[str], None]
"""Called with one line of progress."""


class Stopped(SteelyardError):
    """The budget is spent, so nothing more is started."""


def gate_run(spec: RunSpec, notify: Notify = lambda _: None) -> Weighed:
    """Run what is missing, then compare both arms."""
    planned = plan(spec)
    execute(planned, notify)
    return weigh_run(planned)


def execute(planned: Plan, notify: Notify = lambda _: None) -> None:
    """Start every unit of the plan in turn."""
    if planned.finished:
        notify(f"{planned.finished} runs are already done; {planned.runs} to go")
    if planned.units:
        ready_for_logs(planned.spec.log_dir)
    for unit in planned.units:
        _keep_budget(planned)
        notify(f"round {unit.round.number} of {unit.round.rounds}: {unit.arm}, {len(unit.tasks)} tasks")
        _start(planned, unit)


def weigh_run(planned: Plan) -> Weighed:
    """Compare the logs of a plan, and write the comparison beside them."""
    spec = planned.spec
    base = spec.baseline_log or str(planned.folder("baseline"))
    arms = read_arms([base], [str(planned.folder("candidate"))])
    historical = spec.baseline_log is not None
    how = Spec(
        spec.thresholds, None, spec.require_judge, historical=historical, quarantine=spec.quarantine, notes=spec.notes
    )
    weighed = weigh(*arms, how, now=datetime.now(UTC))
    artifact.write_json(spec.log_dir / COMPARISON, as_json(weighed), schema=SCHEMA)
    return weighed


def _start(planned: Plan, unit: Unit) -> None:
    from steelyard.gate.tasks import arm_task
    from steelyard.logs.evaluate import evaluate
    from steelyard.models.redaction import subject

    arm = planned.arms[unit.arm]
    model = planned.spec.agent.model if planned.spec.agent.name == "model" else None
    every = len(unit.tasks) == len(arm.suite.tasks)
    with boundary(LogError, f"the {unit.arm} could not be run"):
        logs = evaluate(
            arm_task(arm, unit.round),
            model=subject(model or "none/none"),
            sample_id=None if every else list(unit.tasks),
            log_dir=str(planned.folder(unit.arm)),
            log_format="eval",
            log_level="error",
            fail_on_error=False,
            retry_on_error=1,
            max_samples=planned.spec.max_samples or min(4, os.cpu_count() or 1),
        )
    broken = next((log for log in logs if log.status == "error"), None)
    if broken is not None:  # no point in running the other arm
        why = broken.error.message if broken.error else "no reason given"
        raise LogError(f"the {unit.arm} ended early: {why}", cure="fix that, then run the same command to continue")


def spent_usd(rows: Iterable[LogRow]) -> tuple[float, int]:
    """US dollars spent by the runs of these logs, and the number of runs whose cost is unknown."""
    total, unknown = 0.0, 0
    for run in (run for row in rows for run in row.runs):
        costs = _prices(run)
        total += sum(cost for cost in costs if cost is not None)
        unknown += any(cost is None for cost in costs)
    return total, unknown


def _prices(run: RunRow) -> list[float | None]:
    prices: list[float | None] = []
    if (score := run.scores.get(SCORER)) is not None:
        parts = [cast(dict[str, Any], score.metadata.get(key) or {}).get("cost_usd") for key in ("cost", "claims")]
        prices.append(next((float(part) for part in parts if part is not None), None))
    if (judged := run.scores.get(JUDGE)) is not None:
        prices.append(cast(float | None, judged.metadata.get("cost_usd")))
    return prices


def _keep_budget(planned: Plan) -> None:
    budget, folder = planned.spec.budget_usd, planned.spec.log_dir
    if budget is None or not folder.is_dir() or not any(folder.rglob("*.eval")):
        return
    total, unknown = spent_usd(read_logs([folder]).rows)
    if unknown and not planned.spec.allow_unknown_cost:
        raise InputError(
            f"a budget of {usd(budget)} cannot be enforced: the cost of {things(unknown, 'run')} is unknown",
            cure="--allow-unknown-cost",
        )
    if total >= budget:
        raise Stopped(
            f"the budget of {usd(budget)} is spent ({usd(total)})", cure="run again with a larger --budget-usd"
        )


def dry_run(planned: Plan) -> Document:
    """The plan as a document."""
    columns = ("Round", "Arm", Column("Tasks", "right"), Column("At most", "right"))
    limits = {task.id: task.file.timeout_s for arm in planned.arms.values() for task in arm.suite.tasks}
    rows = [
        (count(unit.round.number), unit.arm, count(len(unit.tasks)), seconds(sum(limits[task] for task in unit.tasks)))
        for unit in planned.units
    ]
    lines = [f"{planned.runs} runs to do, {planned.finished} already done.", _estimate(planned)]
    arm = planned.arms["candidate"]
    judged = sum(task.rubric is not None for task in arm.suite.tasks) if arm.panel else 0
    calls = sum(len(unit.tasks) for unit in planned.units) * judged // max(1, len(arm.suite.tasks))
    if arm.panel is not None:
        lines.append(f"About {calls * len(arm.panel.judges) * arm.panel.repeats} judge calls.")
    return Document("What would run", (table(columns, rows), *(Paragraph(line) for line in lines)))


def _estimate(planned: Plan) -> str:
    folder = planned.spec.log_dir
    rows = read_logs([folder]).rows if folder.is_dir() and any(folder.rglob("*.eval")) else ()
    done = sum(len(row.runs) for row in rows)
    total, unknown = spent_usd(rows)
    if not done or unknown:
        return "The cost is unknown: no earlier run here recorded its own."
    return f"About {usd(total / done * planned.runs)} at {usd(total / done)} a run, as measured here so far."
