"""The facts that an answer states, compared with the right ones.

    accuracy = max(0, right − wrong traps) / facts

The last JSON object of the answer that has one of the fields counts. Options are compared without regard to case,
punctuation and invisible characters; a number may differ by `within`; a set must be complete and have nothing else. A
value that is one of the fact's traps costs a right fact; so does a set that holds one. A field that is absent or null
is missing: it earns and costs nothing. A field that occurs twice, a list where one value is asked for, NaN and infinity
are wrong. Without an object that has a field the answer is `unread`, and its accuracy is 0.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from steelyard.bench.architecture_design.facts import Fact, Kind, Value
from steelyard.text import normalised

_READ = 20_000
"""Characters at the end of an answer in which its object is looked for."""
_TRIES = 200
"""Opening braces that are tried, from the end."""
_NUMBER = re.compile(r"(?:usd|\$)?\s*(-?\d[\d,]{0,30}(?:\.\d{1,30})?)\s*(?:[a-z%$°][a-z/ %$]{0,30})?", re.IGNORECASE)
_TWICE = object()
"""The value of a field that occurs twice."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """How the facts of one answer compare with the right ones."""

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    trapped: tuple[str, ...] = ()
    """Those of `wrong` that cost."""
    unread: bool = False
    """Whether the answer has no object with one of the fields."""

    @property
    def accuracy(self) -> float:
        """In [0, 1]."""
        total = len(self.right) + len(self.wrong) + len(self.missing)
        return max(0, len(self.right) - len(self.trapped)) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Stated:
    """The facts of an answer, and the answer without them."""

    fields: Mapping[str, Any] | None
    rest: str
    """What is left for people to read."""


def stated(answer: str, facts: Sequence[Fact]) -> Stated:
    """The last object of an answer that has one of the fields."""
    names = {fact.name for fact in facts}
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    place = len(answer)
    for _ in range(_TRIES):
        place = answer.rfind("{", max(0, len(answer) - _READ), place)
        if place < 0:
            break
        with suppress(ValueError, RecursionError):
            fields, end = decoder.raw_decode(answer, place)
            if names & fields.keys():
                return Stated(fields, f"{answer[:place]}\n{answer[end:]}")
    return Stated(None, answer)


def assessed(fields: Mapping[str, Any] | None, facts: Sequence[Fact]) -> Assessment:
    """Each fact is right, wrong or missing."""
    if fields is None:
        return Assessment(missing=tuple(fact.name for fact in facts), unread=True)
    given = [fact for fact in facts if fields.get(fact.name) is not None]
    wrong = [fact for fact in given if not _same(fields[fact.name], fact.answer, fact)]
    return Assessment(
        right=tuple(fact.name for fact in given if fact not in wrong),
        wrong=tuple(fact.name for fact in wrong),
        missing=tuple(fact.name for fact in facts if fact not in given),
        trapped=tuple(fact.name for fact in wrong if _trapped(fields[fact.name], fact)),
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    counts = Counter(name for name, _ in pairs)
    return {name: value if counts[name] == 1 else _TWICE for name, value in pairs}


def _trapped(value: Any, fact: Fact) -> bool:
    if fact.kind == "set":
        return any(_plain(str(trap)) in (_elements(value) or ()) for trap in fact.traps)
    return any(_same(value, trap, fact) for trap in fact.traps)


def _same(value: Any, wanted: Value, fact: Fact) -> bool:
    """Whether a stated value is a wanted one."""
    said, right = _read(value, fact.kind), _read(wanted, fact.kind)
    if isinstance(said, float) and isinstance(right, float):
        return abs(said - right) <= fact.within + 1e-9
    return said is not None and said == right


def _read(value: Any, kind: Kind) -> bool | float | str | set[str] | None:
    """A value as it is compared; None if it is not of the kind."""
    if kind == "set":
        return _elements(value)
    if kind == "number":
        return _number(value)
    if kind == "truth" and isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    plain = _plain(value)
    return plain if kind == "option" else {"yes": True, "true": True, "no": False, "false": False}.get(plain)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        match = _NUMBER.fullmatch(normalised(value[:80]).text.strip())
        value = match[1].replace(",", "") if match else None
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _elements(value: Any) -> set[str] | None:
    parts = cast(Sequence[Any], value) if isinstance(value, (list, tuple)) else [None]
    if not all(isinstance(part, (str, int)) and not isinstance(part, bool) for part in parts):
        return None
    return {_plain(str(part)[:200]) for part in parts[:200]}


def _plain(text: str) -> str:
    shown = normalised(text[:200]).text.casefold()
    return " ".join("".join(character if character.isalnum() else " " for character in shown).split())
