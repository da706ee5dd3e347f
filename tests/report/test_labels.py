"""Labels find places of their own."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from steelyard.report.labels import Box, place, steps

SIZE = (760.0, 360.0)


def dots(count: int, seed: int) -> list[tuple[float, float]]:
    rng = random.Random(seed)
    return [(rng.uniform(20, 740), rng.uniform(20, 340)) for _ in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_labels_cover_neither_each_other_nor_a_dot(seed: int) -> None:
    points = dots(12, seed)
    placed = place(points, [f"maker/model-{number}" for number in range(12)], SIZE)
    assert placed.free
    assert all(one.overlap(other) == 0 for one, other in combinations(placed.boxes, 2))
    for box in placed.boxes:
        assert box.left >= 0 and box.top >= 0 and box.right <= SIZE[0] and box.bottom <= SIZE[1]
        assert not any(box.left < x < box.right and box.top < y < box.bottom for x, y in points)


def test_no_room_is_admitted() -> None:
    placed = place([(100.0, 100.0)] * 40, ["a rather long name of a model"] * 40, SIZE)
    assert not placed.free and len(placed.boxes) == 40


def test_labels_keep_off_a_line() -> None:
    # From (50, 100) to the right until 400, then up to 50: the nearest place, right of the dot, is taken.
    line = steps([(50.0, 100.0), (400.0, 50.0)])
    assert line == [Box(50, 98, 400, 102), Box(398, 50, 402, 100)]
    (box,) = place([(50.0, 100.0)], ["a name"], SIZE, line).boxes
    assert all(box.overlap(part) == 0 for part in line)


def test_a_lone_label_stands_right_of_its_dot() -> None:
    (box,) = place([(50.0, 100.0)], ["a"], SIZE).boxes
    assert box.left == 58 and (box.top + box.bottom) / 2 == 100
