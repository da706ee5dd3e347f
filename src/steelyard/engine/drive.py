"""Drives a run on an engine: capture, a selection per open task, workers, and again for what a lost worker left.

Workers do no bookkeeping of the eval set, so many of them write into one folder; what they would do to each other, this
one process does before and after them. Which of several logs of a task is the best is decided by the samples in it, not
by its time: the clocks of nodes differ.
"""

from __future__ import annotations

import hashlib
import signal
import threading
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steelyard import artifact
from steelyard.engine.capture import OpenTask, best_logs, capture, open_tasks
from steelyard.engine.definition import Definition
from steelyard.engine.presence import driving, wait_for_workers
from steelyard.engine.protocol import Engine, Job, Problem
from steelyard.engine.stop import FILE, Reason, Stop
from steelyard.location import location

if TYPE_CHECKING:
    from inspect_ai._eval.eval_set_manifest import EvalSetCaptureTask
    from inspect_ai.log import EvalLog

    from steelyard.location import Location

ATTEMPTS = 3
"""How often a task is started that fails: a provider may fail for a while."""

MOST_LOST = 10
"""Workers that one job may lose before it counts as failed."""

RECOVERED = "-recovered"
"""What Inspect adds to the name of a log that a crash left half written, once it has saved its samples."""

FOLDER = ".engine"
"""Folder beside the logs with what workers read and print."""

Progress = Callable[[str, int, int], None]
"""Called with (what is running, jobs that have ended, jobs in all)."""


def alone(task: EvalSetCaptureTask) -> str:
    """Every task is a job of its own."""
    return task.identifier


@dataclass(frozen=True, slots=True)
class Drive:
    """A run, where its logs go, and what executes it."""

    definition: Definition
    log_dir: str
    engine: Engine
    name: str
    """The engine's name, for people."""
    progress: Progress = lambda what, done, total: None
    together: Callable[[EvalSetCaptureTask], str] = alone
    """Tasks with the same key are one job: one worker runs them side by side."""
    stop: Reason | None = None
    """Asked again and again whether nothing new may start, and why."""

    @property
    def folder(self) -> Location:
        """Where workers read what to do."""
        return location(self.log_dir) / FOLDER


class Driven(NamedTuple):
    """How a drive ended."""

    logs: list[EvalLog]
    """The best log of each task, without its samples."""
    problems: list[str]
    """Why workers failed in the last attempt, by task, and why the run was stopped."""


def drive(run: Drive, define: Callable[[], object]) -> Driven:
    """Run the tasks of the eval set that `define` would run."""
    tasks = capture(define)
    with driving(run.folder):
        return _driven(run, tasks)


def _driven(run: Drive, tasks: Sequence[EvalSetCaptureTask]) -> Driven:
    _record(tasks, run.log_dir)
    work = _Work(run, tasks)
    stop = None if run.stop is None else Stop(run.folder / FILE, run.stop)
    with _terminable(), nullcontext() if stop is None else stop.watching():
        await_earlier(run.engine, run.folder, run.name, run.progress)
        for attempt in range(1, ATTEMPTS + 1):
            still_open = open_tasks(tasks, run.log_dir)
            if not still_open:
                break
            work.attempt(f"tasks on {run.name}" + (f", attempt {attempt}" if attempt > 1 else ""), still_open)
            # Looked at once more, because the watching thread may be between two looks.
            if stop is not None and (why := stop.look()) is not None:
                work.problems["stopped"] = why
                break
    return Driven(_best(tasks, run.log_dir, work.resumed), list(work.problems.values()))


def await_earlier(engine: Engine, folder: Location, name: str, progress: Progress) -> None:
    """Wait for what a driver that is gone has started: its tasks are nobody else's until they have ended."""

    def waiting() -> None:
        progress(f"workers of an earlier start on {name}", 0, 1)

    engine.rejoin(folder, waiting)
    wait_for_workers(folder, waiting)


@contextmanager
def _terminable() -> Generator[None]:
    """Take SIGTERM as Ctrl-C: workers do not end by themselves when the process that drives them does."""
    # Python lets only its main thread set handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def preview(run: Drive, define: Callable[[], object]) -> str:
    """What `drive` would start, as text; nothing is started, but the files that it names are written."""
    return run.engine.preview(write_jobs(run, open_tasks(capture(define), run.log_dir)))


def write_jobs(run: Drive, tasks: Sequence[OpenTask]) -> list[Job]:
    """A job for each task, or for those that belong together, with the files that its worker reads."""
    from inspect_ai._eval.eval_set_selection import EVAL_SET_SELECTION_VERSION, EvalSetSelection, EvalSetSelectionTask
    from inspect_ai._eval.evalset import eval_set_id_for_log_dir

    folder, stop = run.folder, None if run.stop is None else run.folder / FILE
    if isinstance(folder, Path):
        folder.mkdir(parents=True, exist_ok=True)
    definition = folder / "definition.json"
    run.definition.write(definition)
    identity = eval_set_id_for_log_dir(run.log_dir)
    groups: dict[str, list[OpenTask]] = {}
    for entry in tasks:
        groups.setdefault(run.together(entry.task), []).append(entry)
    jobs: list[Job] = []
    for key, entries in groups.items():
        selected = [EvalSetSelectionTask(identifier=entry.task.identifier, resume=entry.resume) for entry in entries]
        selection = EvalSetSelection(version=EVAL_SET_SELECTION_VERSION, eval_set_id=identity, tasks=selected)
        # Hashed, because a task's identifier holds characters that a file name cannot have.
        path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
        artifact.write_json(path, selection.model_dump(mode="json", exclude_none=True))
        jobs.append(Job(key, _title(entries), definition, path, stop))
    return jobs


def _title(entries: Sequence[OpenTask]) -> str:
    task = entries[0].task
    arguments = ", ".join(f"{name} {value}" for name, value in task.args.items() if name in ("tasks", "round", "watch"))
    return f"{task.model}, {task.name}" + (f" ({arguments})" if arguments else "")


@dataclass
class _Work:
    """The workers of one drive. Mutable: it counts who is lost and keeps what went wrong."""

    run: Drive
    tasks: Sequence[EvalSetCaptureTask]
    problems: dict[str, str] = field(default_factory=dict[str, str])
    resumed: set[str] = field(default_factory=set[str])
    """Logs whose samples a later attempt has taken over."""
    lost: Counter[str] = field(default_factory=Counter[str])

    def attempt(self, what: str, still_open: Sequence[OpenTask]) -> None:
        """Start a worker for each job and wait for all of them."""
        # Only problems of the last attempt count: what failed before may be done by now.
        self.problems.clear()
        jobs = self._jobs(still_open)
        ended: set[str] = set()
        self.run.progress(what, 0, len(jobs))

        def note(job: Job, problem: Problem | None) -> Job | None:
            if problem is not None and problem.lost:
                left = self._left(job)
                # A lost worker says nothing about its job, so another one goes on with it at once.
                if left and not job.stopped and self._may_go_on(job):
                    return self._jobs(left)[0]
                # If nothing is left, the worker was lost only after it had written everything.
                problem = problem if left else None
            ended.add(job.key)
            if problem is not None:
                self.problems[job.key] = f"{job.title}: {problem.reason}"
            self.run.progress(what, len(ended), len(jobs))
            return None

        self.run.engine.run(jobs, note)

    def _jobs(self, still_open: Sequence[OpenTask]) -> list[Job]:
        self.resumed |= {entry.resume for entry in still_open if entry.resume is not None}
        return write_jobs(self.run, still_open)

    def _left(self, job: Job) -> list[OpenTask]:
        """What a lost worker has not finished, with what it has written."""
        return open_tasks([task for task in self.tasks if self.run.together(task) == job.key], self.run.log_dir)

    def _may_go_on(self, job: Job) -> bool:
        self.lost[job.key] += 1
        return self.lost[job.key] <= MOST_LOST


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


def _best(tasks: Sequence[EvalSetCaptureTask], log_dir: str, resumed: set[str]) -> list[EvalLog]:
    """The best log of each task; what was resumed is contained in a later log and goes, recovered or not."""
    from inspect_ai._util.file import filesystem

    found = best_logs(tasks, log_dir)
    kept = {logs[0].info.name for logs in found.values()}
    gone = {name.replace(RECOVERED, "") for name in resumed}
    for name in (log.info.name for logs in found.values() for log in logs):
        if name.replace(RECOVERED, "") in gone and name not in kept:
            filesystem(name).rm(name)
    return [logs[0].header for logs in found.values()]
