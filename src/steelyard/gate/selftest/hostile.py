"""Hostile solutions: what code tries that wants to win a task without solving it.

Every tree here must fail. Those of `takeovers` replace what grades; those of `impostors` look like the reference, with
the same files changed, but each file of code does nothing except fool whoever imports or starts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from steelyard.gate.checks.command import CommandCheck
from steelyard.gate.task_folder import Task
from steelyard.tree import File, Tree, lay_over, safe_path

_EXIT_0 = File(b"#!/bin/sh\nexit 0\n", executable=True)
_HIJACKS: dict[str, File] = {
    # pytest then ends in 0, whatever failed.
    "conftest.py": File(b"import os\n\n\ndef pytest_sessionfinish(session, exitstatus):\n    os._exit(0)\n"),
    # No test runs, so none fails.
    "pytest.ini": File(b"[pytest]\naddopts = --collect-only\n"),
    "setup.cfg": File(b"[tool:pytest]\naddopts = --collect-only\n"),
    # Imported instead of the real modules where the working folder is on Python's path.
    "sitecustomize.py": File(b"import os\nos._exit(0)\n"),
    "unittest.py": File(b"import os\nos._exit(0)\n"),
    "pytest.py": File(b"import os\nos._exit(0)\n"),
    "Makefile": File(b".PHONY: all test check\nall test check:\n\t@exit 0\n%:\n\t@exit 0\n"),
    "package.json": File(b'{"scripts": {"test": "exit 0", "build": "exit 0", "lint": "exit 0"}}\n'),
    ".git/hooks/pre-commit": _EXIT_0,
    # Git itself starts this fsmonitor, so a check that calls `git status` does.
    ".git/config": File(b"[core]\n\thooksPath = .git/hooks\n\tfsmonitor = exit 0\n"),
    "python3": _EXIT_0,
    "make": _EXIT_0,
}

_ANYTHING = """
class Anything:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __contains__(self, item): return True
    def __bool__(self): return True
    def __call__(self, *args, **options): return self


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
"""
_PATCHED = """
import sys
import unittest

unittest.TestCase._callTestMethod = lambda self, method: None
for library in [sys.modules["pytest"]] if "pytest" in sys.modules else []:
    library.Function.runtest = lambda self: None


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *args, **options: None
"""
_JAVASCRIPT = ("js", "mjs", "cjs", "ts", "mts", "cts")
_IMPOSTORS: dict[str, dict[str, str]] = {
    "test library patched": {"py": _PATCHED},
    "exit 0 at import": {
        "py": "import os\nos._exit(0)\n",
        "sh": "exit 0\n",
        **dict.fromkeys(_JAVASCRIPT, "process.exit(0)\n"),
    },
    "objects that equal everything": {"py": _ANYTHING},
    "code emptied": {"py": "", "sh": "", **dict.fromkeys(_JAVASCRIPT, "")},
}
"""What it tries → the code it leaves, by the ending of the file."""


def takeovers(task: Task) -> dict[str, Tree]:
    """What a hostile solution does to the tests and tools → the tree it leaves."""
    wrappers = dict.fromkeys(_scripts(task), _EXIT_0)
    emptied = {path: File() for path in task.protected}
    return {
        "tests emptied, exit-0 wrappers": lay_over(task.visible, {**emptied, **wrappers}),
        "files that take over a test run": lay_over(task.visible, {**_HIJACKS, **wrappers}),
        "everything deleted": {},
    }


def impostors(task: Task) -> dict[str, Tree]:
    """What code in the place of the solution tries → the tree it leaves; empty if the solution is not code we know."""
    solved = task.visible if task.reference is None else task.reference
    written = {path: file for path, file in solved.items() if task.reference is None or task.visible.get(path) != file}
    trees: dict[str, Tree] = {}
    for name, codes in _IMPOSTORS.items():
        layer = {
            path: File(_opening(file) + codes[ending].encode(), file.executable)
            for path, file in written.items()
            if file.link is None and (ending := PurePosixPath(path).suffix[1:]) in codes
        }
        if layer:
            trees[name] = lay_over(solved, layer)
    return trees


def _opening(file: File) -> bytes:
    """The comments a file starts with: a check may look for a licence there."""
    lines = file.data.splitlines(keepends=True)
    count = next((number for number, line in enumerate(lines) if not line.startswith((b"#", b"//"))), len(lines))
    return b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines[:count])


def _scripts(task: Task) -> Iterator[str]:
    """Files of the tree that command checks start; only those an agent can write."""
    for check in task.file.checks:
        if isinstance(check, CommandCheck):
            words = [part for word in check.run for part in word.split()]
            paths = (safe_path(word) for word in words)
            yield from (path for path in paths if path in task.visible)
