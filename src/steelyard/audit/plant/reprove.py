"""Proves the problems of a document: red with all of them and green without any, three times out of three; and green
with all but the one, so that no other problem of the document is behind it.

The same proof is made when a suite is written and by `audit check --prove`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steelyard.audit.plant.record import PlantedUnit
from steelyard.proof.baseline import furnished
from steelyard.proof.prove import RUNS
from steelyard.proof.suite import TestRun, run_tests
from steelyard.sandbox.environment import Environment
from steelyard.tree import Tree

TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Reproved:
    """One problem, proved again or not."""

    document: str
    problem: str
    tests: tuple[str, ...]
    fault: str = ""
    """Why it is not proved; empty if it is."""


def reprove(unit: PlantedUnit, tell: Callable[[str], None] = lambda line: None) -> list[Reproved]:
    """Every problem of a document."""
    record, packages = unit.record, furnished(unit.right, unit.record.date).packages
    tests = sorted({name for proved in record.problems.values() for name in proved.tests})
    tell(f"{unit.folder.name}: without any problem")
    right = _runs(unit.right, packages, tests)
    tell(f"{unit.folder.name}: with all problems")
    wrong = _runs(unit.planted, packages, tests)
    found: list[Reproved] = []
    for name, proved in record.problems.items():
        fault = _fault(right, proved.tests, "passed", "without any problem")
        fault = fault or _fault(wrong, proved.tests, "failed", "with all problems")
        # Without its only problem, a document is the right code, which has been run.
        if not fault and len(record.problems) > 1:
            tell(f"{unit.folder.name}: without {name}")
            alone = _runs(unit.repaired(name), packages, proved.tests, 1)
            fault = _fault(alone, proved.tests, "passed", f"without {name}")
        found.append(Reproved(unit.folder.name, name, proved.tests, fault))
    return found


def _runs(tree: Tree, packages: Environment, tests: Sequence[str], runs: int = RUNS) -> list[TestRun]:
    return [run_tests(tree, packages, tests=tests, timeout_s=TIMEOUT_S) for _ in range(runs)]


def _fault(runs: Sequence[TestRun], tests: Sequence[str], wanted: str, when: str) -> str:
    """What is not as it must be; a file that cannot be collected counts as failed."""
    for run in runs:
        if run.problem:
            return f"the tests do not run {when}: {run.problem}"
        for name in tests:
            uncollected = name.partition("::")[0] in run.errors
            ended = "failed" if uncollected else run.outcomes.get(name, "missing")
            if ended != wanted:
                return f"{name} {ended} {when}"
    return ""
