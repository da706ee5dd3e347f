from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score, krippendorff_alpha

from steelyard.stats.agreement import alpha, kappa, table_kappa


def test_the_published_vector() -> None:
    # p_o = 35/50 = .7; p_e = .5·.6 + .5·.4 = .5; κ = .2/.5 = .40; SE = √(.7·.3/50)/.5 = .1296
    found = table_kappa([[20, 5], [10, 15]])
    assert found is not None
    assert found.value == pytest.approx(0.40)
    assert found.se == pytest.approx(0.130, abs=5e-4)
    # 90%: ± 1.6449 · .1296
    assert (found.low, found.high) == (pytest.approx(0.1868, abs=1e-4), pytest.approx(0.6132, abs=1e-4))
    assert found.n == 50


def test_quadratic_weights_by_hand() -> None:
    # Three categories, v = ((i−j)/2)². Ratings (0,0) (1,1) (2,2) (0,2): Σ v p = 1/4.
    # Marginals: one 0:.5 1:.25 2:.25; other 0:.25 1:.25 2:.5. Σ v p_i p_j = .25·(.5·.25 + .25·.25 + .25·.5 + .25·.25)
    # + 1·(.5·.5 + .25·.25) = .09375 + .3125 = .40625; κ = 1 − .25/.40625 = .384615
    found = kappa([0, 1, 2, 0], [0, 1, 2, 2], categories=3, weights="quadratic")
    assert found is not None
    assert found.value == pytest.approx(0.3846154)


@pytest.mark.parametrize("seed", range(5))
def test_against_the_ratio_of_disagreements(seed: int) -> None:
    # κ = 1 − (mean disagreement of the pairs) / (mean disagreement of all pairings of one's ratings with the other's)
    draw = np.random.default_rng(seed).integers(0, 5, (2, 40))
    one, other = draw[0].tolist(), draw[1].tolist()
    seen = np.mean([(a - b) ** 2 for a, b in zip(one, other, strict=True)])
    chance = np.mean([(a - b) ** 2 for a in one for b in other])
    found = kappa(one, other, categories=5, weights="quadratic")
    assert found is not None
    assert found.value == pytest.approx(1 - seen / chance)


def test_perfect_agreement_and_its_opposite() -> None:
    perfect = kappa([0, 1, 4, 2], [0, 1, 4, 2], categories=5, weights="quadratic")
    opposite = kappa([0, 4], [4, 0], categories=5, weights="quadratic")
    assert perfect is not None
    assert opposite is not None
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert opposite.value == -1.0


@pytest.mark.parametrize(
    ("n", "low"),
    # Half 0, half 4, judged alike: 1 − p_e = .5, low = 1 − 2·(1 − .05^(1/n)).
    [(2, -0.552786), (10, 0.482267), (13, 0.588372), (14, 0.614672), (30, 0.809932), (100, 0.940974)],
)
def test_perfect_agreement_on_a_handful_says_little(n: int, low: float) -> None:
    ratings = [0] * (n // 2) + [4] * (n - n // 2)
    found = kappa(ratings, ratings, categories=5, weights="quadratic")
    assert found is not None
    assert found.value == 1.0
    assert found.low == pytest.approx(low, abs=0.003)  # 13 has no halves


def test_one_slip_among_few_says_no_more_than_none() -> None:
    ratings = [0, 4] * 5
    slip = kappa(ratings, [1, *ratings[1:]], categories=5, weights="quadratic")
    assert slip is not None
    assert slip.value > 0.98
    assert slip.low < 0.6


def test_one_category_throughout_is_undefined_and_not_perfect() -> None:
    assert kappa([2, 2, 2], [2, 2, 2], categories=5) is None
    assert kappa([], [], categories=5) is None


@pytest.mark.parametrize(("one", "other"), [([0], [0, 1]), ([5], [0]), ([-1], [0])])
def test_what_cannot_be_compared_is_refused(one: list[int], other: list[int]) -> None:
    with pytest.raises(ValueError):
        kappa(one, other, categories=5)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60))
def test_kappa_is_symmetric_and_stays_in_range(pairs: list[tuple[int, int]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    for weights in ("nominal", "quadratic"):
        found = kappa(one, other, categories=5, weights=weights)  # type: ignore[arg-type]
        swapped = kappa(other, one, categories=5, weights=weights)  # type: ignore[arg-type]
        if found is None:
            assert swapped is None
            continue
        assert swapped is not None
        assert found.value == pytest.approx(swapped.value)
        assert -1 - 1e-9 <= found.value <= 1 + 1e-9
        assert -1 <= found.low <= found.high <= 1
        assert math.isfinite(found.se)


def test_inspects_alpha_is_the_one_we_rely_on() -> None:
    one, other = [1, 2, 3, 3, 2, 1, 4, 1, 2], [1, 2, 3, 3, 2, 2, 4, 1, 2]
    scores = [SampleScore(score=Score(value=list(pair))) for pair in zip(one, other, strict=True)]
    assert krippendorff_alpha("nominal")(scores) == pytest.approx(0.852174, abs=1e-6)  # type: ignore[operator]


def test_agreement_is_krippendorffs_alpha() -> None:
    # Two raters over units: α = 1 − D_o/D_e. Units (1,2),(3,4): D_o = (2·1/1 + 2·1/1)/4 = 1, over all ordered pairs of
    # 1,2,3,4 Σ(a−b)² = 2·4·5 = 40, D_e = 40/(4·3) = 10/3, α = 1 − 0.3 = 0.7.
    assert alpha([[1, 2], [3, 4]]) == pytest.approx(0.7)
    assert alpha([[0.5], [0.7]]) is None


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=5), max_size=8))
def test_alpha_is_inspects_alpha_to_the_last_digit(units: list[list[float]]) -> None:
    metric: Any = krippendorff_alpha("interval")
    rated = [SampleScore(score=Score(value=[*unit])) for unit in units if len(unit) > 1]
    expected = metric(rated) if rated else math.nan
    assert alpha(units) == (expected if math.isfinite(expected) else None)
