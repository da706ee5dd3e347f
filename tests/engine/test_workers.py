"""Workers as other runners and other machines meet them: driven from outside, with other data, with other clocks."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import EvalError, list_eval_logs, read_eval_log, write_eval_log

from steelyard.cli.main import main
from steelyard.engine.capture import best_logs, capture, open_tasks
from steelyard.logs.read import read_logs
from steelyard.worker import problems_of

WORDS = ["bench", "run", "--model", "steelyard/floor", "--model", "steelyard/ceiling", "--limit", "2"]
WORDS += ["--category", "practice_exam"]


def steelyard(*words: object, **environment: str) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], env=environment)


def edit(path: Path, **changes: Any) -> None:
    data = json.loads(path.read_text())
    for keys, value in changes.items():
        part = data
        *outer, last = keys.split("__")
        for key in outer:
            part = part[key]
        part[last] = value
    path.write_text(json.dumps(data))


def test_another_runner_lists_the_tasks_of_the_command_and_runs_one(tmp_path: Path) -> None:
    logs, tasks, selection = tmp_path / "logs", tmp_path / "tasks.json", tmp_path / "selection.json"
    command = [*WORDS, "--log-dir", logs]
    listed = steelyard(*command, "--engine", "processes", INSPECT_EVAL_SET_CAPTURE=str(tasks))  # the runner's, not ours
    assert listed.exit_code == 0 and not logs.exists()
    [floor, ceiling] = json.loads(tasks.read_text())["tasks"]
    assert (floor["model"], ceiling["model"], ceiling["samples"]) == ("steelyard/floor", "steelyard/ceiling", 2)

    chosen = {"version": 7, "eval_set_id": "runner", "tasks": [{"identifier": ceiling["identifier"]}]}
    selection.write_text(json.dumps(chosen))
    ran = steelyard(*command, INSPECT_EVAL_SET_SELECTION=str(selection))
    assert ran.exit_code == 0 and ran.stdout == ""
    [log] = read_logs([logs]).rows
    assert log.model == "steelyard/ceiling" and len(log.runs) == 2
    assert [path.suffix for path in logs.iterdir()] == [".eval"]  # the folder's bookkeeping is the runner's


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"versions__steelyard": "0.0"}, r"this worker has steelyard .*, the run was started with 0\.0 \(install"),
        ({"fingerprints__practice_exam__dataset": "other"}, "the data or the scorer of practice_exam differs on this"),
        ({"folder": "/nowhere"}, "this worker has no folder /nowhere: .* share"),
    ],
)
def test_a_worker_of_another_installation_refuses_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], reason: str
) -> None:
    logs = tmp_path / "logs"
    shown = steelyard(*WORDS, "--log-dir", logs, "--engine", "slurm", "--dry-run")
    assert shown.exit_code == 0, shown.output
    definition, [selection, _] = (
        logs / ".engine" / "definition.json",
        sorted(logs.glob(".engine/????????????????.json")),
    )
    edit(definition, **changes)
    monkeypatch.delenv("INSPECT_EVAL_SET_SELECTION", raising=False)
    with monkeypatch.context() as context:
        context.setenv("INSPECT_EVAL_SET_SELECTION", "")  # the worker sets it, and this process must forget it
        [problem] = problems_of(str(definition), str(selection))

    assert re.match(reason, problem) and not list(logs.glob("*.eval"))


def test_a_cluster_that_cannot_be_reached_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    done = steelyard(*WORDS, "--log-dir", tmp_path / "logs", "--engine", "ray", "--ray-address", "127.0.0.1:1")
    assert done.exit_code == 2 and done.stdout == ""
    assert "127.0.0.1:1 cannot be reached" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("skew", [timedelta(days=1), timedelta(days=-1)], ids=["ahead", "behind"])
def test_a_log_of_a_node_with_another_clock_counts_by_its_samples(tmp_path: Path, skew: timedelta) -> None:
    logs = tmp_path / "logs"
    command = [*WORDS, "--log-dir", str(logs)]
    assert steelyard(*command).exit_code == 0
    tasks = capture(lambda: steelyard_bench(command))
    [whole, _] = sorted(info.name for info in list_eval_logs(str(logs)))
    # A worker on a node with another clock was lost after the first sample of the same task.
    partial = read_eval_log(whole)
    moment = datetime.now(UTC) + skew
    partial.status, partial.error = "error", EvalError(message="lost", traceback="", traceback_ansi="")
    partial.samples = (partial.samples or [])[:1]
    partial.eval.created = moment.isoformat()
    partial.stats.started_at = partial.stats.completed_at = moment.isoformat()
    path = logs / f"{moment:%Y-%m-%dT%H-%M-%S}-00-00_practice-exam_other.eval"
    write_eval_log(partial, str(path))
    os.utime(path, (moment.timestamp(), moment.timestamp()))
    assert open_tasks(tasks, str(logs)) == []
    names = {entries[0].info.name.removeprefix("file://") for entries in best_logs(tasks, str(logs)).values()}
    assert whole.removeprefix("file://") in names and str(path) not in names
    Path(whole.removeprefix("file://")).unlink()  # of two logs that are not whole, too, the samples decide
    [entry] = open_tasks(tasks, str(logs))
    assert entry.resume is not None and entry.resume.endswith(path.name)


def steelyard_bench(words: list[str]) -> None:
    """The command as a function that lets `SystemExit` out."""
    main.main(words[:], standalone_mode=False)
