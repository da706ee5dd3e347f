"""Which artifacts steer which agent: one table for `gate check`, for runs and for the documentation.

A path is matched from the root of the project; `*` also matches `/`. Instruction files and skills were seen in the
requests of the real clients, but for cursor, which cannot be directed to another address; the
documentation of configurations says what else.

A folder with the manifest of a plugin is a plugin of claude-code, which gets it by `--plugin-dir`; its parts belong to
it. What a client reads in the home of its user only, it does not read in a run: there the home is empty.
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
    reason: str = ""
    """Why none of the agents loads it, if that is not plain."""


PLUGIN = ".claude-plugin/plugin.json"
"""The manifest, in the folder of a plugin."""
PLUGIN_PARTS = (".claude-plugin", "skills", "commands", "agents", "hooks", ".mcp.json")
"""What belongs to a plugin at the root of a project; anywhere else, its whole folder does."""
_AT_HOME = "it is read in a home only, and the home of a run is empty"
_NOT_INSTALLED = "the client installs it before it loads it, and a run installs nothing"

ARTIFACTS = (
    Artifact("plugin", ".claude-plugin/marketplace.json", (), _NOT_INSTALLED),
    Artifact("plugin", ".claude-plugin/*", ("claude-code",)),
    Artifact("plugin", "*/.claude-plugin/plugin.json", ("claude-code",)),
    Artifact("plugin", ".agents/plugins/*", (), _NOT_INSTALLED),
    Artifact("plugin", ".codex-plugin/*", (), _NOT_INSTALLED),
    Artifact("plugin", "gemini-extension.json", (), _NOT_INSTALLED),
    Artifact("plugin", ".gemini/extensions/*", (), _AT_HOME),
    Artifact("plugin", ".opencode/plugins/*", ("opencode",)),
    Artifact("opencode", ".config/opencode/*", (), _AT_HOME),
    Artifact("instructions", ".gemini/GEMINI.md", (), _AT_HOME),
    Artifact("command", ".codex/prompts/*", (), "only a person can call it"),
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
    Artifact("claude", ".claude/*", ("claude-code",)),
    Artifact("gemini", ".gemini/*", ("gemini-cli",)),
    Artifact("opencode", ".opencode/*", ("opencode",)),
    Artifact("hook", ".codex/hooks*", (), "codex runs hooks only once a person has trusted them"),
    Artifact("codex", ".codex/*", ("codex",)),
    Artifact("instructions", "*/CLAUDE.md", ("claude-code", "opencode", "cursor")),
    Artifact("instructions", "*/AGENTS.md", ("opencode", "cursor")),
    Artifact("instructions", "*/GEMINI.md", ("gemini-cli",)),
    Artifact("rule", "*/.cursor/rules/*", ("cursor",)),
)
"""The first match counts."""


def artifact_of(path: str) -> Artifact:
    """What a path is to the agents."""
    # Any other file counts as read by all, so it never causes a warning.
    return next((row for row in ARTIFACTS if fnmatchcase(path, row.pattern)), Artifact(OTHER, path, AGENTS))


def artifacts_of(paths: Iterable[str]) -> dict[str, Artifact]:
    """What each of these paths is to the agents."""
    known = list(paths)
    parts = plugin_parts(known)
    return {path: Artifact("plugin", path, ("claude-code",)) if path in parts else artifact_of(path) for path in known}


def plugins(paths: Iterable[str]) -> list[str]:
    """The folders that are plugins of claude-code; `.` at the root."""
    return sorted(path[: -len(PLUGIN)].rstrip("/") or "." for path in paths if f"/{path}".endswith(f"/{PLUGIN}"))


def plugin_parts(paths: Iterable[str]) -> set[str]:
    """The paths that belong to plugins."""
    known = list(paths)
    starts = [start for folder in plugins(known) for start in (PLUGIN_PARTS if folder == "." else (folder,))]
    return {path for path in known if any(path == start or path.startswith(f"{start}/") for start in starts)}


def ignored(paths: Iterable[str], agent: str | None) -> dict[str, str]:
    """Path → why it steers nothing: the agent does not load it or, if none is named, no agent does.

    Instructions of a folder that nobody enters count as loaded: whether a client gets there is up to the task.
    """
    if agent is not None and agent not in AGENTS:
        return {}
    found: dict[str, str] = {}
    for path, artifact in artifacts_of(paths).items():
        readers = artifact.readers
        if not readers:
            found[path] = "is loaded by none of the agents" + (artifact.reason and f": {artifact.reason}")
        elif agent is not None and agent not in readers:
            found[path] = f"is not loaded by {agent}, but by {', '.join(readers)}"
    return found
