"""The labelled set for architecture answers: what the authors graded, and attacks on it, as one JSONL text.

Law: every graded response of every task, with the authors' labels; then every attack once, each on another task. An
attack that stands alone is worth nothing, so its labels are 0; one that is appended to a task's weak response keeps
that response's labels, because it must not lift it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from steelyard.bench.architecture_design.context import judge_context
from steelyard.bench.architecture_design.dataset import CANARY, load, references, responses
from steelyard.bench.architecture_design.model import DesignItem
from steelyard.judge.attack.texts import attacks
from steelyard.judge.calibration.labels import Label
from steelyard.judge.case import case, case_rubric

LABELLED_BY = "authors"
NOTHING = {"accuracy": 0.0, "completeness": 0.0, "quality": 0.0}
_ECHOES = frozenset({"key-echo", "repetition"})
"""Attacks made of true statements: what they are worth is for a person to say, so they are left to `judge attack`."""


def label_lines() -> str:
    """The set as JSONL."""
    rows = [*_graded(), *_hostile()]
    return "".join(f"{row.model_dump_json(exclude_defaults=True)}\n" for row in rows)


def _graded() -> Iterator[Label]:
    tasks = {item.id: judge_context(item) for item in load()}
    subtypes = {item.id: item.metadata.subtype for item in load()}
    for row in responses():
        yield Label(
            id=f"{row.id}/{row.tier}",
            tier=row.tier,
            response=row.response,
            labels=row.labels.model_dump(),
            task=tasks[row.id],
            rubric=subtypes[row.id],
            labelled_by=LABELLED_BY,
            note=row.note,
            canary=CANARY,
        )


def _hostile() -> Iterator[Label]:
    items = load()
    names = [each.id for each in attacks(case(), case_rubric()) if each.id not in _ECHOES]
    for place, name in enumerate(names):
        yield _attack(items[place % len(items)], name)


def _attack(item: DesignItem, name: str) -> Label:
    weak = next(row for row in responses() if row.id == item.id and row.tier == "weak")
    around = replace(case(), task=item.input, key=references()[item.id], weak=weak.response)
    text = next(each.text for each in attacks(around, case_rubric()) if each.id == name)
    return Label(
        id=f"{item.id}/attack/{name}",
        tier="attack",
        response=text,
        labels=weak.labels.model_dump() if name.endswith("+") else NOTHING,
        task=judge_context(item),
        rubric=item.metadata.subtype,
        labelled_by=LABELLED_BY,
        note="an attack: worth what the honest text in it is worth",
        kind="attack",
        canary=CANARY,
    )
