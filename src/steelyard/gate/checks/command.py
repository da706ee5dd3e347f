"""`command`: a command ends with the expected exit code, and may have to print something."""

from __future__ import annotations

from typing import Annotated, Any, Literal, final

from pydantic import BeforeValidator, Field

from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Seconds
from steelyard.gate.checks.programs import SHELL, Need, needs_of
from steelyard.gate.checks.sandbox import run_in_sandbox, tail


def _words(value: Any) -> Any:
    """A command written as one string goes to a shell; a list is started as it is."""
    return [*SHELL, value] if isinstance(value, str) else value


Command = Annotated[tuple[str, ...], BeforeValidator(_words), Field(min_length=1)]


@final
class CommandCheck(CheckModel):
    """A command ends with the expected exit code."""

    kind: Literal["command"]
    run: Command
    exit_code: Annotated[int, Field(ge=0, le=255)] = 0
    stdout_contains: str | None = None
    timeout_s: Seconds = 60

    @property
    def subject(self) -> str:
        return " ".join(self.run[2:] if self.run[:2] == SHELL else self.run)[:80]

    @property
    def needs(self) -> tuple[Need, ...]:
        """What the sandbox must have."""
        return needs_of(self.run)

    def evaluate(self, work: CheckInput) -> Assessment:
        done = run_in_sandbox(self.run, work, timeout_s=self.timeout_s, needs=self.needs)
        output = tail(done)
        if done.timed_out:
            return Assessment(False, f"did not end within {self.timeout_s:g} s", output)
        if done.returncode != self.exit_code:
            said = f"exit code {done.returncode} instead of {self.exit_code}{_exception(done.stderr)}"
            return Assessment(False, said, output)
        if self.stdout_contains is not None and self.stdout_contains not in done.stdout:
            return Assessment(False, f"the output does not contain {self.stdout_contains[:80]!r}", output)
        return Assessment(True, f"exit code {done.returncode}", output)


def _exception(stderr: str) -> str:
    """The exception that a program ended with, as Python prints it last; empty if there is none."""
    last = next((line for line in reversed(stderr.splitlines()) if line.strip()), "")
    kind = last.partition(":")[0]
    return f" ({last[:200]})" if kind.isidentifier() and kind.endswith(("Error", "Exception")) else ""
