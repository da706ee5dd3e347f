"""The rules of a Choice state."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.bench.cdk_synth.shape import listing, mapping
from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.assertion.workflow.path import NoValue, number

Paths = Callable[[str], Any]
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "Equals": operator.eq,
    "LessThan": operator.lt,
    "GreaterThan": operator.gt,
    "LessThanEquals": operator.le,
    "GreaterThanEquals": operator.ge,
}
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "IsNull": lambda value: value is None,
    "IsNumeric": number,
    "IsString": lambda value: isinstance(value, str),
    "IsBoolean": lambda value: isinstance(value, bool),
}
_KINDS = ("String", "Numeric", "Boolean")


def holds(rule: Mapping[str, Any], paths: Paths) -> bool:
    """Whether a rule holds; a variable that is not there raises `NoValue`, except for `IsPresent`."""
    if "And" in rule:
        return all(holds(mapping(part), paths) for part in listing(rule["And"]))
    if "Or" in rule:
        return any(holds(mapping(part), paths) for part in listing(rule["Or"]))
    if "Not" in rule:
        return not holds(mapping(rule["Not"]), paths)
    name = next((key for key in rule if key not in ("Variable", "Next", "Comment")), "")
    if name == "IsPresent":
        return _present(str(rule.get("Variable")), paths) == rule[name]
    value = paths(str(rule.get("Variable")))
    if name in _TYPES:
        return _TYPES[name](value) == rule[name]
    return _compared(name, value, rule[name] if name else None, paths)


def _present(path: str, paths: Paths) -> bool:
    try:
        paths(path)
    except NoValue:
        return False
    return True


def _compared(name: str, value: Any, expected: Any, paths: Paths) -> bool:
    if name == "StringMatches":
        parts = re.split(r"(?<!\\)\*", str(expected))
        pattern = ".*".join(re.escape(re.sub(r"\\(.)", r"\1", part)) for part in parts)
        return isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL) is not None
    kind = next((kind for kind in _KINDS if name.startswith(kind)), "")
    comparison = name.removeprefix(kind).removesuffix("Path")
    if not kind or comparison not in _COMPARISONS:
        raise Undecided(f"the comparison {name}")
    other = paths(str(expected)) if name.endswith("Path") else expected
    if kind == "Numeric":
        fit = number(value) and number(other)
    else:
        plain = str if kind == "String" else bool
        fit = isinstance(value, plain) and isinstance(other, plain)
    return fit and _COMPARISONS[comparison](value, other)
