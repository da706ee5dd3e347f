"""What a category of SA Bench is: everything that differs between categories, in one place.

A category is a folder below `bench/` that exports `CATEGORY`; `bench.suite` lists the folders. Beside its data the
folder holds, each found by name and imported only when needed:

- `task.py`: a registered Inspect task named after the folder
- `embedded.py`: `items` (id → prompt), `reference` and `guess`: the answers of the embedded subjects
- `preflight.py`: `check`, where `needs_tools` is set, and optionally `broken_scorers`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

from steelyard.bench import manifest
from steelyard.stamp import Stamp


@dataclass(frozen=True, slots=True)
class ScorerChoice:
    """One way to score a category."""

    scorer: str
    """The registered scorer whose numbers count."""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Task arguments that select it."""
    judged: bool = False
    """Whether it needs a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One category."""

    key: str
    """The name of its folder, of its task, and of its score in a leaderboard."""
    name: str
    """As a reader sees it."""
    short: str
    """Column head where width is scarce."""
    description: str
    dataset: str
    """Path below `bench/`."""
    sample_count: int
    """Items a full run scores; a test counts them from the dataset as loaded."""
    scoring: Literal["binary", "rubric"]
    choices: Mapping[str, ScorerChoice]
    """`--scorer` name → way to score; the first is the default."""
    interchangeable: bool = False
    """Whether all scorers give the same verdict by one law, so that their scores may share a board."""
    weight: float
    """Share of the overall score."""
    confidence: Literal["high", "medium", "low"]
    margin: float
    """Declared margin, as a share."""
    expected_variance: str
    """Expected variance between runs, as printed with every board."""
    output_tokens: int
    """Tokens of an ordinary answer, for cost estimates only."""
    floor_at_most: float
    """The highest mean that floor answers may reach in a self test."""
    unreadable: tuple[str, ...] = ()
    """Classes of failure that mean: the answer is not in the form that was asked for, whatever it says."""
    intent: str | None = None
    """Name in a score's metadata of the share of an item's requirements that the answer meets, beside the score."""
    facts: str | None = None
    """Name in a score's metadata of the share of an item's facts that are right; alone it is the strict score."""
    digest: str = ""
    """The full sha256 of items that are not shipped; a log with other items does not count."""
    needs_tools: bool = False
    """Whether `preflight.check` of its folder must pass before a run."""

    @property
    def task(self) -> str:
        """The registered task name."""
        return f"steelyard/{self.key}"

    @property
    def unit(self) -> str:
        """The unit in the stamp of its runs."""
        return self.key

    @property
    def strict_by(self) -> str | None:
        """Name in a score's metadata of what the strict score is made of; None where it is the score itself."""
        return self.facts or self.intent

    @property
    def scorers(self) -> tuple[str, ...]:
        """Registered scorer names; the first is the default."""
        return tuple(choice.scorer for choice in self.choices.values())

    @property
    def judge_scorer(self) -> str | None:
        """The scorer that asks a judge, where the category has one."""
        return next((choice.scorer for choice in self.choices.values() if choice.judged), None)

    @property
    def reference_at_least(self) -> float:
        """What a reference must score under its own scorer."""
        return 1.0 if self.scoring == "binary" else 0.85

    def choice(self, name: str | None) -> ScorerChoice | None:
        """The way to score behind a `--scorer` name or a scorer's own name; None when it is not of this category."""
        by_name = self.choices.get(name or "")
        return by_name or next((choice for choice in self.choices.values() if choice.scorer == name), None)

    def make_task(self) -> Callable[..., Any]:
        """The function that makes its Inspect task."""
        return getattr(self._module("task"), self.key)

    def embedded(self) -> Any:
        """The module that answers for the ceiling and the floor."""
        return self._module("embedded")

    def item_ids(self) -> tuple[str, ...]:
        """The ids of its items."""
        return tuple(self.embedded().items())

    def preflight(self) -> Callable[..., None] | None:
        """`check(task, limit=…, scorer=…)`, which raises when a tool is missing; None when there is nothing to try."""
        return self._module("preflight").check if self.needs_tools else None

    def broken_scorers(self) -> Mapping[str, str]:
        """Scorer → what it gets wrong about answers whose score is known; only for categories that need tools."""
        find = getattr(self._module("preflight"), "broken_scorers", None) if self.needs_tools else None
        return find() if find is not None else {}

    def changed_files(self) -> list[str]:
        """What differs between the shipped data and its record, one line per file."""
        return manifest.changed(self.key)

    def scaled(self, value: float) -> float:
        """A recorded score between 0 and 1."""
        return value

    def refuses(self, stamp: Stamp | None) -> str | None:
        """Why a log with this stamp does not count although it is of this category; None if it may."""
        return None

    def _module(self, name: str) -> Any:
        return import_module(f"steelyard.bench.{self.key}.{name}")


def listed(*categories: Category) -> Mapping[str, Category]:
    """Key → category, in the order of the board."""
    return MappingProxyType({category.key: category for category in categories})
