"""`gemini-cli`: Google's Gemini CLI, `gemini` with its prompt on standard input."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.artifact import table
from steelyard.gate.agents.attempt import Attempt
from steelyard.gate.agents.headless import CommandLine, Fault, Wiring, model_option
from steelyard.gate.agents.output import JSON, failure, result_line, tokens
from steelyard.gate.agents.tool_call import ToolCall
from steelyard.gate.model import Cost
from steelyard.models.fault import REQUEST_STATUSES

# A folder that is not trusted has neither settings nor skills for this client.
_OPTIONS = ("--output-format", "stream-json", "--approval-mode", "yolo", "--skip-trust")
_USER_SETTINGS = {
    # Without a choice the client refuses any address but Google's.
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
}
_API_ERROR = "[API Error: "
"""How the client begins its own report of a failed call."""
_CUT_OFF = "Model stream ended without a finish reason."
"""What the client says, in a line of its own, of an answer that breaks off."""
_STATUS = re.compile(r'"code":\s*(\d{3})\b|\bstatus:? (\d{3})\b')


def wiring(address: str, _: str) -> Wiring:
    """The bridge as Google's API. The key is a placeholder: the client does not start without one."""
    return direct({"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "bridge"})


def direct(environment: Mapping[str, str], _: str | None = None) -> Wiring:
    """Google itself, or the address in GOOGLE_GEMINI_BASE_URL."""
    # Without NO_RELAUNCH the client starts a second time, with a larger heap.
    own = {"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_CLI_TRUST_WORKSPACE": "true", **environment}
    return Wiring((), own, {".gemini/settings.json": json.dumps(_USER_SETTINGS)})


def fault(lines: Sequence[JSON]) -> Fault | None:
    """The provider's failure: the client's result is its report of a failed call."""
    message = _error(lines)
    if message == _CUT_OFF:
        return Fault(None, message)
    if message is None or not message.startswith(_API_ERROR):
        return None
    status = next((int(one or other) for one, other in _STATUS.findall(message)), None)
    return None if status in REQUEST_STATUSES else Fault(status, message)


def answered(lines: Sequence[JSON]) -> bool:
    """Whether the model has said or done anything."""
    return any(line.get("type") == "tool_use" or line.get("role") == "assistant" for line in lines)


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `gemini --output-format stream-json`; a long answer comes in several lines."""
    result = result_line(lines)
    answer = _answer(lines)
    if (error := _error(lines)) is not None:
        return Attempt(answer, failure("gemini", error))
    stats = table(result.get("stats"))
    calls = _tool_calls(lines)
    cost = Cost(tokens(stats, ("total_tokens",), cached="cached"), len(calls))
    return Attempt(answer, cost=cost, calls=calls, models=tuple(table(stats.get("models"))))


def _error(lines: Sequence[JSON]) -> str | None:
    result = result_line(lines)
    if result.get("status") == "success":
        return None
    error: Any = result.get("error")
    detail = table(error).get("message") if isinstance(error, dict) else error
    own = next((line.get("message") for line in reversed(lines) if line.get("type") == "error"), None)
    return str(detail or own or result.get("status") or "no result")


def _answer(lines: Sequence[JSON]) -> str:
    """What the model said after its last tool call."""
    tools = [number for number, line in enumerate(lines) if line.get("type") in ("tool_use", "tool_result")]
    after = lines[tools[-1] + 1 :] if tools else lines
    return "".join(str(line.get("content") or "") for line in after if line.get("role") == "assistant")


def _tool_calls(lines: Sequence[JSON]) -> tuple[ToolCall, ...]:
    # Google's API has no field for a call that failed; only what the client prints tells.
    failed = {str(line.get("tool_id")) for line in lines if line.get("type") == "tool_result" and line.get("error")}
    return tuple(
        ToolCall(str(line.get("tool_name")), table(line.get("parameters")), str(line.get("tool_id")) in failed)
        for line in lines
        if line.get("type") == "tool_use"
    )


LINE = CommandLine(
    program="gemini",
    cure="npm install -g @google/gemini-cli",
    provider="google",
    wiring=wiring,
    direct=direct,
    fault=fault,
    answered=answered,
    keys=("GEMINI_API_KEY",),
    also=("GOOGLE_GEMINI_BASE_URL",),
    arguments=lambda model, _: [*_OPTIONS, *model_option("--model", model)],
    read=read,
    libraries=("google", "google.genai"),
)
