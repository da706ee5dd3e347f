"""Control answers: fixed answers to the built-in case whose grade is beyond doubt, in every calibration they fit."""

from __future__ import annotations

from dataclasses import asdict
from importlib import resources

from steelyard.judge.calibration.labels import Label, read_labels
from steelyard.judge.case import case
from steelyard.judge.prompt import fill
from steelyard.judge.rubric import Rubric


def controls(rubric: Rubric) -> tuple[Label, ...]:
    """The control answers for a rubric with the items accuracy, completeness and quality; none for any other rubric."""
    if {item.id for item in rubric.items} != {"accuracy", "completeness", "quality"}:
        return ()
    rows = read_labels(str(resources.files("steelyard.judge").joinpath("cases", "controls.jsonl")))
    slots = asdict(case())
    return tuple(row.model_copy(update={"task": case().task, "response": fill(row.response, slots)}) for row in rows)
