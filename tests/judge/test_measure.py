from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from steelyard.judge import Verdict
from steelyard.judge.calibration.labels import Label
from steelyard.judge.calibration.measure import Marked, control_holds, measure, quoted_agreement
from steelyard.judge.judgement import Call, Judgement, NoVerdict, Reply


def answer(label: Label, **draws: Sequence[Mapping[str, float]]) -> Marked:
    """A labelled response with the verdicts of each judge; without any, unscored."""
    said = [(Call(judge, place), scores) for judge, own in draws.items() for place, scores in enumerate(own)]
    verdicts = [Verdict(0.0, scores, dict.fromkeys(scores, ()), "") for _, scores in said]
    reply: Reply = Judgement(tuple(verdicts), tuple(call for call, _ in said)) if said else NoVerdict("judge", "silent")
    return Marked(label, reply)


def mark(
    label: float, judged: float | None, *, tier: str = "all", kind: str = "response", draws: tuple[float, ...] = ()
) -> Marked:
    row = Label(id=f"{label}{judged}", response="r", labels={"a": label}, tier=tier, kind=kind)  # type: ignore[arg-type]
    return answer(row) if judged is None else answer(row, one=[{"a": each} for each in draws or (judged,)])


def test_errors_by_hand() -> None:
    # differences +.10, −.20, 0, and one without a verdict: mean −.0333, mean |·| .1, within ±.15: 2 of 4
    [item] = measure([mark(0.5, 0.6), mark(0.5, 0.3), mark(0.9, 0.9), mark(0.1, None)]).items
    assert (item.errors.n, item.errors.scored) == (4, 3)
    assert item.errors.mean == pytest.approx(-1 / 30)
    assert item.errors.absolute == pytest.approx(0.1)
    assert item.errors.within == 0.5


@pytest.mark.parametrize(
    ("label", "judged", "near"), [(0.72, 0.87, 1), (0.3, 0.45, 1), (0.3, 0.4500001, 1), (0.3, 0.45001, 0)]
)
def test_the_tolerance_is_compared_on_six_decimals(label: float, judged: float, near: int) -> None:
    assert measure([mark(label, judged)]).items[0].errors.within == near


def test_tiers_are_shown_apart() -> None:
    [item] = measure([mark(0.9, 0.9, tier="good"), mark(0.1, 0.9, tier="bad"), mark(0.1, 0.2, tier="bad")]).items
    assert {tier: found.within for tier, found in item.tiers.items()} == {"good": 1.0, "bad": 0.5}


def test_kappa_is_over_the_five_bands() -> None:
    # Bands: labels 0,0,2,4,4; judge 0,1,2,4,4. Σ v p = (1/16)/5 = .0125; v summed over all 25 pairings:
    # by hand Σ(i−j)² over labels × judge = 2·(0+1+4+16+16) + (4+1+0+4+4) + 2·(16+9+4+0+0) = 74 + 13 + 58 = 145,
    # /16/25 = .3625; κ = 1 − .0125/.3625 = .965517
    pairs = [(0.1, 0.1), (0.2, 0.3), (0.6, 0.6), (0.9, 0.95), (1.0, 0.9)]
    found = measure([mark(label, judged) for label, judged in pairs]).kappa
    assert found is not None
    assert found.value == pytest.approx(0.9655172)


def spread(judged_off: float, n: int = 120) -> list[Marked]:
    labels = [0.1, 0.4, 0.6, 0.8, 0.95]
    return [mark(labels[place % 5], min(1.0, max(0.0, labels[place % 5] + judged_off))) for place in range(n)]


def test_a_judge_that_agrees_is_calibrated_and_one_that_does_not_is_not() -> None:
    assert measure(spread(0.02)).passed
    assert not measure(spread(-0.3)).passed
    # Right on four of five, silent on the rest: 80% within is enough, 79% is not.
    silent = [mark(0.5, None) for _ in range(30)]
    assert measure([*spread(0.0), *silent]).passed
    assert not measure([*spread(0.0), *silent, *silent[:2]]).passed


def test_the_floor_is_at_the_lower_end_of_the_interval() -> None:
    few = measure([*spread(0.0, 5)[:4], mark(0.95, 0.6), *spread(0.0, 5)])
    assert few.kappa is not None
    assert few.kappa.value > 0.6
    # Every label in one band: kappa is undefined, and that is no pass.
    same = measure([mark(0.5, 0.55) for _ in range(120)])
    assert same.kappa is None
    assert not same.passed


def test_repeats_say_how_consistent_a_judge_is() -> None:
    [item] = measure([mark(0.5, 0.5, draws=(0.5, 0.52)), mark(0.5, 0.5, draws=(0.4, 0.6))]).items
    # sd of (.5, .52) = .014142, of (.4, .6) = .141421: mean .077782; one of two keeps its band
    assert item.same_band == 0.5
    assert item.repeat_sd == pytest.approx(0.0777817)
    assert measure([mark(0.5, 0.5, draws=(0.5,))]).items[0].same_band is None


def test_a_jury_that_differs_is_no_judge_that_wavers() -> None:
    row = mark(0.5, 0.5).label
    jury = answer(row, one=[{"a": 0.2}], other=[{"a": 0.8}])
    [item] = measure([jury]).items
    assert (item.same_band, item.repeat_sd) == (None, None)
    twice = answer(row, one=[{"a": 0.2}] * 2, other=[{"a": 0.8}] * 2)
    [item] = measure([twice]).items
    assert (item.same_band, item.repeat_sd) == (1.0, 0.0)


def test_control_answers_are_reported_and_not_averaged() -> None:
    found = measure([mark(0.5, 0.5), mark(0.0, 0.9, kind="canary")])
    assert found.items[0].errors.n == 1
    assert [control_holds(each) for each in found.controls] == [False]
    assert control_holds(mark(0.0, 0.1, kind="canary"))
    assert not control_holds(mark(0.0, None, kind="canary"))


def test_grades_by_quoting_are_compared_band_by_band() -> None:
    def marked(*scores: float | None) -> list[Marked]:
        label = Label(id="a", response="r", labels={"x": 0.5})
        return [answer(label) if score is None else answer(label, one=[{"x": score}]) for score in scores]

    # bands: .55 and .60 alike, .80 and .20 not; the third has no verdict by quoting
    found = quoted_agreement(marked(0.55, 0.80, 0.10), marked(0.60, 0.20, None))
    assert found is not None and (found.n, found.same) == (2, 1)
    assert found.difference == pytest.approx((0.05 - 0.60) / 2)
    assert quoted_agreement([], []) is None
