"""Secrets: what counts as one, and how it is kept out of messages, logs and arguments.

The values of environment variables that hold keys are known, so they are found in every form in which programs print a
value; other keys are found by the rules in `rules`, which are read when the first text is searched.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, cast

_SECRET_NAMES = (
    *("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"),
    *("_PASS", "_PWD", "_PAT"),
)
"""How the names of variables that hold keys end, but for a number."""
_LEAST, _LEAST_NAMED = 8, 6
"""Characters of a secret, and of one that somebody named: shorter ones are words, and redacting them garbles text."""

_named: set[str] = set()


def treat_as_secret(names: Iterable[str]) -> None:
    """From now on, redact the values of these environment variables whatever they are called."""
    _named.update(names)


def redact(text: str) -> str:
    """`text` without the values of environment variables that hold keys, and without what the rules call a key."""
    from steelyard.secrets.rules import secrets_in

    for name, value in _secrets():
        text = text.replace(value, f"[{name}]")
    for name in _named:  # what is shorter is redacted where it is assigned
        if 0 < len(value := os.environ.get(name, "")) < _LEAST_NAMED:
            text = re.sub(rf"({re.escape(name)}[\"']?\s*[=:]\s*[\"']?){re.escape(value)}(?!\w)", rf"\1[{name}]", text)
    parts, end = list[str](), 0
    for secret in sorted(secrets_in(text, guess=False), key=lambda found: found.start):  # two rules may find the same
        parts += [text[end : secret.start], "[redacted]"] if secret.start >= end else []
        end = max(end, secret.end)
    return "".join([*parts, text[end:]])


def redacted(value: Any) -> Any:
    """`value` with all strings in it redacted, at any depth of lists and mappings."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(member) for key, member in cast(dict[Any, Any], value).items()}
    if isinstance(value, (list, tuple)):
        members = [redacted(member) for member in cast(list[Any], value)]
        kind = cast(Any, type(cast(Any, value)))
        return kind(*members) if hasattr(kind, "_fields") else kind(members)
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
    from steelyard.secrets.rules import in_argument, secrets_in

    text = str(value)
    variable = next((holder for holder, secret in _secrets() if secret in text), None)
    if variable is not None:
        return f"the secret in {variable}"
    if any(secrets_in(text, guess=False)):
        return "something that looks like a key"
    return next((said for path, leaf in _leaves(name, value) if leaf and (said := in_argument(path, leaf))), None)


def _leaves(path: str, value: object) -> Iterator[tuple[str, str]]:
    """The strings in `value`, with the names that lead to them."""
    if isinstance(value, dict):
        for key, member in cast(dict[Any, Any], value).items():
            yield from _leaves(f"{path}.{key}", member)
    elif isinstance(value, (list, tuple)):
        for member in cast(list[Any], value):
            yield from _leaves(path, member)
    elif isinstance(value, str):
        inner = None
        if value.lstrip()[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                inner = json.loads(value)
        yield from _leaves(path, inner) if inner is not None else [(path, value)]


def _secrets() -> list[tuple[str, str]]:
    """Environment variables that hold keys, longest value first, because one may contain another."""
    known = [(name, value) for name, value in os.environ.items() if name in _named or _holds_key(name.upper())]
    found = [
        (name, form)
        for name, value in known
        if len(value) >= (_LEAST_NAMED if name in _named else _LEAST)
        for form in _forms(value)
    ]
    return sorted(found, key=lambda pair: -len(pair[1]))


def _holds_key(name: str) -> bool:
    bare = name.rstrip("0123456789")
    return (bare if bare == name else bare.removesuffix("_")).endswith(_SECRET_NAMES)


@lru_cache(maxsize=256)
def _forms(value: str) -> tuple[str, ...]:
    """A secret, and what is secret in it by itself, as programs print them: in JSON, addresses, pages, headers."""
    from urllib.parse import unquote, urlsplit  # like those below, not needed for `--help`

    inner = [leaf for _, leaf in _leaves("", value) if len(leaf) >= _LEAST]
    with suppress(ValueError):
        inner.append(unquote(urlsplit(value).password or ""))
    inner += [line.strip() for line in value.splitlines() if len(line.strip()) >= 2 * _LEAST]  # of a private key
    forms = [form for part in (value, value.strip(), *inner) for form in _printed(part)]
    return tuple(dict.fromkeys(form for form in forms if len(form) >= _LEAST_NAMED))


def _printed(value: str) -> Iterator[str]:
    import base64
    import html
    from urllib.parse import quote, quote_plus

    data = value.encode("utf-8", "surrogateescape")
    yield from (value, quote(data, safe=""), quote_plus(data), quote(data), html.escape(value), data.hex())
    yield from (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1])
    for before in range(3):  # in base64 what comes before it (`user:…`) decides how it is written
        letters = base64.b64encode(bytes(before) + data).decode()
        yield letters[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
