"""What a calibration looks like where there is little room."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.judge.calibration.labels import Label
from steelyard.judge.calibration.measure import Calibration, Marked, measure
from steelyard.judge.calibration.report import calibration_document
from steelyard.report import terminal

from .test_measure import answer

ITEMS = ("accuracy", "completeness", "quality")
GRADES = (0.1, 0.4, 0.6, 0.8, 0.95)
DATA: dict[str, Any] = {
    **{"judge": "stub/judge", "rubric_name": "r", "rubric": "0123", "n": 100, "scored": 100, "repeats": 1},
    "labelled_by": ["authors"],
}


def marked(place: int, shift: float) -> Marked:
    grade = GRADES[place % 5]
    row = Label(id=f"r{place}", response="r", labels=dict.fromkeys(ITEMS, grade))
    return answer(row, one=[dict.fromkeys(ITEMS, min(1.0, max(0.0, grade + shift)))])


def calibration(shift: float) -> Calibration:
    return measure([marked(place, shift) for place in range(100)])


def lines(result: Calibration, width: int) -> list[str]:
    return terminal.render(calibration_document(result, DATA, False), width=width).splitlines()


def item_table(shown: list[str]) -> list[str]:
    """From the head of the first table to the heading after it."""
    return shown[
        next(place for place, line in enumerate(shown) if "floor" in line and "item" in line) : shown.index("By tier")
    ]


@pytest.mark.parametrize("shift", [0.0, -0.3])
@pytest.mark.parametrize(("width", "gone"), [(80, []), (72, ["mean |error|"]), (60, ["mean error", "mean |error|"])])
def test_kappa_and_its_interval_are_what_stays(width: int, gone: list[str], shift: float) -> None:
    result = calibration(shift)
    shown = lines(result, width)
    assert all(len(line) <= width for line in shown)
    head, *rest = item_table(shown)
    assert "weighted κ (90%)" in head and "within ±0.15" in head
    for item in result.items:
        assert item.kappa is not None
        stated = f"{item.kappa.value:.2f} ({item.kappa.low:.2f} to {item.kappa.high:.2f})".replace("-", "−")
        [row] = [line for line in rest if line.startswith(item.item[:10])]
        assert stated in row
    said = [line for line in rest if line.startswith("Too narrow")]
    assert said == ([f"Too narrow to show: {', '.join(gone)}."] if gone else [])


@pytest.mark.parametrize("shift", [0.0, -0.3])
def test_the_headline_states_the_interval(shift: float) -> None:
    result = calibration(shift)
    assert result.kappa is not None
    stated = f"κ {result.kappa.value:.2f}, 90% interval {result.kappa.low:.2f} to {result.kappa.high:.2f}"
    assert stated in " ".join(lines(result, 80)[:6])
