from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats import paired


def of_table(a: int, b: int, c: int, d: int) -> tuple[list[float], list[float]]:
    """Scores of two subjects that give this 2×2 table."""
    first = [1.0] * (a + b) + [0.0] * (c + d)
    second = [1.0] * a + [0.0] * b + [1.0] * c + [0.0] * d
    return first, second


def test_the_vector_24_9_2_5() -> None:
    # McNemar mid-p .0386, Newcombe .0109….3299; SE of d̄ is .0792
    found = paired.compare(*of_table(24, 9, 2, 5))
    assert found.estimate[0] == pytest.approx(0.175)
    assert found.se[0] == pytest.approx(0.0792, abs=5e-5)
    assert found.p[0] == pytest.approx(0.0386, abs=5e-5)
    assert (found.low[0], found.high[0]) == (pytest.approx(0.0109, abs=5e-5), pytest.approx(0.3299, abs=5e-5))
    assert found.method == "newcombe + mid-p"


def test_mcnemar_exact_and_mid_p() -> None:
    exact, mid = paired.mcnemar(9, 2)
    assert float(exact) == pytest.approx(0.0654, abs=5e-5)
    assert float(mid) == pytest.approx(0.0386, abs=5e-5)
    assert [float(each) for each in paired.mcnemar(0, 0)] == [1.0, 1.0]


def test_mcnemar_is_a_binomial_test_of_the_discordant_pairs() -> None:
    from scipy.stats import binomtest

    for b in range(0, 9):
        for c in range(0, 9):
            if b + c:
                expected = binomtest(b, b + c, 0.5).pvalue
                assert float(paired.mcnemar(b, c)[0]) == pytest.approx(expected, abs=1e-12)


def test_newcombe_and_bonett_price_vectors() -> None:
    low, high = paired.newcombe(36, 12, 2, 0)
    assert (float(low), float(high)) == (pytest.approx(0.0569, abs=5e-5), pytest.approx(0.3404, abs=5e-5))
    low, high = paired.bonett_price(9, 2, 40)
    assert (float(low), float(high)) == (pytest.approx(0.0061, abs=5e-5), pytest.approx(0.3272, abs=5e-5))


def test_t_of_the_binary_vector() -> None:
    # the same table read as graded differences: t p .0330, interval .0149….3351
    first, second = of_table(24, 9, 2, 5)
    d = np.array(first) - np.array(second)
    se, df = np.array([d.std(ddof=1) / np.sqrt(40)]), np.array([39.0])
    low, high = paired.t_bounds(np.array([d.mean()]), se, df)
    assert paired.t_test(d.mean(), se, df)[0] == pytest.approx(0.0330, abs=5e-5)
    assert (low[0], high[0]) == (pytest.approx(0.0149, abs=5e-5), pytest.approx(0.3351, abs=5e-5))


def test_graded_items_use_t() -> None:
    from scipy.stats import ttest_rel

    first, second = [0.5, 0.9, 0.4, 0.7, 0.2], [0.4, 0.6, 0.5, 0.6, 0.1]
    found, oracle = paired.compare(first, second), ttest_rel(first, second)
    bounds = oracle.confidence_interval()
    assert found.method == "t"
    assert found.p[0] == pytest.approx(oracle.pvalue)
    assert (found.low[0], found.high[0]) == (pytest.approx(bounds.low), pytest.approx(bounds.high))


def test_equal_graded_differences_are_not_estimable() -> None:
    found = paired.compare([0.5, 0.6, 0.7], [0.4, 0.5, 0.6])
    assert np.isnan(found.p[0]) and np.isnan(found.low[0]) and np.isnan(found.high[0])


def test_equal_binary_differences_use_bonett_price() -> None:
    found = paired.compare([1.0] * 40, [1.0] * 40)
    low, high = paired.bonett_price(0, 0, 40)
    assert (found.low[0], found.high[0]) == (float(low), float(high))
    assert found.p[0] == 1.0 and found.se[0] > 0


def test_overall_difference_by_propagation() -> None:
    # unpaired at .7 everywhere the difference of two overalls is ±9.7 points: √2·1.96·.0348 = .0965
    part = paired.compare(*of_table(24, 9, 2, 5))
    found = paired.weighted([(0.34, part), (0.66, part)])
    assert found.estimate[0] == pytest.approx(0.175)
    assert found.se[0] == pytest.approx(0.0792 * np.hypot(0.34, 0.66), abs=5e-5)


_scores = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=2, max_size=60)


@given(_scores)
def test_swapping_two_subjects_mirrors_everything(items: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in items], [b for _, b in items]
    one, other = paired.compare(first, second), paired.compare(second, first)
    assert one.estimate[0] == pytest.approx(-other.estimate[0])
    assert one.p[0] == pytest.approx(other.p[0])
    assert (one.low[0], one.high[0]) == (pytest.approx(-other.high[0]), pytest.approx(-other.low[0]))
    assert one.low[0] <= one.estimate[0] + 0.05 and one.low[0] < one.high[0]


def test_many_pairs_at_once_equal_one_at_a_time() -> None:
    rng = np.random.default_rng(7)
    scores = (rng.random((6, 30)) < 0.6).astype(float)
    pairs = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)])
    together = paired.compare_all(scores, pairs)
    for place, (i, j) in enumerate(pairs):
        alone = paired.compare(scores[i], scores[j])
        assert (together.p[place], together.low[place]) == (alone.p[0], alone.low[0])
