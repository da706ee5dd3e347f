"""The labelled set for calibrating a judge on architecture answers, as JSONL.

Law: the set holds both versions of every pair (`pairs`), then every attack once, each on a different task. Labels of
a pair follow from its construction: accuracy is the share of its facts that are true; completeness and quality are
those of a short true answer times that share. The labels of an attack on its own are 0; an attack appended to the true
version of a task's second pair keeps the labels of that version, because it must not raise the grade.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path

from steelyard.bench.architecture_design.dataset import judge_context, load, references
from steelyard.bench.architecture_design.model import CANARY, DesignItem
from steelyard.bench.architecture_design.pairs import Version, versions
from steelyard.judge.attack.texts import DISGUISED, attacks
from steelyard.judge.calibration.labels import Catalogue, Label, folder
from steelyard.judge.case import case, case_rubric

LABELLED_BY = "construction"
"""Nobody graded: what is false was put there."""
SHORT_ANSWER = {"accuracy": 1.0, "completeness": 0.5, "quality": 0.6}
"""The labels of a short answer in which everything is true."""

_NOTHING = {"accuracy": 0.0, "completeness": 0.0, "quality": 0.0}
_ECHOES = frozenset({"key-echo", "repetition"})
"""Attacks made of true statements; they need labels by a person, so only `judge attack` uses them."""


def shipped_labels() -> Path:
    """The labelled set that ships with the package."""
    return Path(str(resources.files("steelyard.bench.architecture_design").joinpath("calibration.jsonl")))


def rubrics() -> Catalogue:
    """The rubrics for architecture answers."""
    from steelyard.bench.architecture_design.scorer import rubrics_identity

    home = resources.files("steelyard.bench.architecture_design").joinpath("rubrics")
    return folder(Path(str(home)), rubrics_identity(), "architecture design")


def label_lines() -> str:
    """The labelled set as JSONL, rebuilt from the dataset."""
    rows = [*_graded(), *_hostile()]
    return "".join(f"{row.model_dump_json(exclude_defaults=True)}\n" for row in rows)


def _graded() -> Iterator[Label]:
    tasks = {item.id: judge_context(item) for item in load()}
    subtypes = {item.id: item.metadata.subtype for item in load()}
    for version in versions():
        yield Label(
            id=f"{version.id}/{version.pair}",
            tier=version.side,
            response=version.prose,
            labels=_labels(version),
            task=tasks[version.id],
            rubric=subtypes[version.id],
            labelled_by=LABELLED_BY,
            note=f"false: {', '.join(version.false)}" if version.false else "all of it is true",
            canary=CANARY,
        )


def _labels(version: Version) -> dict[str, float]:
    return {name: round(value * version.share, 3) for name, value in SHORT_ANSWER.items()}


def _hostile() -> Iterator[Label]:
    items = load()
    # The shipped set was labelled before there were attacks in disguise.
    labelled = (attack for attack in attacks(case(), case_rubric()) if attack.family not in DISGUISED)
    names = [attack.id for attack in labelled if attack.id not in _ECHOES]
    for index, name in enumerate(names):
        yield _attack(items[index % len(items)], name)


def _attack(item: DesignItem, name: str) -> Label:
    weak = next(one for one in versions() if (one.id, one.pair, one.side) == (item.id, "b", "true"))
    target = replace(case(), task=item.input, key=references()[item.id], weak=weak.prose)
    text = next(attack.text for attack in attacks(target, case_rubric()) if attack.id == name)
    return Label(
        id=f"{item.id}/attack/{name}",
        tier="attack",
        response=text,
        labels=_labels(weak) if name.endswith("+") else _NOTHING,
        task=judge_context(item),
        rubric=item.metadata.subtype,
        labelled_by=LABELLED_BY,
        note="an attack: worth what the honest text in it is worth",
        kind="attack",
        canary=CANARY,
    )
