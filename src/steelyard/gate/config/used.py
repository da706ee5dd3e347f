"""Which parts of a configuration came into play in a run, read from what its client did. Pure.

    skill               its instructions reached the model (`activation`)
    MCP server          one of its tools was called, and answered
    subagent            the tool that starts one was called with its name
    hook                the client says that it ran one for this event
    rule, instructions  their text was in a request to the model

A part is used if three lines of its text that no other such file has (all of them, if there are fewer) were in
requests. What a client does not show is unknown, not unused.
"""

from __future__ import annotations

import json
import posixpath
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from steelyard.artifact import table
from steelyard.gate.activation import ENOUGH, front_name, own_lines, skills_in
from steelyard.gate.agents.tool_call import ToolUse
from steelyard.gate.config.artifacts import AGENTS, Artifact, artifacts_of
from steelyard.gate.model import Run
from steelyard.gate.steps import PartUse
from steelyard.tree import Tree

_SERVERS = ("mcpServers", "mcp_servers", "mcp")
"""Keys of settings below which MCP servers are named."""
_TOOL = {"claude-code": "mcp__{}__", "gemini-cli": "mcp_{}_", "opencode": "{}_"}
"""Agent → how the names of a server's tools begin; codex names the server of a call beside its tool."""
_USED, _UNUSED, _UNKNOWN = "1", "0", "-"


class Traced(Protocol):
    """What an attempt shows of the parts; see `agents.attempt.Attempt`."""

    @property
    def uses(self) -> tuple[ToolUse, ...] | None: ...
    @property
    def hooks(self) -> frozenset[str] | None: ...
    @property
    def requests(self) -> frozenset[str]: ...


def parts_in(tree: Tree, agent: str) -> tuple[str, ...]:
    """The parts that this agent loads, each with its kind, in a fixed order."""
    if agent not in AGENTS:
        return ()
    loaded = {path: kind for path, kind in artifacts_of(sorted(tree)).items() if agent in kind.readers}
    skills = [f"skill {name}" for name in skills_in({path: tree[path] for path in loaded})]
    found = [part for path, kind in loaded.items() for part in _named(path, kind, tree)]
    return tuple(dict.fromkeys([*skills, *found]))


def marks(parts: Sequence[str], tree: Tree, agent: str, done: Traced, skills: Collection[str] | None) -> str:
    """One character per part: whether it was used in an attempt, which activated `skills`; None: nobody saw."""
    places = {part: part.partition(" ")[2] for part in parts if part.startswith(("rule ", "instructions "))}
    texts = own_lines({part: _text(tree, path) for part, path in places.items() if path in tree})
    known = (_used(part, agent, done, skills, texts) for part in parts)
    return "".join(_UNKNOWN if used is None else _USED if used else _UNUSED for used in known)


def from_marks(parts: Sequence[str], marked: object) -> dict[str, bool]:
    """Part → whether it was used, without what is unknown."""
    return {part: mark == _USED for part, mark in zip(parts, str(marked or ""), strict=False) if mark != _UNKNOWN}


def parts_used(baseline: Iterable[Run], candidate: Iterable[Run]) -> tuple[PartUse, ...]:
    """Of each part, in how many runs of each side it was used."""
    counts = [_counted(runs) for runs in (baseline, candidate)]
    names = dict.fromkeys([*counts[1], *counts[0]])
    return tuple(PartUse(name, counts[0].get(name), counts[1].get(name)) for name in names)


def _counted(runs: Iterable[Run]) -> dict[str, tuple[int, int]]:
    """Part → (runs that used it, runs of which it is known)."""
    used: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for run in runs:
        known.update([*run.parts])
        used.update(part for part, came in run.parts.items() if came)
    return {part: (used[part], number) for part, number in known.items()}


def _named(path: str, kind: Artifact, tree: Tree) -> Iterator[str]:
    """The parts in one file; a file of a skill is none by itself."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    in_plugin = kind.kind == "plugin"
    if kind.kind == "agent" or (in_plugin and "agents" in path.split("/")[:-1]):
        yield f"subagent {front_name(_text(tree, path)) or stem}"
    elif kind.kind in ("rule", "instructions"):
        yield f"{kind.kind} {path}"
    elif path.endswith((".json", ".toml")):
        settings = _settings(path, tree)
        yield from (f"MCP server {name}" for key in _SERVERS for name in table(settings.get(key)))
        yield from (f"hook {event}" for event in table(settings.get("hooks")) if "claude-code" in kind.readers)


def _settings(path: str, tree: Tree) -> Mapping[str, Any]:
    try:
        return table((tomllib if path.endswith(".toml") else json).loads(_text(tree, path)))
    except (ValueError, RecursionError):
        return {}


def _text(tree: Tree, path: str) -> str:
    """The text of a file, or of the one that it links to."""
    file = tree[path]
    if file.link is not None:
        file = tree.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), file.link)), file)
    return file.data.decode("utf-8", "replace")


def _used(
    part: str, agent: str, done: Traced, skills: Collection[str] | None, texts: Mapping[str, Sequence[str]]
) -> bool | None:
    if part in texts:
        lines = texts[part]
        there = sum(line in done.requests for line in lines)
        # Without a request, or without a line of its own, it is unknown.
        return there >= min(ENOUGH, len(lines)) if done.requests and lines else None
    for kind, seen in (("skill ", skills), ("hook ", done.hooks)):
        if part.startswith(kind):
            return None if seen is None else part.removeprefix(kind) in seen
    if done.uses is None:
        return None
    kind, used = ("MCP server ", _of_server) if part.startswith("MCP server ") else ("subagent ", _starts)
    return any(used(use, part.removeprefix(kind), agent) for use in done.uses if not use.call.failed)


def _of_server(use: ToolUse, name: str, agent: str) -> bool:
    """Whether a call was one of the server's tools; one of a plugin's server has the name of the plugin before it."""
    if agent not in _TOOL:
        return use.server == name
    # Clients replace characters that the name of a tool may not contain.
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "_-") else "_" for letter in name)
    start, tool = _TOOL[agent].format(plain), use.call.tool
    own = f"_{plain}__" if agent == "claude-code" else start
    return tool.startswith(start) or (tool.startswith("mcp__plugin_") and own in tool)


def _starts(use: ToolUse, name: str, _: str) -> bool:
    """Whether a call started the subagent; that of a plugin has the name of the plugin before it."""
    return str(use.call.arguments.get("subagent_type") or "").rpartition(":")[2] == name
