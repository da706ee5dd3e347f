"""The pool: distributes apps to kernels, and keeps a kernel only as long as it is sound.

A pass needs no confirmation unless Node gave the app an object older than the app; which failures count, the
referee decides. After any anomaly, and at random, the control app runs and must produce the shipped bytes. Strict
isolation: every app runs in its own kernel.
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
from typing import Any, Literal, TypeAlias, TypeVar

from steelyard.bench.cdk_synth.classify import Failure
from steelyard.bench.cdk_synth.synthesizer.kernel import App, Broken, Kernel, Report
from steelyard.bench.cdk_synth.synthesizer.kernel_sandbox import Allowance
from steelyard.bench.cdk_synth.synthesizer.referee import Answer, Referee, StartFailed, charged, doubtful
from steelyard.errors import SandboxError, SteelyardError, boundary

Isolation: TypeAlias = Literal["warm", "strict"]

MAX_APPS = 120
"""Apps after which a kernel is replaced."""
MAX_NODE_MB = 1_000
"""Resident size of Node at which a kernel is replaced."""
CONTROL_SHARE = 0.05
"""Share of unremarkable apps after which the control app runs all the same."""
T = TypeVar("T")
_Task: TypeAlias = "tuple[Future[Any], Callable[[_Slot], Any]]"
_random = random.SystemRandom()
"""No app may predict when the control app runs."""


@dataclass(frozen=True, slots=True)
class AppResult:
    """The pool's result for one app."""

    finding: Failure | None
    """None: it passes."""
    files: Mapping[str, str]
    """The assembly: relative path in `cdk.out` → text."""
    seconds: float
    """Wall time, without the wait for a free kernel."""
    confirmed: bool
    """Whether a fresh kernel gave this result."""


class Pool:
    """A fixed number of slots, each with at most one warm kernel, started on first use."""

    def __init__(
        self,
        kernels: int | None = None,
        isolation: Isolation = "warm",
        allowance: Allowance | None = None,
        control_share: float = CONTROL_SHARE,
    ):
        self.size = kernels or max(1, min(4, os.cpu_count() or 1))
        self._isolation: Isolation = isolation
        self._referee = Referee(allowance or Allowance())
        self._control_share = control_share
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._slots = [_Slot() for _ in range(self.size)]
        # A kernel dies with the thread that started it, so there is one thread per slot for the lifetime of the pool.
        # As daemons they do not keep the process alive while an app is still running.
        for slot in self._slots:
            threading.Thread(target=self._serve, args=(slot,), name="cdk-kernel", daemon=True).start()

    def submit(self, app: App, timeout_s: float) -> Future[AppResult]:
        """Verify one app on a thread of the pool."""
        return self._do(lambda slot: self._verify(slot, app, timeout_s))

    def warm(self) -> None:
        """Start every kernel now; raises if one cannot be started."""
        all_slots = threading.Barrier(self.size)  # so that no thread takes two of these

        def start(slot: _Slot) -> None:
            all_slots.wait()
            self._ready(slot)

        for future in [self._do(start) for _ in self._slots]:
            future.result()

    def close(self) -> None:
        """End every kernel; apps that are still running get no verdict."""
        # First, so that no slot starts another kernel in place of the one it loses.
        self._referee.closed = True
        for slot in self._slots:
            self._tasks.put(None)
            slot.drop()

    @property
    def pids(self) -> list[int]:
        """Process ids of the warm kernels, for monitoring."""
        return [slot.kernel.pid for slot in self._slots if slot.kernel is not None]

    def _do(self, work: Callable[[_Slot], T]) -> Future[T]:
        future: Future[T] = Future()
        self._tasks.put((future, work))
        return future

    def _serve(self, slot: _Slot) -> None:
        while (task := self._tasks.get()) is not None:
            future, work = task
            # Taken back while it waited: such an app never starts.
            if not future.set_running_or_notify_cancel():
                continue
            try:
                with boundary(SandboxError, "the CDK synthesizer failed"):
                    result = work(slot)
            except SteelyardError as error:
                future.set_exception(error)
            else:
                future.set_result(result)

    def _verify(self, slot: _Slot, app: App, timeout_s: float) -> AppResult:
        started = time.monotonic()
        try:
            finding, files, confirmed = charged(lambda: self._judge(slot, app, timeout_s))
        except (Broken, SteelyardError) as error:
            finding, files, confirmed = Failure("engine_error", str(error)), dict[str, str](), False
        return AppResult(finding, files, time.monotonic() - started, confirmed)

    def _judge(self, slot: _Slot, app: App, timeout_s: float) -> Answer:
        if self._isolation == "strict":
            return self._referee.confirm(app, timeout_s)
        kernel = self._ready(slot)
        try:
            report = kernel.run(app, timeout_s)
        except Broken:
            slot.drop()
            return self._referee.confirm(app, timeout_s)
        self._look_after(slot, kernel, report)
        finding = report.failure
        if doubtful(report, finding):
            return self._referee.confirm(app, timeout_s)
        return finding, report.files, False

    def _ready(self, slot: _Slot) -> Kernel:
        """The slot's kernel, started now if there is none; a failed start is retried once."""
        for attempt in (1, 2):
            if slot.kernel is not None:
                return slot.kernel
            slot.kernel = self._referee.start(warm=True)
            try:
                self._referee.await_ready(slot.kernel)
            except StartFailed:
                slot.drop()
                if attempt == 2 or self._referee.closed:
                    raise
        assert slot.kernel is not None
        return slot.kernel

    def _look_after(self, slot: _Slot, kernel: Kernel, report: Report) -> None:
        ending = report.ending
        exhausted = report.retire or kernel.apps >= MAX_APPS or report.node_rss_mb >= MAX_NODE_MB
        strange = ending.stopped or ending.signal or ending.refused or report.foreign
        anomaly = strange or _random.random() < self._control_share
        if exhausted or (anomaly and not self._referee.control_passes(kernel, clean=True)):
            slot.drop()


class _Slot:
    """A place for one warm kernel."""

    def __init__(self) -> None:
        self.kernel: Kernel | None = None

    def drop(self) -> None:
        """End its kernel, if there is one."""
        kernel, self.kernel = self.kernel, None
        if kernel is not None:
            kernel.close()
