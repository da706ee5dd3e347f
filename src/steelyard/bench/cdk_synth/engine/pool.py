"""The pool: distributes apps to workers and decides which failures count against an app.

Law: a pass needs no confirmation unless Node gave the app an object older than the app. A failure that a warm worker
might have caused (an error raised in Node, an interrupted Node, a broken worker) is repeated in a fresh worker, whose
verdict counts. An app that breaks a worker twice, while a clean app passes in between, is `forbidden` (`resource_limit`
if Node ran out of memory); if the clean app fails too, the engine is at fault. A failure inside the library counts only
if the engine's files are intact and the canary, a clean app, passes in the same worker. After any anomaly, and at
random, the canary runs and must produce the shipped bytes. What failed while the kernel ended processes for lack of
memory is tried again, and never charged if that goes on, unless it was the app's own group that ran out: others may
have taken the memory. A worker is replaced after `MAX_APPS` apps, when Node uses too much memory, or when it cannot
guarantee a clean state. Strict isolation: every app runs in its own worker.
"""

from __future__ import annotations

import os
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from steelyard.bench.cdk_synth.classify import Failure, last_raised
from steelyard.bench.cdk_synth.engine import packages
from steelyard.bench.cdk_synth.engine.prepare import INSIDE, damage
from steelyard.bench.cdk_synth.engine.worker import App, Broken, Report, Worker
from steelyard.bench.cdk_synth.engine.worker_sandbox import Allowance
from steelyard.errors import SandboxError, SteelyardError, boundary
from steelyard.sandbox import cgroup

Isolation: TypeAlias = Literal["warm", "strict"]

MAX_APPS = 120
"""Apps after which a worker is replaced."""
MAX_NODE_MB = 1_000
"""Resident size of Node at which a worker is replaced."""
CANARY_SHARE = 0.05
"""Share of unremarkable apps after which the canary runs all the same."""
T = TypeVar("T")
_Task: TypeAlias = "tuple[Future[Any], Callable[[_Slot], Any]]"
_Answer: TypeAlias = tuple[Failure | None, Mapping[str, str], bool]
"""Why it failed (None: it passes), the assembly's files, and whether a fresh worker confirmed it."""
_CANARY_TIMEOUT_S = 300.0
_CANARY_FILE = Path(__file__).parent / "Canary.template.json"
_CANARY_LIBRARY = "2.275.0"
"""The release of aws-cdk-lib that this template is from."""
_KERNEL_COUNTERS = Path("/proc/vmstat")
ATTEMPTS = 3
"""How often a failing app runs while the kernel ends processes for lack of memory."""
_random = random.SystemRandom()
"""No app may predict when the canary runs."""
_LIBRARY_CLASSES = ("construct_error", "import_error", "runtime_error", "annotation_error", "no_stack")
"""Classes of failures that a damaged library may cause."""
_FROM_NODE = ("RuntimeError", "JSIIError", "JavaScriptError")


@dataclass(frozen=True, slots=True)
class AppResult:
    """The pool's result for one app."""

    finding: Failure | None
    """None: it passes."""
    files: Mapping[str, str]
    """The assembly: relative path in `cdk.out` → text."""
    seconds: float
    """Wall time, without the wait for a free worker."""
    confirmed: bool
    """Whether a fresh worker gave this result."""


class Pool:
    """A fixed number of slots, each with at most one warm worker, started on first use."""

    def __init__(
        self,
        workers: int | None = None,
        isolation: Isolation = "warm",
        allowance: Allowance | None = None,
        canary_share: float = CANARY_SHARE,
    ):
        self.size = workers or max(1, min(4, os.cpu_count() or 1))
        self._isolation: Isolation = isolation
        self._allowance = allowance or Allowance()
        self._canary_share = canary_share
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._slots = [_Slot() for _ in range(self.size)]
        self._lock = threading.Lock()
        self._canary: dict[str, str] = {}
        self._closed = False
        # A worker dies with the thread that started it, so there is one thread per slot for the lifetime of the pool.
        # As daemons they do not keep the process alive while an app is still running.
        for slot in self._slots:
            threading.Thread(target=self._serve, args=(slot,), name="cdk-worker", daemon=True).start()

    def submit(self, app: App, timeout_s: float) -> Future[AppResult]:
        """Verify one app on a thread of the pool."""
        return self._do(lambda slot: self._verify(slot, app, timeout_s))

    def warm(self) -> None:
        """Start every worker now; raises if one cannot be started."""
        all_slots = threading.Barrier(self.size)  # so that no thread takes two of these

        def start(slot: _Slot) -> None:
            all_slots.wait()
            self._ready(slot)

        for future in [self._do(start) for _ in self._slots]:
            future.result()

    def close(self) -> None:
        """End every worker; apps that are still running get no verdict."""
        self._closed = True
        for slot in self._slots:
            self._tasks.put(None)
            slot.drop()

    @property
    def pids(self) -> list[int]:
        """Process ids of the warm workers, for monitoring."""
        return [slot.worker.pid for slot in self._slots if slot.worker is not None]

    def _do(self, work: Callable[[_Slot], T]) -> Future[T]:
        future: Future[T] = Future()
        self._tasks.put((future, work))
        return future

    def _serve(self, slot: _Slot) -> None:
        while (task := self._tasks.get()) is not None:
            future, work = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                with boundary(SandboxError, "the CDK engine failed"):
                    result = work(slot)
            except SteelyardError as error:
                future.set_exception(error)
            else:
                future.set_result(result)

    def _verify(self, slot: _Slot, app: App, timeout_s: float) -> AppResult:
        started = time.monotonic()
        try:
            finding, files, confirmed = self._undisturbed(slot, app, timeout_s)
            if finding is not None and finding.klass in _LIBRARY_CLASSES:
                _check_files()
        except (Broken, SteelyardError) as error:
            finding, files, confirmed = Failure("engine_error", str(error)), dict[str, str](), False
        return AppResult(finding, files, time.monotonic() - started, confirmed)

    def _undisturbed(self, slot: _Slot, app: App, timeout_s: float) -> _Answer:
        """The verdict on an app; a failure counts only if the kernel ended no process for lack of memory meanwhile."""
        for _ in range(ATTEMPTS):
            killed = kills_for_memory()
            answer = self._judge(slot, app, timeout_s)
            if answer[0] is None or kills_for_memory() == killed:
                return answer
        raise _StartFailed("this machine ran out of memory", cure="free memory, or run fewer things at once")

    def _judge(self, slot: _Slot, app: App, timeout_s: float) -> _Answer:
        if self._isolation == "strict":
            return self._confirm(app, timeout_s)
        worker = self._ready(slot)
        try:
            report = worker.run(app, timeout_s)
        except Broken:
            slot.drop()
            return self._confirm(app, timeout_s)
        self._look_after(slot, worker, report)
        finding = report.failure
        if _doubtful(report, finding):
            return self._confirm(app, timeout_s)
        return finding, report.files, False

    def _confirm(self, app: App, timeout_s: float) -> _Answer:
        """The verdict of a fresh worker; if that breaks, of a second one, after a clean app."""
        try:
            return self._fresh_answer(app, timeout_s)
        except Broken as error:
            if not self._clean_app_passes():
                return Failure("engine_error", f"the engine is unsound: {error}"), {}, True
        try:
            return self._fresh_answer(app, timeout_s)
        except Broken as error:
            return _charge(str(error)), {}, True

    def _fresh_answer(self, app: App, timeout_s: float, *, proven: bool = False) -> _Answer:
        """The verdict of a fresh worker; a `proven` one ran the canary first.

        The canary usually runs after the app, and only if the app failed inside the library. An app could have broken
        the worker on purpose, so a canary that fails there settles nothing: a proven worker decides.
        """
        worker = self._fresh_worker(warm=proven)
        try:
            report = worker.run(app, timeout_s)
            finding = report.failure
            sound = proven or not _in_library(report, finding) or self._canary_passes(worker)
        finally:
            worker.close()
        if not sound:
            return self._fresh_answer(app, timeout_s, proven=True)
        return finding, report.files, True

    def _fresh_worker(self, *, warm: bool) -> Worker:
        if self._closed:
            raise _StartFailed("the engine is shutting down")
        worker = Worker(self._allowance, warm=warm)
        try:
            self._await(worker)
        except BaseException:
            worker.close()
            raise
        return worker

    def _await(self, worker: Worker) -> None:
        _await_start(worker)
        if worker.canary and not self._agrees(worker.canary):
            raise _StartFailed("a new worker disagrees with the others about the canary")

    def _ready(self, slot: _Slot) -> Worker:
        """The slot's worker, started now if there is none; a failed start is retried once."""
        for attempt in (1, 2):
            if slot.worker is not None:
                return slot.worker
            slot.worker = Worker(self._allowance, warm=True)
            try:
                self._await(slot.worker)
            except _StartFailed:
                slot.drop()
                if attempt == 2 or self._closed:
                    raise
        assert slot.worker is not None
        return slot.worker

    def _look_after(self, slot: _Slot, worker: Worker, report: Report) -> None:
        ending = report.ending
        exhausted = report.retire or worker.apps >= MAX_APPS or report.node_rss_mb >= MAX_NODE_MB
        anomaly = ending.stopped or ending.signal or ending.refused or report.foreign
        anomaly = anomaly or _random.random() < self._canary_share
        if exhausted or (anomaly and not self._sound(worker)):
            slot.drop()

    def _clean_app_passes(self) -> bool:
        try:
            worker = self._fresh_worker(warm=False)
        except _StartFailed:
            return False
        try:
            return self._canary_passes(worker)
        finally:
            worker.close()

    def _sound(self, worker: Worker) -> bool:
        """Whether a warm worker can run another app."""
        return self._canary_passes(worker, clean=True)

    def _canary_passes(self, worker: Worker, *, clean: bool = False) -> bool:
        """Whether the canary passes with the known bytes; `clean`: and leaves no trace.

        In a worker that never ran it before, it loads parts of the library, and that is a trace.
        """
        try:
            report = worker.run(_canary_code(), _CANARY_TIMEOUT_S)
        except Broken:
            return False
        return report.failure is None and self._agrees(report.files) and not (clean and report.retire)

    def _agrees(self, files: Mapping[str, str]) -> bool:
        templates = {name: text for name, text in files.items() if name.endswith(".template.json")}
        with self._lock:
            self._canary = self._canary or shipped_canary() or templates
            return templates == self._canary


class _Slot:
    """A place for one warm worker."""

    def __init__(self) -> None:
        self.worker: Worker | None = None

    def drop(self) -> None:
        """End its worker, if there is one."""
        worker, self.worker = self.worker, None
        if worker is not None:
            worker.close()


class _StartFailed(SteelyardError):
    """A worker did not become ready; never the fault of an app."""


def shipped_canary() -> dict[str, str]:
    """The canary's templates as the pinned library makes them; empty for another one: its first worker then counts."""
    if f"aws-cdk-lib=={_CANARY_LIBRARY}" not in packages.installed().versions:
        return {}
    return {_CANARY_FILE.name: _CANARY_FILE.read_text("utf-8")}


def kills_for_memory() -> int:
    """How many processes the kernel has ended for lack of memory since this machine started; 0 if it does not say.

    Without those that exceeded the limit of an app's own group.
    """
    try:
        lines = _KERNEL_COUNTERS.read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill ")) - cgroup.all_kills()


def _await_start(worker: Worker) -> None:
    try:
        worker.wait_ready()
    except Broken as error:
        raise _StartFailed(f"the sandboxed worker did not start: {error}", cure="steelyard doctor") from error


def _doubtful(report: Report, finding: Failure | None) -> bool:
    """Whether the warm worker itself might have caused this result."""
    if finding is None:
        return report.foreign
    if report.requests == 0:
        return False
    if finding.klass in ("annotation_error", "engine_error", "forbidden") or (report.ending.stopped and report.retire):
        return True
    raised = last_raised(report.ending.output)
    return raised is not None and raised.kind in _FROM_NODE and report.ending.exit_code != 0


def _in_library(report: Report, finding: Failure | None) -> bool:
    """Whether an app failed in a way that a damaged or spoiled library could cause too."""
    if finding is None or finding.klass not in _LIBRARY_CLASSES:
        return False
    return report.requests > 0 or finding.klass in ("construct_error", "import_error")


def _check_files() -> None:
    """Raise if the engine's files are not the installed ones: its verdict on an app then says nothing."""
    packages.check(thorough=False)
    if problem := damage(thorough=False):
        raise _StartFailed(f"the prepared CDK engine is damaged: {problem}", cure="run `steelyard setup`")


def _charge(broke: str) -> Failure:
    klass = "resource_limit" if "out of memory" in broke else "forbidden"
    return Failure(klass, f"the app broke its worker twice, a clean app passed in between: {broke[:200]}")


def _canary_code() -> bytes:
    return (INSIDE / "canary.py").read_bytes()
