"""Models whose failures name no keys: a server may repeat in its refusal the very key it refuses.

Inspect writes a failed call into the log: the exception's message, its traceback and the body of the response. So the
exception is redacted where it leaves the provider, before Inspect sees it, and with it the call that is being recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, get_model

from steelyard.errors import redacted, scrub


def subject(name: str, args: Mapping[str, Any] | None = None, config: Mapping[str, Any] | None = None) -> Model:
    """The model Inspect would make of this name and these arguments, made discreet."""
    return with_redaction(get_model(name, config=GenerateConfig(**(config or {})), **(args or {})))


def with_redaction(model: Model) -> Model:
    """`model`, with every failure of its provider redacted; Inspect hands the same one out again, so only once."""
    generate = cast(Any, model.api.generate)
    if getattr(generate, "discreet", False):
        return model

    async def guarded(*args: Any, **kwargs: Any) -> Any:
        with _Scrubbed():
            result = await generate(*args, **kwargs)
        if isinstance(result, tuple):  # some providers hand their refusal back instead of raising it
            output, call = cast(tuple[Any, Any], result)
            if isinstance(output, Exception):
                scrub(output)
                call.response = redacted(call.response)
        return cast(Any, result)

    cast(Any, guarded).discreet = True
    cast(Any, model.api).generate = guarded
    return model


class _Scrubbed:
    """A block whose exceptions leave it redacted, with the calls this sample waits for: one of them just failed."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            return
        scrub(error)
        for event in transcript().events:
            if isinstance(event, ModelEvent) and event.pending and event.call is not None:
                event.call.response = redacted(event.call.response)
