"""Where a skill is put for an agent: alone, or with everything that it comes in.

    isolated   the skill alone, where the agent looks for skills
    whole      the project whose `.claude/skills` (or the like) it is in, the plugin that contains it, or the folder
               beside whose `skills` there are `commands`, `agents` and so on

claude-code loads a plugin whole. Any other agent gets the skills of the plugin only, and so do all of a folder without
a manifest, but for its commands and agents, which claude-code gets too; what is left out is said. Whatever is about
testing (evals, tasks, logs) stays outside.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steelyard.artifact import read_text, table
from steelyard.errors import InputError
from steelyard.gate.activation import FILE, front_name
from steelyard.gate.config import artifacts_in
from steelyard.gate.config.artifacts import PLUGIN, PLUGIN_PARTS
from steelyard.gate.config.repository import TASK, checked_out
from steelyard.tree import File, Tree, read_tree, without

Scope = Literal["isolated", "whole"]

FOLDERS = {
    "claude-code": ".claude/skills",
    "gemini-cli": ".gemini/skills",
    "opencode": ".opencode/skills",
    "cursor": ".cursor/skills",
}
"""Agent → where it looks for skills of a project; any other agent looks in `SHARED`."""
SHARED = ".agents/skills"
PLUGINS = ".plugins"
"""Where a plugin is put; the agent is told."""
_PLUGIN_AGENT = "claude-code"
_EVALS = ("evals", "evals.json")
_PLACES = {"commands": ".claude/commands", "agents": ".claude/agents"}
"""Part of a folder without a manifest → where claude-code looks for it."""
_ROOTS = (".claude", ".agents", ".gemini", ".opencode", ".cursor", ".codex")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
"""A name that a folder can have."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A configuration with the skill."""

    name: str
    """What the agent calls the skill."""
    tree: dict[str, File]
    left_out: tuple[str, ...] = ()
    """What comes with the skill, and does not reach this agent."""


def install(home: Path, agent: str, scope: Scope, private: Collection[Path] = ()) -> Installed:
    """The skill in the folder `home` for an agent, without the `private` files and folders."""
    name, where = skill_name(home), FOLDERS.get(agent, SHARED)
    if scope == "isolated":
        return Installed(name, _skills([home], where, private))
    skills = home.parent
    if skills.name == "skills" and skills.parent.name in _ROOTS:
        return Installed(name, _project(skills, where, private))
    plugin = _plugin(home)
    if plugin is not None and agent == _PLUGIN_AGENT:
        # It calls a skill by the name of its folder, whatever the front matter says.
        return Installed(home.name, _below(f"{PLUGINS}/{plugin.name}", _public(plugin, private)))
    if plugin is None and skills.name != "skills":
        raise InputError(f"{home.name} comes in no plugin or folder", cure="--scope isolated")
    return _parts(name, plugin or skills.parent, agent, private)


def _plugin(home: Path) -> Path | None:
    return next((folder for folder in (home, *home.parents) if (folder / PLUGIN).is_file()), None)


def skill_name(home: Path) -> str:
    """The name in the front matter if a folder can have it, else that of the folder."""
    name = front_name(read_text(home / FILE)) or ""
    return name if _NAME.fullmatch(name) else home.name


def _skills(homes: Iterable[Path], where: str, private: Collection[Path]) -> dict[str, File]:
    trees = [_below(f"{where}/{skill_name(home)}", _public(home, private)) for home in homes]
    return {path: file for tree in trees for path, file in tree.items()}


def _project(skills: Path, where: str, private: Collection[Path]) -> dict[str, File]:
    project = skills.parents[1]
    # Resolved on both sides: a home is often a link to another disk.
    if project.resolve() == Path.home().resolve():
        raise InputError(
            f"{skills} belongs to your home, not to a project", cure="--scope isolated, or a folder with copies"
        )
    beside = without(artifacts_in(project), [skills.relative_to(project).as_posix()])
    own = _skills(sorted(path.parent for path in skills.glob(f"*/{FILE}")), where, private)
    return {**_untested(beside, project, private), **own}


def _parts(name: str, root: Path, agent: str, private: Collection[Path]) -> Installed:
    """The skills of a plugin or folder, and what else of it this agent can be given without loading a plugin."""
    tree = _public(root, private)
    homes = sorted((root / path).parent for path in tree if posixpath.basename(path) == FILE)
    files = _skills(homes, FOLDERS.get(agent, SHARED), private)
    placed = _PLACES if agent == _PLUGIN_AGENT else {}
    for part, target in placed.items():
        files |= {f"{target}/{path[len(part) + 1 :]}": tree[path] for path in tree if path.startswith(f"{part}/")}
    there = {path.partition("/")[0] for path in tree} | _declared(tree.get(PLUGIN))
    left_out = there & ({*PLUGIN_PARTS, "mcpServers"} - {*placed, "skills", ".claude-plugin"})
    return Installed(name, files, tuple(sorted(left_out)))


def _declared(manifest: File | None) -> set[str]:
    """The parts that a manifest has or names itself."""
    try:
        return set() if manifest is None else {*table(json.loads(manifest.data))}
    except (ValueError, RecursionError):
        return set()


def _below(folder: str, tree: Tree) -> dict[str, File]:
    return {f"{folder}/{path}": file for path, file in tree.items()}


def _public(folder: Path, private: Collection[Path]) -> dict[str, File]:
    """The files of a skill or a plugin that its user gets."""
    if (folder / ".git").exists():
        return _untested(checked_out(folder, _anything).tree, folder, private)
    # Plugins share files among their skills by links.
    return _untested(read_tree(folder, source=str(folder), within=_plugin(folder)), folder, private)


def _anything(path: str, is_link: bool) -> bool:
    return True


def _untested(tree: Tree, folder: Path, private: Collection[Path]) -> dict[str, File]:
    """The tree without evals, tasks and `private`."""
    # What is about testing tells the agent what is expected of it.
    skills = ["", *(posixpath.dirname(path) for path in tree if posixpath.basename(path) == FILE)]
    evals = [posixpath.join(skill, name) for skill in skills for name in _EVALS]
    tasks = [posixpath.dirname(path) for path in tree if posixpath.basename(path) == TASK]
    given = [path.relative_to(folder).as_posix() for path in private if path.is_relative_to(folder)]
    return without(tree, [*evals, *tasks, *given])
