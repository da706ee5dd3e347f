"""Labelled answers: the pairs that the scorers are measured on, and the set for calibrating a judge, as JSONL.

    python -m tests.bench.architecture_design.labelled

writes the shipped set anew.

Law: a pair is one text with places `{fact|true words|false words}`, as many words on either side, so that the number of
words says nothing about truth. Either version states the facts of its places and every second other one. The false
version is false in all its places and facts, or in its first three places and their facts.

The set holds both versions of every pair, then every attack once, each on a different task. Labels of a pair follow
from its construction: accuracy is the share of its facts that are true; completeness and quality are those of a short
true answer times that share. The labels of an attack on its own are 0; an attack appended to the true version of a
task's second pair keeps the labels of that version, because it must not raise the grade.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from steelyard.bench.architecture_design.dataset import judge_context, load, pairs, references
from steelyard.bench.architecture_design.facts import Fact, Value, fenced
from steelyard.bench.architecture_design.labels import shipped_labels
from steelyard.bench.architecture_design.model import CANARY, DesignItem, TruthPair
from steelyard.judge.attack.texts import DISGUISED, attacks
from steelyard.judge.calibration.labels import Label
from steelyard.judge.case import case, case_rubric

PLACE = re.compile(r"\{(\w+)\|([^|{}]*)\|([^|{}]*)\}")
"""Fact, true words, false words."""
FEW = 3
"""Places that are false where not all are."""
SHORT_ANSWER = {"accuracy": 1.0, "completeness": 0.5, "quality": 0.6}
"""The labels of a short answer in which everything is true."""
_NOTHING = {"accuracy": 0.0, "completeness": 0.0, "quality": 0.0}
_ECHOES = frozenset({"key-echo", "repetition"})
"""Attacks made of true statements; they need labels by a person, so only `judge attack` uses them."""


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two answers of a pair."""

    id: str
    pair: Literal["a", "b"]
    side: Literal["true", "false"]
    prose: str
    facts: Mapping[str, Value]
    false: tuple[str, ...]
    """The facts that it has wrong, in its text or only in its object."""

    @property
    def answer(self) -> str:
        """Prose and facts."""
        return f"{self.prose}\n\n{fenced(self.facts)}"

    @property
    def share(self) -> float:
        """The share of its facts that are true."""
        return 1 - len(self.false) / len(self.facts)


@cache
def versions() -> tuple[Version, ...]:
    """The true and the false version of every pair, in file order."""
    return tuple(_version(pair, side) for pair in pairs() for side in ("true", "false"))


def wrong_value(fact: Fact) -> Value:
    """A wrong value: the first trap if there is one."""
    if fact.kind == "truth":
        return not fact.answer
    if fact.kind == "set":
        return tuple(str(trap) for trap in fact.traps[:1])
    if fact.traps:
        return fact.traps[0]
    if isinstance(fact.answer, (int, float)):
        # Far enough to be outside the tolerance.
        return fact.answer + 2 * fact.within + 1
    return next(option for option in fact.options if option != fact.answer)


def _version(pair: TruthPair, side: Literal["true", "false"]) -> Version:
    item = _item(pair.id)
    names = [name for name, _, _ in PLACE.findall(pair.text)]
    given = [fact for number, fact in enumerate(item.facts) if fact.name in names or number % 2 == 0]
    false: set[str] = set()
    if side == "false":
        false = {fact.name for fact in given} if pair.false == "all" else set(names[:FEW])
    return Version(
        id=item.id,
        pair=pair.pair,
        side=side,
        prose=PLACE.sub(lambda place: place[3] if place[1] in false else place[2], pair.text),
        facts={fact.name: wrong_value(fact) if fact.name in false else fact.answer for fact in given},
        false=tuple(fact.name for fact in given if fact.name in false),
    )


def label_lines() -> str:
    """The labelled set as JSONL, rebuilt from the dataset."""
    rows = [*map(_graded, versions()), *_hostile()]
    return "".join(f"{row.model_dump_json(exclude_defaults=True)}\n" for row in rows)


def _item(item_id: str) -> DesignItem:
    return next(item for item in load() if item.id == item_id)


def _graded(version: Version) -> Label:
    note = f"false: {', '.join(version.false)}" if version.false else "all of it is true"
    labels = _labels(version)
    return _label(_item(version.id), version.pair, tier=version.side, response=version.prose, labels=labels, note=note)


def _hostile() -> Iterator[Label]:
    # The shipped set was labelled before there were attacks in disguise.
    labelled = (attack for attack in attacks(case(), case_rubric()) if attack.family not in DISGUISED)
    names = [attack.id for attack in labelled if attack.id not in _ECHOES]
    for index, name in enumerate(names):
        item = load()[index % len(load())]
        weak = next(one for one in versions() if (one.id, one.pair, one.side) == (item.id, "b", "true"))
        target = replace(case(), task=item.input, key=references()[item.id], weak=weak.prose)
        yield _label(
            item,
            f"attack/{name}",
            tier="attack",
            response=next(attack.text for attack in attacks(target, case_rubric()) if attack.id == name),
            labels=_labels(weak) if name.endswith("+") else _NOTHING,
            note="an attack: worth what the honest text in it is worth",
            kind="attack",
        )


def _label(item: DesignItem, name: str, **fields: Any) -> Label:
    # Nobody graded: what is false was put there.
    return Label(
        id=f"{item.id}/{name}",
        task=judge_context(item),
        rubric=item.metadata.subtype,
        labelled_by="construction",
        canary=CANARY,
        **fields,
    )


def _labels(version: Version) -> dict[str, float]:
    return {name: round(value * version.share, 3) for name, value in SHORT_ANSWER.items()}


if __name__ == "__main__":
    shipped_labels().write_text(label_lines(), "utf-8")
