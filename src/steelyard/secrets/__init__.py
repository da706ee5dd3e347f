"""Secrets: what counts as one, and how it is kept out of messages, logs and arguments.

The values of environment variables that hold keys are known, so they are found in every form in which programs print a
value. Other keys are found by rules: `gitleaks.toml` is the file of that project as it is (MIT, see
`gitleaks.LICENSE`), `more.toml` adds to it. A rule is an expression, the least entropy of what it finds and what is
allowed; a text without one of its keywords is not searched. A password that a person would choose is not told from an
example: neither is claimed to be found.

Every process that can fail imports this module, most of them redact nothing: what redaction needs is imported by it.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from math import log2
from pathlib import Path
from typing import Any, NamedTuple, cast

_HOLDS_KEY = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|_PASS|_PWD|_PAT)(?:_?[0-9]+)?\Z", re.IGNORECASE
)
"""How the names of variables that hold keys end."""
_LEAST, _LEAST_NAMED = 8, 6
"""Characters of a secret, and of one that somebody named: shorter ones are words, and redacting them garbles text."""
_GUESS = "generic-api-key"
"""The rule that goes by names such as `token`."""

_named: set[str] = set()


class Secret(NamedTuple):
    """What a rule found, and where."""

    rule: str
    start: int
    end: int


def treat_as_secret(names: Iterable[str]) -> None:
    """From now on, redact the values of these environment variables whatever they are called."""
    _named.update(names)


def redact(text: str) -> str:
    """`text` without the values of environment variables that hold keys, and without what the rules call a key."""
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
        # A named tuple takes its members as separate arguments.
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
    text = str(value)
    for variable, secret in _secrets():
        if secret in text:
            return f"the secret in {variable}"
    if any(secrets_in(text, guess=False)):
        return "something that looks like a key"
    from urllib.parse import unquote

    for path, leaf in _leaves(name, value):
        for rule in _read("more")["arguments"] if leaf else ():
            if any(_search(rule["regex"], f"{path}={shown}") for shown in (leaf, unquote(leaf))):
                return rule["says"].format(name=path)
    return None


def secrets_in(text: str, path: str = "", *, guess: bool = True) -> Iterator[Secret]:
    """The secrets in a text, with those of the generic rule if it may guess."""
    allowed = _read("gitleaks")["allowlist"]
    if path and any(_search(each, path) for each in allowed["paths"]):
        return
    lowered = text.lower()
    # Each rule is used once, however many of its keywords are in the text.
    for rule in {rule["id"]: rule for word, rule in _keywords() if word in lowered}.values():
        if (guess or rule["id"] != _GUESS) and _search(rule.get("path", ""), path):
            yield from _found(rule, [allowed, *rule.get("allowlists", [])], text, path)


def decoded(line: str) -> Iterator[str]:
    """What is written in a line in another form: JSON in a string, an address in an address, base64."""
    import base64
    from urllib.parse import unquote

    if "\\" in line:
        yield re.sub(r"\\+[nrt]?", "", line)
    if "%" in line:
        yield unquote(line)
    for blob in re.findall(r"[A-Za-z0-9+/_-]{24,}", line):
        whole = blob.replace("-", "+").replace("_", "/")[: len(blob) - len(blob) % 4]
        # Any long word decodes to some bytes, but an encoded key decodes to ASCII.
        if (data := base64.b64decode(whole)).isascii():
            yield data.decode()


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
    found = [
        (name, form)
        for name, value in os.environ.items()
        if (name in _named or _holds_key(name)) and len(value) >= (_LEAST_NAMED if name in _named else _LEAST)
        for form in _forms(value)
    ]
    return sorted(found, key=lambda pair: -len(pair[1]))


@lru_cache(maxsize=1024)
def _holds_key(name: str) -> bool:
    """Whether the name of a variable says that it holds a key; asked of every variable for every line of a log."""
    return _HOLDS_KEY.search(name) is not None


@lru_cache(maxsize=256)
def _forms(value: str) -> tuple[str, ...]:
    """A secret, and what is secret in it by itself, as programs print them: in JSON, addresses, pages, headers."""
    from urllib.parse import unquote, urlsplit

    # A variable may hold JSON, an address with a password, or a private key of several lines.
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

    # The environment may hold bytes that are not UTF-8.
    data = value.encode("utf-8", "surrogateescape")
    yield from (value, quote(data, safe=""), quote_plus(data), quote(data), html.escape(value), data.hex())
    yield from (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1])
    for before in range(3):  # in base64 what comes before it (`user:…`) decides how it is written
        letters = base64.b64encode(bytes(before) + data).decode()
        yield letters[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]


@cache
def _keywords() -> list[tuple[str, dict[str, Any]]]:
    """Each keyword with its rule: one pass over them takes less time than a question per rule."""
    left_out = _read("more")["extend"]["disabledRules"]
    rules = [rule for name in ("gitleaks", "more") for rule in _read(name)["rules"] if rule["id"] not in left_out]
    return [(word, rule) for rule in rules for word in rule.get("keywords", [])]


@cache
def _read(name: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))


@cache
def _compiled(go: str) -> re.Pattern[str]:
    """An expression of Go for Python, where a flag counts from the beginning and the end is another letter."""
    plain = go.replace(r"\z", r"\Z").replace("[[:alnum:]]", "[a-zA-Z0-9]")
    plain = plain.replace(r"[\w.-]{0,50}?(?i:[\w.-]{0,50}?", r"(?i:[\w.-]{0,50}?")  # twice is slow, and says the same
    return re.compile(plain.replace("(?i)", ""), re.ASCII | (re.IGNORECASE if "(?i)" in plain else 0))


def _search(expression: str, text: str) -> bool:
    return _compiled(expression).search(text) is not None


def _found(rule: dict[str, Any], lists: list[dict[str, Any]], text: str, path: str) -> Iterator[Secret]:
    for match in _compiled(rule["regex"]).finditer(text):
        # As gitleaks does: the group that the rule names, else the first one that matched.
        group = rule.get("secretGroup") or next((n for n, part in enumerate(match.groups(), 1) if part), 0)
        allowed = any(_allows(each, match, match[group], path) for each in lists)
        if _entropy(match[group]) > rule.get("entropy", -1) and not allowed:
            yield Secret(rule["id"], *match.span(group))


def _allows(allowed: dict[str, Any], match: re.Match[str], secret: str, path: str) -> bool:
    before, after = match.string.rfind("\n", 0, match.start()) + 1, match.string.find("\n", match.end())
    line = match.string[before : after if after >= 0 else None]
    target = {"match": match[0], "line": line}.get(allowed.get("regexTarget", ""), secret)
    reasons = [any(_search(each, target) for each in allowed["regexes"])] if "regexes" in allowed else []
    reasons += [any(_search(each, path) for each in allowed["paths"])] if "paths" in allowed else []
    reasons += [any(each in secret.lower() for each in allowed["stopwords"])] if "stopwords" in allowed else []
    return all(reasons) if allowed.get("condition") == "AND" else any(reasons)


def _entropy(text: str) -> float:
    """Bits per letter."""
    return -sum(count / len(text) * log2(count / len(text)) for count in Counter(text).values())
