"""docs/scoring.md §1.1, §1.2 and §1.6 on plain numbers."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.bench import score
from steelyard.bench.model import CATEGORIES

shares = st.floats(0, 1)


def test_1_1_weights_sum_to_exactly_one() -> None:
    assert sum(Decimal(str(each.weight)) for each in CATEGORIES.values()) == 1
    assert [each.weight for each in CATEGORIES.values()] == [0.34, 0.33, 0.33]


def test_1_2_one_everywhere_gives_exactly_one() -> None:
    assert score.overall(dict.fromkeys(CATEGORIES, 1.0)) == 1.0


def test_1_2_overall_formula() -> None:
    # 0.34·0.85 + 0.33·0.6 + 0.33·0.5 = 0.289 + 0.198 + 0.165
    found = score.overall({"practice_exam": 0.85, "architecture_design": 0.6, "cdk_synth": 0.5})
    assert found == pytest.approx(0.652, abs=1e-12)


def test_1_2_a_category_never_run_counts_zero() -> None:
    assert score.overall({"practice_exam": 1.0}) == pytest.approx(0.34)
    assert score.overall({}) == 0.0


def test_1_2_a_withheld_category_withholds_overall() -> None:
    assert score.overall({"practice_exam": 1.0, "cdk_synth": None}) is None


@given(shares, shares, shares)
def test_1_2_overall_stays_in_range(exam: float, design: float, cdk: float) -> None:
    found = score.overall({"practice_exam": exam, "architecture_design": design, "cdk_synth": cdk})
    assert found is not None and 0 <= found <= 1


def test_1_2_epochs_are_reduced_to_item_means_first() -> None:
    # item a: (1+0)/2, item b: 1 once. The mean of runs would be 2/3; the law says (0.5 + 1)/2.
    items = score.item_means([("a", 1.0), ("a", 0.0), ("b", 1.0)])
    assert items == {"a": 0.5, "b": 1.0}
    assert score.category_score(items) == 0.75
    assert score.category_score({}) is None


@pytest.mark.parametrize(
    ("attempted", "lost", "expected"),
    [(50, 0, False), (50, 2, False), (40, 2, False), (50, 3, True), (28, 1, False), (28, 2, True), (0, 0, False)],
)  # 48/50 = .96; 38/40 = .95 exactly; 47/50 = .94; 27/28 = .964; 26/28 = .929
def test_1_2_coverage_below_95_percent_through_our_fault_withholds(attempted: int, lost: int, expected: bool) -> None:
    assert score.withheld(attempted, lost) is expected


@pytest.mark.parametrize(
    ("delta", "key", "reading"),
    [
        (0.05, "practice_exam", "equivalent"),
        (-0.05, "overall", "equivalent"),
        (0.77 - 0.72, "overall", "equivalent"),  # 0.050000000000000044 as a float
        (0.0500011, "practice_exam", "likely"),
        (0.10, "practice_exam", "likely"),
        (0.0501, "overall", "likely"),
        (0.08, "architecture_design", "unclear"),
        (0.8 - 0.7, "cdk_synth", "likely"),
        (0.1000011, "architecture_design", "definite"),
        (-0.3, "overall", "definite"),
    ],
)
def test_1_6_declared_reading(delta: float, key: str, reading: str) -> None:
    assert score.declared_all(np.array([delta]), key) == [reading]


@pytest.mark.parametrize(
    ("p", "ci95", "ci90", "reading"),
    [
        (0.01, (0.02, 0.2), (0.04, 0.18), "distinct"),
        (0.01, (0.001, 0.04), (0.005, 0.035), "distinct"),  # it wins over equivalent
        (0.01, (-0.01, 0.2), (0.01, 0.18), "unresolved"),  # the interval must exclude 0 as well
        (0.05, (0.02, 0.2), (0.04, 0.18), "unresolved"),  # p must be below .05
        (0.6, (-0.06, 0.05), (-0.05, 0.04), "equivalent"),
        (0.6, (-0.06, 0.05), (-0.051, 0.04), "unresolved"),
        (None, None, None, "unresolved"),
    ],
)
def test_1_6_measured_reading(
    p: float | None, ci95: tuple[float, float] | None, ci90: tuple[float, float] | None, reading: str
) -> None:
    assert score.measured(p, ci95, ci90, 0.05) == reading


def test_1_6_equal_overalls_share_a_rank() -> None:
    assert score.ranks([0.9, 0.5, 0.9000000004, 0.1]) == [1, 3, 1, 4]
