"""Reads a judge's reply whole, or refuses it: pure and strict, never with a default number.

The whole reply is exactly one JSON object (whitespace or one ```json fence around it, nothing else), without
unknown, missing or repeated keys; it carries the code of the call and the ids drawn for it, each once, which nothing
written before the call can hold; every number is a JSON number, finite and in [0, 1] as it is written, before any
rounding. A met criterion, and a dimension above the lowest band, names at least one sentence of the text by its number.
Anything else is a `VerdictError` with the reason.

Score = Σ weight · value, a met criterion is 1 and an unmet one 0.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from steelyard.artifact import unique_keys
from steelyard.judge.text import fold
from steelyard.markdown import unfenced

PARSER_VERSION = 8
"""Raised whenever the same text could be judged differently; cached verdicts of older versions are not used.
1 to 7 compared what a text says with lists of words. 8: ids and order drawn per call, decoys, evidence by number."""

REPLY_LIMIT = 200_000
"""Characters of the longest reply that is parsed."""

TIE = 0.5
"""The score of a tie between two results, and so that of the one that others are compared with."""

RATIONALE_LIMIT = 2_000
"""Characters kept of a rationale."""

MOST_NAMES = 8
"""Missing or unknown keys that a message names."""

LONGEST_NAME = 40
"""Characters that a message repeats of an unknown key."""


class VerdictError(ValueError):
    """The reply is not a verdict; the message says why.

    Args:
        reason: Why, in our own words only: a judge that is asked again may be shown it.
        names: What the reply called something, cut short; for people.
    """

    def __init__(self, reason: str, names: Sequence[str] = ()) -> None:
        super().__init__(f"{reason} {_listed(names)}" if names else reason)
        self.reason = reason
        """Why, without the names."""


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
    """The sentences of the graded text that were named, per criterion or dimension."""
    rationale: str

    def __post_init__(self) -> None:
        for value in (self.score, *self.scores.values()):
            if not (math.isfinite(value) and 0.0 <= value <= 1.0):
                raise VerdictError(f"{value} is not a number in [0, 1]")


def read_object(reply: str, code: str | None = None) -> dict[str, Any]:
    """The one JSON object that `reply` is, without its `code`, which must be the given one."""
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
    answer = cast(dict[str, Any], value)
    if code is not None and answer.pop("code", None) != code:
        raise VerdictError("the reply does not carry the code of this request")
    return answer


def rows(value: object, ids: Iterable[str], keys: Sequence[str], where: str) -> dict[str, Mapping[str, Any]]:
    """A list of objects with exactly `id` and these `keys`, by their ids; every id exactly once."""
    if not isinstance(value, list):
        raise VerdictError(f"{where} must be a list")
    found: dict[str, Mapping[str, Any]] = {}
    for entry in cast(list[object], value):
        row = mapping(entry, f"an entry of {where}")
        expect_keys(row, ("id", *keys), f"an entry of {where}")
        if not isinstance(row["id"], str) or row["id"] in found:
            raise VerdictError(f"an id of {where} is not text, or occurs twice")
        found[row["id"]] = row
    expect_keys(found, ids, where)
    return found


def numbers_in(value: object, count: int, most: int, where: str) -> tuple[int, ...]:
    """A list of at most `most` numbers of sentences, each between 1 and `count`, without repetitions."""
    if not isinstance(value, list):
        raise VerdictError(f"{where} must be a list of numbers")
    places: list[int] = []
    for place in cast(list[object], value):
        if isinstance(place, bool) or not isinstance(place, int) or not 1 <= place <= count:
            raise VerdictError(f"{where} must be numbers of sentences")
        places += [] if place in places else [place]
    if len(places) > most:
        raise VerdictError(f"{where} must be at most {most} numbers")
    return tuple(places)


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


def truth(value: object, where: str) -> float:
    """`value`, true or false, as 1 or 0."""
    if not isinstance(value, bool):
        raise VerdictError(f"{where} must be true or false")
    return float(value)


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
