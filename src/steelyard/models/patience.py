"""How long a model is asked for an answer: one rule for every wing.

Law: a call that the provider fails (rate limit, server error, lost connection, silence) is repeated at most `RETRIES`
times and not beyond `TOTAL_S` seconds; one request takes at most `TOTAL_S`. `max_retries`, `timeout` and
`attempt_timeout` of the generation config change that: whoever sets one of the first two is not bound by our value of
the other, and a request never takes longer than the whole call may. A model that has let a whole call fail, and has
answered nothing since that call began, is not asked again in the same run. Inspect by itself asks for ever, and looks
at `timeout` only between two requests.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import ModelError, one_line
from steelyard.secrets import redact

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
_ATTEMPT_TIMEOUT = "AttemptTimeoutError"
"""What Inspect raises when one request takes too long; it has no public name."""


@dataclass(slots=True)
class Contact:
    """When each model last answered, and which of them are no longer asked."""

    replied: dict[str, float] = field(default_factory=dict[str, float])
    """Model to the monotonic time of its last answer."""
    failed: dict[str, int] = field(default_factory=dict[str, int])
    """Model to its calls that failed since its last answer."""
    silent: dict[str, str] = field(default_factory=dict[str, str])
    """Models that have been given up, and why."""

    def answered(self, model: str) -> None:
        """Note an answer."""
        self.replied[model] = time.monotonic()
        self.failed.pop(model, None)

    def give_up(self, model: str, asked: float, why: str, after: int = 1) -> None:
        """Stop asking a model that let `after` calls in a row fail; one that it outlived by an answer is none.

        `asked` is when the call that failed began.
        """
        if self.replied.get(model, asked) > asked:
            return
        self.failed[model] = self.failed.get(model, 0) + 1
        if self.failed[model] >= after:
            self.silent[model] = why


class Unanswered(ModelError):
    """The provider gave no answer that can be used."""

    def __repr__(self) -> str:
        """Inspect writes this into the log as the reason."""
        return str(self)


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


def patient(model: Model) -> Model:
    """`model`, given up once it is silent; wrapped once and asked afresh, as Inspect may return the same one again."""
    known: Contact | None = getattr(model.api, "steelyard_contact", None)
    if known is not None:
        known.silent.clear()
        known.failed.clear()
        return model
    contact, name, outer, inner = Contact(), str(model), cast(Any, model.generate), cast(Any, model.api.generate)

    async def call(*args: Any, **kwargs: Any) -> Any:
        asked = time.monotonic()
        try:
            return await outer(*args, **kwargs)
        except Exception as error:
            if (cause := last_cause(error)) is error:
                raise
            why = f"no answer from {name}, also after all retries: {in_words(cause)}"
            contact.give_up(name, asked, why)
            raise Unanswered(why) from error

    async def request(*args: Any, **kwargs: Any) -> Any:
        if name in contact.silent:
            raise Unanswered(contact.silent[name])
        result = await inner(*args, **kwargs)
        if not isinstance(result[0] if isinstance(result, tuple) else result, Exception):
            contact.answered(name)
        return cast(Any, result)

    # The wrapper that redacts errors checks this mark to wrap only once.
    cast(Any, request).redacts_errors = getattr(inner, "redacts_errors", False)
    api = cast(Any, model.api)
    api.steelyard_contact, api.generate, cast(Any, model).generate = contact, request, call
    return model


def give_up(model: Model, asked: float, why: str) -> None:
    """Stop asking a model, if it is a patient one, that has answered nothing since `asked`."""
    contact: Contact | None = getattr(model.api, "steelyard_contact", None)
    if contact is not None:
        contact.give_up(str(model), asked, f"no answer from {model}: {why}")


def last_cause(error: BaseException) -> BaseException:
    """The failure of the last request, if Inspect has given up repeating it; else the error itself."""
    return error.__cause__ or error if type(error).__name__ == "RetryError" else error


def timed_out(error: BaseException | None) -> bool:
    """Whether one request took longer than it may."""
    return type(error).__name__ == _ATTEMPT_TIMEOUT


def in_words(error: BaseException) -> str:
    """Why a request failed, without the request."""
    if timed_out(error) and (seconds := re.search(r"\d+", str(error))):
        return f"nothing usable came within {seconds[0]} s"
    stated = getattr(error, "provider_message", None) or str(error)
    return one_line(redact(str(stated)), 200) or type(error).__name__
