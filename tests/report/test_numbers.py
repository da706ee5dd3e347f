"""Numbers as readers see them."""

from __future__ import annotations

import math

import pytest

from steelyard.report.numbers import UNKNOWN, seconds


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.42, "0.42 s"), (12.3, "12 s"), (185, "3 min 05 s"), (None, UNKNOWN), (math.inf, UNKNOWN), (math.nan, UNKNOWN)],
)
def test_durations(value: float | None, shown: str) -> None:
    assert seconds(value) == shown
