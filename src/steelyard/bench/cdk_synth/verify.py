"""Verifies that a CDK app synthesizes: the verdict of `cdk synth`, from a pool of warm kernels (docs/scoring.md §1.5).

The pool belongs to the process, starts with the first app and ends with the process.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.artifact import read_bytes
from steelyard.bench.cdk_synth.assembly import Stack, read_assembly, templates
from steelyard.bench.cdk_synth.classify import Failure, FailureClass
from steelyard.bench.cdk_synth.project import Project, read_project
from steelyard.bench.cdk_synth.synthesizer.kernel import App
from steelyard.bench.cdk_synth.synthesizer.pool import AppResult, Isolation, Pool
from steelyard.errors import InputError

TIMEOUT_S = 60.0
"""Seconds an app may run."""
FEW = 2
"""Up to this many apps, warming up a kernel does not pay off."""
CODE_LIMIT = 8_000_000
"""Size of the largest app, in bytes."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for one app."""

    passed: bool
    klass: FailureClass | None
    """Why it failed; None if it passed."""
    message: str
    """The few lines that matter; empty if it passed."""
    templates: Mapping[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """Stack name → CloudFormation template, nested stacks included; empty without an assembly."""
    seconds: float = 0.0
    """Wall time of the check, without the wait for a kernel."""
    confirmed: bool = False
    """Whether a fresh kernel gave this verdict."""
    stacks: tuple[Stack, ...] = ()
    """The stacks of the assembly; empty without one."""

    @property
    def engine_error(self) -> str | None:
        """Why there is no verdict, if the synthesizer is at fault."""
        return self.message if self.klass == "engine_error" else None


def verify(code: str | App, *, isolation: Isolation = "warm", timeout_s: float = TIMEOUT_S) -> Verdict:
    """Check one app; blocks."""
    raw = _source(code)
    # What needs no run must not start a kernel.
    return _early(raw) or _verdict(pool(isolation).submit(raw, timeout_s).result())


async def verify_app(code: str | App, *, isolation: Isolation = "warm", timeout_s: float = TIMEOUT_S) -> Verdict:
    """Check one app without blocking the event loop; if cancelled, an app that has not started never starts."""
    import anyio.to_thread

    raw = _source(code)
    if (early := _early(raw)) is not None:
        return early
    finished = threading.Event()
    future = pool(isolation).submit(raw, timeout_s)
    future.add_done_callback(lambda _: finished.set())
    try:
        # Own limiter: waiting for a kernel must not use up the shared threads.
        await anyio.to_thread.run_sync(finished.wait, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))
        return _verdict(future.result())
    finally:
        future.cancel()
        finished.set()  # the waiting thread would otherwise keep the process alive


def verify_all(
    codes: Iterable[str | App],
    *,
    isolation: Isolation = "warm",
    timeout_s: float = TIMEOUT_S,
    done: Callable[[int], object] = lambda number: None,
) -> list[Verdict]:
    """Check many apps at once; `done` is called with the index of every finished app."""
    raws = [_source(code) for code in codes]
    early = [_early(raw) for raw in raws]
    kernels: Isolation = "strict" if len(raws) <= FEW else isolation  # the same verdict, without warming up for so few
    waiting = {number: pool(kernels).submit(raw, timeout_s) for number, raw in enumerate(raws) if early[number] is None}
    one_at_a_time = threading.Lock()  # callbacks run in the threads that finish the futures

    def report(number: int) -> None:
        with one_at_a_time:
            done(number)

    for number, future in waiting.items():
        future.add_done_callback(lambda _, number=number: report(number))
    try:
        return [verdict or _verdict(waiting[number].result()) for number, verdict in enumerate(early)]
    finally:
        for future in waiting.values():
            future.cancel()  # does something only after an interruption


def pool(isolation: Isolation = "warm") -> Pool:
    """The pool of this process."""
    with _lock:
        key = (os.getpid(), isolation)  # a forked process has its own
        if key not in _pools:
            _pools[key] = Pool(isolation=isolation)
            atexit.register(_pools[key].close)
        return _pools[key]


def shutdown() -> None:
    """End the pools of this process; the next app starts a new one."""
    with _lock:
        mine = [_pools.pop(key) for key in list(_pools) if key[0] == os.getpid()]
    for own in mine:
        own.close()
        atexit.unregister(own.close)


def read_app(path: Path) -> App:
    """The app in a file or in a folder; `InputError` if it cannot be read or is too large."""
    try:
        if path.is_dir():
            return read_project(path)
        if not path.is_file():
            raise InputError(f"{path} is not a file or a folder" if path.exists() else f"{path} does not exist")
        return read_bytes(path, CODE_LIMIT)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def encoded(code: str | bytes) -> bytes:
    """An app as bytes; invalid Unicode stays invalid, so that Python reports it."""
    return code if isinstance(code, bytes) else code.encode("utf-8", "surrogatepass")


def _source(code: str | App) -> App:
    return code if isinstance(code, Project) else encoded(code)


def judged(finding: Failure | None, files: Mapping[str, str], seconds: float = 0.0, confirmed: bool = False) -> Verdict:
    """The verdict on an app that failed as found (None: it passes) and left these files."""
    klass, message = (None, "") if finding is None else finding
    assembly = read_assembly(files)
    stacks = () if assembly is None else assembly.stacks
    return Verdict(finding is None, klass, message, templates(files), seconds, confirmed, stacks)


_pools: dict[tuple[int, Isolation], Pool] = {}
_lock = threading.Lock()


def _early(raw: App) -> Verdict | None:
    if isinstance(raw, Project):
        return None  # read with limits of its own
    if not raw.strip():
        return Verdict(False, "no_code", "there is nothing to run")
    if len(raw) > CODE_LIMIT:
        return Verdict(False, "resource_limit", f"the app is larger than {CODE_LIMIT // 1_000_000} MB")
    return None


def _verdict(result: AppResult) -> Verdict:
    return judged(result.finding, result.files, result.seconds, result.confirmed)
