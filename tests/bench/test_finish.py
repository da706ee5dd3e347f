"""Reopening the samples that stay unscored, while another process does the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import inspect_ai.log
import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from steelyard.bench.run.finish import complete_models, finish
from steelyard.errors import LogError
from steelyard.logs.rescore import Rescored
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored
from steelyard.stamp import Fingerprint, Stamp

STAMP = Stamp("bench", "practice_exam", Fingerprint("d", "s", "choice@1"))


@scorer(metrics=[mean()], name="choice")
def silent() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return to_score(Unscored("judge", "no verdict"))

    return score


@scorer(metrics=[mean()], name="choice")
def certain() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return to_score(Scored(1.0))

    return score


def evaluated(folder: Path, by: Scorer) -> Path:
    task = Task(
        dataset=[Sample(id="a", input="question")],
        scorer=by,
        metadata=STAMP.as_metadata(),
        name="practice_exam",
    )
    [log] = eval(task, model="steelyard/floor", log_dir=str(folder), display="none")
    assert log.status == "success"
    return Path(log.location)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return evaluated(tmp_path, silent())


def reopen(path: Path) -> None:
    finish(path.parent, ["steelyard/floor"], STAMP, silent(), "choice")


def test_a_model_is_complete_with_a_number_for_every_run_under_the_same_fingerprint(path: Path) -> None:
    assert complete_models(path.parent, STAMP, "choice", 1) == set()
    evaluated(path.parent, certain())
    assert complete_models(path.parent, STAMP, "choice", 1) == {"steelyard/floor"}
    assert complete_models(path.parent, STAMP, "choice", 2) == set()
    newer = replace(STAMP, fingerprint=Fingerprint("d", "s", "choice@2"))
    assert complete_models(path.parent, newer, "choice", 1) == set()


def reopening(log: EvalLog) -> bool:
    """Whether this is what `finish` writes, and not what grading again writes before it."""
    return bool(log.invalidated)


def test_a_process_that_fails_does_not_take_the_file_of_another_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken: list[bool] = []

    def full_disk(log: EvalLog, location: Any, **options: Any) -> None:
        Path(location).write_bytes(b"half a log")
        raise OSError(28, "No space left on device")

    def first(part: Path) -> None:
        if not overtaken and read_eval_log(str(part), format="eval", header_only=True).invalidated:
            overtaken.append(True)
            before = path.stat()
            with monkeypatch.context() as meanwhile, pytest.raises(LogError, match="No space left"):
                meanwhile.setattr("inspect_ai.log.write_eval_log", full_disk)
                meanwhile.setattr("steelyard.logs.rescore.rescore", lambda *_, **__: Rescored(str(path), 1, 0, 1, ()))
                reopen(path)
            assert path.stat() == before

    monkeypatch.setattr("steelyard.logs.write._flush", first)
    reopen(path)
    assert overtaken and read_eval_log(str(path)).invalidated
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_log_that_changed_meanwhile_is_not_overwritten(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = inspect_ai.log.write_eval_log
    theirs = b"what another process wrote"

    def slow(log: EvalLog, location: Any, **options: Any) -> None:
        write(log, location, **options)
        if reopening(log):
            path.write_bytes(theirs)

    monkeypatch.setattr("inspect_ai.log.write_eval_log", slow)
    with pytest.raises(LogError, match="changed after it was read"):
        reopen(path)
    assert path.read_bytes() == theirs
