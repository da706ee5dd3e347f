"""The agents a configuration can be tried with. An agent that is not there ends in an error with the cure."""

from __future__ import annotations

from steelyard.errors import AgentError
from steelyard.gate.agents.attempt import Agent, AgentSpec

NAMES = ("model", "claude-code", "codex", "cursor", "command")


def find_agent(spec: AgentSpec) -> Agent:
    """The agent that was asked for, ready to work; never a stand-in."""
    match spec.name:
        case "command":
            from steelyard.gate.agents.command import CommandAgent

            return CommandAgent(spec)
        case "model":
            from steelyard.gate.agents.model import ModelAgent

            return ModelAgent(spec)
        case "claude-code" | "codex" | "cursor":
            from steelyard.gate.agents.headless import KINDS, HeadlessAgent

            return HeadlessAgent(spec, KINDS[spec.name])
        case _:
            raise AgentError(f"there is no agent {spec.name!r}", cure=f"one of {', '.join(NAMES)}")


__all__ = ["NAMES", "Agent", "AgentSpec", "find_agent"]
