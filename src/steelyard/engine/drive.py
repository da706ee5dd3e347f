"""Drives a run on an engine: capture, a selection per open task, workers, and again for what a lost worker left.

Workers do no bookkeeping of the eval set, so many of them write into one folder; what they would do to each other, this
one process does before and after them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steelyard import artifact
from steelyard.engine.capture import OpenTask, capture, open_tasks
from steelyard.engine.definition import Definition
from steelyard.engine.protocol import Engine, Job

if TYPE_CHECKING:
    from inspect_ai._eval.eval_set_manifest import EvalSetCaptureTask
    from inspect_ai.log import EvalLog

ATTEMPTS = 3
"""How often a task is started: a worker may be lost, or a provider may fail for a while."""

FOLDER = ".engine"
"""Folder beside the logs with what workers read and print."""

Progress = Callable[[str, int, int], None]
"""Called with (what is running, tasks that have ended, tasks in all)."""


@dataclass(frozen=True, slots=True)
class Drive:
    """A run, where its logs go, and what executes it."""

    definition: Definition
    log_dir: str
    engine: Engine
    name: str
    """The engine's name, for people."""
    progress: Progress = lambda what, done, total: None


class Driven(NamedTuple):
    """How a drive ended."""

    logs: list[EvalLog]
    """The newest log of each task, without its samples."""
    problems: list[str]
    """Why workers failed in the last attempt, by task."""


def drive(run: Drive, define: Callable[[], object]) -> Driven:
    """Run the tasks of the eval set that `define` would run."""
    tasks = capture(define)
    _record(tasks, run.log_dir)
    problems: dict[str, str] = {}
    resumed: set[str] = set()
    for attempt in range(1, ATTEMPTS + 1):
        still_open = open_tasks(tasks, run.log_dir)
        if not still_open:
            break
        problems.clear()
        resumed |= {task.resume for task in still_open if task.resume is not None}
        what = f"tasks on {run.name}" + (f", attempt {attempt}" if attempt > 1 else "")
        _attempt(run, what, write_jobs(run, still_open), problems)
    return Driven(_newest(tasks, run.log_dir, resumed), list(problems.values()))


def preview(run: Drive, define: Callable[[], object]) -> str:
    """What `drive` would start, as text; nothing is started, but the files that it names are written."""
    return run.engine.preview(write_jobs(run, open_tasks(capture(define), run.log_dir)))


def write_jobs(run: Drive, tasks: Sequence[OpenTask]) -> list[Job]:
    """One job for each task, with the files that its worker reads."""
    from inspect_ai._eval.eval_set_selection import EVAL_SET_SELECTION_VERSION, EvalSetSelection, EvalSetSelectionTask
    from inspect_ai._eval.evalset import eval_set_id_for_log_dir

    folder = Path(run.log_dir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    definition = folder / "definition.json"
    run.definition.write(definition)
    identity = eval_set_id_for_log_dir(run.log_dir)
    jobs: list[Job] = []
    for task, resume in ((entry.task, entry.resume) for entry in tasks):
        selected = EvalSetSelectionTask(identifier=task.identifier, resume=resume)
        selection = EvalSetSelection(version=EVAL_SET_SELECTION_VERSION, eval_set_id=identity, tasks=[selected])
        name = hashlib.sha256(task.identifier.encode()).hexdigest()[:16]
        path = folder / f"{name}.json"
        artifact.write_json(path, selection.model_dump(mode="json", exclude_none=True))
        jobs.append(Job(task.identifier, f"{task.model}, {task.name}", definition, path))
    return jobs


def _record(tasks: Sequence[EvalSetCaptureTask], log_dir: str) -> None:
    """Write the tasks where Inspect keeps those of an eval set, so that `status` knows of those without a log."""
    from inspect_ai._eval.evalset import EvalSet, EvalSetTask, eval_set_id_for_log_dir
    from inspect_ai._util.file import file, filesystem

    filesystem(log_dir).mkdir(log_dir, exist_ok=True)
    entries = [
        EvalSetTask(
            name=task.name,
            task_id="",
            task_args=task.args,
            model=task.model,
            model_args=task.model_args,
            model_roles=task.model_roles,
            sequence=task.sequence,
        )
        for task in tasks
    ]
    eval_set = EvalSet(eval_set_id=eval_set_id_for_log_dir(log_dir), tasks=entries)
    with file(f"{log_dir}/eval-set.json", "w") as out:
        out.write(eval_set.model_dump_json(indent=2))


def _attempt(run: Drive, what: str, jobs: Sequence[Job], problems: dict[str, str]) -> None:
    ended: set[str] = set()
    run.progress(what, 0, len(jobs))

    def note(job: Job, problem: str | None) -> None:
        ended.add(job.identifier)
        if problem is not None:
            problems[job.identifier] = f"{job.title}: {problem}"
        run.progress(what, len(ended), len(jobs))

    run.engine.run(jobs, note)


def _newest(tasks: Sequence[EvalSetCaptureTask], log_dir: str, resumed: set[str]) -> list[EvalLog]:
    """The newest log of each task; the logs that were resumed are contained in it and go."""
    from inspect_ai._eval.evalset import cleanup_older_eval_logs, list_all_eval_logs

    identifiers = {task.identifier for task in tasks}
    logs = [log for log in list_all_eval_logs(log_dir) if log.task_identifier in identifiers]
    ours = {log.header.eval.run_id for log in logs if log.info.name in resumed}
    cleanup_older_eval_logs(log_dir, {log.header.eval.task_id for log in logs}, ours)
    newest: dict[str, EvalLog] = {}
    for log in sorted(logs, key=lambda log: log.info.mtime or 0):
        newest[log.task_identifier] = log.header
    return list(newest.values())
