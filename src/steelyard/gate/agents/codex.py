"""`codex`: OpenAI's Codex, `codex exec --json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from steelyard.gate.agents.attempt import AgentSpec, Attempt
from steelyard.gate.agents.headless import JSON, CommandLine, HeadlessAgent, model_option, total
from steelyard.gate.model import Cost

_OPTIONS = ("exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_TOOL_ITEMS = ("command_execution", "mcp_tool_call", "file_change", "web_search")


def create(spec: AgentSpec) -> HeadlessAgent:
    """The agent; `AgentError` if it is not installed or has no key."""
    return HeadlessAgent(
        spec,
        CommandLine(
            program="codex",
            cure="npm install -g @openai/codex",
            keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
            also=("OPENAI_BASE_URL",),
            arguments=lambda model, _: [*_OPTIONS, *model_option("-m", model), "-"],
            read=read,
            home=(".codex",),
        ),
    )


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `codex exec --json`."""
    items = [cast(JSON, line.get("item") or {}) for line in lines if line.get("type") == "item.completed"]
    answer = next((str(item.get("text") or "") for item in reversed(items) if item.get("type") == "agent_message"), "")
    turns = [cast(JSON, line.get("usage") or {}) for line in lines if line.get("type") == "turn.completed"]
    if (error := _error(lines, turns)) is not None:
        return Attempt(answer, f"codex: {error}"[:500])
    tokens = [total(usage, ("input_tokens", "output_tokens")) for usage in turns]
    known = [value for value in tokens if value is not None]
    calls = sum(item.get("type") in _TOOL_ITEMS for item in items)
    return Attempt(answer, cost=Cost(sum(known) if len(known) == len(turns) else None, calls, len(items)))


def _error(lines: Sequence[JSON], turns: Sequence[JSON]) -> Any:
    failed = next((line for line in lines if line.get("type") in ("turn.failed", "error")), None)
    if failed is None:
        return None if turns else "no completed turn"
    detail: Any = failed.get("error") or failed.get("message") or "no completed turn"
    return cast(JSON, detail).get("message") if isinstance(detail, dict) else detail
