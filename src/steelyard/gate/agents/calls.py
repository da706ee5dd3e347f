"""The model calls that a bridged agent makes, seen on the host: which failed, and with which status.

Whether a run broke because of the provider is decided by what happened to its calls, never by words in its output: an
agent may write "rate limit" in its answer.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, cast

from inspect_ai.model import Model

from steelyard.errors import one_line
from steelyard.gate.agents.attempt import AGENT_STATUSES

Clock = float
"""Seconds of `time.monotonic`."""


@dataclass(slots=True)
class Call:
    """One call to a provider; Inspect's own retries are calls too."""

    began: Clock
    ended: Clock | None = None
    error: str | None = None
    status: int | None = None
    """HTTP status of a failed call; None if no response arrived."""

    @property
    def provider_failed(self) -> bool:
        """Whether it failed for a reason that is not the agent's."""
        return self.error is not None and self.status not in AGENT_STATUSES


@dataclass(slots=True)
class Calls:
    """The calls of one attempt, in order."""

    calls: list[Call] = field(default_factory=list[Call])

    @property
    def answered(self) -> int:
        """How many succeeded."""
        return sum(call.ended is not None and call.error is None for call in self.calls)

    def fault(self, began: Clock, now: Clock) -> str | None:
        """Why the provider is to blame for a run that broke; None if it is not.

        The last call decides: an agent that went on after a failed call was not broken by it. A call that has no
        answer yet counts as hanging if it has taken up half of the run.
        """
        last = max(self.calls, key=lambda call: call.began, default=None)
        if last is None:
            return None
        if last.ended is None:
            waited = now - last.began
            return f"the provider has not answered for {waited:.0f} s" if waited > (now - began) / 2 else None
        if not last.provider_failed:
            return None
        status = "no response" if last.status is None else f"status {last.status}"
        return f"{status}: {one_line(last.error or '', 200)}"


_RECORDER: ContextVar[Calls | None] = ContextVar("steelyard_model_calls", default=None)


@contextmanager
def recorded(model: Model) -> Generator[Calls]:
    """Record the calls to `model` made inside the block and by tasks started in it."""
    _observe(model)
    calls = Calls()
    token = _RECORDER.set(calls)
    try:
        yield calls
    finally:
        _RECORDER.reset(token)


def status_of(error: BaseException | None) -> int | None:
    """The HTTP status in an exception or in what caused it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        for holder in (error, getattr(error, "response", None)):
            for name in ("status_code", "status", "code"):
                status: Any = getattr(holder, name, None)
                if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 599:
                    return status
        error = error.__cause__ or error.__context__
    return None


def _observe(model: Model) -> None:
    """Wrap the provider's `generate` once; Inspect may return the same model again."""
    generate = cast(Any, model.api.generate)
    if getattr(generate, "records_calls", False):
        return

    async def recording(*args: Any, **kwargs: Any) -> Any:
        calls = _RECORDER.get()
        if calls is None:
            return await generate(*args, **kwargs)
        call = Call(time.monotonic())
        calls.calls.append(call)
        try:
            result = await generate(*args, **kwargs)
        except Exception as error:
            _failed(call, error)
            raise
        output: Any = cast(tuple[Any, Any], result)[0] if isinstance(result, tuple) else result
        if isinstance(output, Exception):  # some providers return an error instead of raising it
            _failed(call, output)
        call.ended = time.monotonic()
        return cast(Any, result)

    cast(Any, recording).records_calls = True
    # The wrapper that redacts errors checks this mark to wrap only once.
    cast(Any, recording).redacts_errors = getattr(generate, "redacts_errors", False)
    cast(Any, model.api).generate = recording


def _failed(call: Call, error: Exception) -> None:
    call.error, call.status, call.ended = f"{type(error).__name__}: {error}", status_of(error), time.monotonic()
