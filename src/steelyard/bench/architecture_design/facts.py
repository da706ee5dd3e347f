"""Decidable facts about an architecture: what is asked for, and how what an answer states compares with it.

    accuracy = max(0, right − wrong traps) / facts

A fact is an option, a number, a set of options, or true or false. Its *traps* are wrong values that the usual
misreadings lead to.

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
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, cast

from pydantic import Field, model_validator

from steelyard.text import normalised
from steelyard.yamlfile import Strict

Kind: TypeAlias = Literal["option", "number", "set", "truth"]
Value: TypeAlias = bool | int | float | str | tuple[str, ...]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
LEAST, MOST = 8, 12
"""Facts of one task."""
_READ = 20_000
"""Characters at the end of an answer in which its object is looked for."""
_TRIES = 200
"""Opening braces that are tried, from the end."""
_NUMBER = re.compile(r"(?:usd|\$)?\s*(-?\d[\d,]{0,30}(?:\.\d{1,30})?)\s*(?:[a-z%$°][a-z/ %$]{0,30})?", re.IGNORECASE)
_TWICE = object()
"""The value of a field that occurs twice."""


class Fact(Strict):
    """One fact that the subject is asked for."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
    """The field of the answer's object."""
    ask: Text
    """What the field holds, as the subject reads it."""
    kind: Kind
    options: tuple[Text, ...] = ()
    """What an option or a set is chosen from; empty for numbers and for true or false."""
    answer: Value
    """The right value."""
    within: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """How far a number may be off."""
    traps: tuple[Value, ...] = ()
    """Wrong values that cost; for a set, wrong elements."""
    why: Text
    """Why the answer is right."""

    @model_validator(mode="after")
    def _consistent(self) -> Fact:
        right = self.answer if isinstance(self.answer, tuple) else (self.answer,)
        if not all(_fits(self.kind, value, self.options) for value in (*right, *self.traps)):
            raise ValueError(f"{self.name}: the answer or a trap does not fit a fact of the kind {self.kind}")
        if (self.kind == "set") != isinstance(self.answer, tuple) or (self.kind == "set" and not self.answer):
            raise ValueError(
                f"{self.name}: the answer of a set is a list with at least one option, of others one value"
            )
        if any(trap in right if self.kind == "set" else _same(trap, self.answer, self) for trap in self.traps):
            raise ValueError(f"{self.name}: a trap is right")
        if len({option.casefold() for option in self.options}) != len(self.options):
            raise ValueError(f"{self.name}: two options are the same")
        return self


def fenced(values: Mapping[str, Any]) -> str:
    """Facts in the form that is asked for."""
    return f"```facts\n{json.dumps(dict(values), indent=2, ensure_ascii=False)}\n```"


def asked(facts: Sequence[Fact]) -> str:
    """The fields and their options as the subject reads them; a list that several facts share is printed once.

    Options are in alphabetical order: authors put the right one first.
    """
    choices = [fact.options for fact in facts if fact.options]
    several = dict.fromkeys(options for options in choices if choices.count(options) > 1)
    shared = {options: f"list {number}" for number, options in enumerate(several, 1)}
    lines = [f"- `{fact.name}` ({_form(fact, shared)}): {fact.ask}" for fact in facts]
    lines += [f"\n{name.capitalize()}: {_listed(options)}" for options, name in shared.items()]
    return "\n".join(lines)


def _form(fact: Fact, shared: Mapping[tuple[str, ...], str]) -> str:
    if fact.kind in ("number", "truth"):
        return "number" if fact.kind == "number" else "true or false"
    options = f"of {shared[fact.options]}" if fact.options in shared else f"of: {_listed(fact.options)}"
    return f"one {options}" if fact.kind == "option" else f"JSON list, all that apply {options}"


def _listed(options: Sequence[str]) -> str:
    return "; ".join(sorted(options, key=str.casefold))


def _fits(kind: Kind, value: Value, options: Sequence[str]) -> bool:
    if kind == "truth":
        return isinstance(value, bool) and not options
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and not options
    return value in options


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


class Stated(NamedTuple):
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
        # Bounded, because a hostile answer may consist of opening braces.
        place = answer.rfind("{", max(0, len(answer) - _READ), place)
        if place < 0:
            break
        with suppress(ValueError, RecursionError):
            fields, end = decoder.raw_decode(answer, place)
            # The answer may also hold a diagram in JSON; only an object with one of the fields is meant.
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
        # The tolerance is a decimal fraction, which a float may miss by a little.
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
        # Cut before normalising, which can turn one character into eighteen.
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
