"""How long a model is asked for an answer: one rule for every wing.

A call that the provider fails (rate limit, server error, lost connection, silence, a response that is no answer)
is repeated at most `RETRIES` times and not beyond `TOTAL_S` seconds; one request takes at most `TOTAL_S`.
`max_retries`, `timeout` and `attempt_timeout` of the generation config change that: whoever sets one of the first two
is not bound by our value of the other, and a request never takes longer than the whole call may. What remains is raised
as `Unanswered`, with what came in words; `outage` decides when a model is left alone. Inspect by itself asks for ever,
and looks at `timeout` only between two requests; the clients of some providers repeat requests on their own, unseen,
which is switched off.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from steelyard.models.fault import NotAsked, Unanswered, in_words, last_cause, lasting, provider_failed, timed_out
from steelyard.models.outage import Outage, Turn

if TYPE_CHECKING:
    from inspect_ai.model import Model

RETRIES = 6
"""Further requests; with the growing waits between them about three and a half minutes."""
TOTAL_S = 600
"""Seconds for one call; the clients of most providers wait as long for one answer."""

PATIENCE = ("max_retries", "timeout", "attempt_timeout")
"""The generation settings that say how long to ask; none of them changes an answer."""

_ON_THIS_MACHINE = frozenset({"steelyard", "mockllm", "none", "hf", "transformer_lens", "nnterp"})
"""Providers that compute in this process: slow is not silent."""


@dataclass(slots=True)
class Contact:
    """When each judge of a panel last answered, and which of them are no longer asked."""

    replied: dict[str, float] = field(default_factory=dict[str, float])
    """Judge to the monotonic time of its last answer."""
    failed: dict[str, int] = field(default_factory=dict[str, int])
    """Judge to its calls that failed since its last answer."""
    silent: dict[str, str] = field(default_factory=dict[str, str])
    """Judges that have been given up, and why."""

    def answered(self, model: str) -> None:
        """Note an answer."""
        self.replied[model] = time.monotonic()
        self.failed.pop(model, None)

    def give_up(self, model: str, asked: float, why: str, after: int = 1) -> None:
        """Stop asking a judge that let `after` calls in a row fail; one that it outlived by an answer is none.

        `asked` is when the call that failed began.
        """
        if self.replied.get(model, asked) > asked:
            return
        self.failed[model] = self.failed.get(model, 0) + 1
        if self.failed[model] >= after:
            self.silent[model] = why


def patience(model: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The limits that `config` leaves open for this model."""
    given = {name: value for name, value in config.items() if value is not None}
    by_binary = model.startswith("steelyard/claude-cli")  # which has a deadline of its own for each request
    if model.partition("/")[0] in _ON_THIS_MACHINE and not by_binary:
        return {}
    bounds: dict[str, Any] = {}
    if not {"max_retries", "timeout"} & given.keys():
        bounds = {"max_retries": RETRIES, "timeout": TOTAL_S}
    if given.get("batch"):  # a batch takes hours, and every call in it waits for all of it
        bounds.pop("timeout", None)
    elif "attempt_timeout" not in given and not by_binary:
        bounds["attempt_timeout"] = given.get("timeout", TOTAL_S)
    return bounds


@dataclass(slots=True)
class _Requests:
    """The requests of one call, as far as they failed."""

    errors: list[BaseException] = field(default_factory=list[BaseException])

    def cause(self, error: BaseException) -> str | None:
        """What came of the last request, in words; None if it is not the provider that failed.

        A deadline hides what came before it, so that is told too.
        """
        last = last_cause(error)
        if last is error and not provider_failed(error):
            return None
        before = [failed for failed in self.errors if not timed_out(failed)]
        if timed_out(last) and before:
            return f"{in_words(last)}; before that {in_words(before[-1])}"
        return in_words(last)


_REQUESTS: ContextVar[_Requests | None] = ContextVar("steelyard_requests", default=None)
_IN_RUN: ContextVar[bool] = ContextVar("steelyard_in_run", default=False)


def patient(model: Model) -> Model:
    """`model`, left alone in an outage; wrapped once and asked afresh, as Inspect may return the same one again."""
    if _outage(model) is not None:
        cast(Any, model.api).steelyard_outage = Outage()
        return model
    # `outer` is a call with all of its retries, `inner` a single request.
    outer, inner = cast(Any, model.generate), cast(Any, model.api.generate)

    async def call(*args: Any, **kwargs: Any) -> Any:
        causes, asked = cast(Outage, _outage(model)).causes, _question(*args, **kwargs)
        try:
            return await one_call(asked, *args, **kwargs)
        except NotAsked as error:
            if (own := causes.get(asked)) is None:
                raise
            raise NotAsked(f"{own}; not asked again") from error

    async def one_call(asked: int, *args: Any, **kwargs: Any) -> Any:
        async with one_run(model) as turn:
            token = _REQUESTS.set(requests := _Requests())
            try:
                return await outer(*args, **kwargs)
            except Exception as error:
                if isinstance(error, Unanswered) or (why := requests.cause(error)) is None:
                    raise
                if turn is not None:
                    turn.failed(why, lasting=lasting(error))
                retried = ", also after all retries" if last_cause(error) is not error else ""
                told = f"no answer from {model}{retried}: {why}"
                cast(Outage, _outage(model)).causes[asked] = told
                raise Unanswered(told) from error
            finally:
                _REQUESTS.reset(token)

    async def request(*args: Any, **kwargs: Any) -> Any:
        # The client would retry unseen. Set on every request, because Inspect may replace the client.
        if hasattr(client := getattr(model.api, "client", None), "max_retries"):
            cast(Any, client).max_retries = 0
        try:
            result = await inner(*args, **kwargs)
        except Exception as error:
            _failed(error)
            raise
        # A provider returns its output alone, or with the recorded call.
        output = cast(tuple[Any, Any], result)[0] if isinstance(result, tuple) else result
        if isinstance(output, Exception):
            _failed(output)
        elif (outage := _outage(model)) is not None:
            outage.answered()
        return cast(Any, result)

    # The wrapper that redacts errors checks this mark to wrap only once.
    cast(Any, request).redacts_errors = getattr(inner, "redacts_errors", False)
    api = cast(Any, model.api)
    api.steelyard_outage, api.generate, cast(Any, model).generate = Outage(), request, call
    return model


@asynccontextmanager
async def one_run(model: Model) -> AsyncGenerator[Turn | None]:
    """Everything inside is one run: it is let in or refused (`NotAsked`) once, and its failure counts once.

    None inside a run, and for a model that is not patient.
    """
    outage = _outage(model)
    if outage is None or _IN_RUN.get():
        yield None
        return
    async with outage.run() as turn:
        token = _IN_RUN.set(True)
        try:
            yield turn
        finally:
            _IN_RUN.reset(token)


def _question(input: Any, *_: Any, **__: Any) -> int:
    """What tells a call from others: its messages, without the ids that Inspect gives them."""
    return hash(input if isinstance(input, str) else tuple((message.role, message.text) for message in input))


def _failed(error: BaseException) -> None:
    if (requests := _REQUESTS.get()) is not None:
        requests.errors.append(error)


def _outage(model: Model) -> Outage | None:
    return getattr(model.api, "steelyard_outage", None)
