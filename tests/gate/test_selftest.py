"""`gate check --prove`: tasks that cannot tell right from wrong are named."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.gate.checks.test_suite import TestSuite
from steelyard.gate.selftest import selftest
from steelyard.gate.task_folder import load_suite, load_task

Write = Callable[..., Path]


def test_a_sound_task_passes(suite: Callable[..., Path]) -> None:
    assert selftest(load_suite(suite()).tasks[0]).fine


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ("[{kind: file_exists, path: a.txt}]", "doing nothing passes every check"),
        ("[{kind: command, run: [./run.sh]}]", "hostile solution passes every check"),
        ("[{kind: command, run: [make, test]}]", "hostile solution passes every check"),
        ("[{kind: file_contains, path: a.txt, text: nowhere}]", "the reference fails 'file_contains a.txt'"),
    ],
)
def test_weak_tasks_are_named_with_the_weakness(write: Write, tmp_path: Path, checks: str, said: str) -> None:
    write("s/t/task.yaml", f"id: weak\ntitle: T\nprompt: P\nfixture: f\nreference: r\nchecks: {checks}\n")
    write("s/t/f/a.txt", "x")
    write("s/t/f/run.sh", "#!/bin/sh\ngrep -q done a.txt\n", 0o755)
    write("s/t/f/Makefile", "test:\n\tgrep -q done a.txt\n")
    write("s/t/r/a.txt", "done")
    found = CliRunner().invoke(main, ["gate", "check", str(tmp_path / "s"), "--prove"])
    assert found.exit_code == 1
    assert "weak" in found.output and said in " ".join(found.output.split())


def test_a_task_without_reference_or_checks_is_named(write: Write) -> None:
    text = "id: t\ntitle: T\nprompt: P\nchecks: [{kind: file_exists, path: a}]\n"
    assert selftest(load_task(write("t/task.yaml", text))).problems == ("has no reference",)


@pytest.mark.parametrize(
    ("check", "attacks"),
    [
        (
            "run: [python3, -c, 'from a import f; assert f() == 40']",
            ("exit 0 at import", "objects that equal everything"),
        ),
        ("run: [python3, -c, 'from a import f; print(\"n =\", f())'], stdout_contains: n = 40", ()),
        ("run: [python3, a.py]", ("exit 0 at import", "code emptied")),
    ],
)
def test_code_in_place_of_the_solution_fools_no_check(write: Write, check: str, attacks: tuple[str, ...]) -> None:
    head = "id: t\ntitle: T\nprompt: P\nfixture: f\nreference: r\n"
    write("t/f/a.py", "raise SystemExit(1)\n")
    write("t/r/a.py", "def f():\n    return 40\n")
    task = load_task(write("t/task.yaml", f"{head}checks: [{{kind: command, {check}}}]\n"))
    found = " ".join(selftest(task).problems)
    assert all(attack in found for attack in attacks) and bool(found) is bool(attacks)


def test_a_single_run_refutes_a_wrong_solution_and_not_the_right_one(write: Write) -> None:
    write("t/f/a.py", "")
    write("t/r/a.py", "X = 40\n")
    write("t/f/tests/__init__.py", "")
    write("t/f/tests/test_a.py", "import a\n\n\ndef test_one():\n    assert a.X == 40\n")
    head = "id: t\ntitle: T\nprompt: P\nfixture: f\nreference: r\n"
    suite = "checks: [{kind: test_suite, path: tests/test_a.py, runner: pytest}]\n"
    task = load_task(write("t/task.yaml", head + suite))
    (check,) = task.checks.values()
    assert isinstance(check, TestSuite) and task.reference is not None
    done = [task.check_input(task.visible, tree) for tree in (task.reference, task.visible)]
    assert [check.refuted(subject) for subject in done] == [False, True]
