"""Two results of one suite, and results over rounds."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from steelyard import artifact
from steelyard.audit.compare import band, compare
from steelyard.audit.history import DatedResult, history
from steelyard.audit.model import EMPTY_KEY, Claim, Key, Marker, Marks, Result, Ruling
from steelyard.audit.report.data import result_data
from steelyard.audit.report.trends import comparison_document, history_document, sparkline
from steelyard.audit.results import read_results
from steelyard.audit.weigh import Spec, pooled, weigh
from steelyard.errors import IncomparableError
from steelyard.report import terminal

from .material import output, problems


def result(
    runs: list[list[int]], *, document: str = "d", round: int = 1, planted: int = 4, kind: str = "marks"
) -> Result:
    """Each run detects the named problems."""
    marks = [Marks(tuple(Claim(f"P{n:02d}", n, "detected") for n in run)) for run in runs]
    texts = [output(8, f"run{place}") for place in range(len(runs))]
    key = Key(problems(planted))
    return weigh(Spec("agent", round, key, document), texts, marks, Marker(kind, "me"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("delta", "name"),
    [(1.01, "significant"), (1.0, "moderate"), (0.5, "moderate"), (0.49, "noise"), (0.0, "noise"), (-0.01, "worse")],
)
def test_bands(delta: float, name: str) -> None:
    assert band(delta) == name
    assert band(1.0 + 1e-9) == "moderate"


def test_by_hand() -> None:
    before, after = result([[1], [1, 2]]), result([[1, 2, 3], [1, 2, 3, 4]])
    found = compare([before], [after])
    # Means 1.5 and 3.5; each sd is √0.5, so SE² = 0.25 + 0.25, df = 0.5² / (2 · 0.25² / 1) = 2.
    assert found.delta == 2.0
    assert found.band == "significant"
    assert found.by_runs is not None
    assert found.by_runs.se == pytest.approx(math.sqrt(0.5))
    half = 4.302653 * math.sqrt(0.5)  # t at 97.5%, 2 df
    assert found.by_runs.low == pytest.approx(2.0 - half, abs=1e-4)
    assert "it may be chance" in found.reading
    # Problems: d = 0, 0.5, 1, 0.5; mean 0.5, sd 0.40825, n = 4 → SE 0.204124, t₃ = 3.182446; times 4 problems.
    assert found.by_problems is not None
    assert found.by_problems.estimate == pytest.approx(2.0)
    assert found.by_problems.high == pytest.approx(4 * (0.5 + 3.182446 * 0.204124), abs=1e-3)
    assert [change.problem.id for change in found.changes if change.delta] == ["P03", "P02", "P04"]


def test_equal_results_are_noise_and_not_estimable() -> None:
    same = result([[1, 2], [1, 2]])
    found = compare([same], [same])
    assert (found.delta, found.band) == (0.0, "noise")
    assert found.by_runs is None
    assert found.by_problems is None
    assert "this may or may not repeat" in found.reading


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        # By hand above: from the runs 2.0 ± 3.04, so undecided although the problems exclude 0.
        ([[1], [1, 2]], [[1, 2, 3], [1, 2, 3, 4]], "undecided"),
        # Equal runs have no spread, and equal problems neither: nothing is shown.
        ([[1, 2], [1, 2]], [[1, 2], [1, 2]], "undecided"),
        # Means 0.75 and 7.75, each sd 0.5: SE² = 0.125, df 6, 7 ± 0.87. Problems: d = .25 once and 1 or .75 elsewhere.
        ([[1], [1], [1], []], [[1, 2, 3, 4, 5, 6, 7, 8]] * 3 + [[1, 2, 3, 4, 5, 6, 7]], "better"),
        ([[1, 2, 3, 4, 5, 6, 7, 8]] * 3 + [[1, 2, 3, 4, 5, 6, 7]], [[1], [1], [1], []], "worse"),
        # One run has no spread; detection alone decides: two of four problems gained, 2.0 ± 3.7.
        ([[1]], [[1, 2, 3]], "undecided"),
    ],
)
def test_the_intervals_decide_or_say_undecided(before: list[list[int]], after: list[list[int]], verdict: str) -> None:
    planted = max(4, *(number for run in (*before, *after) for number in run))
    comparison = compare([result(before, planted=planted)], [result(after, planted=planted)])
    assert comparison.verdict == verdict
    assert verdict in terminal.render(comparison_document(comparison)).lower()


def test_the_same_runs_on_both_sides_are_said_in_whatever_order() -> None:
    before = result([[1], [1, 2]])
    swapped = dataclasses.replace(before, runs=before.runs[::-1], name="other", round=2)
    assert "d: both sides have the same runs" in str(compare([before], [swapped]).warnings)
    assert not any("same runs" in line for line in compare([before], [result([[1]])]).warnings)


def test_one_run_has_no_interval() -> None:
    assert compare([result([[1]])], [result([[1, 2]])]).by_runs is None


def test_several_documents_are_averaged() -> None:
    before = [result([[1], [1]], document="a"), result([[], []], document="b")]
    after = [result([[1, 2], [1, 2]], document="a"), result([[1], [1]], document="b")]
    assert compare(before, after).delta == 1.0


def test_what_differs_is_named() -> None:
    one = result([[1]])
    with pytest.raises(IncomparableError, match="answer key"):
        compare([one], [result([[1]], planted=5)])
    with pytest.raises(IncomparableError, match="marked by"):
        compare([one], [result([[1]], kind="lexical")])
    two = [result([[1]], document="a"), result([[1]], document="b")]
    with pytest.raises(IncomparableError, match="same documents"):
        compare(two, [result([[1]], document="a"), result([[1]], document="c")])


def test_the_report_says_it() -> None:
    text = terminal.render(comparison_document(compare([result([[1], [1, 2]])], [result([[], []])])), width=100)
    assert "worse" in text
    assert "P01" in text


def test_pooled_by_hand() -> None:
    clean = weigh(
        Spec("agent", 1, EMPTY_KEY, "clean"),
        [output(3), output(1, "second")],
        [Marks(rulings=tuple(Ruling(n, "penalty") for n in (1, 2, 3))), Marks(rulings=(Ruling(1, "penalty"),))],
        Marker("marks", "me"),
    )
    found = pooled("suite", "agent", 1, [result([[1], [1, 2]]), clean])
    # 1.5 points, and −1.5 and −0.5 on the clean document; false alarms 3 + 1.
    assert found.points == pytest.approx(1.5 - 1.0)
    assert found.false_alarms == 4
    # s² = (0.5 + 0.5) / 2 = 0.5.
    assert found.sd == pytest.approx(math.sqrt(0.5))
    # Recall: 3 points of 8 planted cells. Precision: 3 of 8 + 8 + 3 + 1 distinct findings.
    assert found.rates.recall == pytest.approx(3 / 8)
    assert found.rates.precision == pytest.approx(3 / 20)


def test_history_and_blind_spots() -> None:
    entries = [
        DatedResult(result([[1], [1]], round=1), "", "a"),
        DatedResult(result([[1, 2], [1, 2]], round=2), "", "b"),
        DatedResult(result([[1, 2], [1, 2, 3]], round=3), "", "c"),
    ]
    found = history(entries[::-1])
    assert [entry.result.round for entry in found.series[0].results] == [1, 2, 3]
    spots = {(spot.kind, spot.what): spot for spot in found.blind_spots}
    assert spots[("category", "cat 4")].share == 1.0
    assert ("problem", "P03: title 3") in spots
    assert ("category", "cat 1") not in spots
    assert ("problem", "P02: title 2") not in spots  # missed in one round only
    text = terminal.render(history_document(found), width=100)
    assert "▁" in text
    assert "cat 4" in text


def test_moments_are_compared_whatever_their_time_zone(tmp_path: Path) -> None:
    # 10:00 in Tokyo is 01:00 UTC, before 02:00.
    first, second = ("2026-07-01T10:00:00+09:00", 1), ("2026-07-01T02:00:00Z", 2)
    entries = [DatedResult(result([[1, 2][:found]]), created, created) for created, found in (second, first)]
    assert [entry.result.mean for entry in history(entries).series[0].results] == [1.0, 2.0]
    # Of the same runs, marked twice by one person, the later marks count; of two documents' results, the latest.
    for name, (created, found) in (("a", second), ("b", first)):
        marked = result([[1, 2][:found]])
        artifact.write_json(tmp_path / f"{name}.json", result_data(marked, generated_at=created), schema="audit")
    [latest], _ = read_results(tmp_path)
    assert latest.result.mean == 2.0


def test_one_round_shows_no_blind_spot() -> None:
    assert history([DatedResult(result([[]]), "", "a")]).blind_spots == ()


def test_sparkline() -> None:
    assert sparkline([0.0, 1.0]) == "▁█"
    assert sparkline([2.0, 2.0, 2.0]) == "▄▄▄"
