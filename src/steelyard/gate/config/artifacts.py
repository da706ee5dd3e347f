"""Which artifacts steer which agent: one table for `gate validate`, for runs and for the documentation.

A path is matched from the root of the project; `*` also matches `/`. Instruction files and skills were seen in the
requests of the real clients, but for cursor, which cannot be directed to another address; docs/gate.md says what else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

AGENTS = ("claude-code", "codex", "gemini-cli", "opencode", "cursor")
"""The agents that look for artifacts of their own. `model` and `command` are given every file."""

OTHER = "other"
"""The kind of any other file."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One kind of file, and who loads it."""

    kind: str
    pattern: str
    readers: tuple[str, ...] = ()


ARTIFACTS = (
    Artifact("instructions", "CLAUDE.md", ("claude-code", "opencode", "cursor")),
    Artifact("instructions", "CLAUDE.local.md", ("claude-code",)),
    Artifact("instructions", ".claude/CLAUDE.md", ("claude-code",)),
    Artifact("rule", ".claude/rules/*", ("claude-code",)),
    Artifact("instructions", "AGENTS.md", ("codex", "opencode", "cursor")),
    Artifact("instructions", "GEMINI.md", ("gemini-cli",)),
    Artifact("instructions", ".cursorrules", ("cursor",)),
    Artifact("instructions", ".github/copilot-instructions.md"),
    Artifact("skill", ".claude/skills/*", ("claude-code", "opencode")),
    Artifact("skill", ".agents/skills/*", ("codex", "gemini-cli", "opencode")),
    Artifact("skill", ".gemini/skills/*", ("gemini-cli",)),
    Artifact("skill", ".opencode/skills/*", ("opencode",)),
    Artifact("skill", ".codex/skills/*", ("codex",)),
    Artifact("skill", ".cursor/skills/*", ("cursor",)),
    Artifact("hook", ".claude/hooks/*", ("claude-code",)),
    Artifact("command", ".claude/commands/*", ("claude-code",)),
    Artifact("command", ".gemini/commands/*", ("gemini-cli",)),
    Artifact("command", ".opencode/commands/*", ("opencode",)),
    Artifact("agent", ".claude/agents/*", ("claude-code",)),
    Artifact("agent", ".gemini/agents/*"),
    Artifact("agent", ".opencode/agents/*", ("opencode",)),
    Artifact("settings", ".claude/settings.json", ("claude-code",)),
    Artifact("settings", ".gemini/settings.json", ("gemini-cli",)),
    Artifact("settings", "opencode.json", ("opencode",)),
    Artifact("mcp", ".mcp.json", ("claude-code",)),
    Artifact("rule", ".cursor/rules/*", ("cursor",)),
    Artifact("gemini", ".gemini/*", ("gemini-cli",)),
    Artifact("opencode", ".opencode/*", ("opencode",)),
    Artifact("codex", ".codex/*", ("codex",)),
    Artifact("instructions", "*/CLAUDE.md", ("claude-code", "opencode", "cursor")),
    Artifact("instructions", "*/AGENTS.md", ("codex", "opencode", "cursor")),
    Artifact("instructions", "*/GEMINI.md", ("gemini-cli",)),
    Artifact("rule", "*/.cursor/rules/*", ("cursor",)),
)
"""The first match counts."""


def artifact_of(path: str) -> Artifact:
    """What a path is to the agents."""
    return next((row for row in ARTIFACTS if fnmatchcase(path, row.pattern)), Artifact(OTHER, path, AGENTS))


def ignored(paths: Iterable[str], agent: str | None) -> dict[str, str]:
    """Path → why it steers nothing: the agent does not load it or, if none is named, no agent does.

    Instructions of a folder that nobody enters count as loaded: whether a client gets there is up to the task.
    """
    if agent is not None and agent not in AGENTS:
        return {}
    found: dict[str, str] = {}
    for path in paths:
        readers = artifact_of(path).readers
        if agent is None and not readers:
            found[path] = "is loaded by none of the agents"
        elif agent is not None and agent not in readers:
            found[path] = f"is not loaded by {agent}" + (f", but by {', '.join(readers)}" if readers else "")
    return found
