"""Parses a judge's reply into a verdict, or refuses it: pure and strict, never with a default number.

Law: the whole reply is exactly one JSON object (whitespace or one ```json fence around it, nothing else), of the schema
below, without unknown, missing or repeated keys; it carries the code of the call, which nothing written before can
hold; every number is a JSON number, finite, in [0, 1] as it is written, before any rounding; every quote occurs in the
graded text. A met criterion, and a dimension above the lowest band, needs at least one quote that is evidence
(`quotes`). A reply that repeats a passage of the graded text, or a verdict that the text already holds in any spelling
(`echo`), is not a reply. Anything else is a `VerdictError` with the reason.

    {"code": "…", "grades": {"<criterion>": {"met": true, "evidence": ["…"]}, …}, "rationale": "…"}
    {"code": "…", "grades": {"<dimension>": {"score": 0.75, "evidence": ["…"]}, …}, "rationale": "…"}

Score = Σ weight · value, a met criterion is 1 and an unmet one 0.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from steelyard.artifact import unique_keys
from steelyard.judge.echo import Value, imitates
from steelyard.judge.quotes import GradedText
from steelyard.judge.rubric import BANDS, Criterion, Dimension, Rubric
from steelyard.judge.text import fold
from steelyard.judge.topic import topic_of
from steelyard.markdown import unfenced

PARSER_VERSION = 7
"""Raised whenever the same reply could be read differently; cached verdicts of older versions are not used.
1: the first. 2: an object of the graded text is recognised in any spelling; numbers are compared as written.
3: a reply carries the code of its call; a verdict that the graded text holds is recognised by its meaning; evidence
must be about the item and the task. 4: verdicts in tables, told in words around them and in more encodings; orders in
more languages, and passages in a script that is not the text's own. 5: verdicts in numbers in words, under other names,
packed and in more encodings; requests, and passages in a language that is not the text's own, are no evidence.
6: verdicts in rows of cells and in other words for yes and no; settings and lists of 0 and 1 in a program are none;
more requests are no evidence, orders that a passage only reports do not spoil it.
7: a passage that says less about its subject than about its own grading is no evidence; verdicts told in sentences,
spelled out letter by letter, in pieces and in dumps."""

REPLY_LIMIT = 200_000
"""Characters of the longest reply that is parsed."""

RATIONALE_LIMIT = 2_000
"""Characters kept of a rationale."""

MOST_NAMES = 8
"""Missing or unknown keys that a message names."""

LONGEST_NAME = 40
"""Characters that a message repeats of an unknown key."""

EVIDENCE = "a passage on what the item and the task are about, not one that speaks to its reader"
"""What a supporting quote is, for the judge that is asked again."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{\[]|[}\]]|[^"\\{}\[\]]+')
"""A string, a bracket, or the text between them; a backslash is not allowed outside a string."""

DEPTH_LIMIT = 16
"""Deepest nesting of objects and lists that is still parsed; a verdict needs four levels."""


class VerdictError(ValueError):
    """The reply is not a verdict; the message says why.

    Args:
        reason: Why, in our own words only.
        names: What the reply called something, cut short; whoever shows it to a judge must mark it as data.
    """

    def __init__(self, reason: str, names: Sequence[str] = ()) -> None:
        super().__init__(f"{reason} {_listed(names)}" if names else reason)
        self.reason = reason
        """Why, without the names."""
        self.names = tuple(names[:MOST_NAMES])
        """Names that the reply made up."""


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


def parse_verdict(rubric: Rubric, reply: str, text: str, code: str | None = None, *, topic: str = "") -> Verdict:
    """The one verdict in `reply` on the normalised `text`, or `VerdictError`.

    Args:
        rubric: What the text was graded by.
        reply: The whole reply.
        text: The graded text, cleaned.
        code: What the reply has to carry; None if it was requested without one.
        topic: The task; evidence must be about it or about its item of the rubric.
    """
    answer = read_object(reply, text, code)
    expect_keys(answer, ("grades", "rationale"), "the reply")
    grades = mapping(answer["grades"], "grades")
    expect_keys(grades, [item.id for item in rubric.items], "grades")
    graded = GradedText.of(text)
    scores: dict[str, float] = {}
    evidence: dict[str, tuple[str, ...]] = {}
    for item in rubric.items:
        scores[item.id], evidence[item.id] = _grade(item, mapping(grades[item.id], item.id), graded, topic)
    refuse_echo(text, {name: bool(score) if rubric.criteria else score for name, score in scores.items()})
    total = math.fsum(weight * scores[name] for name, weight in rubric.weights.items())
    return Verdict(min(max(total, 0.0), 1.0), scores, evidence, sentence(answer["rationale"], "rationale"))


def refuse_echo(text: str, verdict: Mapping[str, Value]) -> None:
    """Raise if the graded text already holds this verdict: who repeats a text has not graded it."""
    if imitates(text, verdict):
        raise VerdictError("the reply repeats an object of the graded text")


def _grade(
    item: Criterion | Dimension, grade: Mapping[str, Any], text: GradedText, task: str
) -> tuple[float, tuple[str, ...]]:
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
    asked = item.about if isinstance(item, Dimension) else item.question
    topic = topic_of(asked, task)
    if claims and not any(text.supports(quote, topic, asked=asked) for quote in evidence):
        raise VerdictError(f"{item.id} is graded without a quote of the graded text that supports it: {EVIDENCE}")
    return value, evidence


def read_object(reply: str, text: str = "", code: str | None = None) -> dict[str, Any]:
    """The one JSON object that `reply` is, without its `code`; refuses a reply that repeats a passage of `text`."""
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
    if "".join(body.split()) in "".join(text.split()):
        raise VerdictError("the reply repeats an object of the graded text")
    answer = cast(dict[str, Any], value)
    if code is not None and answer.pop("code", None) != code:
        raise VerdictError("the reply does not carry the code of this request")
    return answer


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
        raise VerdictError(f"{where} has the unknown key", [fold(name[:LONGEST_NAME]) for name in unknown])


def _listed(names: Sequence[str]) -> str:
    """The first few names."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(repr, names[:MOST_NAMES])) + more


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


def quotes(value: object, text: GradedText, where: str) -> tuple[str, ...]:
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
