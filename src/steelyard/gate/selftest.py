"""Proves that tasks can tell right from wrong, without any agent.

    reference   must pass every check
    nothing     (the unchanged fixture) must fail at least one
    hostile     must fail at least one: protected tests deleted, scripts that checks call replaced by `exit 0`, and the
                usual files that take over a test run added

A task without a reference, or one that a hostile solution passes, is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steelyard.gate.checks import CheckResult, run_checks
from steelyard.gate.checks.command import CommandCheck
from steelyard.gate.task import Task
from steelyard.gate.tree import File, Tree, lay_over, safe_path

_EXIT_0 = File(b"#!/bin/sh\nexit 0\n", executable=True)
_HIJACKS: dict[str, File] = {
    "conftest.py": File(b"import os\n\n\ndef pytest_sessionfinish(session, exitstatus):\n    os._exit(0)\n"),
    "pytest.ini": File(b"[pytest]\naddopts = --collect-only\n"),
    "setup.cfg": File(b"[tool:pytest]\naddopts = --collect-only\n"),
    "sitecustomize.py": File(b"import os\nos._exit(0)\n"),
    "unittest.py": File(b"import os\nos._exit(0)\n"),
    "pytest.py": File(b"import os\nos._exit(0)\n"),
    "Makefile": File(b".PHONY: all test check\nall test check:\n\t@exit 0\n%:\n\t@exit 0\n"),
    "package.json": File(b'{"scripts": {"test": "exit 0", "build": "exit 0", "lint": "exit 0"}}\n'),
    ".git/hooks/pre-commit": _EXIT_0,
    ".git/config": File(b"[core]\n\thooksPath = .git/hooks\n\tfsmonitor = exit 0\n"),
    "python3": _EXIT_0,
    "make": _EXIT_0,
}


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The self-test of one task."""

    task: str
    problems: tuple[str, ...]

    @property
    def fine(self) -> bool:
        """Whether the task can be relied on."""
        return not self.problems


def selftest(task: Task) -> SelfTest:
    """Run the checks of a task on its reference, on the unchanged fixture and on hostile solutions."""
    if not task.file.checks:
        return SelfTest(task.id, ("has no checks: only a judge could tell right from wrong",))
    return SelfTest(task.id, tuple(_problems(task)))


def _problems(task: Task) -> Iterator[str]:
    if task.reference is None:
        yield "has no reference"
    else:
        for result in _failed(task, task.reference):
            yield f"the reference fails {result.name!r}: {result.message}"
    if not _failed(task, task.visible):
        yield "doing nothing passes every check"
    for name, tree in hostile(task).items():
        if not _failed(task, tree):
            yield f"a hostile solution passes every check ({name})"


def hostile(task: Task) -> dict[str, Tree]:
    """What a hostile solution tries → the tree it leaves."""
    wrappers = dict.fromkeys(_scripts(task), _EXIT_0)
    emptied = {path: File() for path in task.protected}
    return {
        "tests emptied, exit-0 wrappers": lay_over(task.visible, {**emptied, **wrappers}),
        "files that take over a test run": lay_over(task.visible, {**_HIJACKS, **wrappers}),
        "everything deleted": {},
    }


def _scripts(task: Task) -> Iterator[str]:
    """Files of the tree that command checks start; only those an agent can write."""
    for check in task.file.checks:
        if isinstance(check, CommandCheck):
            words = [part for word in check.run for part in word.split()]
            paths = (safe_path(word) for word in words)
            yield from (path for path in paths if path in task.visible)


def _failed(task: Task, left: Tree) -> list[CheckResult]:
    results = run_checks(task.checks, task.check_input(task.visible, left))
    return [result for result in results if not result.passed]
