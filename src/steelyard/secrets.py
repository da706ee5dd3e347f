"""Secrets: what counts as one, and how it is kept out of messages, logs and arguments."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, cast

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$")
API_KEY = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|[sr]k_live_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})"
)
"""Keys and tokens that are recognized by how they begin."""
AWS_KEY = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")
_SECRET_ARGUMENT = re.compile(
    r"api_?key|authori[sz]ation|bearer|cookie|credential|header|passw|secret|(?:^|_)token$", re.I
)
_USERINFO = re.compile(r"\w+://[^/\s?#]*@")
_SECRET_QUERY = re.compile(r"[?&](?:[\w-]*key|[\w-]*token|sig|signature|password|secret)=", re.I)
_MIN_SECRET_LENGTH = 8
"""Shorter values are words or flags; redacting them would garble ordinary text."""

_MIN_NAMED_LENGTH = 6
"""The same for a variable that somebody named as secret."""

_named: set[str] = set()


def treat_as_secret(names: Iterable[str]) -> None:
    """From now on, redact the values of these environment variables whatever they are called."""
    _named.update(names)


def redact(text: str) -> str:
    """`text` without the values of environment variables that hold keys, and without anything that looks like a key."""
    for name, value in _secrets():
        text = text.replace(value, f"[{name}]")
    return AWS_KEY.sub("[redacted]", API_KEY.sub("[redacted]", text))


def redacted(value: Any) -> Any:
    """`value` with all strings in it redacted, at any depth of lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(member) for key, member in cast(dict[Any, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return type(value)(redacted(member) for member in cast(list[Any], value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value


def scrub(error: BaseException) -> None:
    """Redact an exception and its causes in place: arguments and attributes."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        current.args = redacted(current.args)
        for name, value in list(vars(current).items()):
            if isinstance(value, (str, dict, list)):
                with suppress(AttributeError, TypeError):  # a read-only attribute
                    setattr(current, name, redacted(value))
        current = current.__cause__ or current.__context__


def secret_in(name: str, value: object) -> str | None:
    """What in an argument is a secret, in words that do not repeat it; None if nothing is."""
    text = str(value)
    variable = next((holder for holder, secret in _secrets() if secret in text), None)
    if variable is not None:
        return f"the secret in {variable}"
    if API_KEY.search(text) or AWS_KEY.search(text):
        return "something that looks like a key"
    if _USERINFO.search(text):
        return "an address with a user name or a password"
    if _SECRET_QUERY.search(text):
        return "an address with a key in it"
    member = next((path for path, leaf in _leaves(name, value) if leaf and _SECRET_ARGUMENT.search(path)), None)
    return f"a value for {member}" if member is not None else None


def _leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
    """The strings in `value`, with the names that lead to them."""
    if isinstance(value, dict):
        for key, member in cast(dict[Any, Any], value).items():
            yield from _leaves(f"{path}.{key}", member)
    elif isinstance(value, (list, tuple)):
        for member in cast(list[Any], value):
            yield from _leaves(path, member)
    elif isinstance(value, str):
        yield path, value


def _secrets() -> list[tuple[str, str]]:
    """Environment variables that hold keys, longest value first, because one may contain another."""
    secrets = [
        (name, value)
        for name, value in os.environ.items()
        if (len(value) >= _MIN_SECRET_LENGTH and _SECRET_NAME.search(name.upper()))
        or (len(value) >= _MIN_NAMED_LENGTH and name in _named)
    ]
    return sorted(secrets, key=lambda pair: -len(pair[1]))
