"""Gate logs against themselves: altered counts, foreign tasks, repeated runs, swapped sides."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import InputError, LogError
from steelyard.gate.metadata import SCORER
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.read import arms_of
from steelyard.gate.read.arm import arm_of
from steelyard.gate.read.consistency import check_log
from steelyard.gate.rescore import rival_results
from steelyard.gate.weigh import Spec, weigh
from steelyard.logs.read import read_logs
from steelyard.outcome import Scored
from steelyard.rows import LogRow


@pytest.fixture(scope="module")
def rows(better_example: Path) -> tuple[LogRow, ...]:
    return read_logs([better_example]).rows


def with_metadata(row: LogRow, **fields: Any) -> LogRow:
    """The log with these fields in the score of its first run."""
    first, *others = row.runs
    score = first.scores[SCORER]
    score = dataclasses.replace(score, metadata={**score.metadata, **fields})
    return dataclasses.replace(row, runs=(dataclasses.replace(first, scores={SCORER: score}), *others))


def test_a_cost_without_a_float_makes_a_gap(rows: tuple[LogRow, ...]) -> None:
    """Only a log that was changed by hand has one; it ended in "unexpected OverflowError"."""
    arm = arm_of([with_metadata(row, cost={"tokens": 10**400}) for row in rows], "baseline")
    assert [gap.reason for gap in arm.gaps] == ["the score lacks the metadata the gate writes"]


def with_value(row: LogRow, value: float) -> LogRow:
    first, *others = row.runs
    score = dataclasses.replace(first.scores[SCORER], value=value, outcome=Scored(value))
    return dataclasses.replace(row, runs=(dataclasses.replace(first, scores={SCORER: score}), *others))


def renamed(row: LogRow) -> LogRow:
    first, *others = row.runs
    return dataclasses.replace(row, runs=(dataclasses.replace(first, id="elsewhere"), *others))


def with_other_tasks(row: LogRow) -> LogRow:
    assert row.stamp is not None
    extra = {**row.stamp.extra, "checks": {"elsewhere": ["one"]}}
    return dataclasses.replace(row, stamp=dataclasses.replace(row.stamp, extra=extra))


@pytest.mark.parametrize("altered", [{"round": "x"}, {"watch": -1}, {"rounds": 1e9}, {"start": True}])
def test_a_round_that_is_no_number_is_named(rows: tuple[LogRow, ...], altered: dict[str, Any]) -> None:
    stamps = [dataclasses.replace(row.stamp, extra={**row.stamp.extra, **altered}) for row in rows if row.stamp]
    changed = [dataclasses.replace(row, stamp=stamp) for row, stamp in zip(rows, stamps, strict=True)]
    with pytest.raises(LogError, match=f"names .* as its {next(iter(altered))}"):
        weighed_with(tuple(changed))


def test_a_log_to_grade_again_whose_round_is_no_number_is_named(rows: tuple[LogRow, ...]) -> None:
    stamp = rows[0].stamp
    assert stamp is not None
    changed = dataclasses.replace(rows[0], stamp=dataclasses.replace(stamp, extra={**stamp.extra, "round": "x"}))
    with pytest.raises(LogError, match=f"{re.escape(changed.path)}: its stamp names 'x' as its round"):
        rival_results((), changed)


@pytest.mark.parametrize("attempt", [{"number": 1}, {"id": "a", "number": "many"}, "a"])
def test_an_attempt_that_is_none_is_refused(rows: tuple[LogRow, ...], attempt: Any) -> None:
    stamps = [
        dataclasses.replace(row.stamp, extra={**row.stamp.extra, "attempt": attempt}) for row in rows if row.stamp
    ]
    changed = [dataclasses.replace(row, stamp=stamp) for row, stamp in zip(rows, stamps, strict=True)]
    with pytest.raises(LogError, match=f"{re.escape(rows[0].path)}: its stamp names an attempt that is none"):
        weighed_with(tuple(changed))


def test_a_log_that_was_not_altered_passes(rows: tuple[LogRow, ...]) -> None:
    for row in rows:
        check_log(row)


@pytest.mark.parametrize(
    ("alter", "problem"),
    [
        (lambda row: with_metadata(row, passed=99), "99 of"),
        (lambda row: with_metadata(row, passed=-1), "-1 of"),
        (lambda row: with_metadata(row, total=1, passed=1, results="1"), "checks where its task has"),
        (lambda row: with_metadata(row, results="0" * len(row.runs[0].scores[SCORER].metadata["results"])), "results"),
        (lambda row: with_value(row, 0.123), "a score of 0.123"),
        (lambda row: dataclasses.replace(row, runs=(*row.runs, row.runs[0])), "is in it twice"),
        (renamed, "elsewhere is not one of its tasks"),
        (with_other_tasks, "not those of its fingerprint"),
    ],
)
def test_a_contradiction_is_named(rows: tuple[LogRow, ...], alter: Callable[[LogRow], LogRow], problem: str) -> None:
    with pytest.raises(LogError, match=problem):
        check_log(alter(rows[0]))


def weighed_with(rows: tuple[LogRow, ...]) -> Weighed:
    return weigh(*arms_of(rows), Spec(), now=datetime(2026, 1, 1, tzinfo=UTC))


def test_a_run_that_was_scored_and_run_again_is_an_ambiguity(rows: tuple[LogRow, ...]) -> None:
    candidate = next(row for row in rows if row.stamp and row.stamp.unit == "candidate")
    again = dataclasses.replace(candidate, path="again.eval", created="2099-01-01T00:00:00+00:00")
    clean, rolled = weighed_with(rows).outcome, weighed_with((*rows, again))
    assert isinstance(clean, Comparison) and not clean.ambiguities
    assert isinstance(rolled.outcome, Comparison)
    assert any("2 scored attempts; the newest counts" in line for line in rolled.outcome.ambiguities)
    assert any("took 10 attempts for 5 runs" in line for line in rolled.warnings)


def test_swapped_sides_are_refused(rows: tuple[LogRow, ...]) -> None:
    paths = {row.stamp.unit: row.path for row in rows if row.stamp}
    with pytest.raises(InputError, match="swapped"):
        api.compare([paths["candidate"]], [paths["baseline"]])


def test_the_same_file_on_both_sides_is_said(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"scores": [{"task": "t", "passed": 1, "total": 1}]}')
    result = CliRunner().invoke(main, ["gate", "compare", str(file), str(file)])
    assert result.exit_code == 0 and "both sides are the same file" in " ".join(result.output.split())


def test_links_and_copies_of_one_file_on_both_sides_are_said(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"scores": [{"task": "t", "passed": 1, "total": 1}]}')
    (tmp_path / "linked.json").symlink_to(file)
    try:
        (tmp_path / "hard.json").hardlink_to(file)
    except OSError:
        pytest.skip("this file system has no hard links")
    (tmp_path / "renamed.json").write_text('{"label": "new", "scores": [{"passed": 1, "task": "t", "total": 1}]}')
    for name in ("linked", "hard", "renamed"):
        warnings = api.compare([file], [tmp_path / f"{name}.json"]).warnings
        assert f"both sides hold the same scores: {file} and {tmp_path / name}.json" in warnings
    (tmp_path / "other.json").write_text('{"scores": [{"task": "t", "passed": 1, "total": 2}]}')
    assert not any("both sides" in line for line in api.compare([file], [tmp_path / "other.json"]).warnings)


def test_copies_of_a_log_are_said_between_the_sides_and_count_once_within_one(rows: tuple[LogRow, ...]) -> None:
    baseline, candidate = sorted(rows, key=lambda row: row.stamp.unit if row.stamp else "")
    copy = dataclasses.replace(baseline, path="copy.eval")
    claimed = dataclasses.replace(baseline, path="claimed.eval", eval_id="another")
    rescored = dataclasses.replace(baseline, path="rescored.eval", runs=baseline.runs[:-1])
    for other in (copy, claimed, rescored):
        sides = arm_of([baseline], "baseline"), arm_of([other], "candidate")
        weighed = weigh(*sides, Spec(), now=datetime(2026, 1, 1, tzinfo=UTC))
        assert f"both sides hold the same runs: {baseline.path} and {other.path}" in weighed.warnings
    twice = weighed_with((baseline, copy, candidate))
    assert isinstance(twice.outcome, Comparison) and not twice.outcome.ambiguities
    assert not any("attempts" in line for line in twice.warnings)
    assert isinstance(outcome := weighed_with((baseline, claimed, candidate)).outcome, Comparison)
    assert any("2 scored attempts" in line for line in outcome.ambiguities)


def test_a_task_without_check_and_judge_counts_as_1_and_is_an_ambiguity(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text('{"scores": [{"task": "essay", "passed": 0, "total": 0}, {"task": "t", "passed": 1, "total": 1}]}')
    result = CliRunner().invoke(main, ["gate", "compare", str(file), str(file), "--json", "-"])
    outcome = json.loads(result.stdout)
    assert result.exit_code == 0 and outcome["verdict"] == "neutral"
    assert "essay: neither a check" in str(outcome["ambiguities"])
