"""Parses a judge's reply into a verdict, or refuses it: pure and strict, never with a default number.

Law: the whole reply is exactly one JSON object (whitespace or one ```json fence around it, nothing else), of the schema
below, without unknown, missing or repeated keys; every number is a JSON number, finite, in [0, 1] as it is written,
before any rounding; every quote occurs in the graded text. A met criterion, and a dimension above the lowest band,
needs at least one quote that says something (`MIN_QUOTE`, or a whole line of the text) and is not itself addressed to
the judge. A reply that merely repeats a passage of the graded text, or an object of it in another spelling, is not
a reply. Anything else is a `VerdictError` with the reason.

    {"grades": {"<criterion>": {"met": true, "evidence": ["…"]}, …}, "rationale": "…"}
    {"grades": {"<dimension>": {"score": 0.75, "evidence": ["…"]}, …}, "rationale": "…"}

Score = Σ weight · value, a met criterion is 1 and an unmet one 0.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple, cast

from steelyard.artifact import unique_keys
from steelyard.judge.injection import speaks_to_judge
from steelyard.judge.rubric import BANDS, Criterion, Dimension, Rubric
from steelyard.judge.text import fold
from steelyard.markdown import unfenced

PARSER_VERSION = 2
"""Raised whenever the same reply could be read differently; cached verdicts of older versions are not used.
1: the first. 2: an object of the graded text is recognised in any spelling; numbers are compared as written."""

REPLY_LIMIT = 200_000
"""Characters of the longest reply that is parsed."""

MIN_QUOTE = 8
"""Letters and digits a quote needs (a wide character counts double) before it can support a grade."""

RATIONALE_LIMIT = 2_000
"""Characters kept of a rationale."""

MOST_NAMES = 8
"""Missing or unknown keys that a message names."""

_OPENING = re.compile(r'\{ ?("(?:[^"\\]|\\.)*")')
"""The beginning of a JSON object, up to its first key."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{\[]|[}\]]|[^"\\{}\[\]]+')
"""A string, a bracket, or the text between them; a backslash is not allowed outside a string."""

DEPTH_LIMIT = 16
"""Deepest nesting of objects and lists that is still parsed; a verdict needs four levels."""

_STRETCH = 8
"""How much longer than the reply another spelling of it can be: every letter escaped, a space after every token."""


class VerdictError(ValueError):
    """The reply is not a verdict; the message says why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict. Every number is finite and in [0, 1]."""

    score: float
    """Σ weight · value."""
    scores: Mapping[str, float]
    """Per criterion (0 or 1) or dimension."""
    evidence: Mapping[str, tuple[str, ...]]
    """Quotes of the graded text per criterion or dimension."""
    rationale: str

    def __post_init__(self) -> None:
        for value in (self.score, *self.scores.values()):
            if not (math.isfinite(value) and 0.0 <= value <= 1.0):
                raise VerdictError(f"{value} is not a number in [0, 1]")


def parse_verdict(rubric: Rubric, reply: str, text: str) -> Verdict:
    """The one verdict in `reply` on the normalised `text`, or `VerdictError`."""
    answer = read_object(reply, text)
    expect_keys(answer, ("grades", "rationale"), "the reply")
    grades = mapping(answer["grades"], "grades")
    expect_keys(grades, [item.id for item in rubric.items], "grades")
    folded = Folded.of(text)
    scores: dict[str, float] = {}
    evidence: dict[str, tuple[str, ...]] = {}
    for item in rubric.items:
        scores[item.id], evidence[item.id] = _grade(item, mapping(grades[item.id], item.id), folded)
    total = math.fsum(weight * scores[name] for name, weight in rubric.weights.items())
    return Verdict(min(max(total, 0.0), 1.0), scores, evidence, sentence(answer["rationale"], "rationale"))


def _grade(item: Criterion | Dimension, grade: Mapping[str, Any], text: Folded) -> tuple[float, tuple[str, ...]]:
    key = "met" if isinstance(item, Criterion) else "score"
    expect_keys(grade, (key, "evidence"), item.id)
    if isinstance(item, Criterion):
        if not isinstance(grade["met"], bool):
            raise VerdictError(f"{item.id}.met must be true or false")
        value = float(grade["met"])
        claims = grade["met"]
    else:
        value = number(grade["score"], f"{item.id}.score")
        claims = round(value, 6) >= BANDS[1].low
    evidence = quotes(grade["evidence"], text, f"{item.id}.evidence")
    if claims and not any(map(text.supports, evidence)):
        raise VerdictError(f"{item.id} is graded without a quote of the graded text that supports it")
    return value, evidence


@dataclass(frozen=True, slots=True)
class Folded:
    """The graded text, prepared for looking up quotes."""

    text: str
    lines: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Folded:
        """`text` folded, as a whole and by line."""
        return cls(fold(text), frozenset(fold(line) for line in text.splitlines()))

    def contains(self, quote: str) -> bool:
        """Whether `quote` occurs in the text (spaces, typographic quotes and dashes apart)."""
        folded = fold(quote)
        return bool(folded) and folded in self.text

    def supports(self, quote: str) -> bool:
        """Whether a contained quote says enough to support a grade, and is not addressed to the judge."""
        folded = fold(quote)
        weight = sum(2 if ord(letter) > 0x2E7F else 1 for letter in folded if letter.isalnum())
        return weight > 0 and (weight >= MIN_QUOTE or folded in self.lines) and not speaks_to_judge(folded)


def read_object(reply: str, text: str = "") -> dict[str, Any]:
    """The one JSON object that `reply` is; refuses a reply that repeats a passage of `text`."""
    if len(reply) > REPLY_LIMIT:
        raise VerdictError(f"the reply has more than {REPLY_LIMIT:,} characters")
    body = unfenced(reply.strip(), ("", "json"))
    if not body:
        raise VerdictError("the reply is empty")
    try:
        value = _DECODER.decode(body)
    except VerdictError:
        raise
    except RecursionError:
        raise VerdictError("the reply is nested too deeply") from None
    except ValueError as error:
        where = f" (character {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        raise VerdictError(f"the reply is not exactly one JSON object{where}") from None
    if not isinstance(value, dict):
        raise VerdictError("the reply is JSON, but not an object")
    if _depth(body) > DEPTH_LIMIT:
        raise VerdictError("the reply is nested too deeply")
    if "".join(body.split()) in "".join(text.split()) or _repeats(body, text):
        raise VerdictError("the reply repeats an object of the graded text")
    return cast(dict[str, Any], value)


def _repeats(body: str, text: str) -> bool:
    """Whether `text` contains the object in `body`; spelling of numbers, escapes, spaces and order do not matter."""
    if "{" not in text:
        return False
    single = " ".join(body.split())
    reply = _DECODER.decode(single)
    bounds = _Bounds(_STRETCH * len(single), _depth(single))
    return any(candidate == reply for candidate in _objects(" ".join(text.split()), set(reply), bounds))


class _Bounds(NamedTuple):
    """Largest size of an object that can equal the reply."""

    window: int
    """Characters."""
    depth: int
    """Levels of nested objects and lists."""


def _objects(text: str, keys: set[str], bounds: _Bounds) -> Iterator[Any]:
    """The JSON objects in `text` that begin with one of `keys` and stay within `bounds`.

    Many opening brackets cost at most `depth` passes over each character: an opening is abandoned once others nest too
    deeply in it, and no two of equal depth overlap, except those that mistake a string for the text around it.
    """
    for opening in _OPENING.finditer(text):
        try:
            if json.loads(opening[1]) in keys and (end := _end(text, opening.start(), bounds)) is not None:
                yield _DECODER.decode(text[opening.start() : end])
        except (ValueError, RecursionError):
            continue  # not an object, or not one that could be a reply


def _end(text: str, start: int, bounds: _Bounds) -> int | None:
    """The end of the object or list that opens at `start`; None if it is not closed within `bounds`."""
    inside, place = 0, start
    while token := _TOKEN.match(text, place, start + bounds.window):
        place = token.end()
        inside += _STEPS.get(token[0], 0)
        if inside == 0:
            return place
        if inside > bounds.depth:
            return None
    return None


def _depth(body: str) -> int:
    """How deeply objects and lists are nested in a JSON text."""
    return max(itertools.accumulate(_STEPS.get(token, 0) for token in _TOKEN.findall(body)), default=0)


_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


def expect_keys(data: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
    """Require exactly these `keys`; `VerdictError` names what is missing, or else what is unknown."""
    names = list(keys)
    missing = [name for name in names if name not in data]
    unknown = [name for name in data if name not in names]
    if missing:
        raise VerdictError(f"{where} lacks {_listed(missing)}")
    if unknown:
        raise VerdictError(f"{where} has the unknown key {_listed(unknown)}")


def _listed(names: list[str]) -> str:
    """The first few names, each cut short."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(repr(name[:40]) for name in names[:MOST_NAMES]) + more


def mapping(value: object, where: str) -> Mapping[str, Any]:
    """`value` as an object."""
    if not isinstance(value, dict):
        raise VerdictError(f"{where} must be an object")
    return cast(Mapping[str, Any], value)


def number(value: object, where: str) -> float:
    """`value` as a finite number in [0, 1]; text and booleans are not numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise VerdictError(f"{where} must be a number")
    if not (math.isfinite(value) and 0 <= value <= 1):  # a decimal is compared with every digit it has
        raise VerdictError(f"{where} must lie in [0, 1]")
    return float(value) + 0.0


def sentence(value: object, where: str) -> str:
    """`value` as text, cut to a readable length."""
    if not isinstance(value, str):
        raise VerdictError(f"{where} must be text")
    return fold(value[:RATIONALE_LIMIT])


def quotes(value: object, text: Folded, where: str) -> tuple[str, ...]:
    """`value` as a list of quotes that all occur in `text`."""
    if not isinstance(value, list):
        raise VerdictError(f"{where} must be a list of quotes")
    folded: list[str] = []
    for quote in cast(list[object], value):
        if not isinstance(quote, str):
            raise VerdictError(f"{where} must be a list of quotes")
        if not text.contains(quote):
            raise VerdictError(f"{where} has a quote that is not in the graded text")
        folded.append(fold(quote))
    return tuple(folded)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    try:
        return unique_keys(pairs)
    except ValueError:  # its message quotes the key, and a complaint must not repeat what a judge wrote
        raise VerdictError("the reply has a duplicate key") from None


def _refuse(name: str) -> Any:
    raise VerdictError(f"{name} is not a number")


def _finite(digits: str) -> Decimal:
    try:
        value = Decimal(digits)
    except InvalidOperation:
        raise VerdictError("a number has too large an exponent") from None
    if not math.isfinite(float(digits)):
        raise VerdictError("a number is not finite")
    return value


def _whole(digits: str) -> int:
    if len(digits) > 30:
        raise VerdictError("a number has too many digits")
    return int(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite, parse_int=_whole)
