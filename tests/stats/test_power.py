from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats import power


def needed(delta: float, variance: float) -> int | None:
    [items] = power.items_needed_all(np.array([delta]), np.array([variance]))
    return items


@pytest.mark.parametrize(
    ("psi", "delta", "n"),
    [
        (0.2, 0.02, 3917), (0.2, 0.05, 621), (0.2, 0.10, 150), (0.2, 0.15, 62),
        (0.1, 0.02, 1955), (0.1, 0.05, 307), (0.1, 0.10, 71), (0.1, 0.15, 28),
    ],
)  # fmt: skip
def test_items_for_80_percent_power(psi: float, delta: float, n: int) -> None:
    # n = 7.849·(ψ − δ²)/δ², as whole items; the published table rounds to the nearest
    assert needed(delta, psi - delta**2) == pytest.approx(n, abs=1)


def test_minimum_detectable_of_a_comparison() -> None:
    # SE .005667 with 9 degrees of freedom: .017825
    assert power.minimum_detectable(0.0056667, 9) == pytest.approx(0.017825, abs=5e-6)


@pytest.mark.parametrize(("delta", "variance"), [(0.0, 0.2), (0.1, 0.0), (0.1, float("nan"))])
def test_what_no_number_of_items_resolves(delta: float, variance: float) -> None:
    assert needed(delta, variance) is None


def test_rounds_that_resolve_an_effect() -> None:
    # (t_.975,27 + t_.80,27)·.018/√28 = (2.0518 + .8551)·.003402 = .00989 <= .01; with 27 rounds it is .01008.
    assert power.rounds_needed(0.01, 0.018) == 28


@pytest.mark.parametrize(("target", "spread"), [(0.0, 0.1), (0.01, float("nan")), (1e-9, 1.0)])
def test_what_no_number_of_rounds_resolves(target: float, spread: float) -> None:
    assert power.rounds_needed(target, spread) is None
