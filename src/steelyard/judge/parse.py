"""Reads a judge's reply whole, or refuses it: pure and strict, never with a default number.

The whole reply is exactly one JSON object (whitespace or one ```json fence around it, nothing else), without repeated
keys, and fits the JSON Schema that the judge was given; it carries the code of the call and the ids drawn for it, each
once, which nothing written before the call can hold; every grade is finite and in [0, 1] as it is written, before any
rounding. Anything else is a `VerdictError` with the reason, in our own words only: a judge that is asked again may be
shown it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any, cast

from steelyard.artifact import first_problem, unique_keys
from steelyard.errors import JudgeError
from steelyard.judge.text import fold
from steelyard.markdown import unfenced

PARSER_VERSION = 8
"""Raised whenever the same text could be judged differently; cached verdicts of older versions are not used.
1 to 7 compared what a text says with lists of words. 8: ids and order drawn per call, decoys, evidence by number."""

REPLY_LIMIT = 200_000
"""Characters of the longest reply that is parsed."""

TIE = 0.5
"""The score of a tie between two results, and so that of the one that others are compared with."""

SIDES = {"first": 0.0, "even": TIE, "second": 1.0}
"""Which of two results is better, as a judge says it, and as the score of the second one."""


class VerdictError(JudgeError):
    """The reply is not a verdict; the message, of at most 600 characters and without secrets, tells the judge why."""


class DecoyTaken(VerdictError):
    """The reply grades a decoy wrongly. A judge that is asked again is not told."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict. Every number is finite and in [0, 1]."""

    score: float
    """Σ weight · value."""
    scores: Mapping[str, float]
    """Per criterion (0 or 1) or dimension."""
    evidence: Mapping[str, tuple[str, ...]]
    """Likewise, the sentences of the graded text that were named."""
    rationale: str

    def __post_init__(self) -> None:
        for value in (self.score, *self.scores.values()):
            if not (math.isfinite(value) and 0.0 <= value <= 1.0):
                raise VerdictError(f"{value} is not a number in [0, 1]")
        if self.scores.keys() != self.evidence.keys():
            raise VerdictError("scores and evidence name different items")


def read_object(reply: str) -> dict[str, Any]:
    """The one JSON object that `reply` is."""
    if len(reply) > REPLY_LIMIT:
        raise VerdictError(f"the reply has more than {REPLY_LIMIT:,} characters")
    body = unfenced(reply.strip(), ("", "json"))
    if not body:
        raise VerdictError("the reply is empty")
    try:
        value = _DECODER.decode(body)
    except RecursionError:
        raise VerdictError("the reply is nested too deeply") from None
    except ValueError as error:
        where = f" (character {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        raise VerdictError(f"the reply is not exactly one JSON object{where}") from None
    if not isinstance(value, dict):
        raise VerdictError("the reply is JSON, but not an object")
    return cast(dict[str, Any], value)


def fitting(value: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """`value`, which fits the schema; the error names the place and the rule, and nothing that a judge wrote there."""
    try:
        # As text, because a mapping cannot be the key of a cache.
        problem = first_problem(_validator(json.dumps(schema)), value)
    except ValueError:
        raise VerdictError("the reply is nested too deeply") from None
    if problem is not None:
        place = "/".join(map(str, problem.instance_path)) or "the reply"
        raise VerdictError(f"{place} {_broken(str(problem.schema_path[-1]), problem.kind)}")
    return value


def rows(entries: Sequence[Mapping[str, Any]], ids: Collection[str], where: str) -> dict[str, Mapping[str, Any]]:
    """A list of objects by their ids; each of `ids` exactly once."""
    found = {str(entry["id"]): entry for entry in entries}
    if missing := [name for name in ids if name not in found]:
        raise VerdictError(f"{where} lacks {', '.join(missing)}")
    if len(entries) != len(ids):
        raise VerdictError(f"{where} has an id twice, or one that was not asked for")
    return found


def numbers_in(numbers: Sequence[Any], count: int, most: int, where: str) -> tuple[int, ...]:
    """At most `most` numbers of sentences, each between 1 and `count`, without repetitions."""
    # To a JSON Schema, 1.0 is an integer too.
    if not all(isinstance(place, int) and 1 <= place <= count for place in numbers):
        raise VerdictError(f"{where} must be numbers of sentences")
    places = tuple(dict.fromkeys(numbers))
    if len(places) > most:
        raise VerdictError(f"{where} must be at most {most} numbers")
    return places


def grade_in(value: float | str, where: str) -> float:
    """A grade as a number in [0, 1]; true and false are 1 and 0."""
    if isinstance(value, str):
        return SIDES[value]
    if not 0 <= value <= 1:
        raise VerdictError(f"{where} must lie in [0, 1]")
    # −0.0 becomes 0.0.
    return float(value) + 0.0


def sentence(value: str) -> str:
    """What a judge says to people, cut to a readable length."""
    return fold(value[:2_000])


def _broken(rule: str, kind: Any) -> str:
    """A rule of the schema that a reply breaks, in words."""
    if rule == "type":
        return f"must be of the type {' or '.join(kind.types)}"
    if rule == "enum":
        return f"must be one of {', '.join(kind.options)}"
    return f"lacks {kind.property}" if rule == "required" else "has an unknown key"


@cache
def _validator(schema: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(json.loads(schema))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    try:
        return unique_keys(pairs)
    except ValueError:  # its message quotes the key
        raise VerdictError("the reply has a duplicate key") from None


def _refuse(name: str) -> Any:
    raise VerdictError(f"{name} is not a number")


def _fraction(digits: str) -> float:
    """Every number with a fraction is a grade."""
    with suppress(InvalidOperation):  # too large an exponent
        # As a decimal: a float would round 1.00000000000000001 to 1 before the comparison.
        if 0 <= Decimal(digits) <= 1:
            return float(digits)
    raise VerdictError("a grade must lie in [0, 1]")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_fraction)
