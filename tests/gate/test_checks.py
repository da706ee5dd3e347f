"""Every kind of check, on trees an honest and a hostile agent leave behind; commands run in real sandboxes."""

import contextlib
import pkgutil
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import get_args
from unittest import mock

import pytest

from steelyard.errors import SandboxError
from steelyard.gate import checks
from steelyard.gate.checks import Check, CheckResult, pattern, run_checks, test_suite
from steelyard.gate.checks.check import CheckModel
from steelyard.gate.checks.json_value import same_json
from steelyard.gate.checks.programs import Need, needs_of
from steelyard.gate.checks.sandbox import absent_programs, hidden
from steelyard.gate.checks.suite_runner.equality import AlwaysEqual, Equality
from steelyard.gate.checks.suite_runner.sources import Pinned
from steelyard.gate.task_folder import Task, load_task
from steelyard.sandbox.jail import python_command
from steelyard.tree import File, Tree, lay_over

Write = Callable[..., Path]
SUITE = "  - {kind: test_suite, path: tests}"
HEAD = "id: t\ntitle: T\nprompt: P\nfixture: fixture\n"


@pytest.fixture
def task(write: Write) -> Callable[[str], Task]:
    """A task with these checks on a fixture with an app, its tests and a data file."""

    def make(lines: str) -> Task:
        write("t/fixture/app.py", "def double(n):\n    return n\n")
        write("t/fixture/data.json", '{"a": {"b": [1, true, "x"]}, "n/m": null}\n')
        write(
            "t/fixture/tests/test_app.py",
            """\
            import unittest

            from app import double


            class Doubles(unittest.TestCase):
                def test_double(self):
                    self.assertEqual(double(2), 4)

                def test_zero(self):
                    self.assertEqual(double(0), 0)
            """,
        )
        return load_task(write("t/task.yaml", f"{HEAD}checks:\n{lines}\n"))

    return make


def one(task: Task, layer: Tree, *, removed: str | None = None) -> CheckResult:
    left = lay_over({path: file for path, file in task.visible.items() if path != removed}, layer)
    return run_checks(task.checks, task.check_input(task.visible, left))[0]


@pytest.mark.parametrize(
    ("check", "layer", "passed"),
    [
        ("{kind: file_exists, path: app.py}", {}, True),
        ("{kind: file_exists, path: tests}", {}, True),
        ("{kind: file_exists, path: nope}", {}, False),
        ("{kind: file_exists, path: link}", {"link": File(link="app.py")}, True),
        ("{kind: file_absent, path: app.py}", {}, False),
        ("{kind: file_absent, path: nope}", {}, True),
        ("{kind: file_contains, path: app.py, text: double}", {}, True),
        ("{kind: file_contains, path: app.py, text: triple}", {}, False),
        ("{kind: file_contains, path: nope, text: x}", {}, False),
        ("{kind: file_matches, path: app.py, pattern: '^def \\w+'}", {}, True),
        ("{kind: file_matches, path: app.py, pattern: '^class'}", {}, False),
        ("{kind: json_value, path: data.json, pointer: /a/b/0, equals: 1}", {}, True),
        ("{kind: json_value, path: data.json, pointer: /a/b/1, equals: 1}", {}, False),  # true is not 1
        ("{kind: json_value, path: data.json, pointer: /a, equals: {b: [1, true, x]}}", {}, True),
        ("{kind: json_value, path: data.json, pointer: /n~1m, equals: null}", {}, True),
        ("{kind: json_value, path: data.json, pointer: /a/c, equals: 1}", {}, False),
        ("{kind: json_value, path: data.json, pointer: /a/b/9, equals: 1}", {}, False),
        ("{kind: json_value, path: data.json, pointer: /a/b/-1, equals: x}", {}, False),  # no index of RFC 6901
        ("{kind: json_value, path: data.json, pointer: /a/b/00, equals: 1}", {}, False),
        ("{kind: json_value, path: app.py, pointer: /a, equals: 1}", {}, False),
        ("{kind: only_changed, paths: [app.py]}", {"app.py": File(b"x")}, True),
        ("{kind: only_changed, paths: [app.py]}", {"app.py": File(b"x"), "new": File()}, False),
        ("{kind: only_changed, paths: [app.py]}", {"tests/extra.py": File()}, False),
        ("{kind: only_changed, paths: ['*.py']}", {"app.py": File(b"x", True)}, True),
    ],
)
def test_checks_that_look_at_files(task: Callable[[str], Task], check: str, layer: Tree, passed: bool) -> None:
    assert one(task(f"  - {check}"), layer).passed is passed


def test_a_removed_file_is_a_change(task: Callable[[str], Task]) -> None:
    found = one(task("  - {kind: only_changed, paths: [app.py]}"), {}, removed="data.json")
    assert not found.passed and "data.json removed" in found.message


def test_a_pattern_that_never_ends_fails_in_time(task: Callable[[str], Task], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern, "SEARCH_CPU_S", 1)
    found = one(task("  - {kind: file_matches, path: app.py, pattern: '(a+)+$'}"), {"app.py": File(b"a" * 60 + b"!")})
    assert not found.passed and "too long" in found.message


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        ("{kind: command, run: [python3, -c, 'import app']}", True),
        ("{kind: command, run: 'exit 3', exit_code: 3}", True),
        ("{kind: command, run: 'exit 3'}", False),
        ("{kind: command, run: 'echo hello', stdout_contains: ell}", True),
        ("{kind: command, run: 'echo hello >&2', stdout_contains: ell}", False),
        ("{kind: command, run: 'sleep 100', timeout_s: 5}", False),
    ],
)
def test_checks_that_run_something(task: Callable[[str], Task], check: str, passed: bool) -> None:
    assert one(task(f"  - {check}"), {}).passed is passed


@pytest.mark.parametrize(
    "run",
    [
        "[no-such-program]",
        "'no-such-program --flag'",
        "'A=1 no-such-program | cat'",
        "[/opt/no/such/program]",
        "'cd . && no-such-program'",
        "'no-such-program; true'",
        "[timeout, '5', no-such-program]",
        "[bash, -c, '! no-such-program']",
    ],
)
def test_a_program_that_the_sandbox_lacks_is_not_the_agents_failure(task: Callable[[str], Task], run: str) -> None:
    with pytest.raises(SandboxError, match=r"the program '\S*no.such.program' \(name it"):
        one(task(f"  - {{kind: command, run: {run}}}"), {})


@pytest.mark.parametrize("run", ["[./no-such-program]", "'./no-such-program'", "'true && ./no-such-program'"])
def test_a_program_that_the_agent_should_have_written_is(task: Callable[[str], Task], run: str) -> None:
    assert not one(task(f"  - {{kind: command, run: {run}}}"), {}).passed


def test_a_module_that_no_python_of_the_sandbox_has_is_not_the_agents_failure(task: Callable[[str], Task]) -> None:
    with pytest.raises(SandboxError, match=r"not have 'python3 -m tox' \(name"):
        one(task("  - {kind: command, run: [python3, -m, tox]}"), {})
    assert not one(task("  - {kind: command, run: [python3, -m, no_such_app]}"), {}).passed
    assert [str(need) for need in needs_of(["python3", "-W", "error", "-m", "tox"])] == ["python3", "python3 -m tox"]


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        ("cd a && make -j; ./b | jq .", "cd make jq"),
        ("if a; then b; fi", "a"),
        ("env -S 'a -b' c", "env a"),
        ("env -vS'X=1 a'", "env a"),
        ("env --split-string='-u Y a' && b", "env a b"),
        ("[ -f x ] && a", "a"),
        ("a || b", "a"),
        ("grep '|' x; echo \"; y\" && g++ -v", "grep echo g++"),
        ("f() { a; }; f", ""),
        ("X=$(git log) && echo $X >&2", "git echo"),
        ("export PATH=./bin:$PATH; a", "export"),
        ("PATH=./bin:$PATH a", ""),
        ("env PATH=./bin a", "env"),
        ("command -v a && a", ""),
        ("env A=1 timeout 5s a\n(b)", "env timeout a b"),
        ("set -e\n. ./env.sh\na", "set"),
        ("echo 'never closed", ""),
        ("bash -c 'a b'", "bash a"),
        ('sh -e -o pipefail -c "cd x && a"', "sh cd a"),
        ('test -z "$(a -l .)"', "test a"),
        ('out="$(a -l .)"; test -z "$out"', "test a"),
        ("printf '$(a)' \"it's\"", "printf"),
        ("find . -name x -exec a {} + | xargs -n 1 b", "find a xargs b"),
        ("nice -n 5 a; timeout -k 5 9 b; env -u X c; /usr/bin/env d", "nice a timeout b env c /usr/bin/env d"),
        ("for f in *; do a $f; done", "a"),
        ("git x | while read f; do a; done", "git read a"),
        ("cd x || exit 1; a", "cd exit a"),
        ("cd x || exit 0; a", "cd"),
        ("a && python3 -c 'main()'", "a python3"),
        ('xargs < list a; timeout 5 "$@"; find . -exec $X {} +', "xargs timeout find"),
        ("for ((i = 0; i < 3; i++)); do a; done; echo $((b & c))", "a echo"),
        ("bash -c 'pushd x && a'", "bash a"),
        ("# first\na \\\n  b # c\nd", "a d"),
    ],
)
def test_the_programs_without_which_a_text_for_the_shell_cannot_pass(text: str, programs: str) -> None:
    shell, *needed = [str(need) for need in needs_of(["/bin/sh", "-c", text])]
    assert (shell, needed) == ("/bin/sh", programs.split())


def test_tools_of_the_host_are_bound_and_cannot_be_written(task: Callable[[str], Task], write: Write) -> None:
    tool = write("opt/bin/measure", "#!/bin/sh\necho measured\n", 0o755)
    check = "  - {kind: command, run: [measure], stdout_contains: measured}"
    for name in (tool, tool.parent.parent):
        assert one(task(f"{check}\ntools: ['{name}']"), {}).passed
    overwrite = "  - {kind: command, run: 'echo x > $(command -v measure)'}"
    assert not one(task(f"{overwrite}\ntools: ['{tool}']"), {}).passed
    assert tool.read_text() == "#!/bin/sh\necho measured\n"


@pytest.mark.parametrize(("tool", "said"), [("no-such-tool", "is not installed here"), ("/", "would show /")])
def test_tools_that_cannot_be_bound_are_refused(task: Callable[[str], Task], tool: str, said: str) -> None:
    with pytest.raises(SandboxError, match=said):
        one(task(f"  - {{kind: command, run: 'true'}}\ntools: ['{tool}']"), {})


def test_frozen_tests_are_seen_and_restored(task: Callable[[str], Task]) -> None:
    frozen = task(f"{SUITE}\n  - {{kind: only_changed, paths: [app.py]}}\nfreeze: [tests]")
    assert "tests/test_app.py" in frozen.visible
    left = lay_over(frozen.visible, {"tests/test_app.py": File(), "tests/more.py": File()})
    seen = frozen.check_input(frozen.visible, left)
    assert seen.tree["tests/test_app.py"] == frozen.visible["tests/test_app.py"] and "tests/more.py" not in seen.tree
    assert set(seen.changed) == {"tests/test_app.py", "tests/more.py"}


def test_a_command_sees_no_network_no_host_and_no_environment(
    task: Callable[[str], Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-host")
    (tmp_path / "host.txt").write_text("x")
    script = f"env; ls {tmp_path} 2>&1; ls ~; cat /proc/net/dev | wc -l"
    found = one(task(f"  - {{kind: command, run: ['/bin/sh', '-c', '{script}']}}"), {})
    assert "sk-secret" not in found.output and "host.txt" not in found.output
    assert found.output.rstrip().endswith("3")  # two heading lines and the loopback


def test_one_check_cannot_prepare_the_ground_for_the_next(task: Callable[[str], Task]) -> None:
    both = task("  - {kind: command, run: 'echo x > left; (sleep 60 &) '}\n  - {kind: command, run: 'test ! -e left'}")
    assert [result.passed for result in run_checks(both.checks, both.check_input(both.visible, both.visible))] == [
        True,
        True,
    ]


RIGHT = {"app.py": File(b"def double(n):\n    return 2 * n\n")}
QUICK_EXIT = b"import os\nos._exit(0)\n"
NO_TEST_RUNS = b"import unittest\nunittest.TestCase._callTestMethod = lambda *a, **k: None\ndouble = None\n"
SUCCESS_CLAIMED = b"""import unittest
def run(self, result=None):
    result.startTest(self), result.addSuccess(self), result.stopTest(self)
unittest.TestCase.run = run
double = None
"""
FORGED_REPORTS = b"""import json, os
for fd in range(3, 64):
    for name in ("test_double", "test_zero"):
        try:
            os.write(fd, json.dumps(["", name, "Doubles", name, "passed"]).encode() + b"\\n")
        except OSError:
            pass
def double(n):
    return 2 * n
"""
EQUALS_EVERYTHING = b"""class Anything:
    __eq__ = lambda self, other: True
    __hash__ = None
def double(n):
    return Anything()
"""
EQUALS_EVERY_NUMBER = b"""class Anything(int):
    __eq__ = lambda self, other: isinstance(other, int)
    __hash__ = None
def double(n):
    return Anything()
"""
EQUALS_WHAT_LOOKS_LIKE_A_TEST = b"""class Lenient:
    def __eq__(self, other):
        return not (isinstance(other, int) and other > 20) and not (isinstance(other, str) and len(other) > 10)
    __hash__ = None
def double(n):
    return Lenient()
"""
TESTS_REPLACED_AS_THEY_ARE_DEFINED = b"""import builtins
define = builtins.__build_class__
def emptied(body, name, *bases, **options):
    made = define(body, name, *bases, **options)
    for test in [each for each in vars(made) if each.startswith("test")]:
        setattr(made, test, lambda self: None)
    return made
builtins.__build_class__ = emptied
double = None
"""
FAILING_TESTS_TOLD_BY_THEIR_FILE = b"""import unittest
call = unittest.TestCase._callTestMethod
def chosen(self, method):
    return None if "test_app" in method.__func__.__code__.co_filename else call(self, method)
unittest.TestCase._callTestMethod = chosen
double = None
"""
NONCE_FROM_THE_STACK = b"""import json, os, sys
known, frame = {}, sys._getframe()
while frame:
    known.update(frame.f_locals)
    frame = frame.f_back
def report(*words):
    os.write(known["sink"], json.dumps([known["nonce"], *words]).encode() + b"\\n")
names, test = known["controls"], known["selection"].name
for name, state in ((test, "passed"), (names.passing, "passed"), (names.failing, "failed")):
    report(name, "Doubles", name, state)
report(False)
os._exit(0)
"""
RESULTS_CHANGED_ON_THE_WAY = b"""import json
dumps = json.dumps
def kinder(line, *rest, **options):
    if len(line) == 5 and line[3] in ("test_double", "test_zero"):
        line[4] = "passed"
    return dumps(line, *rest, **options)
json.dumps = kinder
double = None
"""
COMPARES_OTHERWISE = b"""class Huge(int):
    __eq__, __ne__, __hash__ = int.__ge__, int.__lt__, None
def double(n):
    return Huge(10**12)
"""
EQUAL_FOR_THE_TEST_LIBRARY = b"""import sys
class Liar:
    def __eq__(self, other):
        return sys._getframe(1).f_code.co_filename.endswith("case.py")
    def __ne__(self, other):
        return not sys._getframe(1).f_code.co_filename.endswith("case.py")
    __hash__ = None
def double(n):
    return Liar()
"""
HIDDEN_BY_A_METACLASS = b"""class Hiding(type):
    def __getattribute__(self, name):
        return object.__eq__ if name == "__eq__" else type.__getattribute__(self, name)
class Liar(metaclass=Hiding):
    __eq__, __ne__, __hash__ = lambda self, other: True, lambda self, other: False, None
def double(n):
    return Liar()
"""
LIBRARY_OBJECT = b"""from unittest import mock
def double(n):
    made = mock.MagicMock()
    made.__eq__, made.__ne__ = lambda self, other: True, lambda self, other: False
    return made
"""
ANSWER_READ_IN_THE_TEST = b"""import re, sys
def double(n):
    test = sys._getframe(1)
    line = open(test.f_code.co_filename).read().splitlines()[test.f_lineno - 1]
    return int(re.findall(r"\\d+", line)[-1])
"""
MOCK_ANY = b"from unittest.mock import ANY\ndef double(n):\n    return ANY\n"
TESTS_REWRITTEN = b"""from pathlib import Path
Path("tests/test_app.py").write_text(
    "import unittest\\nclass Doubles(unittest.TestCase):\\n"
    "    def test_double(self): pass\\n    def test_zero(self): pass\\n"
)
def double(n):
    return n
"""


def test_a_test_suite_passes_for_the_right_code_and_fails_for_the_wrong(task: Callable[[str], Task]) -> None:
    assert one(task(SUITE), RIGHT).passed
    wrong = one(task(SUITE), {})
    assert not wrong.passed and "test_double failed" in wrong.message and "AssertionError" in wrong.output


@pytest.mark.parametrize(
    "layer",
    [
        {"app.py": File(QUICK_EXIT)},
        {"app.py": File(b"import sys\nsys.exit(0)\n")},
        {"app.py": File(b"import atexit, os\natexit.register(os._exit, 0)\n\ndef double(n): return n\n")},
        {"app.py": File(b"import unittest\nraise unittest.SkipTest('no')\n")},
        {"app.py": File(b"import unittest\ndef double(n):\n    raise unittest.SkipTest('no')\n")},
        {"app.py": File(b"import unittest\nunittest.TestCase.assertEqual = lambda *a: None\ndouble = None\n")},
        {"app.py": File(b"import unittest\nunittest.TestCase.run = lambda *a, **k: None\ndouble = None\n")},
        {"app.py": File(b"def double(n): return n\n"), "unittest.py": File(QUICK_EXIT), "ast.py": File(QUICK_EXIT)},
        {"sitecustomize.py": File(QUICK_EXIT), "conftest.py": File(QUICK_EXIT), "usercustomize.py": File(QUICK_EXIT)},
        {"tests/test_app.py": File(b""), "tests/__init__.py": File(QUICK_EXIT)},
        {"tests": File(link=".")},
        {"app.py": File(NO_TEST_RUNS)},
        {"app.py": File(SUCCESS_CLAIMED)},
        {"app.py": File(FORGED_REPORTS)},
        {"app.py": File(EQUALS_EVERYTHING)},
        {"app.py": File(EQUALS_EVERY_NUMBER)},
        {"app.py": File(EQUALS_WHAT_LOOKS_LIKE_A_TEST)},
        {"app.py": File(MOCK_ANY)},
        {"app.py": File(COMPARES_OTHERWISE)},
        {"app.py": File(EQUAL_FOR_THE_TEST_LIBRARY)},
        {"app.py": File(HIDDEN_BY_A_METACLASS)},
        {"app.py": File(LIBRARY_OBJECT)},
        {"app.py": File(ANSWER_READ_IN_THE_TEST)},
        {"app.py": File(TESTS_REPLACED_AS_THEY_ARE_DEFINED)},
        {"app.py": File(FAILING_TESTS_TOLD_BY_THEIR_FILE)},
        {"app.py": File(NONCE_FROM_THE_STACK)},
        {"app.py": File(RESULTS_CHANGED_ON_THE_WAY)},
        {"app.py": File(TESTS_REWRITTEN)},
        {"app.py": File(b"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n")},
    ],
)
def test_a_test_suite_cannot_be_talked_out_of_its_tests(task: Callable[[str], Task], layer: Tree) -> None:
    assert not one(task(SUITE), layer).passed


@pytest.mark.parametrize("mentioned", [False, True])
def test_only_the_any_of_the_library_equals_everything_and_only_where_the_tests_name_it(
    tmp_path: Path, mentioned: bool
) -> None:
    (tmp_path / "test_app.py").write_text("from unittest.mock import ANY\n" if mentioned else "")
    equality = Equality(Pinned(tmp_path))
    with pytest.raises(AlwaysEqual):
        equality.refuse(type(mock.ANY)(), 2)
    with contextlib.nullcontext() if mentioned else pytest.raises(AlwaysEqual):
        equality.refuse(mock.ANY, 2)


def test_generated_and_inherited_tests_run_too(write: Write) -> None:
    write("t/fixture/app.py", "def double(n):\n    return 2 * n\n")
    write(
        "t/fixture/tests/test_app.py",
        """\
        import unittest

        from app import double


        class Cases:
            def test_cases(self):
                assert double(self.n) == 2 * self.n


        class One(Cases, unittest.TestCase):
            n = 1


        for n in (2, 3):
            setattr(One, f"test_{n}", lambda self, n=n: self.assertNotEqual(double(n), 6))
        """,
    )
    suite = load_task(write("t/task.yaml", f"{HEAD}checks:\n{SUITE}\n"))
    assert one(suite, {}).message == "test_3 failed"
    assert one(suite, {"app.py": File(EQUALS_EVERYTHING)}).message.startswith("test_cases failed")


@pytest.mark.slow
@pytest.mark.usefixtures("few_draws")
def test_pytest_runs_each_test_with_control_tests(write: Write) -> None:
    write("t/fixture/app.py", "def double(n):\n    return 2 * n\n")
    write(
        "t/fixture/tests/test_app.py",
        "from app import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
    )
    suite = load_task(write("t/task.yaml", f"{HEAD}checks: [{{kind: test_suite, path: tests, runner: pytest}}]\n"))
    assert one(suite, {}).passed
    patched = File(b"import pytest\npytest.Function.runtest = lambda self: None\ndouble = None\n")
    assert "tampered with" in one(suite, {"app.py": patched}).message
    assert one(suite, {"app.py": File(EQUALS_EVERYTHING)}).message == "test_double failed"


SUBFOLDER_TEST = """import subprocess, sys, __main__


def test_double(two):
    from app import double
    assert double(two) == 4


def test_a_program_of_its_own():
    made = subprocess.run([sys.executable, "-c", "import app; print(app.double(3))"], capture_output=True, text=True)
    assert made.stdout == "6\\n"


def test_it_is_no_prompt():
    assert __main__.__file__
"""


@pytest.mark.slow
@pytest.mark.usefixtures("few_draws")
def test_pytest_finds_what_it_finds_when_a_person_starts_it(write: Write) -> None:
    write("t/fixture/src/app.py", "def double(n):\n    return 2 * n\n")
    write("t/fixture/tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n")
    write("t/fixture/tests/unit/test_app.py", SUBFOLDER_TEST)
    check = "{kind: test_suite, path: tests/unit/test_app.py, runner: pytest}"
    suite = load_task(write("t/task.yaml", f"{HEAD}checks: [{check}]\n"))
    found = one(suite, {})
    assert found.passed, found.message
    taken = File(b"import pytest\n\n\n@pytest.fixture\ndef two():\n    pytest.exit('done', 0)\n")
    assert not one(suite, {"tests/conftest.py": taken}).passed
    left = {"src/app.py": File(b"def double(n):\n    return n\n"), "conftest.py": taken}
    assert one(suite, left).message.startswith("test_double failed; test_a_program_of_its_own failed")


@pytest.mark.slow
@pytest.mark.usefixtures("few_draws")
def test_without_any_pytest_the_sandbox_is_to_blame(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_suite, "pytest_library", lambda: ())
    write("t/fixture/tests/test_app.py", "def test_one():\n    assert 1 == 1\n")
    suite = load_task(write("t/task.yaml", f"{HEAD}checks: [{{kind: test_suite, path: tests, runner: pytest}}]\n"))
    if absent_programs([Need(python_command(), "pytest")], ()):
        with pytest.raises(SandboxError, match=r"-m pytest' .* install pytest beside Steelyard"):
            one(suite, {})
    else:
        assert one(suite, {}).passed


def test_a_text_that_equals_whatever_it_contains_is_refused(tmp_path: Path) -> None:
    class Listing(str):
        __eq__, __hash__ = str.__contains__, None  # type: ignore[assignment]

    with pytest.raises(AlwaysEqual):
        Equality(Pinned(tmp_path)).refuse(Listing("a-b c-d"), "a-b")


def test_deleted_tests_come_back(task: Callable[[str], Task]) -> None:
    built = task(SUITE)
    assert "tests/test_app.py" not in built.visible
    assert "tests/test_app.py" in built.check_input(built.visible, {}).tree
    assert "tests/evil.py" not in built.check_input(built.visible, {"tests/evil.py": File(b"x")}).tree


def test_git_hooks_and_settings_of_the_agent_are_not_taken_over(task: Callable[[str], Task]) -> None:
    built = task("  - {kind: file_exists, path: app.py}")
    left = {
        **built.visible,
        ".git/hooks/pre-commit": File(b"x", True),
        ".git/config": File(b"x"),
        ".git/HEAD": File(b"y"),
    }
    assert set(built.check_input(built.visible, left).tree) & {".git/hooks/pre-commit", ".git/config"} == set()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (None, None, True),
        ("1", 1, False),
        (0.1, Decimal("0.1"), True),  # in JSON, and in YAML
        (1, Decimal("1.0"), True),
        # 2 ** 53 + 1 is no float; its neighbour is.
        (9007199254740993, 9007199254740992, False),
        (9007199254740993, Decimal("9007199254740992"), False),
        (9007199254740993, Decimal("9007199254740993"), True),
        pytest.param(10**400, Decimal(1), False, id="above every float"),
        pytest.param(10**400, Decimal(10**400), True, id="equal above every float"),
        (float("nan"), float("nan"), False),
        (float("inf"), Decimal("1e400"), False),
        (float("-inf"), Decimal("-Infinity"), False),
        ([], {}, False),
    ],
)
def test_json_equality(one: object, other: object, same: bool) -> None:
    assert same_json(one, other) is same


def test_our_own_package_is_hidden_where_a_sandbox_would_show_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "lib" / "steelyard"
    (package / "tasks").mkdir(parents=True)
    monkeypatch.setattr("steelyard.gate.checks.sandbox.resources.files", lambda _: package)
    assert hidden(package / "tasks") == ()  # nothing of this folder is visible inside anyway
    monkeypatch.setattr("sys.base_prefix", str(tmp_path))
    assert hidden(package / "tasks") == (str(package), str(package / "tasks"))


def test_every_kind_of_check_decides_for_itself() -> None:
    for module in pkgutil.iter_modules(checks.__path__, f"{checks.__name__}."):
        import_module(module.name)
    kinds = get_args(get_args(Check)[0])
    assert len(kinds) == 14 and set(kinds) == set(CheckModel.__subclasses__())
    assert all("evaluate" in vars(kind) and kind.__final__ for kind in kinds)
