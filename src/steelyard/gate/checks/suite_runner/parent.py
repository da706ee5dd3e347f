"""The process that decides: it starts one process per test, believes none of them, and never imports foreign code."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib.machinery
import json
import os
import secrets
import select
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from .controls import Controls, random_controls
from .equality import Equality
from .sources import Pinned, Record, Selection, selections

_PR_SET_DUMPABLE = 4
_REPORT_LIMIT = 1_000_000
"""Bytes that one process may report."""
_INSIDE = "/run/steelyard/"
"""Where this package is inside a sandbox."""
TAMPERED = "the test run was tampered with"
_UNLIKE_A_TEST = f"was reported in a way that tests cannot: {TAMPERED}"
FIELDS = ("passed", "wrong", "tests")
"""The line before the last is a JSON object with the names of the tests that passed, what is wrong in words, and how
many tests there are."""


class Report(NamedTuple):
    """How one test ended, as its process says."""

    id: str
    owner: str
    name: str
    state: str


class Outcome(NamedTuple):
    """What a process reported, all of it with the right nonce."""

    reports: list[Report]
    generated: bool
    """Whether the file has tests that its source does not name."""


def problems(selection: Selection, controls: Controls, outcome: Outcome | None, skips: bool) -> list[str]:
    """What is wrong with the tests of one process; empty if all of them passed."""
    if outcome is None:
        return [f"{selection.label} did not run to its end"]
    reports = outcome.reports
    fine = {"passed", "skipped"} if skips else {"passed"}
    names = {controls.passing, controls.failing}
    real = [report for report in reports if report.name not in names]
    wrong = sorted({f"{report.name} {report.state}" for report in real if report.state not in fine})
    if wrong:
        return wrong
    # A test of a base class may be reported by any class that inherits it.
    missing = [owners for owners in selection.owners if not any(report.owner in owners for report in real)]
    if missing:
        return [f"{selection.label} did not run"]
    return [] if _genuine(selection, controls, reports, real) else [f"{selection.label} {_UNLIKE_A_TEST}"]


def _genuine(selection: Selection, controls: Controls, reports: list[Report], real: list[Report]) -> bool:
    """Whether every test reported once, only selected ones did, and the controls of every class ended as they must."""
    once = len({report.id for report in reports}) == len(reports)
    selected = all(selection.selects(report.name) for report in real)
    owners = {report.owner for report in reports}
    return once and selected and all(_controls_hold(owner, controls, reports) for owner in owners)


def _controls_hold(owner: str, controls: Controls, reports: list[Report]) -> bool:
    states = {(report.name, report.state) for report in reports if report.owner == owner}
    skipped = {state for _, state in states} == {"skipped"}  # the whole class, which the caller has allowed
    return skipped or {(controls.passing, "passed"), (controls.failing, "failed")} == {
        (name, state) for name, state in states if name in (controls.passing, controls.failing)
    }


def collect(start: Callable[[Record], bool]) -> Outcome | None:
    """Run `start` in a process of its own; None if it did not end as it should, or reported what is not its own."""
    nonce = secrets.token_hex(16)
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(source)
        try:
            _child(start, nonce, sink)
        finally:
            # Whatever the foreign code raises, the child must not go on as a second parent.
            os._exit(1)
    os.close(sink)
    data = _read_until_exit(source, pid)
    os.close(source)
    try:
        lines = [json.loads(line) for line in data.splitlines()]
    except ValueError:
        return None
    # A single line without the nonce discredits the whole report.
    if not lines or not all(isinstance(line, list) and line[:1] == [nonce] for line in lines):
        return None
    *lines, last = lines
    if len(last) != 2 or any(len(line) != 5 for line in lines):
        return None
    return Outcome([Report(*map(str, line[1:])) for line in lines], bool(last[1]))


def _child(start: Callable[[Record], bool], nonce: str, sink: int) -> None:
    """Runs foreign code; never returns."""
    # Kept before foreign code runs, which may replace `os.write`.
    write = os.write
    # Standard output carries the verdict of the parent alone, so tests print to standard error.
    os.dup2(2, 1)

    def record(name: str, owner: str, bare: str, state: str) -> None:
        write(sink, json.dumps([nonce, name, owner, bare, state]).encode() + b"\n")

    # Last, so that nothing in the work folder can replace a module of the standard library; `src` as most projects lay
    # their packages out. What a test starts finds the same; whatever it imports, it reports nothing itself.
    places = [str(Path.cwd()), str(Path.cwd() / "src")]
    sys.path += places
    os.environ["PYTHONPATH"] = os.pathsep.join(places)
    generated = start(record)
    write(sink, json.dumps([nonce, generated]).encode() + b"\n")
    # Skips exit handlers and threads that foreign code may have left behind.
    os._exit(0)


def _read_until_exit(source: int, pid: int) -> bytes:
    """What the child wrote until it ended; then everything it left running is killed."""
    data, child = b"", os.pidfd_open(pid)
    while True:
        # Waits for the child, not for the end of the pipe: a process it left running may hold the pipe open.
        ready, _, _ = select.select([source, child], [], [])
        if source in ready and (chunk := os.read(source, 65_536)):
            # One byte over the limit is enough to tell that there was more.
            data = (data + chunk)[: _REPORT_LIMIT + 1]
        elif child in ready:
            break
    os.close(child)
    os.waitpid(pid, 0)
    _kill_others()
    return data if len(data) <= _REPORT_LIMIT else b"too much"


def _kill_others() -> None:
    """Kill every process of the sandbox but this one and process 1; never anything outside a sandbox."""
    if __file__.startswith(_INSIDE):
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)


def pin(pinned: Pinned) -> None:
    """Import the tests from memory: the tested code may have rewritten them on disk a moment ago."""
    loader = importlib.machinery.SourceFileLoader
    get_data, path_stats = loader.get_data, loader.path_stats

    def pinned_data(self: importlib.machinery.SourceFileLoader, path: str) -> bytes:
        return pinned.files[path] if path in pinned.files else get_data(self, path)

    def pinned_stats(self: importlib.machinery.SourceFileLoader, path: str) -> object:
        if path in pinned.files:
            # Python then compiles the source; compiled code beside it could be forged.
            raise OSError("compiled code is not used")
        return path_stats(self, path)

    loader.get_data, loader.path_stats = pinned_data, pinned_stats  # type: ignore[assignment]


def main() -> int:
    """Run the tests below the first argument, all or until the first that fails; exit code 0 if all of them passed.

    Pytest reads the `conftest.py` of every folder from the last argument down.
    """
    path, runner, skips, until = Path(sys.argv[1]).absolute(), sys.argv[2], sys.argv[3] == "skips", sys.argv[4]
    top = Path(sys.argv[5]).absolute()
    if runner == "pytest":
        from . import pytest_process

        run = partial(pytest_process.run, shown=until == "shown")
    else:
        from .unittest_process import run
    above = [folder / "conftest.py" for folder in path.parents if folder.is_relative_to(top)]
    every, pinned = selections(path, runner), Pinned(path, *above)
    # The processes of the tests must not be able to trace or rewrite the process that decides.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    sys.dont_write_bytecode = True
    pin(pinned)
    Equality(pinned).install()
    gc.freeze()  # pytest collects garbage at each of its ends; what is imported is none
    wrong: list[str] = []
    passed: set[str] = set()
    # A file whose source names no test may still make some.
    generated: set[Path] = {selection.file for selection in every if not selection.known}
    for selection in every:
        if selection.name is None and selection.file not in generated:
            continue
        pinned.restore()
        controls = random_controls()
        outcome = collect(lambda record, chosen=selection, ours=controls: run(path, top, chosen, ours, record))
        # A process that ended early may have had generated tests that it never reported.
        generated |= {selection.file} if outcome is None or outcome.generated else set()
        wrong += problems(selection, controls, outcome, skips)
        passed |= {report.name for report in (outcome.reports if outcome else ()) if report.state == "passed"}
        if wrong and until == "first":
            break
    tests = sum(len(selection.owners) for selection in every)
    # An empty suite must not pass.
    wrong = list(dict.fromkeys(wrong)) if tests else ["there are no tests"]
    found = dict(zip(FIELDS, (sorted(passed), wrong, tests), strict=True))
    sys.stdout.write(f"{json.dumps(found)}\n" + ("; ".join(wrong) or f"{tests} tests passed") + "\n")
    return 1 if wrong else 0
