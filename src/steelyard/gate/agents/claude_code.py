"""`claude-code`: Anthropic's Claude Code, `claude -p`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from steelyard.gate.agents.attempt import AGENT_STATUSES, AgentSpec, Attempt
from steelyard.gate.agents.headless import (
    JSON,
    CommandLine,
    HeadlessAgent,
    Wiring,
    model_option,
    number,
    result_error,
    result_line,
    total,
)
from steelyard.gate.agents.tool_call import ToolCall
from steelyard.gate.model import Cost

_OPTIONS = ("-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions")
_TOKENS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def create(spec: AgentSpec) -> HeadlessAgent:
    """The agent; `AgentError` if it is not installed or has no key."""
    return HeadlessAgent(
        spec,
        CommandLine(
            program="claude",
            cure="npm install -g @anthropic-ai/claude-code",
            provider="anthropic",
            wiring=wiring,
            fault=fault,
            keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
            also=("ANTHROPIC_BASE_URL",),
            arguments=lambda model, _: [*_OPTIONS, *model_option("--model", model)],
            read=read,
        ),
    )


def wiring(address: str) -> Wiring:
    """The bridge as Anthropic's API. The token is a placeholder: the client does not start without one."""
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    return Wiring(environment={"ANTHROPIC_BASE_URL": address, "ANTHROPIC_AUTH_TOKEN": "bridge", **quiet})


def fault(lines: Sequence[JSON]) -> str | None:
    """The provider's failure: the status in the result, or retries that were still going on at the end."""
    result = result_line(lines)
    if result:
        status = result.get("api_error_status")
        blames_provider = isinstance(status, int) and status not in AGENT_STATUSES
        if blames_provider or (result.get("is_error") and _retrying(lines[:-2])):
            return f"status {status}: {result.get('result')}" if status else f"no response: {result.get('result')}"
        return None
    if _retrying(lines):
        status = lines[-1].get("error_status")
        return f"status {status}, tried again until the end" if status else "no response, tried again until the end"
    return None


def _retrying(lines: Sequence[JSON]) -> bool:
    """Whether the last thing the client did was to repeat a call."""
    return bool(lines) and lines[-1].get("subtype") == "api_retry"


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `claude -p --output-format stream-json --verbose`."""
    result = result_line(lines)
    answer = str(result.get("result") or "")
    if (error := result_error(result)) is not None:
        return Attempt(answer, f"claude: {error}"[:500])
    tokens = total(cast(JSON, result.get("usage") or {}), _TOKENS)
    calls = _tool_calls(lines) if any(line.get("type") == "assistant" for line in lines) else None
    count = None if calls is None else len(calls)
    cost = Cost(tokens, count, number(result.get("num_turns")), cost_usd=number(result.get("total_cost_usd")))
    return Attempt(answer, cost=cost, calls=calls)


def _tool_calls(lines: Sequence[JSON]) -> tuple[ToolCall, ...]:
    contents: list[Any] = [cast(JSON, line.get("message") or {}).get("content") for line in lines]
    parts = [part for content in contents if isinstance(content, list) for part in cast(list[Any], content)]
    blocks = [cast(JSON, part) for part in parts if isinstance(part, dict)]
    failed = {
        block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result" and block.get("is_error")
    }
    return tuple(
        ToolCall(str(block.get("name")), cast(JSON, block.get("input") or {}), block.get("id") in failed)
        for block in blocks
        if block.get("type") == "tool_use"
    )
