"""A skill as the thing under test: its folder, and the two configurations and tasks that put it to the test.

    isolated   the skill alone, where the agent looks for skills
    whole      everything it comes with: the plugin, or the folder of artifacts, that contains it

The inputs are written below the log folder, the same for the same skill, so that a run can be continued.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from steelyard.errors import InputError, boundary
from steelyard.gate.activation import FILE
from steelyard.gate.config import NONE, known
from steelyard.gate.run.plan import RunSpec
from steelyard.gate.skill.evals import read_cases, write_tasks
from steelyard.gate.tree import File, Tree, read_tree, without

Scope = Literal["isolated", "whole"]

FOLDERS = {
    "claude-code": ".claude/skills",
    "gemini-cli": ".gemini/skills",
    "opencode": ".opencode/skills",
    "cursor": ".cursor/skills",
}
"""Agent → where it looks for skills of a project; any other agent looks in `SHARED`."""
SHARED = ".agents/skills"
EVALS = ("evals", "evals.json")
"""What of a skill's folder is about testing it, and is not installed: it tells what is expected."""
_NAME = re.compile(r"\A---[ \t]*\r?\n(?:.*\r?\n)*?name:[ \t]*[\"']?([A-Za-z0-9][\w.-]*)", re.M)
_PLUGIN_PARTS = {"commands": ".claude/commands", "agents": ".claude/agents"}
_ROOTS = (".claude", ".agents", ".gemini", ".opencode", ".cursor", ".codex")


@dataclass(frozen=True, slots=True)
class SkillInputs:
    """What a gate run needs to test a skill."""

    name: str
    tasks: Path
    baseline: str
    candidate: str

    def applied(self, spec: RunSpec) -> RunSpec:
        """A run of this skill with the agent, the judge and the limits of `spec`."""
        return replace(spec, tasks=self.tasks, baseline=self.baseline, candidate=self.candidate, skill=self.name)


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
    name = skill_name(home)
    where = FOLDERS.get(agent, SHARED)
    shutil.rmtree(folder, ignore_errors=True)
    _write(folder / "candidate", _installed(home, where) if scope == "isolated" else _surroundings(home, where))
    before = Path(baseline)
    if baseline != NONE and (before / FILE).is_file():
        _write(folder / "baseline", _installed(before, where))
        baseline = str(folder / "baseline")
    if tasks is None:
        write_tasks(read_cases(evals or _evals(home)), name, home, folder / "tasks")
    return SkillInputs(name, tasks or folder / "tasks", baseline, str(folder / "candidate"))


def skill_name(home: Path) -> str:
    """The name in the front matter, or that of the folder."""
    with boundary(InputError, f"cannot read {home / FILE}"):
        text = (home / FILE).read_text("utf-8")
    match = _NAME.match(text)
    return match[1] if match else home.name


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


def _installed(home: Path, where: str) -> dict[str, File]:
    files = without(read_tree(home, source=str(home)), EVALS)
    return {f"{where}/{skill_name(home)}/{path}": file for path, file in files.items()}


def _surroundings(home: Path, where: str) -> dict[str, File]:
    """Everything that comes with the skill, as this agent loads it."""
    skills = home.parent
    if skills.name != "skills":
        raise InputError(f"{home.name} comes in no plugin or folder", cure="--scope isolated")
    files: dict[str, File] = {}
    for other in sorted(path.parent for path in skills.glob(f"*/{FILE}")):
        files |= _installed(other, where)
    if skills.parent.name in _ROOTS:
        project = skills.parents[1]
        beside = known(read_tree(project, source=str(project))) if not (project / ".git").exists() else {}
        return {**{path: file for path, file in beside.items() if "/skills/" not in path}, **files}
    for part, target in _PLUGIN_PARTS.items():
        if (skills.parent / part).is_dir():
            found = read_tree(skills.parent / part, source=str(skills.parent / part))
            files |= {f"{target}/{path}": file for path, file in found.items()}
    return files


def _write(folder: Path, tree: Tree | Mapping[str, File]) -> None:
    with boundary(InputError, f"cannot write to {folder}"):
        for path, file in tree.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.link is not None:
                target.symlink_to(file.link)
                continue
            target.write_bytes(file.data)
            target.chmod(0o755 if file.executable else 0o644)
