"""A skill as the thing under test: its folder, and the two configurations and tasks that put it to the test.

The inputs are written below the log folder, the same for the same skill, so that a run can be continued.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from steelyard.errors import InputError, boundary
from steelyard.gate.activation import FILE
from steelyard.gate.config import NONE
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.skill.evals import read_cases, write_tasks
from steelyard.gate.skill.install import Scope, install
from steelyard.tree import Tree, write_tree


@dataclass(frozen=True, slots=True)
class SkillInputs:
    """What a gate run needs to test a skill."""

    name: str
    tasks: Path
    baseline: str
    candidate: str
    notes: tuple[str, ...] = ()
    """What a reader of the result must know."""

    def applied(self, spec: RunSpec, *, count_cost: bool = False) -> RunSpec:
        """A run of this skill with the agent, the judge and the limits of `spec`.

        Cost is shown, and decides only with `count_cost`: an arm without the skill has not done the same work cheaper.
        """
        arms = replace(spec, tasks=self.tasks, baseline=self.baseline, candidate=self.candidate, skill=self.name)
        thresholds = replace(spec.thresholds, cost_counts=count_cost)
        return replace(arms, thresholds=thresholds, notes=(*spec.notes, *self.notes))


def prepare(
    skill: Path,
    folder: Path,
    agent: str,
    *,
    scope: Scope = "isolated",
    baseline: str = NONE,
    tasks: Path | None = None,
    evals: Path | None = None,
) -> SkillInputs:
    """Write the inputs of a run below `folder`; tasks are the given ones, or come from the skill's `evals.json`."""
    home = _home(skill)
    # These may lie inside the skill's folder, and tell the agent what is expected of it.
    private = [path.resolve() for path in (folder.parent, tasks, evals) if path is not None]
    # Files that an earlier version of the skill had must not stay.
    shutil.rmtree(folder, ignore_errors=True)
    candidate = install(home, agent, scope, private)
    _write(folder / "candidate", candidate.tree)
    before = Path(baseline)
    if baseline != NONE and (before / FILE).is_file():
        _write(folder / "baseline", install(_home(before), agent, scope, private).tree)
        baseline = str(folder / "baseline")
    missing = ", ".join(candidate.left_out)
    notes = [f"{agent} gets the skills that come with {home.name}, but not: {missing}"] if missing else []
    if tasks is None:
        source = evals or _evals(home)
        cases = read_cases(source)
        write_tasks(cases, candidate.name, home, folder / "tasks")
        if unread := sorted({field for case in cases for field in case.unread}):
            notes.append(f"fields of {source.name} that are not read: {', '.join(unread)}")
    return SkillInputs(candidate.name, tasks or folder / "tasks", baseline, str(folder / "candidate"), tuple(notes))


def _home(path: Path) -> Path:
    home = path.parent if path.name == FILE else path
    if not (home / FILE).is_file():
        raise InputError(f"{path} is not a skill: it has no {FILE}")
    return home.resolve()


def _evals(home: Path) -> Path:
    for path in (home / "evals" / "evals.json", home / "evals.json"):
        if path.is_file():
            return path
    raise InputError(f"{home.name} has no evals/evals.json", cure="write one, or pass --tasks DIR or --evals FILE")


def _write(folder: Path, tree: Tree) -> None:
    with boundary(InputError, f"cannot write to {folder}"):
        write_tree(folder, tree)
