"""What got better and what got worse, by name: for a person, in one line each, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.gate.evidence.result import TaskEvidence
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.steps import Parting
from steelyard.outcome import exact
from steelyard.report.document import Block, Bullets, Heading
from steelyard.report.numbers import signed


def change_blocks(outcome: Comparison, weighed: Weighed) -> list[Block]:
    """The losses and the gains that are shown; empty if nothing is."""
    evidence = outcome.evidence
    if evidence is None or outcome.by_contract:
        return []
    losses = tuple(loss_line(task, weighed) for task in evidence.losses)
    gains = tuple(_named(task) for task in evidence.gains)
    blocks: list[Block] = [Heading("What got worse", 2), Bullets(losses)] if losses else []
    return [*blocks, Heading("What got better", 2), Bullets(gains)] if gains else blocks


def loss_line(task: TaskEvidence, weighed: Weighed) -> str:
    """A task that fell: how far, where its transcripts part, and who accepts it."""
    words = [_named(task)]
    if parting := weighed.partings.get(task.task):
        words.append(parting_words(parting))
    accepted = weighed.outcome.accepted if isinstance(weighed.outcome, Comparison) else ()
    words += [
        f"accepted until {loss.until} by {loss.owner}: {loss.reason}" for loss in accepted if loss.task == task.task
    ]
    return "; ".join(words)


def parting_words(parting: Parting) -> str:
    """Where two transcripts part."""
    here, there = parting.baseline or "(nothing)", parting.candidate or "(nothing)"
    which = " ({} and {})".format(*parting.runs) if any(parting.runs) else ""
    return f"the transcripts{which} part at step {parting.step}: {here} → {there}"


def brief(outcome: Comparison) -> str:
    """Losses and gains in half a sentence, for a headline."""
    evidence = outcome.evidence
    assert evidence is not None
    sides = (("worse", evidence.losses), ("better", evidence.gains))
    parts = [f"{word}: {', '.join(_short(task) for task in tasks[:3])}{_more(tasks)}" for word, tasks in sides if tasks]
    return "; ".join(parts)


def changes_json(outcome: Comparison, weighed: Weighed) -> dict[str, Any]:
    """The same as JSON (`changes` of `gate.schema.json`)."""
    evidence = outcome.evidence
    accepted = {loss.task for loss in outcome.accepted}
    losses = () if evidence is None else evidence.losses
    gains = () if evidence is None else evidence.gains
    return {
        "worse": [
            {**_data(task), "accepted": task.task in accepted, "parts_at": parting_json(weighed, task.task)}
            for task in losses
        ],
        "better": [_data(task) for task in gains],
    }


def parting_json(weighed: Weighed, task: str) -> dict[str, Any] | None:
    parting = weighed.partings.get(task)
    return None if parting is None else {**asdict(parting), "runs": list(parting.runs)}


def _data(task: TaskEvidence) -> dict[str, Any]:
    interval = None if task.low is None or task.high is None else [exact(task.low), exact(task.high)]
    return {"task": task.task, "check": task.worst_check, "delta": exact(task.delta), "ci": interval}


def _named(task: TaskEvidence) -> str:
    interval = "" if task.low is None else f" (95% interval {signed(task.low)} to {signed(task.high)})"
    return f"{_name(task)}: {signed(task.delta)}{interval}"


def _short(task: TaskEvidence) -> str:
    return f"{_name(task)} {signed(task.delta)}"


def _name(task: TaskEvidence) -> str:
    return f"{task.task}, check {task.worst_check}" if task.worst_check else task.task


def _more(tasks: tuple[TaskEvidence, ...]) -> str:
    return f" and {len(tasks) - 3} more" if len(tasks) > 3 else ""
