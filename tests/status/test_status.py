"""The status of logs: what has ended, what runs, what is left, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.errors import LogError
from steelyard.logs.find import Found
from steelyard.outcome import Outcome, Scored, Unscored
from steelyard.rows import LogRow, Logs, RunRow, ScoreRow
from steelyard.stamp import Fingerprint, Stamp
from steelyard.status.model import Observation, PlannedTask, Status, WrittenLog
from steelyard.status.read import EVAL_SET, LogReader
from steelyard.status.report import as_json, summary
from steelyard.status.weigh import QUIET, weigh

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
START = NOW - timedelta(minutes=10)


def sample(name: str, outcome: Outcome | None = None, error: str | None = None, at: datetime = START) -> RunRow:
    scores = {} if outcome is None else {"choice": ScoreRow(0.0, outcome)}
    usage = {"maker/one": {"total_tokens": 100, "total_cost": 0.5}}
    return RunRow(name, 1, scores, error, None, 1.0, 1.0, usage, {}, (at, at + timedelta(minutes=1)))


def log(status: str, *runs: RunRow, wing: str = "bench", unit: str = "practice_exam", **extra: Any) -> LogRow:
    stamp = Stamp(wing, unit, Fingerprint("d", "s", "choice@1"), extra=extra)
    return LogRow(
        "a.eval", status, "steelyard/practice_exam", "t", "r", "e", START.isoformat(), "maker/one", {}, {}, {}, False,
        1, ("a", "b", "c", "d"), stamp, runs, {}, {}, None, {},
    )  # fmt: skip


def weighed(*rows: LogRow, age: timedelta = timedelta(0), planned: tuple[PlannedTask, ...] = ()) -> Status:
    logs = tuple(WrittenLog(row, NOW - age) for row in rows)
    return weigh(Observation(logs, planned, ()), NOW, lambda row, run: run.usage["maker/one"]["total_cost"])


def test_every_sample_is_done_unscored_failed_or_running() -> None:
    begun = log(
        "started", sample("a", Scored(1.0)), sample("b", Unscored("judge", "none")), sample("c", error="ValueError()")
    )
    [line] = weighed(begun).lines
    assert (line.subject, line.unit, line.state) == ("maker/one", "practice_exam", "running")
    assert (line.total, line.done, line.unscored, line.failed, line.running, line.left) == (4, 1, 1, 1, 1, 0)
    assert (line.spent_usd, line.tokens) == (1.5, 300)
    assert line.left_s == pytest.approx(200)  # three samples in 600 s, one to go


def test_a_log_that_nobody_writes_any_more_has_stopped() -> None:
    [line] = weighed(log("started", sample("a", Scored(1.0))), age=QUIET).lines
    assert (line.state, line.running, line.left, line.left_s) == ("stopped", 0, 3, None)


def test_a_clock_ahead_of_ours_does_not_stop_a_run() -> None:
    [line] = weighed(log("started"), age=timedelta(hours=-1)).lines
    assert (line.state, line.running, line.left_s) == ("running", 4, None)


def test_a_resumed_log_repeats_samples_that_are_paid_once() -> None:
    first = log("error", sample("a", Scored(1.0)), sample("b", error="ConnectionError()"))
    later = NOW - timedelta(minutes=5)
    again = log("success", sample("a", Scored(1.0)), *(sample(name, Scored(0.0), at=later) for name in "bcd"))
    [line] = weighed(first, again).lines
    assert (line.state, line.done, line.failed) == ("done", 4, 0)
    assert line.spent_usd == 2.5  # a, b that failed, and b, c, d


def test_interrupted_samples_are_left_and_have_not_failed() -> None:
    [line] = weighed(log("cancelled", sample("a", Scored(1.0)), sample("b", error="CancelledError()"))).lines
    assert (line.state, line.done, line.failed, line.left) == ("stopped", 1, 0, 3)


def test_a_gate_has_a_line_for_each_arm_and_round_in_order() -> None:
    rows = [
        log("success", wing="gate", unit=arm, round=number) for number in (10, 2) for arm in ("candidate", "baseline")
    ]
    lines = weighed(*rows).lines
    assert [(line.subject, line.unit) for line in lines] == [
        ("baseline", "round 2"), ("baseline", "round 10"), ("candidate", "round 2"), ("candidate", "round 10"),
    ]  # fmt: skip


@pytest.mark.parametrize("extra", [{"round": "many"}, {"round": 0}, {"round": 1, "watch": [2]}])
def test_a_round_that_is_no_number_is_named_with_its_log(extra: dict[str, Any]) -> None:
    with pytest.raises(LogError, match=r"a\.eval: "):
        weighed(log("success", wing="gate", unit="candidate", **extra))


def test_two_settings_of_a_model_are_two_lines() -> None:
    cold = log("success")
    assert len(weighed(cold, replace(cold, generate_config={"temperature": 1.0})).lines) == 2


def test_tasks_of_the_eval_set_without_a_log_are_waiting() -> None:
    planned = (PlannedTask("practice_exam", "maker/one", NOW), PlannedTask("cdk_synth", "maker/one", NOW))
    lines = weighed(log("success"), planned=planned).lines
    assert [(line.unit, line.state) for line in lines] == [("practice_exam", "stopped"), ("cdk_synth", "waiting")]


@pytest.mark.parametrize(
    ("rows", "log_age", "list_age", "active"),
    [
        ((), 0, 14, True),  # the first worker starts
        ((), 0, 15, False),
        ((log("success"),), 14, 60, True),  # the next worker starts
        ((log("success"),), 15, 60, False),
        ((log("cancelled"),), 1, 60, False),
        ((log("cancelled"),), 2, 1, True),  # started again since
    ],
)
def test_a_run_goes_on_while_tasks_wait_for_a_worker(
    rows: tuple[LogRow, ...], log_age: int, list_age: int, active: bool
) -> None:
    planned = (PlannedTask("cdk_synth", "maker/one", NOW - timedelta(minutes=list_age)),)
    assert weighed(*rows, age=timedelta(minutes=log_age), planned=planned).active == active


def test_json_and_summary_add_up() -> None:
    status = weighed(log("started", sample("a", Scored(1.0))))
    data = as_json(status)
    assert (data["active"], data["total"], data["done"], data["running"]) == (True, 4, 1, 3)
    assert summary(status).startswith("1 of 4 samples done, 3 running, 100 tokens, $0.5000 spent, about 30 min")


def read_as(monkeypatch: pytest.MonkeyPatch, row: Callable[[str], LogRow]) -> None:
    """Every log that is read is what `row` says of its path."""

    def read(found: Found) -> Logs:
        return Logs(tuple(replace(row(path), path=path) for path in found.paths), found.problems)

    monkeypatch.setattr("steelyard.status.read.read_found", read)


def test_an_unchanged_log_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(b"x")
    reads: list[str] = []
    read_as(monkeypatch, lambda name: reads.append(name) or log("success"))
    reader = LogReader([tmp_path])
    assert len(reader.read().logs) == len(reader.read().logs) == len(reads) == 1
    path.write_bytes(b"xy")
    assert len(reader.read().logs) == 1 and len(reads) == 2


def test_a_damaged_log_is_named_and_a_damaged_eval_set_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(b"PK")
    (tmp_path / EVAL_SET).write_text("{")
    result = CliRunner().invoke(main, ["status", str(tmp_path), "--json"])
    data = json.loads(result.stdout)
    assert data["problems"][0]["path"].endswith("a.eval") and data["lines"] == [] and result.exit_code == 2


def test_a_folder_without_logs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no eval logs"):
        LogReader([tmp_path]).read()


def test_a_watch_ends_when_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(b"x")
    states = iter([log("started"), log("success", *(sample(name, Scored(1.0)) for name in "abcd"))])
    read_as(monkeypatch, lambda name: next(states))
    monkeypatch.setattr("time.sleep", lambda seconds: path.write_bytes(b"xy"))
    result = CliRunner().invoke(main, ["status", str(tmp_path), "--json", "--watch"])
    assert [json.loads(line)["done"] for line in result.stdout.splitlines()] == [0, 4] and result.exit_code == 0
