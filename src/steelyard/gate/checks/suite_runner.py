"""Runs protected tests inside a check's sandbox. A stand-alone script: nothing of Steelyard can be imported there.

The tests share a process with the code they test, and that code is hostile: it may leave with `os._exit(0)`, skip
itself, or rewrite the test library. So the exit code of the tests decides nothing. A parent process that never imports
foreign code knows from the source which tests exist. It passes only if every one of them was reported as passed,
nothing else was reported, and a canary that must fail did fail. Code that studies the tests and forges a report line
by line can still deceive it; it cannot deceive a `command` check, which looks from outside.
"""

from __future__ import annotations

import ast
import ctypes
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

Record = Callable[[str, str], None]
"""Records one test: its bare name, and `passed`, `failed` or `skipped`."""

PR_SET_DUMPABLE = 4
CANARY = "steelyard canary"


def expected(path: Path, runner: str) -> set[str]:
    """The bare names of all tests in the source."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*.py") if is_test(file.name, runner))
    return {name for file in files for name in names(ast.parse(file.read_bytes()), runner)}


def is_test(name: str, runner: str) -> bool:
    return name.startswith("test") if runner == "unittest" else name.startswith("test_") or name.endswith("_test.py")


def names(tree: ast.Module, runner: str) -> set[str]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    bodies += [tree.body] if runner == "pytest" else []
    return {node.name for body in bodies for node in body if isinstance(node, functions) and node.name[:4] == "test"}


def run_unittest(path: Path, record: Record) -> None:
    import unittest

    class ReportingResult(unittest.TextTestResult):
        def stopTest(self, test: Any) -> None:
            super().stopTest(test)
            bad = {id(case) for case, _ in (*self.failures, *self.errors)} | set(map(id, self.unexpectedSuccesses))
            skipped = {id(case) for case, _ in self.skipped}
            state = "failed" if id(test) in bad else "skipped" if id(test) in skipped else "passed"
            record(getattr(test, "_testMethodName", str(test)), state)

        def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
            super().addSubTest(test, subtest, err)
            if err is not None:
                record(test._testMethodName, "failed")

        def addError(self, test: Any, err: Any) -> None:
            super().addError(test, err)
            record(getattr(test, "_testMethodName", str(test)), "failed")

    folder = path if path.is_dir() else path.parent
    pattern = "test*.py" if path.is_dir() else path.name
    tests = unittest.TestLoader().discover(str(folder), pattern=pattern, top_level_dir=str(folder))
    unittest.TextTestRunner(stream=sys.stderr, resultclass=cast(Any, ReportingResult), verbosity=1).run(tests)
    record(CANARY, "failed" if all(map(fails, false_assertions(unittest.TestCase()))) else "passed")


def false_assertions(case: Any) -> list[Callable[[], Any]]:
    """Assertions that must fail: if one passes, the code under test rewrote it."""
    return [
        lambda: case.assertEqual(1, 2),
        lambda: case.assertNotEqual(1, 1),
        lambda: case.assertTrue(False),
        lambda: case.assertFalse(True),
        lambda: case.assertIs(1, None),
        lambda: case.assertIsNone(1),
        lambda: case.assertIn(1, []),
        lambda: case.assertLess(2, 1),
        lambda: case.assertAlmostEqual(1.0, 2.0),
        lambda: case.assertListEqual([1], [2]),
        lambda: case.assertDictEqual({1: 1}, {1: 2}),
        lambda: case.assertRegex("a", "b"),
        lambda: case.assertRaises(ValueError, str),
        lambda: case.fail(),
    ]


def fails(claim: Callable[[], Any]) -> bool:
    try:
        claim()
    except AssertionError:
        return True
    return False


def run_pytest(path: Path, record: Record) -> None:
    import pytest

    class ReportingPlugin:
        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.when == "call" or report.outcome != "passed":
                record(report.nodeid.rsplit("::", 1)[-1].partition("[")[0], report.outcome)

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                record(report.nodeid, "failed")

    folder = str(path if path.is_dir() else path.parent)
    fixed = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder, "--confcutdir", folder]
    pytest.main([*fixed, "--import-mode=importlib", str(path)], plugins=[ReportingPlugin()])
    try:
        with pytest.raises(ValueError):
            pass
    except pytest.fail.Exception:
        record(CANARY, "failed")


def child(path: Path, runner: str, pipe: int) -> None:
    """Runs the tests, and with them foreign code; never returns."""
    os.dup2(2, 1)

    def record(name: str, state: str) -> None:
        os.write(pipe, json.dumps([name, state]).encode() + b"\n")

    # Last, so that nothing in the work folder can replace a module of the standard library.
    sys.path.append(str(Path.cwd()))
    {"unittest": run_unittest, "pytest": run_pytest}[runner](path, record)
    os._exit(0)


def problems(tests: set[str], lines: list[tuple[str, str]], skips: bool) -> list[str]:
    """What is wrong; empty if every test passed."""
    states: dict[str, set[str]] = {}
    for name, state in lines:
        states.setdefault(name, set()).add(state)
    if states.pop(CANARY, None) != {"failed"}:
        return ["the test run ended early, or the test library was tampered with"]
    fine = {"passed", "skipped"} if skips else {"passed"}
    wrong = [f"{name} {'/'.join(sorted(seen - fine))}" for name, seen in sorted(states.items()) if seen - fine]
    wrong += [f"{name} did not run" for name in sorted(tests - states.keys())]
    return wrong if tests else ["there are no tests"]


def main() -> int:
    path, runner, skips = Path(sys.argv[1]).absolute(), sys.argv[2], sys.argv[3] == "skips"
    tests = expected(path, runner)
    # The child must not be able to trace or rewrite the process that decides.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(source)
        try:
            child(path, runner, sink)
        finally:
            os._exit(1)
    os.close(sink)
    with os.fdopen(source, "rb") as pipe:
        lines = [tuple(json.loads(line)) for line in pipe.read().splitlines()]
    os.waitpid(pid, 0)
    wrong = problems(tests, lines, skips)
    sys.stdout.write(("; ".join(wrong) or f"{len(tests)} tests passed") + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
