"""Secrets: what counts as one, and how it is kept out of messages, logs and arguments."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, cast
from urllib.parse import quote, quote_plus, unquote, urlsplit

from steelyard.secrets.disguise import holds, redact_disguised, spellings

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|_PASS|_PWD|_PAT)(?:_?\d+)?$")
API_KEY = re.compile(
    r"\b(?:sk-(?!(?:[a-z]{1,14}-){2,8}[a-z]{1,14}(?![\w-])|(?:ant-|proj-)?x{8})[A-Za-z0-9_-]{16,}"
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|gl(?:pat|rt|dt|ptt|cbt|ft|imt|oas|soat|agent|ffct)-[\w.-]{20,}|xox[abeprs][.-][\w.-]{10,}|xapp-[\w-]{20,}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,}"
    r"|npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{20,}|dckr_[po]at_[\w-]{20,}|rubygems_[0-9a-f]{40,}"
    r"|(?:gsk|r8|tgp_v1|pcsk|jina|e2b|figd|lin_api|ntn|whsec|shp(?:at|ss|ca|pa)|nfp|vcp|sntry[su]|glsa|glc|sbp|sb_secret"
    r"|pscale_(?:pw|tkn|oauth)|do[opr]_v1|lsv2_[a-z]{2}|fm2)_[\w+/=-]{20,}|(?:xai|pplx|nvapi|tvly|csk|sq0[a-z]{3}|pul|HRKU"
    r"|NRAK|GOCSPX|bedrock-api-key)-[\w+/=-]{20,}|dapi[0-9a-f]{32}|AT[AC]TT3[\w=-]{30,}|ATBB[A-Za-z0-9]{28,}|ABSK[\w+/=]{40,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|hv[sbr]\.[\w-]{24,}|ya29\.[\w-]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"
    r"|(?:key|fc|PMAK)-[0-9a-f]{24,32}(?:-[0-9a-f]{34})?(?![\w-])|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|CCIPAT_\w{40,}"
    r"|(?:vercel_blob_rw|hc[ab]ik|napi|api_org|phx|FLWSECK(?:_TEST)?)[_-][\w-]{30,}|ops_eyJ[\w-]{60,}|AQ\.Ab8R[\w-]{30,}"
    r"|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"
    r"|1//0[\w-]{40,}|[\w.~]{3}\dQ~[\w.~-]{31,34}|[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])"
    r"|tskey-[a-z]{2,10}-[\w-]{20,}|SK[0-9a-f]{32}(?![\w-])|[0-9a-f]{32}-us\d{1,2}(?![\w-])|oy2[a-z0-9]{43}(?![\w-])"
    r"|cio[A-Za-z0-9]{32}(?![\w-])|s\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}(?![\w.(])|EAAA[\w-]{56,}|AQE[A-Za-z0-9+/=.-]{56,}|\d/\d{16}:[0-9a-f]{32}(?!\w)"
    r"|access_token\$(?:production|sandbox)\$\w{16}\$[0-9a-f]{32}|AGE-SECRET-KEY-1[0-9A-Z]{50,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})"
)
"""Keys and tokens that are recognized by how they begin."""
AWS_KEY = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")
_SECRET_ARGUMENT = re.compile(
    r"(?:api|access|account|client|licen[cs]e|private|session|signing|subscription)[_-]?key(?!_env$)|authori[sz]ation"
    r"|(?:^|[._-])auth(?:$|\.)|(?:^|[._-])(?:jwt|login|otp|pass|pat|pin|pwd|sas|sig|signature|userpwd)$"
    r"|(?:^|\.)(?:key|code)$|bearer|connection_?string|cookie|credential|header|passw|passphrase|secret"
    # A tokenizer has tokens of its own.
    r"|(?:^|[._-])(?<!bos_)(?<!cls_)(?<!eos_)(?<!mask_)(?<!pad_)(?<!sep_)(?<!stop_)(?<!unk_)token$",
    re.I,
)
_USERINFO = re.compile(r"(?:^|[\s\"'=:])[/\\]{2}[^/\s?#]*@")
_SECRET_QUERY = re.compile(
    r"(?:^|[?&#;,\s])(?:[\w-]*(?:key|token|secret|signature|credential|session(?:id)?|passw(?:or)?d)|auth|code|jwt|pass|pwd|sig)="
    r"|[?&#;][\w-]+=(?=[a-z_]*\d)(?=[0-9_]*[a-z])[a-z0-9_]{16,}",
    re.I,
)
"""A parameter of an address that is secret by its name, or by a value that nobody would write by hand."""
_MIN_SECRET_LENGTH = 8
"""Shorter values are words or flags; redacting them would garble ordinary text."""

_MIN_NAMED_LENGTH = 6
"""The same for a variable that somebody named as secret."""

_LONG_LINE = 20
"""Letters of a line of a secret, such as one of a private key, that is redacted where it stands alone."""

_named: set[str] = set()


def treat_as_secret(names: Iterable[str]) -> None:
    """From now on, redact the values of these environment variables whatever they are called."""
    _named.update(names)


def redact(text: str) -> str:
    """`text` without the values of environment variables that hold keys, and without anything that looks like a key."""
    for name, value in _secrets():
        text = text.replace(value, f"[{name}]")
    text = redact_disguised(text, _disguises())
    for name, value in _short_secrets():
        text = re.sub(rf"({re.escape(name)}[\"']?\s*[=:]\s*[\"']?){re.escape(value)}(?!\w)", rf"\1[{name}]", text)
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
    disguised = (holder for holder, spelled in _disguises() if holds(text, spelled))
    variable = next((holder for holder, secret in _secrets() if secret in text), next(disguised, None))
    if variable is not None:
        return f"the secret in {variable}"
    if API_KEY.search(text) or AWS_KEY.search(text):
        return "something that looks like a key"
    plainly = (text, unquote(text))
    if any(map(_USERINFO.search, plainly)):
        return "an address with a user name or a password"
    member = next((path for path, leaf in _leaves(name, value) if leaf and _SECRET_ARGUMENT.search(path)), None)
    if member is not None:
        return f"a value for {member}"
    return "an address with a key in it" if any(map(_SECRET_QUERY.search, plainly)) else None


def _leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
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
    secrets = [(name, spelling) for name, value in _values() for spelling in _spellings(value)]
    return sorted(secrets, key=lambda pair: -len(pair[1]))


def _disguises() -> list[tuple[str, tuple[str, ...]]]:
    """The same with the letters and digits of all spellings; a mere word is no secret unless somebody says so."""
    return [(name, spellings(value)) for name, value in _values() if name in _named or any(map(str.isdigit, value))]


def _values() -> list[tuple[str, str]]:
    """Environment variables that hold keys, with each secret in them."""
    return [
        (name, part)
        for name, value in os.environ.items()
        if (len(value) >= _MIN_SECRET_LENGTH and _SECRET_NAME.search(name.upper()))
        or (len(value) >= _MIN_NAMED_LENGTH and name in _named)
        for part in _parts(value)
    ]


def _short_secrets() -> list[tuple[str, str]]:
    """Variables named as secret whose values are so short that only their assignments can be redacted."""
    return [(name, value) for name in _named if 0 < len(value := os.environ.get(name, "")) < _MIN_NAMED_LENGTH]


@lru_cache(maxsize=256)
def _spellings(value: str) -> tuple[str, ...]:
    """A secret with its marks as programs print it: in an address, in JSON, on a page, by lines.

    `disguise` finds what has only its letters and digits.
    """
    plain = value.strip()
    data = plain.encode("utf-8", "surrogateescape")
    escaped = [json.dumps(plain)[1:-1], json.dumps(plain, ensure_ascii=False)[1:-1], repr(plain)[1:-1]]
    lines = [line.strip() for line in plain.splitlines() if len(line.strip()) >= _LONG_LINE]
    addresses = (quote(data, safe=""), quote_plus(data), quote(data))
    ways = (value, plain, *addresses, *escaped, html.escape(plain), *lines)
    return tuple(dict.fromkeys(spelling for spelling in ways if len(spelling) >= _MIN_NAMED_LENGTH))


@lru_cache(maxsize=256)
def _parts(value: str) -> tuple[str, ...]:
    """A secret, and what is secret in it by itself: the password of an address, the strings of a JSON document."""
    inner = [leaf for _, leaf in _leaves("", value) if isinstance(leaf, str)]
    if _USERINFO.search(value):
        with suppress(ValueError):
            inner.append(unquote(urlsplit(value).password or ""))
    return (value, *(part for part in inner if len(part) >= _MIN_SECRET_LENGTH))
