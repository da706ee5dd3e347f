"""Facts read from an answer and compared with the right ones.

    score = max(0, right − wrong traps) / facts

`right` counts fields with the right value, `wrong traps` the fields marked as traps whose value is wrong. A field that
is absent or null is missing: it earns nothing and costs nothing. The last JSON object of the answer that has one of the
fields decides; a field that occurs twice in it is wrong. Values are compared without regard to case, punctuation and
invisible characters; numbers after rounding to the decimals of the right value; sets regardless of order. A set with
one element too many or too few is wrong, and so is a list where one value is asked for.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steelyard.bench.hard_architecture.model import Fact
from steelyard.text import normalised

_READ = 20_000
"""Characters at the end of an answer in which its object is looked for."""
_OBJECTS = 500
"""How many opening braces are tried, from the end."""
_NUMBER = re.compile(r"(?:usd|\$)?\s*(-?\d[\d,]*(?:\.\d+)?)\s*(?:[a-z%$][a-z/ %]*)?", re.IGNORECASE)
_WORDS = re.compile(r"[\W_]+")
_TWICE = object()
"""The value of a field that occurs twice."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """How the facts of an answer compare with the right ones."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    missing: tuple[str, ...]
    traps: tuple[str, ...]
    """Those of `wrong` that cost."""

    @property
    def score(self) -> float:
        """In [0, 1]."""
        total = len(self.right) + len(self.wrong) + len(self.missing)
        return max(0, len(self.right) - len(self.traps)) / total


def stated(answer: str, facts: Sequence[Fact]) -> Mapping[str, Any] | None:
    """The last object of an answer that has one of the fields; None if there is none."""
    names = {fact.name for fact in facts}
    text = answer[-_READ:]
    place = len(text)
    for _ in range(_OBJECTS):
        place = text.rfind("{", 0, place)
        if place < 0:
            break
        fields = _object(text, place)
        if fields is not None and names & fields.keys():
            return fields
    return None


def assess(fields: Mapping[str, Any], facts: Sequence[Fact]) -> Assessment:
    """Each fact is right, wrong or missing."""
    missing = [fact.name for fact in facts if fields.get(fact.name) is None]
    right = [fact.name for fact in facts if fact.name not in missing and _equal(fields[fact.name], fact)]
    wrong = [fact for fact in facts if fact.name not in missing and fact.name not in right]
    return Assessment(
        right=tuple(right),
        wrong=tuple(fact.name for fact in wrong),
        missing=tuple(missing),
        traps=tuple(fact.name for fact in wrong if fact.trap),
    )


def _object(text: str, place: int) -> dict[str, Any] | None:
    try:
        value, _ = json.JSONDecoder(object_pairs_hook=_pairs).raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        fields[name] = _TWICE if name in fields else value
    return fields


def _equal(value: Any, fact: Fact) -> bool:
    if fact.kind == "yes_no":
        return _truth(value) is fact.value
    if fact.kind == "number":
        return _same_number(value, cast(float, fact.value))
    if fact.kind == "choice":
        return isinstance(value, str) and _plain(value) == _plain(cast(str, fact.value))
    elements = _elements(value)
    return elements is not None and elements == {_plain(element) for element in cast(list[str], fact.value)}


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"yes": True, "true": True, "no": False, "false": False}.get(_plain(value)) if _is_text(value) else None


def _same_number(value: Any, right: float) -> bool:
    if isinstance(value, str):
        match = _NUMBER.fullmatch(normalised(value).text.strip())
        value = float(match[1].replace(",", "")) if match else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    decimals = len(repr(right).partition(".")[2]) if isinstance(right, float) else 0
    try:
        return math.isfinite(value) and math.isclose(value, right, rel_tol=0, abs_tol=0.5 * 10**-decimals + 1e-12)
    except OverflowError:
        return False


def _elements(value: Any) -> set[str] | None:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(_is_text(part) for part in cast(list[Any], parts)):
        return None
    return {_plain(part) for part in cast(list[str], parts) if part.strip()}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _plain(text: str) -> str:
    return _WORDS.sub(" ", normalised(text).text.casefold()).strip()
