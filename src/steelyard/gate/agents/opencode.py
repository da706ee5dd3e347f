"""`opencode`: OpenCode, `opencode run --format json`, as a client of Anthropic's API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.artifact import table
from steelyard.gate.agents.attempt import Attempt
from steelyard.gate.agents.headless import CommandLine, Fault, Wiring
from steelyard.gate.agents.output import JSON, failure, summed, tokens
from steelyard.gate.agents.tool_call import ToolCall, ToolUse
from steelyard.gate.model import Cost
from steelyard.models.fault import REQUEST_STATUSES

# Without a title the client asks a model for one, which is a call that no task needs.
_OPTIONS = ("run", "--format", "json", "--auto", "--title", "task")
_QUIET = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
_PROVIDER = "anthropic"
_ENDS = frozenset({"stop", "length", "tool-calls", "content-filter"})
"""Why a step ends that has a whole answer; the client names any other stop reason, or none, differently."""
_BREAKS_OFF = "the answer breaks off, or its stop reason is unknown"


def wiring(address: str, model: str) -> Wiring:
    """The bridge as Anthropic's API. The key is a placeholder: the client does not call without one."""
    # The client refuses names that it does not know.
    return _configured({"options": {"baseURL": f"{address}/v1", "apiKey": "bridge"}, "models": {model: {}}}, {})


def direct(environment: Mapping[str, str], model: str | None) -> Wiring:
    """The provider itself, or the address in ANTHROPIC_BASE_URL, of which the client takes no notice by itself."""
    address, own = environment.get("ANTHROPIC_BASE_URL"), (model or "").removeprefix(f"{_PROVIDER}/")
    # The client refuses names that it does not know without a word; the provider says which it does not have.
    models: JSON = {"models": {own: {}}} if own and "/" not in own else {}
    return _configured(
        {**models, **({} if address is None else {"options": {"baseURL": f"{address}/v1"}})}, environment
    )


def _configured(provider: JSON, environment: Mapping[str, str]) -> Wiring:
    """Settings in a variable of their own; the files of the configuration stay as they are."""
    settings = {"autoupdate": False, "share": "disabled", **({"provider": {_PROVIDER: provider}} if provider else {})}
    return Wiring((), {**_QUIET, "OPENCODE_CONFIG_CONTENT": json.dumps(settings), **environment})


def arguments(model: str | None, _: str) -> list[str]:
    """The command line; a name without a provider is one of Anthropic's."""
    named = [] if model is None else ["--model", model if "/" in model else f"{_PROVIDER}/{model}"]
    return [*_OPTIONS, *named]


def fault(lines: Sequence[JSON]) -> Fault | None:
    """The provider's failure: the client's last event is the error of a call, or an answer that is not whole."""
    error, data = _error(lines), table(_error(lines).get("data"))
    if not error:
        return Fault(None, _BREAKS_OFF) if _broken_off(lines) else None
    # A call that never got a response has no kind of its own; an error inside the client has a reference to its log.
    unreached = error.get("name") == "UnknownError" and "ref" not in data and not answered(lines)
    if not unreached and error.get("name") not in ("APIError", "ProviderAuthError"):
        return None
    status: Any = data.get("statusCode")
    known = status if isinstance(status, int) else None
    reason = "" if known is None else f"status {known}: "
    return None if known in REQUEST_STATUSES else Fault(known, f"{reason}{data.get('message') or error['name']}")


def answered(lines: Sequence[JSON]) -> bool:
    """Whether the model has said or done anything."""
    return any(line.get("type") in ("text", "tool_use") for line in lines)


def uses(lines: Sequence[JSON]) -> tuple[ToolUse, ...]:
    """The tools that the agent used, with their results."""
    return tuple(_use(part) for part in _parts(lines, "tool_use"))


def _use(part: JSON) -> ToolUse:
    state = table(part.get("state"))
    output = str(state.get("output") or state.get("error") or "")
    failed = state.get("status") == "error"
    return ToolUse(ToolCall(str(part.get("tool")), table(state.get("input")), failed), output)


def read(lines: Sequence[JSON]) -> Attempt:
    """An attempt from the output of `opencode run --format json`."""
    texts, steps = _parts(lines, "text"), _parts(lines, "step_finish")
    answer = str(texts[-1].get("text") or "") if texts else ""
    error = _error(lines)
    if error or not steps:
        detail = table(error.get("data")).get("message") or error.get("name") or "no finished step"
        return Attempt(answer, failure("opencode", detail))
    if _broken_off(lines):
        return Attempt(answer, f"opencode: {_BREAKS_OFF}")
    used = summed([_tokens(table(step.get("tokens"))) for step in steps])
    calls = tuple(use.call for use in uses(lines))
    return Attempt(answer, cost=Cost(used, len(calls), len(steps)), calls=calls)


def _tokens(step: JSON) -> float | None:
    return tokens({**step, **table(step.get("cache"))}, ("total",), cached="read")


def _parts(lines: Sequence[JSON], kind: str) -> list[JSON]:
    return [table(line.get("part")) for line in lines if line.get("type") == kind]


def _broken_off(lines: Sequence[JSON]) -> bool:
    """Whether the last answer is not whole."""
    steps = _parts(lines, "step_finish")
    return bool(steps) and str(steps[-1].get("reason")) not in _ENDS


def _error(lines: Sequence[JSON]) -> JSON:
    """The error that the client ended with; empty if it did not."""
    last = lines[-1] if lines else JSON()
    return (table(last.get("error")) or {"name": "error"}) if last.get("type") == "error" else JSON()


LINE = CommandLine(
    program="opencode",
    cure="npm install -g opencode-ai",
    provider=_PROVIDER,
    wiring=wiring,
    direct=direct,
    fault=fault,
    answered=answered,
    uses=uses,
    keys=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"),
    also=("ANTHROPIC_BASE_URL",),
    arguments=arguments,
    read=read,
)
