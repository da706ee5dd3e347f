"""Finds secrets in a text by the rules of gitleaks. Pure, but for reading the rules once.

`gitleaks.toml` is the file of that project as it is (MIT, see `gitleaks.LICENSE`), `more.toml` adds to it. A rule is an
expression, the least entropy of what it finds and what is allowed; a text without one of its keywords is not searched.
A password that a person would choose is not told from an example: neither is claimed to be found.
"""

from __future__ import annotations

import base64
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log2
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

_GUESS = "generic-api-key"
"""The rule that goes by names such as `token`."""


class Secret(NamedTuple):
    """What a rule found, and where."""

    rule: str
    start: int
    end: int


def secrets_in(text: str, path: str = "", *, guess: bool = True) -> Iterator[Secret]:
    """The secrets in a text, with those of the generic rule if it may guess."""
    allowed = _read("gitleaks")["allowlist"]
    if path and any(_search(each, path) for each in allowed["paths"]):
        return
    lowered = text.lower()
    for rule in {rule["id"]: rule for word, rule in _keywords() if word in lowered}.values():
        if (guess or rule["id"] != _GUESS) and _search(rule.get("path", ""), path):
            yield from _found(rule, [allowed, *rule.get("allowlists", [])], text, path)


@cache
def _keywords() -> list[tuple[str, dict[str, Any]]]:
    """Each keyword with its rule: one pass over them takes less time than a question per rule."""
    left_out = _read("more")["extend"]["disabledRules"]
    rules = [rule for name in ("gitleaks", "more") for rule in _read(name)["rules"] if rule["id"] not in left_out]
    return [(word, rule) for rule in rules for word in rule.get("keywords", [])]


def decoded(line: str) -> Iterator[str]:
    """What is written in a line in another form: JSON in a string, an address in an address, base64."""
    if "\\" in line:
        yield re.sub(r"\\+[nrt]?", "", line)
    if "%" in line:
        yield unquote(line)
    for blob in re.findall(r"[A-Za-z0-9+/_-]{24,}", line):
        whole = blob.replace("-", "+").replace("_", "/")[: len(blob) - len(blob) % 4]
        if (data := base64.b64decode(whole)).isascii():
            yield data.decode()


def in_argument(name: str, value: str) -> str | None:
    """What must not be in an argument, in words; None if nothing is."""
    texts = (f"{name}={value}", f"{name}={unquote(value)}")
    found = (each["says"] for each in _read("more")["arguments"] if any(_search(each["regex"], text) for text in texts))
    return next((said.format(name=name) for said in found), None)


@cache
def _read(name: str) -> dict[str, Any]:
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
