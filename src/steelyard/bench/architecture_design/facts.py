"""Decidable facts about an architecture: what is asked for, and in which form.

A fact is an option, a number, a set of options, or true or false. Its *traps* are wrong values that the usual
misreadings lead to; `heuristic.stated` says what they cost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from steelyard.yamlfile import Strict

Kind: TypeAlias = Literal["option", "number", "set", "truth"]
Value: TypeAlias = bool | int | float | str | tuple[str, ...]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
LEAST, MOST = 8, 12
"""Facts of one task."""


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
        if any(_near(trap, value, self.within) for trap in self.traps for value in right):
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


def _near(first: Value, second: Value, within: float) -> bool:
    if isinstance(first, (int, float)) and isinstance(second, (int, float)):
        return abs(first - second) <= within
    return first == second
