"""The tasks of a run, listed by Inspect without running them, and which of them the log folder has already."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.errors import LogError, boundary

if TYPE_CHECKING:
    from inspect_ai._eval.eval_set_manifest import EvalSetCaptureTask
    from inspect_ai._eval.evalset import Log
    from inspect_ai.log import EvalLog

TRIES, PAUSE_S = 5, 0.2
"""How often a log is read that is not whole, and seconds between two tries."""


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A captured task that is not done."""

    task: EvalSetCaptureTask
    resume: str | None
    """The log of an earlier attempt, whose samples are kept."""


def capture(define: Callable[[], object]) -> list[EvalSetCaptureTask]:
    """The tasks of the eval set that `define` would run; nothing is run and no log is written."""
    from inspect_ai._eval.eval_set_manifest import INSPECT_EVAL_SET_CAPTURE, EvalSetCapture

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tasks.json")
        with environment(INSPECT_EVAL_SET_CAPTURE, str(path)):
            try:
                define()
            except SystemExit as ended:  # so Inspect ends a process once it has written the list
                if ended.code not in (0, None):
                    raise
        with boundary(LogError, "cannot list the tasks of this run"):
            return EvalSetCapture.model_validate_json(path.read_bytes()).tasks


def open_tasks(tasks: Sequence[EvalSetCaptureTask], log_dir: str) -> list[OpenTask]:
    """The tasks without a complete log, each with the log that it can continue."""
    logs = best_logs(tasks, log_dir)
    still_open: list[OpenTask] = []
    for task in tasks:
        if task.identifier not in logs:
            still_open.append(OpenTask(task, None))
        elif not _is_complete((best := logs[task.identifier][0]).header, task):
            still_open.append(OpenTask(task, best.info.name))
    return still_open


def best_logs(tasks: Sequence[EvalSetCaptureTask], log_dir: str) -> dict[str, list[Log]]:
    """Identifier → the logs of the task, the one with the most samples first."""
    by_task: dict[str, list[Log]] = {task.identifier: [] for task in tasks}
    for log in _readable(log_dir):
        if log.task_identifier in by_task:
            by_task[log.task_identifier].append(log)
    for several in by_task.values():
        # `_worth` reads all summaries of a log, so it is only asked where there is a choice.
        if len(several) > 1:
            several.sort(key=_worth, reverse=True)
    return {identifier: mine for identifier, mine in by_task.items() if mine}


def _readable(log_dir: str) -> Generator[Log]:
    """The logs of a folder; one that a lost worker left half written does not count."""
    from inspect_ai._eval.evalset import Log, task_identifier
    from inspect_ai._util.file import filesystem
    from inspect_ai.log import list_eval_logs

    with boundary(LogError, f"cannot list {log_dir}"):
        infos = list_eval_logs(log_dir) if filesystem(log_dir).exists(log_dir) else []
    for info in infos:
        with suppress(LogError):
            header = _header(info.name)
            yield Log(info=info, header=header, task_identifier=task_identifier(header, None))


def _header(path: str) -> EvalLog:
    """The head of a log; another worker may be writing it, so that it is whole only a moment later."""
    from inspect_ai.log import read_eval_log

    # The last try follows the loop, so that its error is raised.
    for _ in range(TRIES - 1):
        with suppress(LogError), boundary(LogError, f"cannot read {path}"):
            return read_eval_log(path, header_only=True)
        time.sleep(PAUSE_S)
    with boundary(LogError, f"cannot read {path}"):
        return read_eval_log(path, header_only=True)


def _worth(log: Log) -> tuple[bool, int, float]:
    """Finished samples come before the time of writing: the clocks of nodes differ."""
    from inspect_ai.log import read_eval_log_sample_summaries

    with boundary(LogError, f"cannot read {log.info.name}"):
        summaries = read_eval_log_sample_summaries(log.info.name)
    whole = sum(summary.error is None for summary in summaries)
    return log.header.status == "success", whole, log.info.mtime or 0.0


def _is_complete(header: object, task: EvalSetCaptureTask) -> bool:
    from inspect_ai.log import EvalLog

    assert isinstance(header, EvalLog)
    if header.status != "success" or header.invalidated or header.results is None:
        return False
    # The number of runs is not enough: they may come from more samples in fewer epochs.
    return header.results.completed_samples >= task.samples * task.epochs and (
        (header.eval.config.epochs or 1) == task.epochs
    )


@contextmanager
def environment(name: str, value: str) -> Generator[None]:
    """Set a variable of this process's environment for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
