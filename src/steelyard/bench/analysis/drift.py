"""Has a model's score moved since an earlier board? Both boards ran the same items, so they are paired item by item.

    moved       the paired difference is distinct: Holm-adjusted p < .05 over all scores, 95% interval without 0
    steady      its 90% interval lies inside ± the declared margin, or every item scored the same
    undecided   everything else: the items cannot tell

The intervals are those of `stats.paired` (Newcombe for binary items, t for graded ones; the overall is the weighted sum
of the categories). Only items that both boards scored, under equal fingerprints, are compared. A board that carries no
items and whose logs cannot be read has only its interval of item sampling, as if the other board had drawn other items:
a score outside it has moved, one inside it is undecided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from steelyard.bench.board import make_board
from steelyard.bench.category import Category
from steelyard.bench.comparable import same_runs, unlike
from steelyard.bench.model import OVERALL, Spec
from steelyard.bench.report.data import leaderboard
from steelyard.bench.report.published import Published, is_leaderboard, logs_of, published_rows, read_published
from steelyard.bench.score import margin_of, measured
from steelyard.bench.suite import Suite
from steelyard.errors import IncomparableError, InputError, boundary
from steelyard.outcome import exact
from steelyard.stamp import Fingerprint
from steelyard.stats.multiple import holm
from steelyard.stats.paired import Differences, compare, weighted

if TYPE_CHECKING:
    from steelyard.location import Location

Reading: TypeAlias = Literal["moved", "steady", "undecided"]
"""What the difference of one score shows."""

_READINGS: dict[str, Reading] = {"distinct": "moved", "equivalent": "steady", "unresolved": "undecided"}


@dataclass(frozen=True, slots=True)
class Move:
    """One score of one model, then and now."""

    model: str
    key: str
    """A category, or `overall`."""
    before: float
    """Mean over the items compared."""
    now: float
    delta: float
    """`now` − `before`."""
    low: float | None
    """The 95% interval of `delta`; None where it cannot be estimated."""
    high: float | None
    items: int | None
    """How many items were paired; None if the boards carry none."""
    reading: Reading
    same_runs: bool = False
    """Whether both boards hold the same runs of this model."""

    @property
    def left(self) -> bool:
        """Whether the score has moved."""
        return self.reading == "moved"


class _Pairing(NamedTuple):
    """The items of one score on both boards, later − earlier."""

    model: str
    key: str
    before: float
    now: float
    items: int
    difference: Differences
    same: bool
    """Whether every item scored the same."""


def moves(earlier: Location, later: Location, spec: Spec | None = None) -> tuple[Move, ...]:
    """Every score that both sides have; each is a leaderboard, a log or a folder of logs."""
    spec = spec or Spec()
    return moved(_rows(earlier, spec), _rows(later, spec), spec.suite)


def moved(before: Mapping[str, Published], after: Mapping[str, Published], suite: Suite) -> tuple[Move, ...]:
    """Every score that both boards have; raises `IncomparableError` if there is none."""
    pairings: list[_Pairing] = []
    unpaired: list[Move] = []
    unlike_fields: list[str] = []
    for name in [name for name in after if name in before]:
        old, new = before[name], after[name]
        if not old.items or not new.items:
            unpaired += _without_items(old, new, suite)
            continue
        by_category = [
            pairing for key in suite.categories if (pairing := _paired(old, new, suite.categories[key], unlike_fields))
        ]
        pairings += by_category
        # Otherwise the two overall scores would add up different categories.
        if by_category and {pairing.key for pairing in by_category} == set(old.items) == set(new.items):
            pairings.append(_overall(by_category, suite))
    if not pairings and not unpaired:
        raise IncomparableError(
            "the two boards share no score that can be compared"
            + "".join(f"; {reason}" for reason in dict.fromkeys(unlike_fields)),
            cure="give boards or log folders of the same models and datasets",
        )
    scores = (*_read(pairings, suite), *unpaired)
    return tuple(replace(move, same_runs=same_runs(before[move.model], after[move.model])) for move in scores)


def verdict(scores: tuple[Move, ...]) -> Reading:
    """`moved` if any score has, else `undecided` if any score is, else `steady`."""
    readings = {move.reading for move in scores}
    return "moved" if "moved" in readings else "undecided" if "undecided" in readings else "steady"


def _rows(path: Location, spec: Spec) -> dict[str, Published]:
    """The rows of a leaderboard, with the items of its logs if it carries none itself, or those of logs."""
    if path.suffix != ".json" or not is_leaderboard(path):
        return published_rows(leaderboard(make_board([path], spec)), str(path), spec.suite)
    rows = read_published(path, spec.suite)
    if all(row.items for row in rows.values()):
        return rows
    try:
        logs = logs_of(path)
    except InputError:
        return rows  # published without its logs: only the intervals of item sampling are known
    return {**rows, **published_rows(leaderboard(make_board(logs, spec)), str(path), spec.suite)}


def _paired(old: Published, new: Published, category: Category, unlike_fields: list[str]) -> _Pairing | None:
    key = category.key
    if key not in old.items or key not in new.items or old.scores.get(key) is None or new.scores.get(key) is None:
        return None
    if fields := unlike(_fingerprint(old, key), _fingerprint(new, key), category):
        unlike_fields.append(f"{category.name}: the fingerprints differ in {', '.join(fields)}")
        return None
    shared = sorted(old.items[key].keys() & new.items[key].keys())
    if not shared:
        return None
    then, now = ([row.items[key][item] for item in shared] for row in (old, new))
    same = all(exact(one) == exact(other) for one, other in zip(then, now, strict=True))
    return _Pairing(old.model, key, float(np.mean(then)), float(np.mean(now)), len(shared), compare(now, then), same)


def _overall(parts: list[_Pairing], suite: Suite) -> _Pairing:
    weights = [suite.categories[part.key].weight for part in parts]
    before, now = (
        math.fsum(weight * value for weight, value in zip(weights, values, strict=True))
        for values in ([part.before for part in parts], [part.now for part in parts])
    )
    difference = weighted([(weight, part.difference) for weight, part in zip(weights, parts, strict=True)])
    items, same = sum(part.items for part in parts), all(part.same for part in parts)
    return _Pairing(parts[0].model, OVERALL, before, now, items, difference, same)


def _read(pairings: list[_Pairing], suite: Suite) -> list[Move]:
    adjusted = holm([_known(float(pairing.difference.p[0])) for pairing in pairings])
    return [_move(pairing, p, margin_of(pairing.key, suite)) for pairing, p in zip(pairings, adjusted, strict=True)]


def _move(pairing: _Pairing, p_holm: float | None, margin: float) -> Move:
    difference = pairing.difference
    low, high = _known(float(difference.low[0])), _known(float(difference.high[0]))
    low90, high90 = _known(float(difference.low90[0])), _known(float(difference.high90[0]))
    ends = None if low is None or high is None else (low, high)
    ends90 = None if low90 is None or high90 is None else (low90, high90)
    reading = _READINGS[measured(p_holm, ends, ends90, margin)]
    scores = (exact(pairing.before), exact(pairing.now), exact(float(difference.estimate[0])))
    # Equal scores on every item have no variance, so no interval could say that nothing moved.
    return Move(pairing.model, pairing.key, *scores, low, high, pairing.items, "steady" if pairing.same else reading)


def _without_items(old: Published, new: Published, suite: Suite) -> list[Move]:
    """Boards without items: the interval that the earlier board gave the score, moved to the difference."""
    scores: list[Move] = []
    for key in (OVERALL, *suite.categories):
        then, now = (row.overall if key == OVERALL else row.scores.get(key) for row in (old, new))
        if then is None or now is None or key not in old.intervals:
            continue
        low, high = old.intervals[key]
        inside = exact(low) <= exact(now) <= exact(high)
        # Never "steady": that would need scores item by item.
        move = Move(old.model, key, then, now, exact(now - then), None, None, None, "undecided" if inside else "moved")
        scores.append(replace(move, low=exact(now - high), high=exact(now - low)))
    return scores


def _fingerprint(row: Published, key: str) -> Fingerprint | None:
    fields = row.fingerprints.get(key)
    if not isinstance(fields, Mapping):
        return None
    with boundary(InputError, f"{row.model}: the fingerprint of {key} cannot be read"):
        return Fingerprint(**cast(Mapping[str, Any], fields))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
