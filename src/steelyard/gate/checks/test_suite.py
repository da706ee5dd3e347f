"""`test_suite`: protected tests pass. `suite_runner` runs Python tests inside the sandbox and explains why it is hard.

Tests of other languages are run by a command, and their report is read: `node --test`, `go test`, `cargo test`, or with
`runner: command` whatever prints JUnit XML or TAP. Such a report is written by the process that also runs the tested
code. So every suite runs several times, each time with other tests in it that must fail (`draws`, `mutants`,
`failing_tests`, or the `failing_test` of a `command`); a report in which they did not is a failure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, NamedTuple, Self, final

from pydantic import Field, model_validator

from steelyard import process
from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside, Seconds
from steelyard.gate.checks.command import Command
from steelyard.gate.checks.draws import draws
from steelyard.gate.checks.failing_tests import Failing, Variant, WithFailing, WithFile
from steelyard.gate.checks.mutants import Mutable
from steelyard.gate.checks.programs import Need, needs_of
from steelyard.gate.checks.pytest_library import FOLDER, pytest_library
from steelyard.gate.checks.sandbox import run_in_sandbox, tail
from steelyard.gate.checks.suite_runner.parent import FIELDS, TAMPERED
from steelyard.proof.suite_report import COMMANDS, Format, read_report
from steelyard.sandbox.jail import WORK
from steelyard.tree import Tree, to_tar

_FOLDER = "/run/steelyard"
_PACKAGE = "steelyard_suite"
# A main module without a file is what Python has at a prompt, and code under test may ask for that.
_START = f"""import sys
__file__ = {f"{_FOLDER}/{_PACKAGE}/__init__.py"!r}
sys.path.insert(0, {_FOLDER!r})
sys.path.append({FOLDER!r})
from {_PACKAGE}.parent import main
sys.exit(main())"""
# What the command prints goes to standard error, because standard output is for the report alone.
_REPORT_FILE = 'rm -rf -- "$0"; "$@" >&2; code=$?; cat -- "$0"; exit "$code"'
"""The agent may have left a report of its own."""
_PYTHON = ("unittest", "pytest")


@final
class TestSuite(CheckModel):
    """Protected tests pass: every test there is ran, none failed, none was skipped."""

    __test__ = False  # not a test of ours, whatever its name

    kind: Literal["test_suite"]
    path: Inside
    runner: Literal["unittest", "pytest", "node", "go", "cargo", "command"] = "unittest"
    run: Command | None = None
    """`runner: command`: what runs the tests."""
    report: Literal["junit", "tap"] = "tap"
    """`runner: command`: what it reports."""
    report_file: Inside | None = None
    """`runner: command`: the file it writes the report to; its standard output if absent."""
    min_tests: Annotated[int, Field(ge=1)] | None = None
    """Runners other than Python's, which need it: fewer tests in the report are a failure."""
    failing_test: Inside | None = None
    """`runner: command`: a file of the suite with a test that must fail, which is there in a second run only."""
    allow_skips: bool = False
    timeout_s: Seconds = 120

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.run is not None) != (self.runner == "command"):
            raise ValueError("`run` is needed with `runner: command`, and only there")
        if (self.min_tests is not None) != (self.runner not in _PYTHON):
            raise ValueError("`min_tests` is needed with runners other than unittest and pytest, and only there")
        if self.failing_test is not None and self.runner != "command":
            raise ValueError("`failing_test` is for `runner: command`; the others have failing tests of their own")
        if self.failing_test is not None and not _below(self.failing_test, self.path):
            raise ValueError(f"`failing_test` must be a file in {self.path}")
        return self

    @property
    def needs(self) -> tuple[Need, ...]:
        """What the sandbox must have, beside Python."""
        return needs_of(self._command()[0]) if self.runner not in _PYTHON else ()

    def evaluate(self, work: CheckInput) -> Assessment:
        return self._python(work) if self.runner in _PYTHON else self._reported(work)

    def refuted(self, work: CheckInput) -> bool:
        """Whether a single run of the suite as it is fails; of Python tests, it ends at the first that does.

        What is refuted, `evaluate` fails too: every test is seen unchanged in one of its runs. What is not refuted may
        still be forged.
        """
        if self.runner not in _PYTHON:
            variant = self._with_failing(work).variant(frozenset())
            done = self._run_reported(work, variant)
            return done.timed_out or bool(self._problem(done, work, variant)[0])
        done = self._run_python(work, "first")
        return done.timed_out or bool(_found(done).wrong)

    def _python(self, work: CheckInput) -> Assessment:
        suite = Mutable({path: data for path, data in self._files(work).items() if path.endswith(".py")})
        count = 0
        for failing in draws(suite.names):
            done = self._run_python(_with_files(work, suite.changed(failing)))
            if done.timed_out:
                return self._late(done)
            found = _found(done)
            if forged := sorted(failing & {*found.passed}):
                return self._failed(work, [f"{', '.join(forged)} passed although changed to fail: {TAMPERED}"])
            # A changed test that fails is as it should be.
            if own := [line for line in found.wrong if line not in {f"{name} failed" for name in failing}]:
                return self._failed(work, own)
            count = found.tests
        return Assessment(True, f"{count} tests passed")

    def _failed(self, work: CheckInput, own: list[str]) -> Assessment:
        """Why the suite failed, as its tests say it when none of them is changed: a wrong answer may be what a changed
        test expects, and is no forgery."""
        done = self._run_python(work, "shown")
        if done.timed_out:
            return self._late(done)
        return Assessment(False, "; ".join(_found(done).wrong or own)[:300], tail(_printed(done)))

    def _run_python(self, work: CheckInput, until: Literal["first", "all", "shown"] = "all") -> process.Finished:
        skips = "skips" if self.allow_skips else "strict"
        command = [work.python, "-I", "-c", _START, self.path, self.runner, skips, until, self._top(work)]
        own = work.dependencies.packages is not None  # then pytest is among them
        library = pytest_library() if self.runner == "pytest" and not own and not work.sandbox.foreign else ()
        binds = ((Path(__file__).with_name("suite_runner"), f"{_FOLDER}/{_PACKAGE}"), *library)
        needs = (Need(work.python, "pytest"),) if self.runner == "pytest" and not library else ()
        return run_in_sandbox(command, work, timeout_s=self.timeout_s, read_only=binds, needs=needs)

    def _top(self, work: CheckInput) -> str:
        """The highest folder above the tests from which on no `conftest.py` is the agent's."""
        path = PurePosixPath(self.path)
        top = path.parent if self.path in work.tree else path
        own = takewhile(lambda folder: str(folder / "conftest.py") not in work.foreign, top.parents)
        return str([top, *own][-1])

    def _reported(self, work: CheckInput) -> Assessment:
        suite = self._with_failing(work)
        shown, count = "", 0
        for failing in draws(suite.names, suite.added):
            variant = suite.variant(failing)
            done = self._run_reported(work, variant)
            if done.timed_out:
                return self._late(done)
            problem, tests = self._problem(done, work, variant)
            if problem:
                return self._unbelieved(work, suite, problem)
            # The other runs print failures that were put there on purpose.
            if not variant.own_fail:
                shown, count = tail(done), tests
        return Assessment(True, f"{count} tests passed", shown)

    def _with_failing(self, work: CheckInput) -> Failing:
        return WithFile(self.failing_test) if self.runner == "command" else WithFailing(self._files(work), self.runner)

    def _unbelieved(self, work: CheckInput, suite: Failing, problem: str) -> Assessment:
        """Why the suite failed, as its report says it when no test must fail; see `_failed`."""
        variant = suite.variant(frozenset())
        done = self._run_reported(work, variant)
        if done.timed_out:
            return self._late(done)
        return Assessment(False, (self._problem(done, work, variant)[0] or problem)[:300], tail(done))

    def _run_reported(self, work: CheckInput, variant: Variant) -> process.Finished:
        tree = {path: file for path, file in work.tree.items() if path not in variant.absent}
        work = _with_files(_with_tree(work, tree), variant.files)
        command, _ = self._command()
        if self.report_file is not None:
            command = ("/bin/sh", "-c", _REPORT_FILE, self.report_file, *command)
        return run_in_sandbox(command, work, timeout_s=self.timeout_s, needs=self.needs)

    def _files(self, work: CheckInput) -> dict[str, bytes]:
        """The files of the suite."""
        return {path: file.data for path, file in work.tree.items() if file.link is None and _below(path, self.path)}

    def _problem(self, done: process.Finished, work: CheckInput, variant: Variant) -> tuple[str, int]:
        """What is wrong with the report, if anything, and how many tests of the suite it has."""
        try:
            reported = read_report(done.stdout, self._command()[1])
        except ValueError as error:
            return str(error), 0
        if not variant.believed(reported):
            what = "fail was not reported as failed" if variant.fails else "pass was not reported as passed"
            return f"a test that must {what}: {TAMPERED}", 0
        if variant.own_fail:
            # Which groups and files fail with a test that must fail, runners decide for themselves.
            return "", len(reported)
        outcomes = [(name, state) for name, state in reported if self._counts(name, state, work, variant)]
        fine = {"passed", "skipped"} if self.allow_skips else {"passed"}
        wrong = [f"{name} {state}" for name, state in outcomes if state not in fine]
        if wrong:
            return "; ".join(wrong), len(outcomes)
        if len(outcomes) < (self.min_tests or 1):
            return f"{len(outcomes)} tests were reported, at least {self.min_tests} must be", len(outcomes)
        # An added test that must fail gives the runner a bad exit code, too.
        return ("" if done.returncode == 0 or variant.fails else f"exit code {done.returncode}"), len(outcomes)

    def _counts(self, name: str, state: str, work: CheckInput, variant: Variant) -> bool:
        """Whether a line of a report is a test of the suite, and not one that was added or a file.

        Node reports a file without a test, such as one whose code has exited at once, as a test of that name.
        """
        files = {inside for path in work.tree for inside in (path, f"{WORK}/{path}")}
        is_file = name.split(" ")[-1] in files
        return not variant.added(name) and not (is_file and (state != "failed" or variant.fails))

    def _command(self) -> tuple[tuple[str, ...], Format]:
        if self.run is not None:
            return self.run, self.report
        command, format = COMMANDS[self.runner]
        # Cargo and Go take packages and not paths: they run everything.
        return ((*command, self.path) if self.runner == "node" else command), format

    def _late(self, done: process.Finished) -> Assessment:
        return Assessment(False, f"did not end within {self.timeout_s:g} s", tail(done))


class _Found(NamedTuple):
    """What the process that decides about Python tests says."""

    passed: list[str]
    wrong: list[str]
    tests: int


def _found(done: process.Finished) -> _Found:
    try:
        said = json.loads(done.stdout.strip().splitlines()[-2])
        return _Found(*(said[name] for name in FIELDS))
    except (ValueError, LookupError, TypeError):
        said = tail(done).strip().splitlines() or [f"exit code {done.returncode}"]
        return _Found([], [said[-1][:300]], 0)


def _printed(done: process.Finished) -> process.Finished:
    """What the tests printed, without the line of data that our process ends with."""
    *lines, data, last = ["", "", *done.stdout.strip().splitlines()]
    return replace(done, stdout="\n".join([*lines, last])) if data.startswith("{") else done


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _with_files(work: CheckInput, files: Mapping[str, bytes]) -> CheckInput:
    """The work with other contents of some files."""
    return _with_tree(work, {**work.tree, **{path: replace(work.tree[path], data=files[path]) for path in files}})


def _with_tree(work: CheckInput, tree: Tree) -> CheckInput:
    return replace(work, tree=tree, archive=to_tar(tree)) if tree != work.tree else work
