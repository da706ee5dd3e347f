"""Reports of test runners of other languages."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.errors import InputError, SandboxError
from steelyard.gate.checks import CheckResult, run_checks
from steelyard.gate.checks.suite_report import Format, read_report
from steelyard.gate.checks.tools import find_tools
from steelyard.gate.task import load_task
from tests.waiting import HANG_S

Write = Callable[..., Path]
HEAD = "id: t\ntitle: T\nprompt: P\nfixture: f\nchecks:\n"

JUNIT = """<?xml version="1.0"?><testsuites><testsuite><testcase classname="C" name="a"/><testcase name="b"><failure/>
</testcase><testcase name="c"><skipped/></testcase><testcase name="d"><error/></testcase></testsuite></testsuites>"""
TAP = "TAP version 13\nok 1 - a\n    not ok 1 - inner\n    1..1\nnot ok 2 - b\nok 3 - c # SKIP later\n1..3\n"
GO = '{"Action":"run","Test":"A"}\n{"Action":"pass","Package":"p","Test":"A"}\n{"Action":"fail","Package":"p"}\n'
CARGO = "running 3 tests\ntest tests::a ... ok\ntest tests::b ... FAILED\ntest c ... ignored\n"


@pytest.mark.parametrize(
    ("text", "format", "expected"),
    [
        (JUNIT, "junit", [("C a", "passed"), ("b", "failed"), ("c", "skipped"), ("d", "failed")]),
        (TAP, "tap", [("a", "passed"), ("inner", "failed"), ("b", "failed"), ("c", "skipped")]),
        (GO, "go", [("p A", "passed")]),
        (CARGO, "cargo", [("tests::a", "passed"), ("tests::b", "failed"), ("c", "skipped")]),
    ],
)
def test_reports_are_read(text: str, format: Format, expected: list[tuple[str, str]]) -> None:
    assert read_report(text, format) == expected


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("", "junit"),
        ("<testsuite><testcase name='a'/>", "junit"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "junit"),
        ("", "tap"),
        ("ok 1 - a\n", "tap"),
        ("ok 1 - a\n1..2\n", "tap"),
        ("ok 1 - a\nok 2 - b\n1..1\n", "tap"),
        ("ok 1 - a\n1..1\nBail out! no\n", "tap"),
        ("{\n", "go"),
    ],
)
def test_reports_that_are_not_complete_are_refused(text: str, format: Format) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_report(text, format)


def result(write: Write, check: str, app: str) -> CheckResult:
    write("t/f/app.sh", app)
    test = '[ "$(double 2)" = 4 ] && echo ok 1 - doubles || echo not ok 1 - doubles'
    write("t/f/tests/run.sh", f". ./app.sh\n{test}\necho 1..1\n")
    task = load_task(write("t/task.yaml", f"{HEAD}  - {{kind: test_suite, path: tests, {check}}}\n"))
    return run_checks(task.checks, task.check_input(task.visible, task.visible))[0]


TO_STDOUT = "runner: command, run: [sh, tests/run.sh], min_tests: 1"
TO_FILE = "runner: command, run: 'sh tests/run.sh > out.tap', report_file: out.tap, min_tests: 1"


@pytest.mark.parametrize("check", [TO_STDOUT, TO_FILE])
@pytest.mark.parametrize(
    ("app", "message"),
    [
        ("double() { echo $(($1 * 2)); }\n", "1 tests passed"),
        ("double() { echo $1; }\n", "doubles failed"),
        ("exit 0\n", "the TAP plan does not match the tests that were reported"),
    ],
)
def test_a_command_reports_its_tests(write: Write, check: str, app: str, message: str) -> None:
    outcome = result(write, check, app)
    assert outcome.message == message and outcome.passed is (message == "1 tests passed")


def test_fewer_tests_than_there_are_fail(write: Write) -> None:
    outcome = result(write, TO_STDOUT.replace("min_tests: 1", "min_tests: 2"), "double() { echo 4; }\n")
    assert not outcome.passed and outcome.message == "1 tests were reported, at least 2 must be"


@pytest.mark.parametrize("check", ["runner: command, min_tests: 1", "runner: go", "run: 'true'", "min_tests: 3"])
def test_keys_that_do_not_fit_the_runner_are_refused(write: Write, check: str) -> None:
    with pytest.raises(InputError, match="is needed with"):
        result(write, check, "")


GO_SUITE = {
    "go.mod": "module example.com/m\n\ngo 1.19\n",
    "double.go": "package m\n\nfunc Double(n int) int { return n * FACTOR }\n",
    "tests/double_test.go": 'package tests\n\nimport (\n\t"testing"\n\n\t"example.com/m"\n)\n\n'
    "func TestDouble(t *testing.T) {\n\tif m.Double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
}
CARGO_SUITE = {
    "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn double(n: i32) -> i32 {\n    n * FACTOR\n}\n",
    "tests/double.rs": "#[test]\nfn doubles() {\n    assert_eq!(m::double(2), 4);\n}\n",
}


@pytest.mark.clients
@pytest.mark.parametrize(
    ("runner", "files", "failed"),
    [("go", GO_SUITE, "example.com/m/tests TestDouble failed"), ("cargo", CARGO_SUITE, "doubles failed")],
)
def test_the_real_runner_of_another_language(write: Write, runner: str, files: dict[str, str], failed: str) -> None:
    tool = toolchain(runner)
    check = f"{{kind: test_suite, path: tests, runner: {runner}, min_tests: 1, timeout_s: {HANG_S}}}"
    for factor, message in (("2", "1 tests passed"), ("3", failed)):
        for name, text in files.items():
            write(f"t/f/{name}", text.replace("FACTOR", factor))
        task = load_task(write("t/task.yaml", f"{HEAD}  - {check}\ntools: [{tool}]\n"))
        outcome = run_checks(task.checks, task.check_input(task.visible, task.visible))[0]
        assert outcome.message == message, outcome.output


def toolchain(runner: str) -> str:
    """What a task names as its tool; skips, and says so, without the program."""
    if shutil.which(runner) is None:
        pytest.skip(f"{runner} is not installed: apt-get install {'golang-go' if runner == 'go' else runner}")
    if runner == "go" or Path(shutil.which(runner) or "").resolve().name != "rustup":
        return runner
    return subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()


def test_a_proxy_without_its_toolchain_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = tmp_path / "rustup"
    proxy.write_text("#!/bin/sh\n")
    proxy.chmod(0o755)
    (tmp_path / "cargo").symlink_to(proxy)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match=r"'cargo' is only a proxy of rustup.*sysroot"):
        find_tools(["cargo"])
