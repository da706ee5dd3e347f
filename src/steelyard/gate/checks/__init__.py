"""Checks: what must hold of the tree an agent left behind, of its answer and of what it did.

`Check` lists every kind. A new kind is one module with a `@final` `CheckModel` and one line in that list; pyrefly
rejects a final model without `evaluate`, and a test rejects a model that is not final or not in the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from steelyard.gate.checks.activation import ActivationCheck
from steelyard.gate.checks.answer import AnswerContains, AnswerMatches
from steelyard.gate.checks.check import CheckInput, CheckResult
from steelyard.gate.checks.command import CommandCheck
from steelyard.gate.checks.files import FileAbsent, FileContains, FileExists, FileMatches
from steelyard.gate.checks.json_value import JsonValue
from steelyard.gate.checks.only_changed import OnlyChanged
from steelyard.gate.checks.test_suite import TestSuite
from steelyard.gate.checks.transcript import FileRead, ToolCalled, ToolNotCalled
from steelyard.tree import Tree, changes, lay_over, to_tar, without

Check = Annotated[
    CommandCheck
    | FileExists
    | FileAbsent
    | FileContains
    | FileMatches
    | JsonValue
    | TestSuite
    | OnlyChanged
    | ActivationCheck
    | AnswerContains
    | AnswerMatches
    | ToolCalled
    | ToolNotCalled
    | FileRead,
    Field(discriminator="kind"),
]
"""Every kind of check, by its `kind`."""

_HIJACKED_GIT = (".git/hooks", ".git/config", ".git/config.worktree", ".git/info/attributes")
"""What an agent could leave to make git run its code inside a check."""


def check_input(
    start: Tree, left: Tree, protected: Tree, protect: tuple[str, ...], tools: tuple[str, ...] = ()
) -> CheckInput:
    """What the checks see after an agent that started from `start` left `left` behind.

    `protect` are the paths taken from the agent, `protected` the files put there instead.
    """
    # Removed before they are put back: a file that the agent added below a protected path would otherwise stay.
    tree = lay_over(without(left, (*protect, *_HIJACKED_GIT)), protected)
    foreign = frozenset(changes(lay_over(start, protected), tree))
    # `changed` is what the agent did, before anything is put back: a frozen file that it rewrote counts as changed.
    return CheckInput(tree, changes(start, left), foreign, to_tar(tree), tools)


def run_checks(checks: Mapping[str, Check], subject: CheckInput) -> tuple[CheckResult, ...]:
    """All checks of a task by name, in order."""
    return tuple(CheckResult(name, check.kind, *check.evaluate(subject)) for name, check in checks.items())


def failed_checks(checks: Mapping[str, Check], reason: str) -> tuple[CheckResult, ...]:
    """The checks of a run that failed as a whole: an agent error is never a cheap success."""
    return tuple(CheckResult(name, check.kind, False, reason) for name, check in checks.items())


__all__ = ["ActivationCheck", "Check", "CheckInput", "CheckResult", "check_input", "failed_checks", "run_checks"]
