"""Failures of a provider: what came, in words that name the cause once, and the errors that carry them.

403 Forbidden: this key may not do that          a status, and what the provider said with it
Connection error: Name or service not known      no response
the answer breaks off: it has no stop reason     a response that is no answer (`reply`)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, cast

from steelyard.errors import ModelError, one_line
from steelyard.outcome import PROVIDER_FAULT
from steelyard.secrets import redact

_ATTEMPT_TIMEOUT = "AttemptTimeoutError"
"""What Inspect raises when one request takes too long; it has no public name."""
_WRAPPERS = frozenset({"RetryError", "ModelGenerateError"})
"""What Inspect puts around the failure of a request; the failure is the cause."""
_LENGTH = 200
"""Characters of a provider's message that are kept."""

LASTING_STATUSES = frozenset({401, 402})
"""HTTP statuses that no wait mends: a wrong key, no credit. A 403 or 404 may come from a gateway, and pass."""
REQUEST_STATUSES = frozenset({400, 413, 422})
"""HTTP statuses that blame the request: the fault is of whoever composed it, not of the provider."""
ACCOUNT_CODES = frozenset(
    {"insufficient_quota", "billing_error", "billing_hard_limit_reached", "account_deactivated", "invalid_api_key",
     "model_not_found"}
)  # fmt: skip
"""Codes in a provider's error that concern the account or the name of the model, whatever the HTTP status is."""
OWN_STOPS = frozenset({"max_output_tokens", "content_filter"})
"""Why an incomplete response of OpenAI's API is an answer all the same: the model's own, cut or filtered."""
_NO_CREDIT = "Your credit balance is too low"
"""How Anthropic's message begins when the account is empty; its status is 400, like that of a bad request."""
_CLIENT_ERRORS = frozenset({"APIError", "OpenAIResponseError"})
"""Classes from which the errors of providers' clients derive, with or without a status."""
_TRANSPORTS = frozenset({"aiohttp", "httpcore", "httpcore2", "httpx", "httpx2"})
"""Packages under these clients, whose errors some of them let through: no connection, or a lost one."""


class Unanswered(ModelError):
    """The provider gave no answer that can be used: its fault, not the model's and not ours."""

    def __repr__(self) -> str:
        """Inspect writes this into the log as the reason; a reader knows the owner by the first words."""
        return f"{PROVIDER_FAULT}{self}"


class NotAsked(Unanswered):
    """The model had failed so many runs in a row that this one did not ask it."""


class Unusable(ModelError):
    """A response that is no answer; the next request may get one."""


def last_cause(error: BaseException) -> BaseException:
    """The failure of the last request, if Inspect has given up repeating it; else the error itself."""
    return error.__cause__ or error if type(error).__name__ == "RetryError" else error


def timed_out(error: BaseException | None) -> bool:
    """Whether one request took longer than it may."""
    return type(error).__name__ == _ATTEMPT_TIMEOUT


def status_of(error: BaseException | None) -> int | None:
    """The HTTP status in an exception or in what caused it."""
    for each in _chain(error):
        response = getattr(each, "response", None)
        # A lost connection has a number of its own: aiohttp says 400 to half a response, and to what is no HTTP.
        for holder in (response,) if _lost(each) else (each, response):
            for name in ("status_code", "status", "code"):
                status: Any = getattr(holder, name, None)
                if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 599:
                    return status
        if _lost(each):
            return None
    return None


def provider_failed(error: BaseException) -> bool:
    """Whether a request failed for a reason that is neither the request nor a mistake in this process."""
    error = _unwrapped(error)
    # Checked before the status: an empty account may come with a 400, which otherwise blames the request.
    if concerns_account(error) or isinstance(error, Unusable) or timed_out(error):
        return True
    status = status_of(error)
    if status is not None:
        return status not in REQUEST_STATUSES
    return _lost(error) or any(kind.__name__ in _CLIENT_ERRORS for kind in type(error).__mro__)


def _lost(error: BaseException) -> bool:
    """Whether the connection failed."""
    return isinstance(error, ConnectionError) or type(error).__module__.partition(".")[0] in _TRANSPORTS


def concerns_account(error: BaseException) -> bool:
    """Whether a provider's error has a code, or Anthropic's message, that says so."""
    fields = details(error)
    codes = {None if _lost(error) else getattr(error, "code", None), fields.get("code"), fields.get("type")}
    return bool(codes & ACCOUNT_CODES) or str(fields.get("message") or "").startswith(_NO_CREDIT)


def lasting(error: BaseException) -> bool:
    """Whether asking again later is of no use: the key is wrong, or the account is empty or has no such model."""
    error = _unwrapped(error)
    return concerns_account(error) or status_of(error) in LASTING_STATUSES


def details(error: BaseException) -> dict[str, Any]:
    """The fields of the error that the provider sent; empty if it sent none."""
    body: Any = getattr(error, "body", None)
    # Some providers put the fields into `error`, others into the body itself.
    detail: Any = cast(dict[str, Any], body).get("error", body) if isinstance(body, dict) else None
    return cast(dict[str, Any], detail) if isinstance(detail, dict) else {}


def in_words(error: BaseException) -> str:
    """Why a request failed, without the request."""
    error = _unwrapped(error)
    if timed_out(error) and (seconds := re.search(r"\d+", str(error))):
        return f"no response within {seconds[0]} s"
    message = one_line(redact(_message(error)), _LENGTH)
    status = status_of(error)
    if status is None or isinstance(error, ModelError):  # whose words name the status, if there was one
        return message or type(error).__name__
    named = f"{status} {HTTPStatus(status).phrase}" if status in {*HTTPStatus} else f"status {status}"
    return f"{named}: {message}" if message else named


def _unwrapped(error: BaseException) -> BaseException:
    while type(error).__name__ in _WRAPPERS and error.__cause__ is not None:
        error = error.__cause__
    return error


def _message(error: BaseException) -> str:
    """What the provider said, or what the exceptions say, each sentence once."""
    if isinstance(error, ModelError):
        return str(error)
    stated = details(error).get("message")
    if isinstance(stated, str) and stated:
        return stated
    if (status := status_of(error)) is not None:
        text = _own_words(error)
        # Without a message, clients repeat the status, which is already named.
        return "" if text == f"Error code: {status}" else "a page of HTML" if text.lstrip().startswith("<") else text
    texts = dict.fromkeys(_own_words(each).rstrip(". ") for each in _told(error))
    return ": ".join(text for text in texts if text)


def _told(error: BaseException) -> list[BaseException]:
    """The error and what caused it, without those of aiohttp that only wrap the next one, with addresses of objects."""
    chain = [*_chain(error)]
    return [each for each in chain if each is chain[-1] or not type(each).__module__.startswith("aiohttp.")]


def _own_words(error: BaseException) -> str:
    stated = getattr(error, "message", error)
    if stated is None or stated is error:
        return str(error)
    return stated if isinstance(stated, str) else type(error).__name__  # aiohttp puts an object there


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what caused it."""
    seen: set[int] = set()
    # A chain of causes may be circular.
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
