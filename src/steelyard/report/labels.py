"""Places for the labels of dots: beside their dot, on no other dot and on no other label.

A label tries the places around its dot, near ones first. The most crowded dots choose first, because they have the
fewest places. Pure arithmetic on pixels; y grows downward.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

LETTER, LINE = 6.6, 13.0
"""Width of a letter and height of a line of a label, at its font size of 11."""

_DOT = 6.0
"""Half the size of a dot, with a little air."""

_REACH = (0.0, 9.0, 20.0, 34.0)
"""How far a label may move away from its dot beyond the nearest place."""


class Box(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)


class Placed(NamedTuple):
    """Where labels go."""

    boxes: tuple[Box, ...]
    """One per label, in the order of the labels."""
    free: bool
    """Whether no label covers a dot, another label or the edge of the picture."""


def place(
    dots: Sequence[tuple[float, float]], labels: Sequence[str], size: tuple[float, float], taken: Sequence[Box] = ()
) -> Placed:
    """A box for the label of each dot inside a picture of `size`; boxes overlap only where there is no room.

    `taken` is what else is drawn.
    """
    around = [Box(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in dots]
    crowded = sorted(range(len(dots)), key=lambda number: -_neighbours(dots, number))
    boxes: dict[int, Box] = {}
    cost = 0.0
    for number in crowded:
        others = [*taken, *(box for place, box in enumerate(around) if place != number), *boxes.values()]
        candidates = _candidates(dots[number], LETTER * len(labels[number]))
        costs = [(_cost(box, others, size), order) for order, box in enumerate(candidates)]
        # At equal cost the earlier candidate wins, because it is nearer to the dot.
        least, order = min(costs)
        boxes[number] = candidates[order]
        cost += least
    return Placed(tuple(boxes[number] for number in range(len(dots))), cost == 0)


def steps(corners: Sequence[tuple[float, float]]) -> list[Box]:
    """The boxes of a line that goes from corner to corner first sideways, then up or down."""
    boxes: list[Box] = []
    for (left, top), (right, bottom) in pairwise(corners):
        ends = sorted((top, bottom))
        boxes += [Box(left, top - 2, right, top + 2), Box(right - 2, ends[0], right + 2, ends[1])]
    return boxes


def _candidates(dot: tuple[float, float], width: float) -> list[Box]:
    x, y = dot
    boxes: list[Box] = []
    for reach in _REACH:
        side, rise = _DOT + 2 + reach, _DOT + 1 + reach
        for left in (x + side, x - side - width):  # beside the dot
            boxes += [_box(left, y + shift, width) for shift in dict.fromkeys((0.0, -reach, reach))]
        for middle in (y - rise - LINE / 2, y + rise + LINE / 2):  # above and below it
            boxes += [_box(left, middle, width) for left in (x - width / 2, x, x - width)]
    return boxes


def _box(left: float, middle: float, width: float) -> Box:
    return Box(left, middle - LINE / 2, left + width, middle + LINE / 2)


def _cost(box: Box, others: Sequence[Box], size: tuple[float, float]) -> float:
    inside = Box(0.0, 0.0, *size)
    outside = (box.right - box.left) * (box.bottom - box.top) - box.overlap(inside)
    return sum(box.overlap(other) for other in others) + 4 * max(outside, 0.0)


def _neighbours(dots: Sequence[tuple[float, float]], number: int) -> int:
    x, y = dots[number]
    return sum(abs(x - other) < 60 and abs(y - height) < 30 for other, height in dots) - 1
