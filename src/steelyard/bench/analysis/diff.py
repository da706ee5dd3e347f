"""Which items flipped between two subjects, with both answers side by side.

Binary items flip when one side passes and the other does not; rubric items when they moved by more than 0.10, the
declared definite difference. Only items that both sides were scored on, under equal fingerprints, are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.bench.analysis.pairs import pair
from steelyard.bench.category import Category
from steelyard.bench.comparable import same_runs, unlike
from steelyard.bench.model import BoardRow, CategoryResult, Pair
from steelyard.bench.read.answers import redacted
from steelyard.bench.read.store import AnswerStore
from steelyard.bench.score import DEFINITE_ABOVE
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.errors import IncomparableError
from steelyard.outcome import exact
from steelyard.rows import Tabular


@dataclass(frozen=True, slots=True)
class Flip:
    """One item with two different outcomes."""

    category: str
    id: str
    first: float
    second: float
    first_answer: str
    second_answer: str
    title: str = ""
    """What the item is about, in a few words."""


@dataclass(frozen=True, slots=True)
class Difference(Tabular):
    """Two subjects, item by item."""

    LINES = "flips"

    first: str
    second: str
    flips: tuple[Flip, ...]
    compared: dict[str, int]
    """Category → items both were scored on."""
    readings: tuple[Pair, ...]
    skipped: tuple[str, ...]
    """Categories that could not be compared, and why."""
    suite: Suite = OFFICIAL
    """Whose categories are compared."""
    same: tuple[str, ...] = ()
    """Categories in which both sides are the same runs."""


def difference(
    rows: tuple[BoardRow, BoardRow],
    names: tuple[str, str],
    answers: AnswerStore,
    suite: Suite = OFFICIAL,
    *,
    reveal: bool = False,
) -> Difference:
    """What flipped from the first row to the second; `IncomparableError` when not one item can be compared."""
    one, other = rows
    flips: list[Flip] = []
    compared: dict[str, int] = {}
    skipped: list[str] = []
    for key, category in suite.categories.items():
        first, second = one.results.get(key), other.results.get(key)
        if first is None or second is None:
            continue
        if why := _why(first, second, category):
            skipped.append(f"{category.name}: {why}")
            continue
        shared = sorted(first.items.keys() & second.items.keys())
        compared[key] = len(shared)
        moved = [item for item in shared if flipped(category, first.items[item], second.items[item])]
        flips += [_flip(key, item, rows, answers, reveal) for item in moved]
    if not any(compared.values()):
        raise IncomparableError(
            f"{names[0]} and {names[1]} share no comparable item" + "".join(f"; {s}" for s in skipped)
        )
    readings = tuple(reading for key in compared if (reading := pair([one, other], key, suite)) is not None)
    same = tuple(suite.categories[key].name for key in compared if same_runs(one.results[key], other.results[key]))
    return Difference(*names, tuple(flips), compared, readings, tuple(skipped), suite, same)


def flipped(category: Category, first: float, second: float) -> bool:
    """Whether an item counts as flipped."""
    if category.scoring == "binary":
        return (exact(first) >= 1) != (exact(second) >= 1)
    return exact(abs(first - second)) > DEFINITE_ABOVE


def _why(first: CategoryResult, second: CategoryResult, category: Category) -> str:
    fields = unlike(first.fingerprint, second.fingerprint, category)
    if fields == ("fingerprint",):
        return "one side carries no fingerprint"
    return f"the fingerprints differ in {', '.join(fields)}" if fields else ""


def _flip(key: str, item: str, rows: tuple[BoardRow, BoardRow], answers: AnswerStore, reveal: bool) -> Flip:
    scores = [row.results[key].items[item] for row in rows]
    first, second = (_text(row, key, item, answers, reveal) for row in rows)
    facts = rows[0].results[key].facts.get(item)
    return Flip(key, item, scores[0], scores[1], first, second, facts.title if facts else "")


def _text(row: BoardRow, key: str, item: str, answers: AnswerStore, reveal: bool) -> str:
    result = row.results[key]
    # If logs were pooled, the newest is last.
    answer = answers.answer(result.logs[-1], item, 1, result.scorer.partition("@")[0])
    return redacted(answer, str(row.details.get("model")), reveal=reveal).answer
