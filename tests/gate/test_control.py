"""A check that cannot pass says nothing about the agent: it is tried on what no agent has touched."""

from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.errors import SandboxError
from steelyard.gate.checks.control import run_controlled
from steelyard.gate.task_folder import Task, load_task
from steelyard.tree import File, Tree, lay_over

Write = Callable[..., Path]
MAKEFILE = "test:\n\tno-such-linter .\n"
SCRIPT = "set -e\nno-such-linter .\n"
PYTHON = "import subprocess\nsubprocess.run(['no-such-linter'], check=True)\n"
QUIET = "import shutil, sys\nsys.exit(shutil.which('no-such-linter') is None)\n"
JAVASCRIPT = "require('child_process').execFileSync('no-such-linter')\n"


@pytest.fixture
def task(write: Write) -> Callable[..., Task]:
    """A task whose check runs this command, with these files, and with a reference if it is given."""

    def make(run: str, fixture: dict[str, str], reference: dict[str, str] | None = None) -> Task:
        for folder, files in (("fixture", {"notes.txt": "", **fixture}), ("reference", reference or {})):
            for path, text in files.items():
                write(f"t/{folder}/{path}", text)
        last = "" if reference is None else "reference: reference\n"
        head = "id: t\ntitle: T\nprompt: P\nfixture: fixture\n"
        return load_task(write("t/task.yaml", f"{head}checks:\n  - {{kind: command, run: {run}}}\n{last}"))

    return make


def passed(task: Task, layer: Tree) -> bool:
    left = lay_over(task.visible, layer)
    return run_controlled(task.checks, task.check_input(task.visible, left), task.control())[0].passed


@pytest.mark.parametrize(
    ("run", "fixture"),
    [
        ("make test", {"Makefile": MAKEFILE}),
        ("sh check.sh", {"check.sh": SCRIPT}),
        ("bash check.sh", {"check.sh": SCRIPT}),
        ("python3 check.py", {"check.py": PYTHON}),
        ("node check.js", {"check.js": JAVASCRIPT}),
        ('"T=no-such-linter; $T ."', {}),
        ('"ionice -c3 no-such-linter"', {}),
        ("\"eval 'no-such-linter .'\"", {}),
    ],
)
def test_a_program_that_a_script_of_the_task_calls_and_the_sandbox_lacks(
    task: Callable[..., Task], run: str, fixture: dict[str, str]
) -> None:
    with pytest.raises(SandboxError, match=r"the program 'no-such-linter' \(name it"):
        passed(task(run, fixture), {})


def test_a_check_that_the_reference_fails_too_is_not_the_agents_failure(task: Callable[..., Task]) -> None:
    silent = task("python3 check.py", {"check.py": QUIET}, {"app.py": "x = 1\n"})
    with pytest.raises(SandboxError, match=r"'command python3 check.py' here: exit code 1"):
        passed(silent, {})


def test_an_agent_cannot_excuse_itself(task: Callable[..., Task]) -> None:
    right, wrong = "print(4)\n", File(SCRIPT.encode())
    solvable = task("sh check.sh", {"check.sh": "exit 1\n"}, {"check.sh": "exit 0\n"})
    assert not passed(solvable, {"check.sh": wrong}), "the reference passes, so the missing program is its own"
    assert not passed(task("'python3 app.py'", {"app.py": right}), {"app.py": File(PYTHON.encode())})
    says = b"import sys\nsys.exit('sh: 1: no-such-linter: not found')\n"
    assert not passed(task("'python3 app.py'", {"app.py": right}), {"app.py": File(says)})
    assert not passed(task("./app", {}), {}), "the agent should have written it"
    assert not passed(task("'PATH=$PWD/bin:$PATH app'", {}), {"bin/app": File(b"#!/bin/sh\nexit 1\n", executable=True)})
