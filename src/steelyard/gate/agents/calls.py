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

import anyio
from inspect_ai.model import Model

from steelyard.gate.agents.attempt import FINAL_STATUSES
from steelyard.gate.purse import BudgetSpent, pay_call, require_money
from steelyard.models.fault import (
    LASTING_STATUSES,
    REQUEST_STATUSES,
    concerns_account,
    in_words,
    provider_failed,
    status_of,
)

Clock = float
"""Seconds of `time.monotonic`."""


@dataclass(slots=True)
class Call:
    """One call to a provider; Inspect's own retries are calls too."""

    began: Clock
    ended: Clock | None = None
    error: str | None = None
    """Why it failed, in words that name the status."""
    status: int | None = None
    """HTTP status of a failed call; None if no response arrived."""
    account: bool = False
    """Whether it failed because of the account or the name of the model."""
    ours: bool = False
    """Whether it failed in this process, before or after the provider was asked."""

    @property
    def provider_failed(self) -> bool:
        """Whether it failed for a reason that is not the agent's and not ours."""
        # An empty account may come with the status of a bad request (400).
        return self.error is not None and not self.ours and (self.account or self.status not in REQUEST_STATUSES)


@dataclass(slots=True)
class Calls:
    """The calls of one attempt, in order."""

    calls: list[Call] = field(default_factory=list[Call])
    final: Call | None = None
    """The failed call after which no other can succeed."""
    spent: BudgetSpent | None = None
    """Set if a call was not made because the budget is spent."""
    over: anyio.Event = field(default_factory=anyio.Event)
    """Set as soon as no other call can succeed."""

    @property
    def answered(self) -> int:
        """How many succeeded."""
        return sum(call.ended is not None and call.error is None for call in self.calls)

    def fault(self, began: Clock, now: Clock) -> str | None:
        """Why the provider is to blame for a run that broke; None if it is not.

        The last call decides: an agent that went on after a failed call was not broken by it. A call that has no
        answer yet counts as hanging if it has taken up half of the run, or if no call was ever answered.
        """
        if self.final is not None:
            return self.final.error
        # Calls overlap; the one that began last is the last that the client tried.
        last = max(self.calls, key=lambda call: call.began, default=None)
        if last is None:
            return None
        if last.ended is None:
            waited = now - last.began
            hanging = waited > (now - began) / 2 or not self.answered
            return self._waiting(waited) if hanging else None
        return last.error if last.provider_failed else None

    def mistake(self) -> str | None:
        """Why this process is to blame for a run that broke: the last call failed in it; None if it is not."""
        last = max(self.calls, key=lambda call: call.began, default=None)
        return last.error if last is not None and last.ours else None

    @property
    def lasting(self) -> bool:
        """Whether no wait mends what the run ended with."""
        return self.final is not None and (self.final.account or self.final.status in LASTING_STATUSES)

    def _waiting(self, seconds: float) -> str:
        """Silence, and the failure before it if nothing was answered since: a call that is repeated says little."""
        ended = max((call for call in self.calls if call.ended is not None), key=lambda call: call.began, default=None)
        if ended is not None and ended.provider_failed:
            return f"{ended.error}; asked again, no answer for {seconds:.0f} s"
        return f"the provider has not answered for {seconds:.0f} s"

    def stop(self, error: BudgetSpent) -> None:
        """Note that no call may be made any more."""
        self.spent = error
        self.over.set()

    def failed(self, call: Call, error: Exception) -> None:
        """Note why a call failed, and whether that is the end of the run."""
        call.error, call.status, call.ended = in_words(error), status_of(error), time.monotonic()
        call.account = concerns_account(error)
        # A status can only have come from the provider.
        call.ours = not provider_failed(error) and call.status is None
        if call.account or call.status in FINAL_STATUSES:
            self.final = call
            self.over.set()


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


def _observe(model: Model) -> None:
    """Wrap the provider's `generate` once; Inspect may return the same model again."""
    generate = cast(Any, model.api.generate)
    if getattr(generate, "records_calls", False):
        return

    async def recording(*args: Any, **kwargs: Any) -> Any:
        calls = _RECORDER.get()
        # A call that belongs to no attempt, such as that of a judge on the same model.
        if calls is None:
            return await generate(*args, **kwargs)
        try:
            require_money()
        except BudgetSpent as error:
            calls.stop(error)
            raise
        call = Call(time.monotonic())
        calls.calls.append(call)
        try:
            result = await generate(*args, **kwargs)
        except Exception as error:
            calls.failed(call, error)
            raise
        # Some providers return a record of the call beside the output.
        output: Any = cast(tuple[Any, Any], result)[0] if isinstance(result, tuple) else result
        if isinstance(output, Exception):  # some providers return an error instead of raising it
            calls.failed(call, output)
        else:
            pay_call(str(model), output.usage)
        call.ended = time.monotonic()
        return cast(Any, result)

    cast(Any, recording).records_calls = True
    # The wrapper that redacts errors checks this mark to wrap only once.
    cast(Any, recording).redacts_errors = getattr(generate, "redacts_errors", False)
    cast(Any, model.api).generate = recording
