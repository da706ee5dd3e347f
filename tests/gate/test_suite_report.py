"""Reports of test runners of other languages."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.errors import InputError, SandboxError
from steelyard.gate.checks import CheckResult, run_checks
from steelyard.gate.checks.expected import Expecting, is_reported
from steelyard.gate.checks.failing_tests import WithFailing
from steelyard.gate.checks.test_suite import _printed
from steelyard.gate.task_folder import load_task
from steelyard.process import Finished
from steelyard.proof.suite_report import Format, read_report
from steelyard.sandbox.tools import find_tools
from tests.toolchains import toolchain
from tests.waiting import HANG_S

Write = Callable[..., Path]
HEAD = "id: t\ntitle: T\nprompt: P\nfixture: f\nchecks:\n"

JUNIT = """<?xml version="1.0"?><testsuites><testsuite><testcase classname="C" name="a"/><testcase name="b"><failure/>
</testcase><testcase name="c"><skipped/></testcase><testcase name="d"><error/></testcase></testsuite></testsuites>"""
TAP = "TAP version 13\nok 1 - a\n    not ok 1 - inner\n    1..1\nnot ok 2 - b\nok 3 - c # SKIP later\n1..3\n"
GO = """{"Action":"run","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"fail","Package":"p"}
"""
GO_RED = """{"Action":"run","Package":"p","Test":"A"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"fail","Package":"p"}
"""
CARGO = "running 3 tests\ntest tests::a ... ok\ntest tests::b ... FAILED\ntest c ... ignored\n"


@pytest.mark.parametrize(
    ("text", "format", "expected"),
    [
        (JUNIT, "junit", [("C a", "passed"), ("b", "failed"), ("c", "skipped"), ("d", "failed")]),
        ('<testsuite xmlns="urn:x"><testcase name="a"><failure/></testcase></testsuite>', "junit", [("a", "failed")]),
        (
            '<s><testcase name="D" status="notrun" result="suppressed"/><testcase name="E" status="disabled"/></s>',
            "junit",
            [("D", "skipped"), ("E", "skipped")],
        ),
        (
            '<testsuites><testsuite name="s"><error message="no"/><testcase name="a"/></testsuite></testsuites>',
            "junit",
            [("s", "failed"), ("a", "passed")],
        ),
        (TAP, "tap", [("a", "passed"), ("inner", "failed"), ("b", "failed"), ("c", "skipped")]),
        (GO, "go", [("p A", "passed"), ("p", "failed")]),
        (GO_RED, "go", [("p A", "failed")]),
        ('{"Action":"run","Package":"p","Test":"A"}\n', "go", [("p A", "failed")]),
        ('<testsuite tests="2" skipped="1"><testcase name="a"/></testsuite>', "junit", [("a", "passed")]),
        ('<testsuite><testcase name="a" status="failed"/></testsuite>', "junit", [("a", "failed")]),
        ('<testsuite><testcase name="a"><Error/></testcase></testsuite>', "junit", [("a", "failed")]),
        ("1..2\nok 2 - b\nok 1 - a\n", "tap", [("b", "passed"), ("a", "passed")]),
        ('{"Action":["pass"],"Test":"A"}\n', "go", []),
        (
            "<a><testcase name='t'><system-out><![CDATA[<!DOCTYPE html>]]></system-out></testcase></a>",
            "junit",
            [("t", "passed")],
        ),
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
        ("ok 1 - a\n1..1\n  bail out!\n", "tap"),
        ("ok 1 - a\nok 1 - a\n1..2\n", "tap"),
        ("ok 1 - a\nok 3 - c\n1..2\n", "tap"),
        ("running 2 tests\ntest a ... ok\n", "cargo"),
        ("running 1 test\ntest a ... ok\ntest result: FAILED. 0 passed; 1 failed\n", "cargo"),
        ('<testsuite failures="1"><testcase name="a"/></testsuite>', "junit"),
        ('<testsuites errors="1"><testsuite><testcase name="a"/></testsuite></testsuites>', "junit"),
        ('<testsuite tests="3"><testcase name="a"/><testcase name="b"/></testsuite>', "junit"),
        ("{\n", "go"),
        ('{"a":' * 100_000, "go"),
        ('<?xml version="1.0" encoding="nonsense"?><testsuite/>', "junit"),
        ('<?xml version="1.0" encoding="Shift_JIS"?><testsuite/>', "junit"),
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


FAILING = "failing_test: tests/failing.sh"
CASES = "i=0; for t in tests/case*.sh tests/failing.sh; do [ -f $t ] || continue; i=$((i + 1)); . $t; done; echo 1..$i"
FORGED = "echo ok 1 - doubles; echo 1..1; exit 0\n"


@pytest.mark.parametrize(
    ("failing", "app", "message"),
    [
        (FAILING, "double() { echo $(($1 * 2)); }\n", "1 tests passed"),
        (FAILING, "double() { echo $1; }\n", "1 failed"),
        (FAILING, FORGED, "a test that must fail was not reported as failed: the test run was tampered with"),
        ("name: without", FORGED, "1 tests passed"),  # what the failing test is for
    ],
)
def test_a_report_is_believed_only_if_the_failing_test_of_the_suite_failed(
    write: Write, failing: str, app: str, message: str
) -> None:
    assertion = '[ "$(double 2)" = {} ] && echo ok $i || echo not ok $i - $i\n'
    write("t/f/tests/case1.sh", assertion.format(4))
    write("t/f/tests/failing.sh", assertion.format(5))
    write("t/f/tests/all.sh", f". ./app.sh\n{CASES}\n")
    assert result(write, f"runner: command, run: [sh, tests/all.sh], min_tests: 1, {failing}", app).message == message


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("failing_test: tests/run.sh", "is for `runner: command`"),
        (f"{TO_STDOUT}, failing_test: app.sh", "must be a file in tests"),
        (f"{TO_STDOUT}, failing_test: tests/none.sh", "the failing test 'tests/none.sh' is not in the fixture"),
    ],
)
def test_a_failing_test_that_cannot_be_used_is_refused(write: Write, check: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        result(write, check, "")


def test_a_report_that_the_agent_left_is_not_read(write: Write) -> None:
    write("t/f/out.tap", "ok 1 - doubles\n1..1\n")
    outcome = result(write, "runner: command, run: 'true', report_file: out.tap, min_tests: 1", "")
    assert not outcome.passed


def test_tests_that_must_fail_get_into_files_with_tests_only() -> None:
    files = {"tests/a_test.go": b'package a\n\nimport "testing"\n', "tests/b_test.go": b"package a\n", "c.go": b""}
    suite = WithFailing(files, "go")
    for failing, must in ((suite.names, "failed"), (frozenset[str](), "passed")):
        made = suite.variant(failing)
        assert [*made.files] == ["tests/a_test.go"]
        name = re.search(r"func (Test\w+)", made.files["tests/a_test.go"].decode())
        assert name is not None
        cases = [[], [("m Test", must)], [(f"m {name[1]}", "passed")], [(f"m {name[1]}", "failed")]]
        believed = [made.believed(outcomes) for outcomes in cases]
        assert believed == [False, False, must == "passed", must == "failed"]


@pytest.mark.parametrize("check", ["runner: command, min_tests: 1", "runner: go", "run: 'true'", "min_tests: 3"])
def test_keys_that_do_not_fit_the_runner_are_refused(write: Write, check: str) -> None:
    with pytest.raises(InputError, match="is needed with"):
        result(write, check, "")


NODE_TESTS = """\
import { describe, it, test } from 'node:test'
it('one line', () => assert.equal(double(2), 4))
test("a block", async (t) => {
  const given = 'a'
  assert.deepStrictEqual(named(given), { first: 'b', 'last': [7] })
})
it('another way to fail', () => { assert.equal(same(1), same(2)) })
it('leaves early', () => { if (slow) { return }
  assert.equal(double(2), 4) })
it('in a branch', () => { if (slow)
  assert.equal(double(2), 4) })
it('has a namesake', () => { assert.equal(double(2), 4) })
describe('has a namesake', () => {})
"""
RUST_TESTS = """\
#[test]
fn doubles() { let x: &'static str = "a"; assert_eq!(m::double(2), Some(4)); }
#[test]
#[should_panic]
fn panics() { assert_eq!(m::double(2), 5); }
fn none() { assert_eq!(m::double(2), 4); }
"""
GO_TESTS = """\
func TestOne(t *testing.T) {
\tif got := m.Name('x'); got != "abc" {
\t\tt.Errorf("got %q", got)
\t}
}
func TestTwo(t *testing.T) {
\tif slow && m.Double(2) != 4 {
\t\tt.Fatal()
\t}
}
"""


@pytest.mark.parametrize(
    ("runner", "path", "text", "names", "kept"),
    [
        ("node", "tests/a.test.mjs", NODE_TESTS, {"one line", "a block"}, "assert.equal(same(1), same(2))"),
        ("node", "tests/b.test.mjs", "it('x', () => { assert.equal(f(/'/), 1) })\n", set(), "1"),
        ("cargo", "tests/a.rs", RUST_TESTS, {"doubles"}, "assert_eq!(m::double(2), 5)"),
        ("go", "tests/a_test.go", GO_TESTS, {"/tests TestOne"}, "!= 4"),
    ],
)
def test_an_equality_that_a_test_always_reaches_expects_another_value(
    runner: str, path: str, text: str, names: set[str], kept: str
) -> None:
    made = Expecting({path: text.encode()}, runner)
    changed = made.changed(made.names).get(path, text.encode()).decode()
    lines = [(old, new) for old, new in zip(text.split("\n"), changed.split("\n"), strict=True) if old != new]
    assert made.names == names and len(lines) == len(names) and kept in changed


def test_a_value_that_a_test_expects_twice_is_another_in_both_places() -> None:
    text = b"test('a', () => {\n  assert.equal(f(1), ['x', 12])\n  assert.equal(f(2), ['x', 12])\n})\n"
    [changed] = Expecting({"a.test.mjs": text}, "node").changed({"a"}).values()
    first, second = re.findall(rb"\['.', \d\d\]", changed)
    assert first == second != b"['x', 12]"


def test_a_changed_test_is_told_from_others_of_its_name() -> None:
    names = frozenset({"doubles", "/tests TestOne"})
    outcomes = {
        "doubles": True,
        "never doubles": False,
        "m::doubles": False,
        "x/tests TestOne": True,
        "x TestOne": False,
    }
    assert {name: is_reported(names, name) for name in outcomes} == outcomes


ORACLE = """\
import { readFileSync } from 'node:fs'
const source = readFileSync('tests/double.test.mjs', 'utf8')
export const double = (n) => Number(source.match(new RegExp(`double\\\\(${n}\\\\), (\\\\d+)`))[1])
"""


def test_javascript_that_looks_up_the_expected_value_in_the_test_is_found_out(write: Write) -> None:
    for name, text in {**NODE_SUITE, "double.mjs": ORACLE}.items():
        write(f"t/f/{name}", text)
    check = "{kind: test_suite, path: tests, runner: node, min_tests: 1}"
    task = load_task(write("t/task.yaml", f"{HEAD}  - {check}\n"))
    outcome = run_checks(task.checks, task.check_input(task.visible, task.visible))[0]
    assert not outcome.passed and outcome.message.endswith("the test run was tampered with")


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


NODE_SUITE = {
    "double.mjs": "export const double = (n) => n * FACTOR\n",
    "tests/double.test.mjs": "import { it } from 'node:test'\nimport assert from 'node:assert'\n"
    "import { double } from '../double.mjs'\nit('doubles', () => assert.equal(double(2), 4))\n",
}
GO_FORGERY = {
    "double.go": 'package m\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc Double(n int) int { return n }\n\n'
    'func init() {\n\tfmt.Print("=== RUN   TestDouble\\n--- PASS: TestDouble (0.00s)\\nPASS\\n")\n\tos.Exit(0)\n}\n'
}
CARGO_FORGERY = {
    "src/lib.rs": "use std::io::Write;\n\npub fn double(_: i32) -> i32 {\n"
    '    std::io::stdout().write_all(b"\\ntest doubles ... ok\\n").unwrap();\n    std::process::exit(0)\n}\n'
}
NODE_FORGERY = {
    "double.mjs": "import assert from 'node:assert'\nassert.equal = () => {}\nexport const double = (n) => n\n"
}


@pytest.mark.clients
@pytest.mark.parametrize(
    ("runner", "files", "failed", "forgery"),
    [
        ("node", NODE_SUITE, "doubles failed", NODE_FORGERY),
        ("go", GO_SUITE, "example.com/m/tests TestDouble failed", GO_FORGERY),
        ("cargo", CARGO_SUITE, "doubles failed", CARGO_FORGERY),
    ],
)
def test_the_real_runner_of_another_language(
    write: Write, runner: str, files: dict[str, str], failed: str, forgery: dict[str, str]
) -> None:
    toolchain(runner)
    check = f"{{kind: test_suite, path: tests, runner: {runner}, min_tests: 1, timeout_s: {HANG_S}}}"
    forged = {"a test that must pass was not reported as passed: the test run was tampered with"}
    if runner == "cargo":  # the test that was added may have been reported by the time the process ends, or not
        tampered = "a test that must fail was not reported as failed: the test run was tampered with"
        forged = {tampered, "2 tests were begun, 1 were reported"}
    for factor, layer, messages in (("2", {}, {"1 tests passed"}), ("3", {}, {failed}), ("3", forgery, forged)):
        for name, text in {**files, **layer}.items():
            write(f"t/f/{name}", text.replace("FACTOR", factor))
        task = load_task(write("t/task.yaml", f"{HEAD}  - {check}\ntools: [{runner}]\n"))
        outcome = run_checks(task.checks, task.check_input(task.visible, task.visible))[0]
        assert outcome.message in messages, outcome.output


def test_a_proxy_without_its_toolchain_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = tmp_path / "rustup"
    proxy.write_text("#!/bin/sh\n")
    proxy.chmod(0o755)
    (tmp_path / "cargo").symlink_to(proxy)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match=r"'cargo' is .*sysroot"):
        find_tools(["cargo"])


@pytest.mark.parametrize(
    ("stdout", "shown"),
    [
        ('E assert 1 == 2\n{"passed": [], "wrong": ["t failed"], "tests": 1}\nt failed\n', "E assert 1 == 2\nt failed"),
        ('{"passed": []}\n1 tests passed\n', "1 tests passed"),
        ("Traceback\nValueError\n", "Traceback\nValueError\n"),
        ("", ""),
    ],
)
def test_the_line_that_our_runner_writes_for_itself_is_not_shown(stdout: str, shown: str) -> None:
    printed = _printed(Finished(1, stdout, "", 0.1, timed_out=False, truncated=False)).stdout
    assert printed.lstrip("\n") == shown
