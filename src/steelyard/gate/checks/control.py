"""Whether a check that failed says anything about the agent.

A command or a test suite fails an agent only where it can pass. One that failed is tried on the task's reference,
in a sandbox of the same kind: if that fails too, the run is unscored. A task without a reference has its untouched
folder instead: if a program is missing there which was missing in the agent's run, the run is unscored. Nothing of the
agent is in these sandboxes, so it cannot excuse itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from steelyard.errors import SandboxError
from steelyard.gate.checks import Check, CheckInput, CheckResult, run_checks
from steelyard.gate.checks.check import Assessment
from steelyard.gate.checks.command import CommandCheck
from steelyard.gate.checks.sandbox import missing_program
from steelyard.gate.checks.test_suite import TestSuite
from steelyard.sandbox.jail import WORK

_NAME = r"[‘'\"]?([^\s:‘’'\"]+)[’'\"]?"
_MISSING = re.compile(
    rf"^\S+: (?:line )?\d+: (?:\w+: )?{_NAME}: (?:command )?not found"
    rf"|failed to (?:execute|run command) {_NAME}: No such file or directory"
    rf"|\bspawn(?:Sync)? {_NAME} ENOENT"
    rf"|\bexec: {_NAME}: executable file not found",
    re.MULTILINE,
)
# Only with this frame of `subprocess`: a FileNotFoundError by itself may be about any file.
_NOT_EXECUTED = re.compile(rf"\b_execute_child\b[\s\S]*?FileNotFoundError: [^\n]*: {_NAME}")
"""How shells, programs that start another one, Node, Go and Python say that a program does not exist."""
_MISSING_FILE = re.compile(rf"{_NAME}: No such file or directory")
_NOT_STARTED = ("exit code 127", "Error 127")
"""Only then the missing file is a program."""


class Control(NamedTuple):
    """What no agent has touched."""

    work: CheckInput
    solved: bool
    """Whether it is the reference, which must pass every check."""


def run_controlled(checks: Mapping[str, Check], subject: CheckInput, control: Control) -> tuple[CheckResult, ...]:
    """All checks of a task by name, in order; `SandboxError` if one failed that could not pass."""
    results = run_checks(checks, subject)
    for result in results:
        check = checks[result.name]
        if not result.passed and isinstance(check, CommandCheck | TestSuite):
            _refuse_hopeless(check, result, subject, control)
    return results


def _refuse_hopeless(
    check: CommandCheck | TestSuite, failed: CheckResult, subject: CheckInput, control: Control
) -> None:
    # A program that the agent could have left in its tree is its own to provide, so its absence excuses nothing.
    missing = {name for name in _missing(failed) if _is_foreign(name, subject)}
    # An untouched folder may well fail the check, so it can only show that the same program is missing there.
    if not missing and not control.solved:
        return
    tried = _tried(check, control.work)
    if tried.passed:
        return
    if absent := missing & {*_missing(tried)}:
        raise missing_program(sorted(absent), subject.sandbox)
    if control.solved:
        raise SandboxError(
            f"the task's own reference fails {failed.name!r} here: {tried.message}",
            cure="steelyard gate check TASKS --prove",
        )


_TRIED: dict[str, Assessment] = {}
"""What is known of the references; the same check fails in many runs."""


def _tried(check: CommandCheck | TestSuite, work: CheckInput) -> Assessment:
    shape = repr((check, work.tools, work.dependencies, work.sandbox.identity)).encode()
    key = hashlib.sha256(hashlib.sha256(work.archive).digest() + shape).hexdigest()
    if key not in _TRIED:
        _TRIED[key] = check.evaluate(work)
    return _TRIED[key]


def _missing(result: CheckResult | Assessment) -> Iterator[str]:
    """Programs that do not exist, as the output of a check says."""
    text = f"{result.message}\n{result.output}"
    file = (_MISSING_FILE,) if any(said in text for said in _NOT_STARTED) else ()
    found = (match for pattern in (_MISSING, _NOT_EXECUTED, *file) for match in pattern.finditer(text))
    return (name for match in found for name in match.groups() if name)


def _is_foreign(name: str, subject: CheckInput) -> bool:
    """Whether a program is none that the agent could have left in its tree."""
    if "/" in name:
        return name.startswith("/") and not name.startswith(f"{WORK}/")
    # A check may extend PATH into the tree (`PATH=$PWD/bin:$PATH`), so any file of that name counts.
    return name not in {PurePosixPath(path).name for path in subject.tree}
