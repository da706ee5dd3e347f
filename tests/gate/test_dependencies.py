"""Python packages and setup commands of tasks: made once, read-only in every sandbox, the same for agent and checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.errors import InputError, ToolchainError
from steelyard.gate.checks import run_checks
from steelyard.gate.model import Comparison
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.selftest import selftest
from steelyard.gate.task_folder import load_suite, load_task
from steelyard.sandbox import environment as environments
from steelyard.sandbox.choose import BUBBLEWRAP
from steelyard.sandbox.environment import Packages, environment
from steelyard.tree import File, lay_over
from tests.wheels import use_only, write_wheel

pytestmark = pytest.mark.usefixtures("few_draws")

Write = Callable[..., Path]

SOLVED = "import greeting\n\n\ndef answer():\n    return greeting.HELLO\n"
SOLUTION = {"app.py": File(SOLVED.encode())}
USES = """
id: uses
title: Use a library
prompt: Make answer() return the greeting of the library.
fixture: fixture
reference: reference
packages: [greeting]
checks:
  - {kind: test_suite, path: tests}
  - {kind: command, name: importable, run: "python -c 'import app; assert app.answer()'"}
"""


@pytest.fixture(autouse=True)
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of our own in a folder of wheels, from which everything is installed."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    write_wheel(folder, "greeting", "1.0", "HELLO = 'hello'\n")
    use_only(folder, tmp_path / "cache", monkeypatch)
    return folder


@pytest.fixture
def uses(write: Write) -> Path:
    """A task whose solution needs the package."""
    write("tasks/uses/fixture/app.py", "def answer():\n    return None\n")
    write(
        "tasks/uses/fixture/tests/test_app.py",
        """
        import unittest

        import app


        class Answers(unittest.TestCase):
            def test_answer(self):
                self.assertEqual(app.answer(), "hello")
        """,
    )
    write("tasks/uses/reference/app.py", SOLVED)
    return write("tasks/uses/task.yaml", USES)


def test_checks_find_the_packages_of_a_task(uses: Path) -> None:
    task = load_task(uses)
    left = lay_over(task.visible, SOLUTION)
    assert [result.passed for result in run_checks(task.checks, task.check_input(task.visible, left))] == [True, True]
    assert selftest(task).problems == ()


def test_the_agent_finds_them_too_and_cannot_change_them(uses: Path, gate_spec: Callable[..., RunSpec]) -> None:
    script = (
        "python -c 'import greeting' || exit 3\n"
        "if echo >> /opt/environment/pyvenv.cfg; then exit 4; fi\n"
        "grep -q new $STEELYARD_CONFIG/RULES || exit 0\n"
        f"cat > app.py <<'END'\n{SOLVED}END\n"
    )
    outcome = gate_run(gate_spec(script, tasks=uses.parent.parent)).outcome
    assert isinstance(outcome, Comparison)
    assert outcome.verdict == "improved"


def test_an_environment_is_made_once_per_content(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    first = environment(Packages("greeting\n"), BUBBLEWRAP, said.append)
    assert first.versions == ("greeting==1.0",)
    assert environment(Packages("greeting\n"), BUBBLEWRAP, said.append) == first
    assert len(said) == 1
    write_wheel(wheels, "greeting", "2.0", "HELLO = 'hi'\n")
    other = environment(Packages("greeting>1\n"), BUBBLEWRAP, said.append)
    assert other.versions == ("greeting==2.0",) and other.folder != first.folder
    monkeypatch.setattr(environments, "python_command", lambda: "/usr/bin/another")
    assert environments._key(Packages("greeting\n"), BUBBLEWRAP) != first.folder.name


def test_what_cannot_be_installed_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"cannot install absent-package.*absent-package was not found"):
        environment(Packages("absent-package\n"))
    assert list((tmp_path / "cache" / "environments").iterdir()) == []


def test_defaults_hold_for_every_task_and_share_files(uses: Path, write: Write) -> None:
    write("tasks/defaults.yaml", "requirements: needed.txt\ntimeout_s: 7\nfixture: common\npackages: [other]\n")
    write("tasks/needed.txt", "greeting==1.0  # pinned\n")
    write("tasks/common/data.txt", "shared\n")
    second = "id: second\ntitle: T\nprompt: P\nchecks:\n  - {kind: file_exists, path: data.txt}\n"
    write("tasks/second/task.yaml", second)
    own, shared = sorted(load_suite(uses.parent.parent).tasks, key=lambda task: task.id != "uses")
    assert list(shared.visible) == ["data.txt"] and "app.py" in own.visible
    assert shared.file.timeout_s == 7
    assert shared.dependencies.packages == Packages("greeting==1.0  # pinned\nother\n")
    assert own.dependencies.packages == Packages("greeting==1.0  # pinned\nother\ngreeting\n")


def test_packages_shape_the_hash_of_a_task(uses: Path, write: Write) -> None:
    before = load_task(uses).sha
    write("tasks/uses/task.yaml", USES.replace("packages: [greeting]", "requirements: r.txt"))
    write("tasks/uses/r.txt", "greeting==1.0\n")
    middle = load_task(uses).sha
    write("tasks/uses/r.txt", "greeting==1.0.0\n")
    assert len({before, middle, load_task(uses).sha}) == 3


def test_requirements_that_are_missing_are_named(uses: Path, write: Write) -> None:
    write("tasks/uses/task.yaml", USES.replace("packages: [greeting]", "requirements: nowhere.txt"))
    with pytest.raises(InputError, match=r"nowhere\.txt"):
        load_task(uses)


def test_a_suite_for_pytest_gets_pytest(uses: Path, write: Write) -> None:
    write("tasks/uses/task.yaml", USES.replace("path: tests}", "path: tests, runner: pytest}"))
    assert load_task(uses).dependencies.packages == Packages("greeting\npytest\n")


SET_UP = """
id: made
title: Use what setup made
prompt: P
fixture: fixture
reference: reference
setup: ["mkdir vendor", "cp given.txt vendor/lib.txt"]
checks:
  - {kind: command, run: "cmp vendor/lib.txt answer.txt"}
"""


def test_setup_runs_once_and_what_it_adds_is_read_only(write: Write, gate_spec: Callable[..., RunSpec]) -> None:
    write("tasks/made/fixture/given.txt", "given\n")
    write("tasks/made/reference/answer.txt", "given\n")
    task = load_task(write("tasks/made/task.yaml", SET_UP))
    assert selftest(task).problems == ()
    script = (
        "if echo forged > vendor/lib.txt; then exit 3; fi\n"
        "grep -q new $STEELYARD_CONFIG/RULES && cat vendor/lib.txt > answer.txt; exit 0"
    )
    outcome = gate_run(gate_spec(script, tasks=write("tasks/made/task.yaml", SET_UP).parent.parent)).outcome
    assert isinstance(outcome, Comparison)
    assert outcome.verdict == "improved"


def test_setup_that_fails_says_why(write: Write) -> None:
    write("tasks/made/fixture/given.txt", "given\n")
    write("tasks/made/reference/answer.txt", "given\n")
    task = load_task(write("tasks/made/task.yaml", SET_UP.replace("mkdir vendor", "echo no such luck >&2; exit 3")))
    with pytest.raises(ToolchainError, match=r"setup failed: .*no such luck"):
        run_checks(task.checks, task.check_input(task.visible, task.visible))


@pytest.mark.parametrize(
    "check",
    [
        "kind: test_suite, path: tests",
        "kind: test_suite, path: tests, runner: pytest",
        "kind: command, run: python3 -c 'import app'",
    ],
)
def test_a_package_that_is_missing_is_named(uses: Path, write: Write, check: str) -> None:
    lines = USES.split("packages:")[0]
    task = load_task(write("tasks/uses/task.yaml", f"{lines}checks:\n  - {{{check}}}\n"))
    (result,) = run_checks(task.checks, task.check_input(task.visible, lay_over(task.visible, SOLUTION)))
    assert not result.passed
    assert "ModuleNotFoundError: No module named 'greeting'" in result.message
