"""`codex`: OpenAI's Codex, `codex exec --json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.artifact import table
from steelyard.gate.agents.attempt import Attempt
from steelyard.gate.agents.headless import CommandLine, Fault, Wiring, model_option
from steelyard.gate.agents.output import JSON, failure, json_lines, summed, tokens
from steelyard.gate.agents.tool_call import ToolCall, ToolUse
from steelyard.gate.model import Cost
from steelyard.models.fault import ACCOUNT_CODES, OWN_STOPS, REQUEST_STATUSES

# Safe here: the client runs in our sandbox, and nobody is there to approve anything.
_OPTIONS = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_STATUS = re.compile(
    r"(?:Reconnecting\.\.\. \S+ \()?(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b"
)
_TRANSPORT = re.compile(
    r"stream disconnected|[Cc]onnection failed|error sending request|Reconnecting\.\.\.|Quota exceeded\."
)
"""How the client begins its own error events; they never contain the model's text."""
_INCOMPLETE = "Incomplete response returned, reason: "
"""What the client says of a response that its API calls incomplete, before the reason."""
_TOOL_ITEMS = ("command_execution", "mcp_tool_call", "file_change", "web_search")
_ARGUMENTS = ("command", "changes", "query")
"""Fields of an item that say what was called for."""


def wiring(address: str, _: str) -> Wiring:
    """The bridge as a provider of its own, which needs no key."""
    return Wiring(_provider(f'base_url="{address}/v1"'))


def direct(environment: Mapping[str, str], _: str | None = None) -> Wiring:
    """OpenAI itself, or the address in OPENAI_BASE_URL, of which the client takes no notice by itself."""
    key = "CODEX_API_KEY" if "CODEX_API_KEY" in environment else "OPENAI_API_KEY"
    if address := environment.get("OPENAI_BASE_URL"):
        return Wiring(_provider(f"base_url={json.dumps(address)},env_key={json.dumps(key)}"), environment)
    return Wiring((), {**environment, "CODEX_API_KEY": environment[key]})


def _provider(fields: str) -> tuple[str, ...]:
    """The arguments that make the client use a provider of its own definition."""
    settings = ('model_provider="own"', f'model_providers.own={{name="own",wire_api="responses",{fields}}}')
    return tuple(word for setting in settings for word in ("-c", setting))


def fault(lines: Sequence[JSON]) -> Fault | None:
    """The provider's failure: the client's last event is an error with a status, about the connection, after calls that
    were repeated, or in place of a first answer."""
    last = lines[-1] if lines else JSON()
    if last.get("type") not in ("turn.failed", "error"):
        return None
    message = str(_detail(last))
    if _INCOMPLETE in message:
        # An answer that was cut at the token limit, or filtered, is the model's own.
        return None if message.rpartition(_INCOMPLETE)[2].strip(".) ") in OWN_STOPS else Fault(None, message)
    if _blames_request(message):
        return None
    if (status := _STATUS.match(message)) is not None:
        return None if int(status[1]) in REQUEST_STATUSES else Fault(int(status[1]), message)
    refused = last.get("type") == "turn.failed" and not answered(lines)
    return Fault(None, message) if _TRANSPORT.match(message) or _repeated(lines) or refused else None


def _blames_request(message: str) -> bool:
    """Whether the provider rejected the request: then the client prints the body of the response, without a status."""
    error = next((table(line.get("error")) for line in json_lines(message)), JSON())
    return error.get("type") == "invalid_request_error" and str(error.get("code")) not in ACCOUNT_CODES


def _repeated(lines: Sequence[JSON]) -> bool:
    """Whether the errors at the end began with calls that the client repeated."""
    errors = [str(_detail(line)) for line in lines[-3:] if line.get("type") == "error"]
    return any(message.startswith("Reconnecting...") for message in errors)


def answered(lines: Sequence[JSON]) -> bool:
    """Whether the model has said or done anything; items of type `error` are the client's own warnings."""
    items = [table(line.get("item")) for line in lines if str(line.get("type")).startswith("item.")]
    return any(item.get("type") != "error" for item in items)


def uses(lines: Sequence[JSON]) -> tuple[ToolUse, ...]:
    """The tools that the agent used, with their output: that of a command as it is, that of an MCP server as JSON."""
    return tuple(_use(item) for item in _completed(lines) if item.get("type") in _TOOL_ITEMS)


def _completed(lines: Sequence[JSON]) -> list[JSON]:
    return [table(line.get("item")) for line in lines if line.get("type") == "item.completed"]


def _use(item: JSON) -> ToolUse:
    """A call under the name of its tool: that of an MCP server, or the type of the item."""
    tool = item.get("tool") if item.get("type") == "mcp_tool_call" else item.get("type")
    given: Any = item.get("arguments")
    named = {name: item[name] for name in _ARGUMENTS if name in item}
    call = ToolCall(str(tool), table(given) if isinstance(given, dict) else named, item.get("status") == "failed")
    result: Any = item.get("result")
    printed = str(item.get("aggregated_output") or "") or ("" if result is None else json.dumps(result))
    return ToolUse(call, printed, str(item.get("server") or ""))


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `codex exec --json`."""
    items = _completed(lines)
    answer = next((str(item.get("text") or "") for item in reversed(items) if item.get("type") == "agent_message"), "")
    turns = [table(line.get("usage")) for line in lines if line.get("type") == "turn.completed"]
    if (error := _error(lines, turns)) is not None:
        return Attempt(answer, failure("codex", error))
    used = [tokens(usage, ("input_tokens", "output_tokens"), cached="cached_input_tokens") for usage in turns]
    calls = tuple(use.call for use in uses(lines))
    return Attempt(answer, cost=Cost(summed(used), len(calls), len(items)), calls=calls)


def _error(lines: Sequence[JSON], turns: Sequence[JSON]) -> Any:
    failed = next((line for line in lines if line.get("type") == "turn.failed"), None)
    if failed is not None:
        return _detail(failed)
    if turns:  # an `error` before it is a call that was repeated
        return None
    return _detail(next((line for line in lines if line.get("type") == "error"), JSON()))


def _detail(line: JSON) -> Any:
    detail: Any = line.get("error") or line.get("message") or "no completed turn"
    return table(detail).get("message") if isinstance(detail, dict) else detail


LINE = CommandLine(
    program="codex",
    cure="npm install -g @openai/codex",
    provider="openai",
    wiring=wiring,
    direct=direct,
    fault=fault,
    answered=answered,
    uses=uses,
    command=re.compile(r"(?<![\w$])\$([A-Za-z][\w-]*)"),
    by_title=True,
    keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
    also=("OPENAI_BASE_URL",),
    arguments=lambda model, _: ["exec", *_OPTIONS, *model_option("-m", model), "-"],
    read=read,
    home=(".codex",),
    not_home=(".codex/skills",),
)
