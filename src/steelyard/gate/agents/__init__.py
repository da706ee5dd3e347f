"""The agents a configuration can be tested with.

A new agent is one module here, and one line in `MODULES`. The module has `create(spec) -> Agent`, or `LINE`, a
`CommandLine`, for a client with a command line of its own.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from steelyard.errors import AgentError
from steelyard.gate.agents.attempt import Agent, AgentSpec

MODULES = {
    "model": "model",
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini-cli": "gemini_cli",
    "opencode": "opencode",
    "cursor": "cursor",
    "command": "command",
}
"""Name of the agent → module of this package, imported when the agent is used."""

NAMES = tuple(MODULES)


def find_agent(spec: AgentSpec) -> Agent:
    """The agent, ready to work; `AgentError` with a cure if it is not available, never a substitute."""
    if spec.name not in MODULES:
        raise AgentError(f"there is no agent {spec.name!r}", cure=f"one of {', '.join(NAMES)}")
    module = import_module(f"{__name__}.{MODULES[spec.name]}")
    line = getattr(module, "LINE", None)
    if line is None:
        return cast(Agent, module.create(spec))
    from steelyard.gate.agents.headless import HeadlessAgent

    return HeadlessAgent(spec, line)


__all__ = ["NAMES", "Agent", "AgentSpec", "find_agent"]
