"""docs/scoring.md §3.6: what is quarantined is shown and counts neither for nor against."""

import dataclasses
import math
from datetime import UTC, date, datetime, timedelta

import pytest

from steelyard import artifact
from steelyard.gate.evidence.policy import QuarantineEntry, Registration
from steelyard.gate.model import Arm, Comparison, Gap, NoVerdict, Run, Side, Weighed
from steelyard.gate.quarantine import without
from steelyard.gate.quarantine.entries import QUARANTINE, active_entries, complete_entries
from steelyard.gate.report.data import SCHEMA, as_json
from steelyard.gate.report.document import document
from steelyard.gate.weigh import Spec, weigh
from steelyard.report import markdown
from steelyard.stamp import is_sealed

TODAY = date(2026, 3, 1)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASKS = {"a": ("x", "y"), "b": ("x", "y"), "c": ("x", "y"), "d": ("x", "y"), "e": ("x", "y")}


def entry(task: str, check: str | None = None, days: int = 10) -> QuarantineEntry:
    return QuarantineEntry(task, "flaky", "ada", TODAY + timedelta(days), check)


def run(task: str, *, x: bool = True, y: bool = True) -> Run:
    return Run(task, x + y, 2, checks={"x": x, "y": y})


def arm(*runs: Run, gaps: tuple[Gap, ...] = ()) -> Arm:
    return Arm(Side("side", "gate", ()), runs, gaps)


def weighed(base: Arm, cand: Arm, *entries: QuarantineEntry) -> Weighed:
    return weigh(base, cand, Spec(quarantine=entries), now=NOW)


def compared(base: Arm, cand: Arm, *entries: QuarantineEntry) -> Comparison:
    outcome = weighed(base, cand, *entries).outcome
    assert isinstance(outcome, Comparison)
    return outcome


BEFORE = arm(*(run(task) for task in TASKS))


def test_a_quarantined_task_cannot_regress() -> None:
    after = arm(run("a", x=False), *(run(task) for task in "bcde"))
    assert compared(BEFORE, after).verdict == "regressed"
    outcome = compared(BEFORE, after, entry("a"))
    assert (outcome.verdict, outcome.net_gain) == ("neutral", 0.0)
    assert [delta.task for delta in outcome.tasks] == ["b", "c", "d", "e"]


def test_a_quarantined_task_cannot_improve() -> None:
    before = arm(run("a", x=False), *(run(task) for task in "bcde"))
    assert compared(before, BEFORE).verdict == "improved"
    assert compared(before, BEFORE, entry("a")).verdict == "neutral"


def test_a_quarantined_task_may_be_missing_unscored_or_not_finite() -> None:
    rest = [run(task) for task in "bcde"]
    assert compared(BEFORE, arm(*rest), entry("a")).verdict == "neutral"
    unscored = arm(*rest, gaps=(Gap("a", 1, "harness", "broke"),))
    assert isinstance(weighed(BEFORE, unscored).outcome, NoVerdict)
    assert compared(BEFORE, unscored, entry("a")).verdict == "neutral"
    assert compared(BEFORE, arm(Run("a", math.nan, 2), *rest), entry("a")).verdict == "neutral"


def test_a_quarantined_check_leaves_the_others_of_its_task() -> None:
    after = arm(run("a", x=False), *(run(task) for task in "bcde"))
    outcome = compared(BEFORE, after, entry("a", "x"))
    assert outcome.verdict == "neutral"
    assert outcome.tasks[0].baseline.total == 1
    broken = arm(run("a", y=False), *(run(task) for task in "bcde"))
    assert compared(BEFORE, broken, entry("a", "x")).verdict == "regressed"


def test_a_task_whose_checks_are_all_quarantined_is_left_out() -> None:
    left = without(BEFORE, (entry("a", "x"), entry("a", "y")))
    assert {run.task for run in left.runs} == set("bcde")


def test_a_judged_task_without_checks_keeps_its_judge() -> None:
    judged = arm(Run("a", 2, 2, judge=0.5, checks={"x": True, "y": True}))
    left = without(judged, (entry("a", "x"), entry("a", "y")))
    assert [(run.passed, run.total, run.judge) for run in left.runs] == [(0, 0, 0.5)]


@pytest.mark.parametrize(
    ("doubtful", "words"),
    [
        (entry("a", days=-1), "it expired on 2026-02-28"),
        (entry("a", days=31), "more than 30 days ahead"),
        (entry("z"), "there is no task 'z'"),
        (entry("a", "z"), "the task has no such check"),
    ],
)
def test_an_entry_that_does_not_hold_gates_again_and_says_so(doubtful: QuarantineEntry, words: str) -> None:
    after = arm(run("a", x=False), *(run(task) for task in "bcde"))
    result = weighed(BEFORE, after, doubtful)
    assert isinstance(result.outcome, Comparison)
    assert result.outcome.verdict == "regressed"
    assert result.outcome.quarantined == ()
    assert any(words in warning and "counts again" in warning for warning in result.warnings)


@pytest.mark.parametrize("days", [0, 30])
def test_the_first_and_the_last_day_hold(days: int) -> None:
    assert active_entries([entry("a", days=days)], TASKS, TODAY, QUARANTINE).entries


def test_runs_that_name_no_checks_cannot_quarantine_one() -> None:
    unnamed = arm(*(Run(task, 2, 2) for task in TASKS))
    result = weighed(unnamed, unnamed, entry("a", "x"))
    assert "does not name its checks" in result.warnings[-1]


def test_more_than_a_fifth_of_the_tasks_is_no_verdict() -> None:
    # 1 of 5 tasks is exactly 20% and allowed; the second task makes it 40%, even if only one check of it is named.
    assert compared(BEFORE, BEFORE, entry("a", "x"), entry("a", "y")).verdict == "neutral"
    outcome = weighed(BEFORE, BEFORE, entry("a"), entry("b", "x")).outcome
    assert isinstance(outcome, NoVerdict)
    assert outcome.reasons == ("2 of 5 tasks are quarantined, and at most 20% may be",)


def test_incomplete_entries_become_lines() -> None:
    complete = {"task": "a", "reason": "flaky", "owner": "ada", "until": "2026-03-11"}
    entries, notes = complete_entries(
        [
            complete,
            {**complete, "owner": " "},
            {**complete, "until": "soon"},
            {"check": "x"},
            {**complete, "check": "x"},
        ],
        QUARANTINE,
    )
    assert [kept.name for kept in entries] == ["a", "a/x"]
    assert notes == (
        "quarantine of a does not hold, it counts again: it has no owner",
        "quarantine of a does not hold, it counts again: until is 'soon', not a date such as 2026-01-31",
        "quarantine of x does not hold, it counts again: it has no task and no reason and no owner and no until",
    )


def test_the_report_shows_what_was_set_aside() -> None:
    after = arm(run("a", x=False), *(run(task) for task in "bcde"))
    result = weighed(BEFORE, after, entry("a", "x"))
    text = markdown.render(document(result))
    assert "Quarantined, not counted" in text
    assert "a/x" in text
    assert "passed 100% → 0%" in text
    data = as_json(result)
    artifact.validate(data, SCHEMA)
    assert data["quarantine"] == [{"task": "a", "check": "x", "reason": "flaky", "owner": "ada", "until": "2026-03-11"}]


def test_what_was_registered_wins_over_the_settings_of_today() -> None:
    registered = dataclasses.replace(BEFORE, registration=Registration(quarantine=(entry("a"),)).as_metadata())
    after = arm(run("a", x=False), run("b", x=False), *(run(task) for task in "cde"))
    result = weighed(registered, after, entry("b"))
    assert isinstance(result.outcome, Comparison)
    assert result.outcome.quarantined == (entry("a"),)
    assert result.outcome.verdict == "regressed"
    assert any("b was not registered" in warning for warning in result.warnings)


def test_what_a_log_recorded_has_a_hash_whatever_it_holds() -> None:
    odd = dataclasses.replace(entry("a"), reason="half \ud800")
    recorded = Registration(quarantine=(odd,)).as_metadata()
    assert is_sealed(recorded) and recorded["sha"] != Registration(quarantine=(entry("a"),)).as_metadata()["sha"]
