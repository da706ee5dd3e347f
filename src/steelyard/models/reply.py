"""Whether a response is an answer: one that breaks off or does not say why it ended is not.

An answer has a message and a stop reason that its API defines. A stream without its last event, a response
without a message and a stop reason that nobody defined are faults of the provider, because the model cannot cause
them. An answer that is empty, refused, filtered or cut at a token limit is the model's (docs/scoring.md §0).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from typing import Any, cast, get_args

from inspect_ai.model import Model, ModelOutput

from steelyard.errors import one_line
from steelyard.models.fault import OWN_STOPS, Unusable

CUT_OFF = "the answer breaks off: the stream ended without its last event"
_NO_REASON = "the answer breaks off: it has no stop reason"
_NO_MESSAGE = "an empty reply: there is no message in it"
_LAST_EVENT = b"event:message_stop"
"""The line, without blanks, of the event that ends every stream of Anthropic's API. What a model says is never a line:
in JSON a line break is written as two characters."""
_TAIL = 4_096
"""Bytes of a stream that are kept to look for its last event."""

_Fields = Mapping[str, Any]


def defect(provider: str, output: ModelOutput, response: object) -> str | None:
    """Why a response is no answer, or None if it is one; `response` is what Inspect recorded of it."""
    sent = cast(_Fields, response) if isinstance(response, Mapping) else dict[str, Any]()
    if not output.choices:
        return _NO_MESSAGE
    if provider in ("google", "vertex"):
        return _google(sent)
    if provider == "anthropic":
        return _stop_reason(output, sent.get("stop_reason"), _anthropic_reasons)
    if sent.get("object") == "response":
        return _openai_response(sent)
    reasons = [choice.get("finish_reason") for choice in cast(list[_Fields], sent.get("choices") or [])]
    # A response without `object` comes from an API that we do not know, so it is not judged.
    return _stop_reason(output, next(iter(reasons), None), frozenset) if sent.get("object") else None


def unknown_stop(reason: object) -> str | None:
    """What is wrong with a stop reason that a client of Anthropic's API reports; None if nothing is, or if there is
    none, or no list of them to compare it with."""
    if reason in (None, "end_turn"):  # the list is slow to import
        return None
    try:
        return None if reason in _anthropic_reasons() else _unknown(reason)
    except ImportError:
        return None


def _stop_reason(output: ModelOutput, reason: object, defined: Callable[[], frozenset[str]]) -> str | None:
    """What is wrong with a stop reason that Inspect does not know either."""
    if output.stop_reason != "unknown" or reason in defined():
        return None
    return _unknown(reason)


def _unknown(reason: object) -> str:
    return _NO_REASON if reason is None else f"the stop reason {one_line(repr(reason), 60)} is unknown"


def _anthropic_reasons() -> frozenset[str]:
    from anthropic.types import StopReason

    return frozenset(get_args(StopReason))


def _openai_response(sent: _Fields) -> str | None:
    """A response that is neither completed nor incomplete for a reason that its API defines."""
    status, why = sent.get("status"), cast(_Fields, sent.get("incomplete_details") or {}).get("reason")
    if status == "completed":
        return None
    if status == "incomplete":
        return None if why in OWN_STOPS else _unknown(why)
    return f"the answer breaks off: its status is {one_line(repr(status), 60)}"


def _google(sent: _Fields) -> str | None:
    from google.genai.types import FinishReason

    candidates = cast(list[_Fields], sent.get("candidates") or [])
    if not candidates:  # a prompt that was refused has no candidates either, and says so
        return None if sent.get("promptFeedback") else _NO_MESSAGE
    reason = candidates[0].get("finishReason")
    unnamed = {FinishReason.FINISH_REASON_UNSPECIFIED.value, FinishReason.OTHER.value}
    return None if reason in {*FinishReason.__members__} - unnamed else _unknown(reason)


_ARRIVED: ContextVar[list[str] | None] = ContextVar("arrived", default=None)


def watch(model: Model) -> list[str] | None:
    """Where each response to this task's calls will be told in words; None if the client of the model does not tell.

    Streams of Anthropic's SDK that end without their last event are made to fail: it takes what came for the answer.
    Called before each request, because Inspect may replace the client; a client is changed once.
    """
    http: Any = getattr(getattr(model.api, "client", None), "_client", None)
    hooks = getattr(http, "event_hooks", None)
    if not isinstance(hooks, dict):
        return None
    watching = cast(dict[str, list[Any]], hooks)
    wanted = [_note, *([_watch] if str(model).startswith("anthropic/") else [])]
    if new := [hook for hook in wanted if hook not in watching.setdefault("response", [])]:
        http.event_hooks = {**watching, "response": [*watching["response"], *new]}
    arrived = list[str]()
    _ARRIVED.set(arrived)
    return arrived


async def _note(response: Any) -> None:
    if (arrived := _ARRIVED.get()) is not None:
        headers = response.headers
        size = "0 bytes" if headers.get("content-length") == "0" else headers.get("content-type", "of no type")
        arrived.append(f"status {response.status_code}, {one_line(size, 40)}")


async def _watch(response: Any) -> None:
    if response.status_code != 200 or "text/event-stream" not in response.headers.get("content-type", ""):
        return
    decoded = response.aiter_bytes

    async def watched(*args: Any, **kwargs: Any) -> AsyncIterator[bytes]:
        tail = b""
        async for data in decoded(*args, **kwargs):
            tail = (tail + data)[-_TAIL:]
            yield data
        if not _ended(tail):
            raise Unusable(CUT_OFF)

    response.aiter_bytes = watched


def _ended(stream: bytes) -> bool:
    """Whether the last event is there, whole: an event ends with an empty line."""
    # The space after a field's colon is optional.
    lines = stream.replace(b" ", b"").splitlines()
    return _LAST_EVENT in lines and b"" in lines[lines.index(_LAST_EVENT) :]
