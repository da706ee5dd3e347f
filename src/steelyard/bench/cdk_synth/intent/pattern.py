"""Patterns: what a value in a template must look like.

A pattern is a literal, or a mapping with exactly one operator:

| operator | holds when the value … |
|---|---|
| literal | equals it; numbers and booleans also as the strings CloudFormation takes for them |
| `{"any": true}` | is present |
| `{"absent": true}` | is missing |
| `{"matches": regex}` | as text, contains the regular expression |
| `{"one_of": [p, …]}` | matches one of the patterns |
| `{"all_of": [p, …]}` | matches all of the patterns |
| `{"not": p}` | does not match |
| `{"at_least": n}`, `{"at_most": n}` | is a number on that side, n included |
| `{"contains": p}` | is a list with such an element (a single value is a list of one) |
| `{"length": [min, max]}` | is a list of that length; a max of null is open |
| `{"has": {path: p}}` | is an object, or a list with an object, whose paths match |
| `{"keys": [name, …]}` | is an object, or a list of objects, without other keys |
| `{"refers": type}` | mentions a resource of that type |

A path may lead to several values, through lists and conditions; the pattern holds when it holds for one of them
(`not` and `absent`: for none). A value of the wrong type simply does not match.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, cast

from steelyard.bench.cdk_synth.intent import network
from steelyard.bench.cdk_synth.intent.template import Resource, Templates
from steelyard.bench.cdk_synth.shape import is_mapping, listing, mapping

Pattern = Any
"""JSON data; `pattern` checks it."""

OPERATORS = frozenset(
    ("any", "absent", "matches", "one_of", "all_of", "not", "at_least", "at_most", "contains", "length", "has", "keys")
) | {"refers"}
MAX_VALUES = 2_000
"""Values one path may lead to."""


def pattern(data: object) -> Pattern:
    """`data` unchanged if it is a pattern; otherwise ValueError with the reason."""
    if isinstance(data, list):
        raise ValueError("a list is not a pattern; use contains, one_of or all_of")
    if not isinstance(data, Mapping):
        return data
    operators = cast(Mapping[str, Any], data)
    if len(operators) != 1 or next(iter(operators)) not in OPERATORS:
        raise ValueError(f"expected exactly one operator, got {', '.join(map(str, operators)) or 'none'}")
    name, argument = next(iter(operators.items()))
    if name == "matches":
        try:
            re.compile(argument)
        except re.error as error:
            raise ValueError(f"not a regular expression: {argument!r}: {error}") from error
    for path in argument if name == "has" else ():
        property_path(path)
    for part in _parts(name, argument):
        pattern(part)
    return operators


def property_path(text: str) -> str:
    """`text` unchanged if it is a path; otherwise ValueError with what to write instead."""
    if "[" in text or "]" in text:
        raise ValueError(
            f"{text!r} is not a path: write `Rules.Id` for every element of a list and `Rules.0.Id` for one of them, "
            "without brackets"
        )
    return text


def _parts(name: str, argument: Any) -> Iterable[Any]:
    if name in ("one_of", "all_of"):
        return argument
    if name in ("not", "contains"):
        return (argument,)
    return argument.values() if name == "has" else ()


def picked(
    types: str | Iterable[str], where: Mapping[str, Pattern], templates: Templates, added: bool = False
) -> list[Resource]:
    """The resources of these types that meet every condition; those the CDK added for itself only if `added`."""
    return [item for item in templates.of(types, added) if complies(item, where, templates)]


def complies(item: Resource, conditions: Mapping[str, Pattern], templates: Templates) -> bool:
    """Whether the resource meets every condition."""
    return all(_holds(item, path, expected, templates) for path, expected in conditions.items())


def _holds(item: Resource, path: str, expected: Pattern, templates: Templates) -> bool:
    templates.spend()
    root = network.attributes(item, templates) if path.startswith("$") else item.properties
    stack = item.address.stack
    return holds(expected, reached(root, path.removeprefix("$"), stack, templates), stack, templates)


def reached(root: object, path: str, stack: str, templates: Templates) -> list[Any]:
    """Every value the dotted path leads to; an empty path leads to the root."""
    values = [root]
    for name in path.split(".") if path else ():
        steps = (step for value in values for step in _steps(value, name))
        chosen = (choice for step in steps for choice in templates.choices(step, stack))
        values = [choice for choice in islice(chosen, MAX_VALUES) if choice is not None]
    return values


def _steps(value: object, name: str) -> Iterable[Any]:
    """One step down: a list element by its index, else the key in the value or in every element of a list."""
    parts = listing(value)
    if isinstance(value, list) and name.isdigit():
        return parts[int(name) : int(name) + 1]
    return [step[name] for step in map(mapping, parts) if name in step]


def holds(expected: Pattern, values: list[Any], stack: str, templates: Templates) -> bool:
    """Whether the pattern holds for one of the values (`not` and `absent`: for none)."""
    operators = cast(Mapping[str, Any], expected if isinstance(expected, Mapping) else {})
    if "absent" in operators:
        return not values
    if "not" in operators:
        return not holds(operators["not"], values, stack, templates)
    if "all_of" in operators:
        return all(holds(part, values, stack, templates) for part in operators["all_of"])
    if "one_of" in operators:
        return any(holds(part, values, stack, templates) for part in operators["one_of"])
    return any(_matches(expected, value, stack, templates) for value in values)


def _matches(expected: Pattern, value: object, stack: str, templates: Templates) -> bool:
    if not isinstance(expected, Mapping):
        return same(expected, templates.plain(value, stack))
    name, argument = next(iter(cast(Mapping[str, Any], expected).items()))
    if name == "any":
        return True
    if name == "matches":
        return re.search(argument, templates.text(value, stack)) is not None
    if name in ("at_least", "at_most"):
        number = numeric(templates.plain(value, stack))
        return number is not None and (number >= argument if name == "at_least" else number <= argument)
    if name == "refers":
        return any(templates.resources[address].type == argument for address in templates.mentions(value, stack))
    if name == "keys":
        return all(is_mapping(element) and set(element) <= set(argument) for element in listing(value))
    if name == "has":
        return _has(argument, value, stack, templates)
    return _listed(name, argument, value, stack, templates)


def _has(argument: Mapping[str, Pattern], value: object, stack: str, templates: Templates) -> bool:
    return any(
        all(holds(part, reached(element, path, stack, templates), stack, templates) for path, part in argument.items())
        for element in map(mapping, listing(value))
        # What is no object is read as an empty one, which must not match by what it lacks.
        if element
    )


def _listed(name: str, argument: Any, value: object, stack: str, templates: Templates) -> bool:
    if name == "length":
        low, high = argument
        most = math.inf if high is None else high
        return isinstance(value, (list, tuple)) and low <= len(listing(cast(object, value))) <= most
    chosen = (choice for element in listing(value) for choice in templates.choices(element, stack))
    return any(holds(argument, [choice], stack, templates) for choice in islice(chosen, MAX_VALUES))


def numeric(value: object) -> float | None:
    """The value as a number, also from text; None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    # Python also reads "nan" and "inf" as numbers.
    return number if math.isfinite(number) else None


def same(expected: object, value: object) -> bool:
    """Equality as in CloudFormation: `true` equals `"true"`, 5 equals `"5"`."""
    # Before numbers: to Python, True equals 1.
    if isinstance(expected, bool) or isinstance(value, bool):
        return isinstance(value, bool | str) and str(expected).lower() == str(value).lower()
    if isinstance(expected, int | float):
        return numeric(value) == expected
    return isinstance(value, str) and expected == value
