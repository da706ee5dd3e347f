"""What a gate run would do, as a document."""

from __future__ import annotations

from steelyard.gate.report.document import differing_blocks
from steelyard.gate.run.budget import spent_usd
from steelyard.gate.run.plan import Plan
from steelyard.report.document import Column, Document, Paragraph, table
from steelyard.report.numbers import count, seconds, usd


def dry_run(planned: Plan) -> Document:
    """The plan as a document."""
    columns = ("Round", "Arms", Column("Runs", "right"), Column("At most", "right"))
    limits = {task.id: task.file.timeout_s for arm in planned.arms.values() for task in arm.suite.tasks}
    rows = [
        (
            count(unit.round.number),
            ", ".join(unit.tasks),
            count(unit.runs),
            seconds(sum(limits[task] for tasks in unit.tasks.values() for task in tasks)),
        )
        for unit in planned.units
    ]
    lines = [f"{planned.runs} runs to do, {planned.finished} already done.", _estimate(planned)]
    policy = planned.spec.policy
    if policy.adaptive:
        lines.insert(
            0,
            f"The policy is adaptive: it stops as soon as the rounds decide, after {policy.min_rounds} to "
            f"{policy.max_rounds} rounds. Tasks that look worse run again beside them.",
        )
    arm = planned.arms["candidate"]
    judged = sum(task.rubric is not None for task in arm.suite.tasks) if arm.panel else 0
    calls = planned.runs * judged // max(1, len(arm.suite.tasks))
    if arm.panel is not None:
        lines.append(f"About {calls * len(arm.panel.judges) * arm.panel.repeats} judge calls.")
    blocks = (table(columns, rows), *(Paragraph(line) for line in lines))
    return Document("What would run", (*differing_blocks(planned.spec.differing), *blocks))


def _estimate(planned: Plan) -> str:
    done = sum(len(row.runs) for row in planned.rows)
    total, unknown = spent_usd(planned.rows)
    if not done or unknown:
        return "The cost is unknown: no earlier run here recorded its own."
    return f"About {usd(total / done * planned.runs)} at {usd(total / done)} a run, as measured here so far."
