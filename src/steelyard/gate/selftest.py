"""Proof that tasks tell right from wrong, without any agent.

    reference   passes every check
    nothing     (the tree as it was given) fails at least one
    hostile     fails at least one: protected tests deleted, scripts that checks call replaced by `exit 0`, and the
                usual files that take over a test run dropped beside them

A task without a reference, or one that a hostile solution passes, is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from steelyard.gate.checks import Result, run_checks, scene
from steelyard.gate.task import CommandCheck, Task
from steelyard.gate.tree import File, Tree, lay_over, safe_path

Trial = Literal["reference", "nothing", "hostile"]

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
class Verdict:
    """How one task stood the trials."""

    task: str
    problems: tuple[str, ...]

    @property
    def fine(self) -> bool:
        return not self.problems


def selftest(task: Task) -> Verdict:
    """Try a task with its reference, with nothing and with a hostile solution."""
    if not task.file.checks:
        return Verdict(task.id, ("has no checks: only a judge tells right from wrong",))
    return Verdict(task.id, tuple(_problems(task)))


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
    """Hostile solutions by what they try."""
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


def _failed(task: Task, left: Tree) -> list[Result]:
    return [result for result in run_checks(task, scene(task, task.visible, left)) if not result.passed]
