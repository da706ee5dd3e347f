"""Redacts API keys from provider errors: a server may echo the very key that it rejects.

Inspect writes a failed call to the log: the exception's message, its traceback and the body of the response. So the
exception is redacted where it leaves the provider, before Inspect sees it, together with the call that is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from json import JSONDecodeError
from typing import Any, cast

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, get_model
from pydantic import ValidationError

from steelyard.errors import InputError, one_line
from steelyard.models.fault import Unusable
from steelyard.models.patience import patience, patient
from steelyard.models.reply import defect, watch
from steelyard.secrets import redact, redacted, scrub
from steelyard.yamlfile import sentence

UNREADABLE = (AssertionError, TypeError, AttributeError, LookupError, UnicodeError, JSONDecodeError)
"""What a provider's client raises when it chokes on a response; the bare message would look like a bug of ours."""

UNREADABLE_NAMES = frozenset({"UnknownApiResponseError"})
"""What Google's client raises then; the class is not there without it."""


def subject(name: str, args: Mapping[str, Any] | None = None, config: Mapping[str, Any] | None = None) -> Model:
    """The model that Inspect makes of this name and these arguments, with its errors redacted and bounded retries."""
    options = {**(config or {}), **patience(name, config or {})}
    return patient(with_redaction(get_model(name, config=generate_config(options), **(args or {}))))


def generate_config(options: Mapping[str, Any]) -> GenerateConfig:
    """The options as Inspect's `GenerateConfig`; raises `InputError` for a name or value that it does not have."""
    try:
        return GenerateConfig(**options)
    except ValidationError as error:
        raise InputError(f"the generation config cannot be used: {sentence(error)}") from error


def with_redaction(model: Model) -> Model:
    """`model`, with every error of its provider redacted, and every response that is no answer asked for again; wrapped
    once, as Inspect may return the same model again."""
    generate, retries = cast(Any, model.api.generate), cast(Any, model.api.should_retry)
    if getattr(generate, "redacts_errors", False):
        return model

    async def redacting(*args: Any, **kwargs: Any) -> Any:
        arrived = watch(model)
        with _Redacted():
            try:
                result = await generate(*args, **kwargs)
            except Exception as error:
                # Inspect asks again after some of them: those its provider names, and a race while a connection closes.
                # What is raised before anything came is about our request, or a bug.
                if not _chokes(error) or arrived == [] or retries(error) or "call_soon" in str(error):
                    raise
                raise _unreadable(error, arrived) from error
        _check(model, result)
        return result

    def again(error: BaseException) -> Any:
        return isinstance(error, Unusable) or retries(error)

    cast(Any, redacting).redacts_errors = True
    api = cast(Any, model.api)
    api.generate = redacting
    api.should_retry = again
    api.reasoning_summaries = _no_summaries
    return model


async def _no_summaries() -> bool:
    """What Inspect's OpenAI provider would find out by a request that no log and no budget sees. The generation config
    `reasoning_summary` asks for summaries."""
    return False


def _check(model: Model, result: Any) -> None:
    """Redact an error that a provider returns instead of raising it; raise if the response is no answer."""
    output, call = cast(tuple[Any, Any], result) if isinstance(result, tuple) else (result, None)
    if isinstance(output, Exception):
        scrub(output)
        if call is not None:
            call.response = redacted(call.response)
    elif (why := defect(str(model).partition("/")[0], output, getattr(call, "response", None))) is not None:
        raise Unusable(why)


def _chokes(error: Exception) -> bool:
    return isinstance(error, UNREADABLE) or type(error).__name__ in UNREADABLE_NAMES


def _unreadable(error: Exception, arrived: Sequence[str] | None) -> Unusable:
    came = f"{arrived[-1]}; " if arrived else ""
    detail = one_line(redact(f"{type(error).__name__}: {error}".removesuffix(": ")), 150)
    return Unusable(f"what the provider sent cannot be read ({came}{detail}); check its address")


class _Redacted:
    """Redacts an exception that leaves the block, and the calls this sample is waiting for: one of them has failed."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            return
        scrub(error)
        for event in transcript().events:
            if isinstance(event, ModelEvent) and event.pending and event.call is not None:
                event.call.response = redacted(event.call.response)
