"""`test_suite`: protected tests pass. `suite_runner` runs Python tests inside the sandbox and explains why it is hard.

Tests of other languages are run by a command, and their report is read: `node --test`, `go test`, `cargo test`, or with
`runner: command` whatever prints JUnit XML or TAP. Such a report is written by the process that also runs the tested
code, without canaries: code that forges a whole report can deceive it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, Self, final

from pydantic import Field, model_validator

from steelyard import process
from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside, Seconds
from steelyard.gate.checks.command import Command, program_of
from steelyard.gate.checks.mutants import mutants
from steelyard.gate.checks.sandbox import run_in_sandbox, tail
from steelyard.gate.checks.suite_report import Format, read_report
from steelyard.gate.checks.suite_runner.parent import PASSED, TAMPERED
from steelyard.gate.tree import lay_over, to_tar
from steelyard.sandbox.jail import WORK

_FOLDER = "/run/steelyard"
_PACKAGE = "steelyard_suite"
_START = f"import sys; sys.path.insert(0, {_FOLDER!r}); from {_PACKAGE}.parent import main; sys.exit(main())"
_REPORT_FILE = '"$@" >&2; code=$?; cat -- "$0"; exit "$code"'
_PYTHON = ("unittest", "pytest")
_COMMANDS: dict[str, tuple[tuple[str, ...], Format]] = {
    "node": (("node", "--test", "--test-reporter=tap"), "tap"),
    "go": (("go", "test", "-json", "./..."), "go"),
    "cargo": (("cargo", "test", "--offline", "--no-fail-fast"), "cargo"),
}
"""Runner → its command, and what that prints."""


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
    allow_skips: bool = False
    timeout_s: Seconds = 120

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.run is not None) != (self.runner == "command"):
            raise ValueError("`run` is needed with `runner: command`, and only there")
        if (self.min_tests is not None) != (self.runner not in _PYTHON):
            raise ValueError("`min_tests` is needed with runners other than unittest and pytest, and only there")
        return self

    @property
    def program(self) -> str:
        """The program that the sandbox must have; empty for Python."""
        return program_of(self._command()[0]) if self.runner not in _PYTHON else ""

    def evaluate(self, work: CheckInput) -> Assessment:
        return self._python(work) if self.runner in _PYTHON else self._reported(work)

    def _python(self, work: CheckInput) -> Assessment:
        done = self._run_python(work)
        if done.timed_out:
            return self._late(done)
        lines = done.stdout.strip().splitlines()
        if done.ok and (forged := self._forged(work)):
            return Assessment(
                False, f"{', '.join(forged)} passed although changed to fail: {TAMPERED}"[:300], tail(done)
            )
        return Assessment(done.ok, lines[-1][:300] if lines else f"exit code {done.returncode}", tail(done))

    def _run_python(self, work: CheckInput) -> process.Finished:
        skips = "skips" if self.allow_skips else "strict"
        command = [work.sandbox.python, "-I", "-c", _START, self.path, self.runner, skips]
        binds = ((Path(__file__).with_name("suite_runner"), f"{_FOLDER}/{_PACKAGE}"),)
        return run_in_sandbox(command, work, timeout_s=self.timeout_s, read_only=binds)

    def _forged(self, work: CheckInput) -> list[str]:
        """Tests that are reported as passed although they were changed to fail; see `mutants`."""
        files = {
            path: file.data
            for path, file in work.tree.items()
            if path.endswith(".py") and file.link is None and (path == self.path or path.startswith(f"{self.path}/"))
        }
        changed = mutants(files)
        if not changed.names:
            return []
        layer = {path: replace(work.tree[path], data=data) for path, data in changed.files.items()}
        tree = lay_over(work.tree, layer)
        done = self._run_python(replace(work, tree=tree, archive=to_tar(tree)))
        passed = {name for line in done.stdout.splitlines() if line.startswith(PASSED) for name in line.split()}
        return sorted(changed.names & passed)

    def _reported(self, work: CheckInput) -> Assessment:
        command, format = self._command()
        if self.report_file is not None:
            command = ("/bin/sh", "-c", _REPORT_FILE, self.report_file, *command)
        done = run_in_sandbox(command, work, timeout_s=self.timeout_s, program=self.program)
        if done.timed_out:
            return self._late(done)
        problem, count = self._problem(done, format, work)
        return Assessment(not problem, problem[:300] or f"{count} tests passed", tail(done))

    def _problem(self, done: process.Finished, format: Format, work: CheckInput) -> tuple[str, int]:
        """What is wrong with the report, if anything, and how many tests it has."""
        try:
            reported = read_report(done.stdout, format)
        except ValueError as error:
            return str(error), 0
        # Node reports a file without a test, such as one whose code has exited at once, as a test of that name.
        files = {inside for path in work.tree for inside in (path, f"{WORK}/{path}")}
        outcomes = [(name, state) for name, state in reported if name.split(" ")[-1] not in files or state == "failed"]
        fine = {"passed", "skipped"} if self.allow_skips else {"passed"}
        wrong = [f"{name} {state}" for name, state in outcomes if state not in fine]
        if wrong:
            return "; ".join(wrong), len(outcomes)
        if len(outcomes) < (self.min_tests or 1):
            return f"{len(outcomes)} tests were reported, at least {self.min_tests} must be", len(outcomes)
        return ("" if done.returncode == 0 else f"exit code {done.returncode}"), len(outcomes)

    def _command(self) -> tuple[tuple[str, ...], Format]:
        if self.run is not None:
            return self.run, self.report
        command, format = _COMMANDS[self.runner]
        return ((*command, self.path) if self.runner == "node" else command), format

    def _late(self, done: process.Finished) -> Assessment:
        return Assessment(False, f"did not end within {self.timeout_s:g} s", tail(done))
