"""What a suite can detect, as a document and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.gate.noise.plan import MOST_ROUNDS, Affordable, SuitePlan
from steelyard.report.document import Block, Bullets, Column, Document, Heading, Paragraph, Table, table
from steelyard.report.numbers import UNKNOWN, count, score, things, usd

_SHOWN = 20
"""Idle tasks named one by one."""


def document(plan: SuitePlan) -> Document:
    """The plan."""
    blocks: list[Block] = [
        Paragraph(f"{things(plan.tasks, 'task')}, from the {plan.source}.", "muted"),
        Heading("What this suite can detect", 2),
        _detectable(plan),
        Heading("What an answer costs", 2),
        _questions(plan),
    ]
    if advice := _advice(plan):
        blocks.append(Bullets(tuple(advice)))
    if plan.affordable is not None:
        blocks += [Heading("What the budget can show", 2), _budget(plan, plan.affordable)]
    if plan.idle:
        more = [f"and {len(plan.idle) - _SHOWN} more"] if len(plan.idle) > _SHOWN else []
        blocks += [
            Heading("Tasks that add nothing", 2),
            Paragraph("They never vary: they always pass or always fail, so they cannot show a small gain or loss."),
            Bullets((*plan.idle[:_SHOWN], *more)),
            Paragraph(_thinned(plan)),
        ]
    return Document("What the gate can tell", tuple(blocks))


def _budget(plan: SuitePlan, bought: Affordable) -> Table:
    price = things(bought.runs, "run") + ("" if bought.usd is None else f", {usd(bought.usd)}")
    rows = [("both arms side by side", count(bought.rounds), _shown(bought.margin))]
    if plan.recorded:
        known = f"the candidate against {things(plan.recorded, 'run')} a task on record"
        rows.append((known, count(bought.stored_rounds), _shown(bought.stored_margin)))
    return table(("How", Column("Rounds", "right"), "Margin or gain that 80% would show"), rows, price)


def _shown(margin: float | None) -> str:
    return "nothing: fewer than two rounds" if margin is None else f"{score(margin)} per task"


def _thinned(plan: SuitePlan) -> str:
    """What running the idle tasks every third round only saves, and costs."""
    idle, whole = len(plan.idle), plan.tasks
    share = idle * 2 / 3 / whole
    return (
        f"Running {'them' if idle > 1 else 'it'} every third round only would save {share:.0%} of the runs, "
        f"{things(round(2 * idle * 2 / 3), 'run')} a round on average, and nothing of what the rest can show; "
        "a break in one of them would be seen after three rounds where it is seen after one."
    )


def as_json(plan: SuitePlan) -> dict[str, Any]:
    """The plan as JSON."""
    fields: dict[str, Any] = asdict(plan)
    fields["detectable"] = [{"rounds": rounds, "effect": effect} for rounds, effect in plan.detectable.items()]
    usd_of = {
        name: _money(plan, rounds) for name, rounds in (("better", plan.rounds_better), ("safe", plan.rounds_safe))
    }
    return {"schema_version": 1, **fields, "usd": usd_of}


def _money(plan: SuitePlan, rounds: int | None) -> float | None:
    return None if rounds is None or plan.usd_per_round is None else plan.usd_per_round * rounds


def _detectable(plan: SuitePlan) -> Table:
    rows = [(count(rounds), _smallest(plan, effect)) for rounds, effect in plan.detectable.items()]
    return table(
        (Column("Rounds", "right"), "Mean delta per task"),
        rows,
        "fixed rounds (--policy evidence), detected in 80% of comparisons",
    )


def _smallest(plan: SuitePlan, effect: float | None) -> str:
    if plan.round_sd == 0:
        return "any: nothing varies"
    return "nothing: a single task has no spread" if effect is None else f"±{score(effect)}"


def _questions(plan: SuitePlan) -> Table:
    rows = [
        (name, words, UNKNOWN if rounds is None else count(rounds), usd(_money(plan, rounds)))
        for name, words, rounds in (
            ("better", f"a gain of {score(plan.effect)} per task is real", plan.rounds_better),
            ("safe", f"no worse than by {score(plan.margin)} per task", plan.rounds_safe),
        )
    ]
    columns = ("Question", "To show that", Column("Rounds", "right"), Column("Cost", "right"))
    return table(columns, rows, "with a look after every round (--policy adaptive)")


def _advice(plan: SuitePlan) -> list[str]:
    lines: list[str] = []
    for name, tasks in (("better", plan.tasks_better), ("safe", plan.tasks_safe)):
        if tasks is not None:
            lines.append(
                f"{name}: {MOST_ROUNDS} rounds of {things(plan.tasks, 'task')} mostly end undecided; "
                f"{things(tasks, 'task')} like these would decide."
            )
    if plan.round_sd == 0:
        lines.append("No run varies, so any difference is a change: the contract rule is enough.")
    return lines
