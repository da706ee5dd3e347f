"""Proves that tasks can tell right from wrong, without any agent.

    reference   must pass every check
    nothing     (the unchanged fixture) must fail at least one
    hostile     must fail at least one: protected tests deleted, scripts that checks call replaced by `exit 0`, and the
                usual files that take over a test run added
    impostors   code in place of the solution that patches the test library, exits with 0 at import, returns objects
                that equal everything, or is empty: it must fail at least one of the checks that run something and
                that the unchanged fixture fails, because checks that only look at files are easily satisfied

A task without a reference, or one that a hostile solution passes, is reported. `unavailable` names the programs of
checks that no sandbox here has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steelyard.errors import SandboxError
from steelyard.gate.checks import Check, CheckInput, run_checks
from steelyard.gate.checks.answer import AnswerContains, AnswerMatches
from steelyard.gate.checks.command import CommandCheck
from steelyard.gate.checks.sandbox import absent_programs, missing_program
from steelyard.gate.checks.test_suite import TestSuite
from steelyard.gate.checks.transcript import TRANSCRIPT_CHECKS
from steelyard.gate.selftest.hostile import impostors, takeovers
from steelyard.gate.task_folder import Suite, Task
from steelyard.sandbox.tools import find_tools
from steelyard.tree import Tree

_SHELLS = frozenset({"sh", "/bin/sh"})
"""No sandbox works without them."""
_OF_AGENTS = (AnswerContains, AnswerMatches, *TRANSCRIPT_CHECKS)
_RUNNING = ("command", "test_suite")
"""Kinds of checks that run something."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The self-test of one task."""

    task: str
    problems: tuple[str, ...]

    @property
    def fine(self) -> bool:
        """Whether the task can be relied on."""
        return not self.problems


def selftest(task: Task) -> SelfTest:
    """Run the checks of a task on its reference, on the unchanged fixture and on hostile solutions."""
    if not task.file.checks:
        return SelfTest(task.id, ("has no checks: only a judge could tell right from wrong",))
    if all(isinstance(check, _OF_AGENTS) for check in task.file.checks):
        return SelfTest(task.id, ("has only checks on the agent itself, which cannot be tried without one",))
    return SelfTest(task.id, tuple(_problems(task)))


def unavailable(suite: Suite) -> tuple[str, ...]:
    """The tasks with a check whose program or tool is not available here; none if there is no sandbox to try it."""
    problems: list[str] = []
    for task in suite.tasks:
        commands = [check for check in task.file.checks if isinstance(check, CommandCheck | TestSuite)]
        needs = sorted({need for check in commands for need in check.needs if need.program not in _SHELLS})
        try:
            find_tools(task.tools)
        except SandboxError as error:
            problems.append(f"{task.id}: {error}")
            continue
        try:
            absent = absent_programs(needs, task.tools, task.dependencies) if needs else ()
        except SandboxError:
            return tuple(problems)
        problems += [f"{task.id}: {missing_program(absent)}"] if absent else []
    return tuple(problems)


def _problems(task: Task) -> Iterator[str]:
    if task.reference is None:
        yield "has no reference"
    else:
        left = task.check_input(task.visible, task.reference)
        for result in (result for result in run_checks(_checks(task), left) if not result.passed):
            yield f"the reference fails {result.name!r}: {result.message}"
    undone = [name for name in _checks(task) if _caught(task, task.visible, [name])]
    if not undone and not any(isinstance(check, _OF_AGENTS) for check in task.file.checks):
        yield "doing nothing passes every check"
    # Checks that the unchanged fixture fails come first: the first failure saves running the others.
    first = [*undone, *(name for name in _checks(task) if name not in undone)]
    for name, tree in takeovers(task).items():
        if not _caught(task, tree, first):
            yield f"a hostile solution passes every check ({name})"
    yield from _fooled(task, [name for name in undone if task.checks[name].kind in _RUNNING])


def _fooled(task: Task, names: list[str]) -> Iterator[str]:
    """The impostors that pass all the checks in `names`."""
    if not names:
        return
    listed = ", ".join(repr(name) for name in names)
    for attack, tree in impostors(task).items():
        if not _caught(task, tree, names):
            yield f"a hostile solution passes every check that runs it ({attack}): {listed}"


def _checks(task: Task) -> dict[str, Check]:
    """The checks of files and commands; without an agent there is neither an answer nor a transcript."""
    return {name: check for name, check in task.checks.items() if not isinstance(check, _OF_AGENTS)}


def _caught(task: Task, left: Tree, names: list[str]) -> bool:
    """Whether one of these checks fails; those after it are not run."""
    subject, checks = task.check_input(task.visible, left), _checks(task)
    return any(_fails(checks[name], subject) for name in names)


def _fails(check: Check, subject: CheckInput) -> bool:
    """A solution of ours that a single run refutes need not be run as often as one that may forge results."""
    return (isinstance(check, TestSuite) and check.refuted(subject)) or not check.evaluate(subject).passed
