"""Anytime-valid tests: the published vectors, and validity under the null by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.sequential import (
    chance_left,
    evidence_path,
    mean_evidence,
    needed_t,
    pass_rate_evidence,
    t_evidence,
)

ROUNDS = [0.012, 0.030, 0.018, 0.025, 0.021, 0.015]


@pytest.mark.parametrize(
    ("n", "t", "scale", "expected"),
    [
        (6, 2.3, 1, 4.162556),
        (10, 2.5, 0.25, 5.8316),
        (30, 3, 0.25, 22.995),
        (20, 4, 0.25, 98.681),
        (10, 0, 0.25, 0.5345),
    ],
)
def test_t_e_values_match_the_published_vectors(n: int, t: float, scale: float, expected: float) -> None:
    assert float(t_evidence(n, t, scale).gain) == pytest.approx(expected, rel=1e-4)


def test_a_path_of_round_means_matches_the_published_one() -> None:
    gains = [float(values.gain) for values in evidence_path(ROUNDS)]
    assert gains == pytest.approx([1.0, 2.314, 4.758, 11.644, 31.815, 77.657], rel=1e-3)


def test_a_loss_is_a_gain_with_the_sign_turned() -> None:
    assert mean_evidence(ROUNDS).gain == mean_evidence([-value for value in ROUNDS]).loss


def test_ten_tasks_match_the_published_vector() -> None:
    values = [0.02, 0.03, -0.01, 0.05, 0, 0.02, 0.04, 0.01, 0.03, 0.02]
    evidence = mean_evidence(values, scale=0.25)
    assert float(evidence.gain) == pytest.approx(17.8213, abs=1e-4)
    assert float(evidence.loss) == pytest.approx(0.18275, abs=1e-5)


def test_a_margin_shifts_the_observations() -> None:
    values = [0.01, -0.03, 0.02, 0, -0.01, 0.03]
    assert float(mean_evidence(values, 0.05).gain) == pytest.approx(50.6781, abs=1e-4)
    assert float(mean_evidence(values).gain) == pytest.approx(0.521998, abs=1e-6)
    assert float(mean_evidence(values).loss) == pytest.approx(0.290603, abs=1e-6)


def test_pass_rates_match_the_published_vectors() -> None:
    broken = [float(pass_rate_evidence([1] * k, [0] * k)) for k in range(1, 6)]
    assert broken == pytest.approx([2.62, 7.37, 22.1, 69.4, 227], rel=2e-3)
    half = [float(pass_rate_evidence([1] * k, [1, 0, 1, 0, 0][:k])) for k in range(1, 6)]
    assert half == pytest.approx([0.64, 1.46, 1.18, 2.67, 6.37], abs=6e-3)


@pytest.mark.parametrize("values", [[], [0.1], [0.1, 0.1, 0.1, 0.1], [0.0, 0.0]])
def test_without_spread_there_is_no_evidence(values: list[float]) -> None:
    evidence = mean_evidence(values)
    assert (float(evidence.gain), float(evidence.loss)) == (1.0, 1.0)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_the_rounds_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert float(mean_evidence(values).gain) == pytest.approx(float(mean_evidence(shuffled).gain), rel=1e-6)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=12))
def test_a_resumed_path_is_the_same_path(values: list[float]) -> None:
    # The path after k rounds depends on these k rounds alone, so stopping and going on changes nothing.
    whole = evidence_path(values)
    for k in range(1, len(values) + 1):
        assert evidence_path(values[:k])[-1] == whole[k - 1]


@pytest.mark.parametrize("effect", ["normal", "checks"])
def test_the_chance_of_ever_crossing_under_the_null_is_below_alpha(effect: str) -> None:
    # 4,000 processes of 20 rounds, a look after every one from the fourth on; P(e ever >= 20) <= 0.05. The standard
    # error of a share of 0.05 is 0.0034, so 0.06 is three of them away.
    rng = np.random.default_rng(7)
    if effect == "normal":
        rounds = rng.normal(0, 0.03, (4000, 20))
    else:  # 20 tasks of 4 checks that pass with probability 0.9
        rounds = (rng.binomial(80, 0.9, (4000, 20)) - rng.binomial(80, 0.9, (4000, 20))) / 80
    gains = np.stack([mean_evidence(rounds[:, :k]).gain for k in range(4, 21)])
    assert (gains.max(axis=0) >= 20).mean() <= 0.06


def test_pass_rates_that_are_equal_rarely_cross() -> None:
    rng = np.random.default_rng(11)
    before, after = rng.random((4000, 20)) < 0.9, rng.random((4000, 20)) < 0.9
    values = np.stack([pass_rate_evidence(before[:, :k], after[:, :k]) for k in range(1, 21)])
    assert (values.max(axis=0) >= 20).mean() <= 0.06


@pytest.mark.parametrize("spread", [0.01, 0.05])
def test_a_loss_as_large_as_the_margin_rarely_passes_for_less(spread: float) -> None:
    # The true mean is -margin, so e of d + margin may reach 20 in at most 5% of paths, however often one looks.
    rounds = np.random.default_rng(23).normal(-0.05, spread, (4000, 20))
    shifted = np.stack([mean_evidence(rounds[:, :k], 0.05).gain for k in range(2, 21)])
    assert (shifted.max(axis=0) >= 20).mean() <= 0.06


def test_the_bound_by_inversion_covers_the_true_mean_at_every_round() -> None:
    # All m with e(d + m) < 20 are still possible losses: an interval that holds at all rounds at once. The true loss
    # .02 is inside it in at least 95% of 2,000 paths; the standard error of that share is 0.5%.
    margins = np.linspace(-0.1, 0.1, 41)
    rounds = np.random.default_rng(29).normal(-0.02, 0.04, (2000, 12))
    covered = np.ones(len(rounds), dtype=bool)
    for k in range(4, 13):
        excluded = np.stack([mean_evidence(rounds[:, :k], margin).gain >= 20 for margin in margins])
        smallest = np.where(excluded.any(axis=0), margins[np.argmax(excluded, axis=0)], np.inf)
        covered &= smallest > 0.02
    assert covered.mean() >= 0.935


@pytest.mark.parametrize("n", [4, 8, 20])
def test_the_needed_t_is_where_the_evidence_reaches_the_level(n: int) -> None:
    t = needed_t(n, 20.0)
    assert float(t_evidence(n, t).gain) == pytest.approx(20.0, rel=1e-6)
    assert float(t_evidence(n, 0.999 * t).gain) < 20


def test_too_few_observations_never_reach_a_level() -> None:
    assert needed_t(1, 20.0) == float("inf")


def test_the_chance_left_is_the_share_of_paths_that_get_there() -> None:
    # Paths that go on from the same eight rounds, with their mean and spread as the truth: the share whose e at round
    # 20 reaches 20. The formula is an approximation: the spread of the rounds to come is not the one seen.
    rng = np.random.default_rng(31)
    seen = np.array([0.02, -0.01, 0.03, 0.01, 0.00, 0.02, -0.02, 0.03])
    later = rng.normal(seen.mean(), seen.std(ddof=1), (4000, 12))
    paths = np.concatenate([np.broadcast_to(seen, (4000, 8)), later], axis=1)
    reached = (mean_evidence(paths).gain >= 20).mean()
    assert float(chance_left(seen, 20, 20.0, at_trend=True)) == pytest.approx(reached, abs=0.07)
    # Without `at_trend` the mean that goes on is uncertain too.
    truth = rng.normal(seen.mean(), seen.std(ddof=1) / np.sqrt(8), (4000, 1))
    paths[:, 8:] += truth - seen.mean()
    reached = (mean_evidence(paths).gain >= 20).mean()
    assert float(chance_left(seen, 20, 20.0)) == pytest.approx(reached, abs=0.06)


def test_at_the_trend_a_small_chance_is_given_up_sooner() -> None:
    losing = np.array(ROUNDS) - 0.02
    assert float(chance_left(losing, 30, 20.0, at_trend=True)) < float(chance_left(losing, 30, 20.0))


def test_no_chance_is_left_after_the_last_round_and_every_chance_before_the_second() -> None:
    assert float(chance_left(ROUNDS, len(ROUNDS), 20.0)) == 0
    assert float(chance_left([0.1], 20, 20.0)) == 1
