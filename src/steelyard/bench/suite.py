"""Suites: sets of categories with one board each, never mixed (docs/scoring.md §1.8).

    overall of a suite = Σ weight · category score, weights as written sum to exactly 1.0

`OFFICIAL` is SA Bench as published (docs/scoring.md §1.1); its board is the one shown unless another suite is named.
A category key belongs to one suite. `bench.own` makes suites from folders that users write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from steelyard.bench import architecture_design, cdk_synth, hard_cdk, hard_exam, practice_exam
from steelyard.bench.category import Category, listed
from steelyard.errors import InputError


@dataclass(frozen=True, slots=True)
class Suite:
    """Categories that share a board."""

    name: str
    """As in `--suite NAME`."""
    title: str
    """As a reader sees it."""
    categories: Mapping[str, Category]
    """Key → category, in the order of the board."""
    official: bool = False
    """Whether its board is the official one."""
    option: str = ""
    """The command-line option that selects it; empty for the official suite."""
    margin: float = 0.05
    """Declared margin of the overall score, and the tolerance of a reproduction."""
    declares: bool = True
    """Whether its methodology has words for the size of a difference (docs/scoring.md §1.6)."""
    question: str = ""
    """What its board answers."""
    baselines: frozenset[str] = frozenset()
    """Models, besides the embedded baselines, that take no rank."""
    private: bool = False
    """Whether its items must not be shown: a board then has their ids and their hash, and no text of theirs."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles by name where there is one, so that a run in another process has the very suites of that process."""
        if SUITES.get(self.name) is self:
            return find_suite, (self.name,)
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        # A MappingProxyType cannot be pickled.
        return partial(Suite, **(values | {"categories": dict(self.categories)})), ()

    @property
    def sample_count(self) -> int:
        """Items a full run of all categories scores."""
        return sum(category.sample_count for category in self.categories.values())

    @property
    def any_tasks(self) -> bool:
        """Whether its categories are Inspect tasks that a file names."""
        return self.name.startswith(TASKS)

    @property
    def shipped(self) -> bool:
        """Whether its items are part of this package."""
        return self.name in SUITES

    @property
    def strict(self) -> bool:
        """Whether a strict score can differ from the overall one."""
        return any(category.strict_by for category in self.categories.values())

    @property
    def weight_sum(self) -> Decimal:
        """The sum of the weights as written: 0.34 + 0.33 + 0.33 is 1, not 1 within a float's error."""
        return sum((Decimal(str(category.weight)) for category in self.categories.values()), Decimal(0))


QUESTION = "who is the better solutions architect?"
"""What the boards of the shipped suites answer."""

OFFICIAL = Suite(
    "official",
    "SA Bench",
    listed(
        practice_exam.CATEGORY,
        architecture_design.CATEGORY,
        cdk_synth.CATEGORY,
    ),
    official=True,
    question=QUESTION,
)
"""SA Bench as published. To add a category, add its folder and a line here."""

HARD = Suite(
    "hard",
    "SA Bench Hard",
    listed(
        hard_exam.CATEGORY,
        hard_cdk.CATEGORY,
    ),
    option="--suite hard",
    question=QUESTION,
)
"""Items that have to be worked out, on a board of their own. To add a category, add its folder and a line here."""

OWN = "own:"
"""With which the names of suites made from a user's folder begin, and the units of their runs."""

TASKS = "tasks:"
"""With which the names of boards over any Inspect tasks begin, and the units of their runs."""

SUITES: Mapping[str, Suite] = MappingProxyType({suite.name: suite for suite in (OFFICIAL, HARD)})
"""The shipped suites by name, the official one first."""

for _suite in SUITES.values():
    if _suite.weight_sum != 1:
        raise AssertionError(f"the category weights of {_suite.title} must sum to exactly 1.0")


def require_categories(suite: Suite, keys: Sequence[str]) -> None:
    """Raise unless there is at least one key and each is a category of `suite`."""
    unknown = [key for key in keys if key not in suite.categories]
    elsewhere = next((other for key in unknown for other in SUITES.values() if key in other.categories), None)
    if elsewhere is not None:
        text = f"{', '.join(unknown)} is not a category of {suite.title} but of {elsewhere.title}"
        raise InputError(text, cure=way_to(elsewhere.name))
    if unknown or not keys:
        raise InputError(f"there is no category {', '.join(unknown)}", cure=f"one of {', '.join(suite.categories)}")


def find_suite(name: str) -> Suite:
    """The shipped suite of this name; raises `InputError` if there is none."""
    suite = SUITES.get(name)
    if suite is None:
        raise InputError(f"there is no suite {name!r}", cure=f"one of {', '.join(SUITES)}")
    return suite


def way_to(name: str) -> str:
    """How to ask for the suite of this name on the command line."""
    if name == OFFICIAL.name:
        return "leave out --suite and --items"
    if name.startswith(TASKS):
        return "add --categories with the file of its tasks"
    return f"add {SUITES[name].option}" if name in SUITES else "add --items with the folder of its items"


def title_of(name: str) -> str:
    """The title of a suite, or what is known of one from a folder."""
    return SUITES[name].title if name in SUITES else f"the bench {name.removeprefix(OWN).removeprefix(TASKS)}"


def shipped() -> Iterable[Category]:
    """The categories of all shipped suites."""
    return (category for suite in SUITES.values() for category in suite.categories.values())


def suite_with(key: str) -> Suite:
    """The shipped suite that has the category of this key."""
    return next(suite for suite in SUITES.values() if key in suite.categories)


@cache
def reserved() -> frozenset[str]:
    """Names that a row of a leaderboard, its CSV or its order have for something else than the score of a category."""
    from steelyard.artifact import schema_document
    from steelyard.bench.model_facts import ModelFacts

    row = schema_document("leaderboard")["$defs"]["model"]["properties"]
    beside = {*ModelFacts.model_fields, "cost", "overall_low", "overall_high"}
    return frozenset({*row, *beside}) - {category.key for category in shipped()}
