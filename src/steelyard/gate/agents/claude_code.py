"""`claude-code`: Anthropic's Claude Code, `claude -p`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Any

from steelyard.artifact import listed, table
from steelyard.gate.agents.attempt import Attempt
from steelyard.gate.agents.headless import CommandLine, Fault, Wiring, model_option
from steelyard.gate.agents.output import JSON, failure, number, result_error, result_line, tokens
from steelyard.gate.agents.tool_call import WORK, ToolCall, ToolUse
from steelyard.gate.config.artifacts import plugins
from steelyard.gate.model import Cost
from steelyard.models.fault import REQUEST_STATUSES
from steelyard.tree import Tree

# Safe here: the client runs in our sandbox, and nobody is there to approve anything.
_OPTIONS = ("-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions")
_QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
_PROVIDER_ERRORS = frozenset(
    {"authentication_failed", "billing_error", "model_not_found", "overloaded", "rate_limit", "server_error", "unknown"}
)
"""Values of the field `error` of a message that the client writes itself; `unknown`: it could not read what came."""
_TOKENS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def wiring(address: str, _: str) -> Wiring:
    """The bridge as Anthropic's API. The token is a placeholder: the client does not start without one."""
    return Wiring(environment={"ANTHROPIC_BASE_URL": address, "ANTHROPIC_AUTH_TOKEN": "bridge", **_QUIET})


def fault(lines: Sequence[JSON]) -> Fault | None:
    """The provider's failure: the status in the result, an unknown stop reason, or retries until the end."""
    result = result_line(lines)
    if result:
        status = result.get("api_error_status")
        if isinstance(status, int) and status in REQUEST_STATUSES:
            # The request itself was wrong, which is the agent's fault.
            return None
        # The last two lines are the client's own message and its result.
        if isinstance(status, int) or (result.get("is_error") and (_retrying(lines[:-2]) or _reported(lines))):
            return _fault(status, f": {result.get('result')}")
        # The client itself takes an unknown stop reason for an answer.
        if (unknown := _unknown_stop(result)) is not None:
            return Fault(None, unknown)
    elif _retrying(lines):
        return _fault(lines[-1].get("error_status"), ", tried again until the end")
    return None


def _fault(status: Any, detail: str) -> Fault:
    known = status if isinstance(status, int) else None
    return Fault(known, f"{'no answer' if known is None else f'status {known}'}{detail}")


def _reported(lines: Sequence[JSON]) -> bool:
    """Whether the client itself, not the model, wrote the last message, and names a failure of the provider."""
    last = next((line for line in reversed(lines) if line.get("type") == "assistant"), JSON())
    return table(last.get("message")).get("model") == "<synthetic>" and str(last.get("error")) in _PROVIDER_ERRORS


def _unknown_stop(result: JSON) -> str | None:
    from steelyard.models.reply import unknown_stop

    reason = result.get("stop_reason")
    return unknown_stop(None if reason is None else str(reason))


def answered(lines: Sequence[JSON]) -> bool:
    """Whether the model has said anything."""
    return any(line.get("type") == "assistant" for line in lines)


def _retrying(lines: Sequence[JSON]) -> bool:
    """Whether the last thing the client did was to repeat a call."""
    return bool(lines) and lines[-1].get("subtype") == "api_retry"


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `claude -p --output-format stream-json --verbose`."""
    result = result_line(lines)
    answer = str(result.get("result") or "")
    if (error := result_error(result) or _unknown_stop(result)) is not None:
        return Attempt(answer, failure("claude", error))
    used = tokens(table(result.get("usage")), _TOKENS, cached="cache_read_input_tokens")
    calls = tuple(use.call for use in uses(lines)) if answered(lines) else None
    count = None if calls is None else len(calls)
    cost = Cost(used, count, number(result.get("num_turns")), cost_usd=number(result.get("total_cost_usd")))
    return Attempt(answer, cost=cost, calls=calls)


def uses(lines: Sequence[JSON]) -> tuple[ToolUse, ...]:
    """The tools that the agent and its subagents used, with their results."""
    results = {str(block.get("tool_use_id")): block for block in _blocks(lines, "tool_result")}
    return tuple(_use(block, results.get(str(block.get("id")), JSON())) for block in _blocks(lines, "tool_use"))


def _use(block: JSON, result: JSON) -> ToolUse:
    call = ToolCall(str(block.get("name")), table(block.get("input")), result.get("is_error") is True)
    return ToolUse(call, _text(result.get("content")))


def _text(content: Any) -> str:
    texts = [table(part).get("text") if isinstance(part, dict) else part for part in listed(content) or [content]]
    return "\n".join(text for text in texts if isinstance(text, str))


def hooks(lines: Sequence[JSON]) -> frozenset[str]:
    """The events for which the client ran a hook."""
    return frozenset(str(line.get("hook_event")) for line in lines if line.get("subtype") == "hook_started")


def part_options(tree: Tree) -> list[str]:
    """The arguments that load the plugins of a configuration, which lies in the work folder, and show its hooks."""
    places = [word for folder in plugins(tree) for word in ("--plugin-dir", posixpath.normpath(f"{WORK}/{folder}"))]
    # Only with hooks: older clients do not know the option.
    hooked = any(path.endswith(".json") and b'"hooks"' in file.data for path, file in tree.items())
    return [*places, *(("--include-hook-events",) if hooked else ())]


def _blocks(lines: Sequence[JSON], kind: str) -> list[JSON]:
    contents = [table(line.get("message")).get("content") for line in lines]
    blocks = [table(block) for content in contents for block in listed(content)]
    return [block for block in blocks if block.get("type") == kind]


LINE = CommandLine(
    program="claude",
    cure="npm install -g @anthropic-ai/claude-code",
    provider="anthropic",
    wiring=wiring,
    direct=lambda environment, _: Wiring((), {**_QUIET, **environment}),
    fault=fault,
    answered=answered,
    uses=uses,
    # Only at the beginning of a prompt; a skill of a plugin has the plugin's name before it.
    command=re.compile(r"\A\s*/(?:[\w.-]+:)?([\w.-]+)"),
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    also=("ANTHROPIC_BASE_URL",),
    arguments=lambda model, _: [*_OPTIONS, *model_option("--model", model)],
    parts=part_options,
    hooks=hooks,
    read=read,
)
