"""`codex`: OpenAI's Codex, `codex exec --json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from steelyard.gate.agents.attempt import AGENT_STATUSES, AgentSpec, Attempt
from steelyard.gate.agents.headless import JSON, CommandLine, HeadlessAgent, Wiring, model_option, total
from steelyard.gate.agents.tool_call import ToolCall
from steelyard.gate.model import Cost

_OPTIONS = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_STATUS = re.compile(r"unexpected status (\d{3})\b")
_TRANSPORT = re.compile(r"stream disconnected|[Cc]onnection failed|error sending request|Reconnecting\.\.\.")
"""How the client begins its own error events; they never contain the model's text."""
_TOOL_ITEMS = ("command_execution", "mcp_tool_call", "file_change", "web_search")
_ARGUMENTS = ("command", "changes", "query")
"""Fields of an item that say what was called for."""


def create(spec: AgentSpec) -> HeadlessAgent:
    """The agent; `AgentError` if it is not installed or has no key."""
    return HeadlessAgent(
        spec,
        CommandLine(
            program="codex",
            cure="npm install -g @openai/codex",
            provider="openai",
            wiring=wiring,
            fault=fault,
            keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
            also=("OPENAI_BASE_URL",),
            arguments=lambda model, _: ["exec", *_OPTIONS, *model_option("-m", model), "-"],
            read=read,
            home=(".codex",),
        ),
    )


def wiring(address: str) -> Wiring:
    """The bridge as a provider of its own, which needs no key."""
    provider = f'{{name="bridge",base_url="{address}/v1",wire_api="responses"}}'
    settings = ('model_provider="bridge"', f"model_providers.bridge={provider}")
    return Wiring(tuple(word for setting in settings for word in ("-c", setting)))


def fault(lines: Sequence[JSON]) -> str | None:
    """The provider's failure: the client's last event is an error with a status or about the connection."""
    last = lines[-1] if lines else JSON()
    if last.get("type") not in ("turn.failed", "error"):
        return None
    message = str(_detail(last))
    if (status := _STATUS.match(message)) is not None:
        return None if int(status[1]) in AGENT_STATUSES else message
    return message if _TRANSPORT.match(message) else None


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `codex exec --json`."""
    items = [cast(JSON, line.get("item") or {}) for line in lines if line.get("type") == "item.completed"]
    answer = next((str(item.get("text") or "") for item in reversed(items) if item.get("type") == "agent_message"), "")
    turns = [cast(JSON, line.get("usage") or {}) for line in lines if line.get("type") == "turn.completed"]
    if (error := _error(lines, turns)) is not None:
        return Attempt(answer, f"codex: {error}"[:500])
    tokens = [total(usage, ("input_tokens", "output_tokens")) for usage in turns]
    known = [value for value in tokens if value is not None]
    calls = tuple(_tool_call(item) for item in items if item.get("type") in _TOOL_ITEMS)
    cost = Cost(sum(known) if len(known) == len(turns) else None, len(calls), len(items))
    return Attempt(answer, cost=cost, calls=calls)


def _tool_call(item: JSON) -> ToolCall:
    """A call under the name of its tool: that of an MCP server, or the type of the item."""
    tool = item.get("tool") if item.get("type") == "mcp_tool_call" else item.get("type")
    given: Any = item.get("arguments")
    named = {name: item[name] for name in _ARGUMENTS if name in item}
    arguments = cast(JSON, given) if isinstance(given, dict) else named
    return ToolCall(str(tool), arguments, item.get("status") == "failed")


def _error(lines: Sequence[JSON], turns: Sequence[JSON]) -> Any:
    failed = next((line for line in lines if line.get("type") == "turn.failed"), None)
    if failed is not None:
        return _detail(failed)
    if turns:  # an `error` before it is a call that was repeated
        return None
    return _detail(next((line for line in lines if line.get("type") == "error"), JSON()))


def _detail(line: JSON) -> Any:
    detail: Any = line.get("error") or line.get("message") or "no completed turn"
    return cast(JSON, detail).get("message") if isinstance(detail, dict) else detail
