"""`test_suite`: protected tests pass. `suite_runner` runs them inside the sandbox and explains why it is hard."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, final

from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside, Seconds
from steelyard.gate.checks.sandbox import run_in_sandbox, tail
from steelyard.sandbox.jail import python_command

_FOLDER = "/run/steelyard"
_PACKAGE = "steelyard_suite"
_START = f"import sys; sys.path.insert(0, {_FOLDER!r}); from {_PACKAGE}.parent import main; sys.exit(main())"


@final
class TestSuite(CheckModel):
    """Protected tests pass: every test there is ran, none failed, none was skipped."""

    __test__ = False  # not a test of ours, whatever its name

    kind: Literal["test_suite"]
    path: Inside
    runner: Literal["unittest", "pytest"] = "unittest"
    allow_skips: bool = False
    timeout_s: Seconds = 120

    def evaluate(self, work: CheckInput) -> Assessment:
        skips = "skips" if self.allow_skips else "strict"
        command = [python_command(), "-I", "-c", _START, self.path, self.runner, skips]
        binds = ((Path(__file__).with_name("suite_runner"), f"{_FOLDER}/{_PACKAGE}"),)
        done = run_in_sandbox(command, work.archive, timeout_s=self.timeout_s, read_only=binds, tools=work.tools)
        if done.timed_out:
            return Assessment(False, f"did not end within {self.timeout_s:g} s", tail(done))
        lines = done.stdout.strip().splitlines()
        return Assessment(done.ok, lines[-1][:300] if lines else f"exit code {done.returncode}", tail(done))
