"""A bench of your own as a suite: each entry of `bench.yaml` is a `Category`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.bench import architecture_design, cdk_synth, practice_exam
from steelyard.bench.category import Category, ScorerChoice, listed
from steelyard.bench.own.model import Kind
from steelyard.bench.own.read import OwnBench, OwnCategoryData, read_bench
from steelyard.bench.suite import OWN, Suite
from steelyard.stamp import Stamp

_LIKE: Mapping[Kind, Category] = {
    "exam": replace(practice_exam.CATEGORY, floor_at_most=0.6),  # questions with two choices are half guessed
    "text": replace(
        architecture_design.CATEGORY,
        facts=None,
        unreadable=(),
        output_tokens=400,
        floor_at_most=0.35,
        needs_tools=False,
    ),
    "architecture": architecture_design.CATEGORY,
    "cdk": cdk_synth.CATEGORY,
}
"""Kind → the shipped category that its rules come from."""
_FEW = 10
"""Questions below which a guess may be right often enough to say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCategory(Category):
    """A category whose items are in a folder."""

    kind: Kind
    folder: str
    """As the user wrote it; recorded in the log as an argument of the task."""
    bench: str
    """The name of the bench."""
    sha256: str
    """Hash of the items and of how they are scored."""

    @property
    def task(self) -> str:
        return f"steelyard/own_{self.kind}"

    @property
    def unit(self) -> str:
        return unit_of(self.bench, self.key)

    @property
    def reference_at_least(self) -> float:
        return 1.0 if self.scoring == "binary" else 0.75

    def make_task(self) -> Callable[..., Any]:
        make = getattr(import_module("steelyard.bench.own.task"), f"own_{self.kind}")
        return partial(make, dataset=self.folder, category=self.key)

    def item_ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in read_bench(self.folder).categories[self.key].items)

    def preflight(self) -> Callable[..., None] | None:
        return _LIKE[self.kind].preflight()

    def broken_scorers(self) -> Mapping[str, str]:
        return {}

    def changed_files(self) -> list[str]:
        return []

    def refuses(self, stamp: Stamp | None) -> str | None:
        # The unit only names the bench; its files may have been edited since the run.
        same = stamp is not None and stamp.fingerprint.dataset == self.sha256
        return None if same else "made with another version of the items; run it again"


def own_suite(folder: str | Path) -> Suite:
    """The suite in a folder; raises `OwnItemsError` with every problem in its files."""
    bench = read_bench(folder)
    categories = listed(*(_category(bench, data) for data in bench.categories.values()))
    return Suite(f"{OWN}{bench.name}", bench.title, categories, option=f"--items {folder}", private=bench.private)


def unit_of(bench: str, key: str) -> str:
    """The unit in the stamp of a run: no category of a shipped suite has one like it."""
    return f"{OWN}{bench}/{key}"


def _category(bench: OwnBench, data: OwnCategoryData) -> OwnCategory:
    kind, title = data.entry.kind, data.entry.title or data.key.replace("_", " ").capitalize()
    like = _LIKE[kind]
    guessable = kind == "exam" and len(data.items) < _FEW
    return OwnCategory(
        key=data.key,
        name=title,
        short=title if len(title) <= 12 else data.key[:12],
        description=data.entry.description or f"{title}, items of {bench.title}",
        dataset=data.entry.items,
        sample_count=len(data.items),
        scoring=like.scoring,
        choices=_choices(data),
        weight=data.weight,
        confidence=like.confidence,
        margin=data.entry.margin or like.margin,
        expected_variance="",
        output_tokens=like.output_tokens,
        # With so few questions, a lucky guess says nothing about the items.
        floor_at_most=1.0 if guessable else like.floor_at_most,
        unreadable=like.unreadable,
        intent=like.intent,
        facts=like.facts,
        needs_tools=like.needs_tools,
        kind=kind,
        folder=bench.folder,
        bench=bench.name,
        sha256=data.sha256,
        digest=data.digest,
    )


def _choices(data: OwnCategoryData) -> dict[str, ScorerChoice]:
    match data.entry.kind:
        case "exam":
            return {"choice": ScorerChoice("choice")}
        case "architecture":
            return {"heuristic": ScorerChoice("own_architecture_scorer")}
        case "cdk":
            return {"cdk": ScorerChoice("own_cdk_scorer")}
        case "text":
            judge = {"judge": ScorerChoice("own_judge_scorer", {"scorer": "judge"}, judged=True)}
            facts = {"facts": ScorerChoice("own_facts_scorer", {"scorer": "facts"})}
            return {**(facts if data.has_facts else {}), **(judge if data.rubric is not None else {})}
