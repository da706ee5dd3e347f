"""Running Inspect: an interrupt, which Inspect swallows, ends the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from steelyard.errors import LogError
from steelyard.logs import disk
from steelyard.logs.evaluate import evaluate, evaluate_set
from tests.waiting import HANG_S


@scorer(metrics=[mean()])
def always() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1)

    return score


def one_task() -> Task:
    return Task(dataset=[Sample(id="a", input="hello")], scorer=always(), name="one")


@pytest.mark.parametrize("statuses", [[], ["cancelled"], ["success", "cancelled"]])
def test_an_interrupted_run_raises(statuses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    logs: list[Any] = [SimpleNamespace(status=status) for status in statuses]
    monkeypatch.setattr("inspect_ai.eval", lambda *_, **__: logs)
    monkeypatch.setattr("inspect_ai.eval_set", lambda *_, **__: (True, logs))
    with pytest.raises(KeyboardInterrupt):
        evaluate(one_task(), log_dir="logs")
    with pytest.raises(KeyboardInterrupt):
        evaluate_set(one_task(), log_dir="logs")


def test_a_run_returns_its_logs_and_prints_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [once] = evaluate(one_task(), model="steelyard/floor", log_dir=str(tmp_path / "once"))
    [resumable] = evaluate_set(one_task(), model="steelyard/floor", log_dir=str(tmp_path / "set"), ctl_server=False)
    assert once.status == resumable.status == "success"
    assert capsys.readouterr().out == ""


UNUSED = """
import sys
from tests.logs.test_evaluate import evaluate, one_task
[log] = evaluate(one_task(), model="steelyard/floor", log_dir=sys.argv[1])
print(log.status, *(name for name in ("anthropic", "openai") if name in sys.modules))
"""


def test_the_package_of_a_provider_that_no_model_needs_is_not_loaded(tmp_path: Path) -> None:
    words = [sys.executable, "-c", UNUSED, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=HANG_S, cwd=Path(__file__).parents[2])
    assert done.stdout.split() == ["success"], done.stderr


def test_what_a_loaded_provider_keeps_about_a_sample_is_reset_for_the_next(tmp_path: Path) -> None:
    from inspect_ai.model import _openai_responses as provider

    seen: list[object] = []

    @scorer(metrics=[mean()])
    def looking() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            seen.append(provider.assistant_internal())
            return Score(value=1)

        return score

    samples = [Sample(id="a", input="hello"), Sample(id="b", input="hello")]
    evaluate(Task(dataset=samples, scorer=looking(), name="two"), model="steelyard/floor", log_dir=str(tmp_path))
    assert len(seen) == 2 and seen[0] is not seen[1]


FULL = OSError(28, "No space left on device")


def test_a_disk_that_fills_up_is_named_wherever_the_failure_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> list[Any]:
        raise RuntimeError("cannot flush") from ExceptionGroup("tasks", [FULL])

    reported: list[Any] = [SimpleNamespace(status="error", error=SimpleNamespace(message=repr(FULL)))]
    for outcome in (fail, lambda *_, **__: reported):
        monkeypatch.setattr("inspect_ai.eval", outcome)
        with pytest.raises(LogError, match=rf"^the disk is full: {tmp_path} \(free disk space"):
            evaluate(one_task(), log_dir=str(tmp_path))


@pytest.mark.parametrize("free", [0, 1 << 30])
def test_a_missing_file_on_a_full_disk_is_a_full_disk(
    free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> list[Any]:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr("inspect_ai.eval_set", fail)
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(LogError if free == 0 else FileNotFoundError, match="disk is full" if free == 0 else "No such"):
        evaluate_set(one_task(), log_dir=str(tmp_path))


def test_of_two_disks_the_one_with_less_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What did not fit into the temp folder is gone again when the failure is looked at. /proc stands for another disk.
    monkeypatch.setattr(disk.tempfile, "gettempdir", lambda: "/proc")
    for scarce, named in ((Path("/proc"), "/proc"), (tmp_path, str(tmp_path))):
        room = {Path("/proc"): 1 << 30, tmp_path: 1 << 30, scarce: 1 << 20}
        monkeypatch.setattr(disk.shutil, "disk_usage", lambda folder, room=room: SimpleNamespace(free=room[folder]))
        with pytest.raises(LogError, match=rf"^the disk is full: {named} \("):
            disk.refuse_full_disk(str(tmp_path), [str(FULL)])
        disk.refuse_full_disk(str(tmp_path), ["another failure"])
