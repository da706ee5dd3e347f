"""Conditions of IAM statements: does a request meet them?

A key that the request does not carry fails every operator except `Null`, the negated ones and those with `IfExists`;
`ForAllValues:` holds for a missing key, `ForAnyValue:` does not. Values of one key are alternatives, keys and operators
must all hold. `${key}` in a value is replaced from the request. An operator that is not known here decides nothing:
it raises `Undecided`.
"""

from __future__ import annotations

import ipaddress
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.bench.cdk_synth.intent.pattern import numeric
from steelyard.bench.cdk_synth.intent.statement import glob
from steelyard.bench.cdk_synth.shape import listing, mapping

Context = Mapping[str, tuple[str, ...]]
"""Condition key, lower case → values."""
_VARIABLE = re.compile(r"\$\{([^{}]*)\}")  # without `{`, so that a row of openings takes linear time


class Undecided(Exception):
    """A policy uses something that this evaluator does not know; the message names it."""


def _numbers(compare: Callable[[float, float], bool]) -> Callable[[str, str], bool]:
    def holds(written: str, value: str) -> bool:
        expected, actual = numeric(written), numeric(value)
        return expected is not None and actual is not None and compare(actual, expected)

    return holds


def within(written: str, value: str) -> bool:
    """Whether an address is in a block."""
    try:
        return ipaddress.ip_address(value) in ipaddress.ip_network(written, strict=False)
    except ValueError:
        return False


def _same_arn(written: str, value: str) -> bool:
    """ARNs match part by part: a wildcard does not cross a colon before the resource."""
    patterns, parts = written.split(":", 5), value.split(":", 5)
    return len(patterns) == len(parts) and all(glob(a, b) for a, b in zip(patterns, parts, strict=True))


OPERATORS: Mapping[str, Callable[[str, str], bool]] = {
    "stringequals": lambda written, value: written == value,
    "stringequalsignorecase": lambda written, value: written.lower() == value.lower(),
    "stringlike": glob,
    "arnequals": _same_arn,
    "arnlike": _same_arn,
    "bool": lambda written, value: written.lower() == value.lower(),
    "ipaddress": within,
    "numericequals": _numbers(operator.eq),
    "numericlessthan": _numbers(operator.lt),
    "numericlessthanequals": _numbers(operator.le),
    "numericgreaterthan": _numbers(operator.gt),
    "numericgreaterthanequals": _numbers(operator.ge),
}
"""Operator → whether a value meets a written one."""
NEGATED: Mapping[str, str] = {
    "stringnotequals": "stringequals",
    "stringnotequalsignorecase": "stringequalsignorecase",
    "stringnotlike": "stringlike",
    "arnnotequals": "arnequals",
    "arnnotlike": "arnlike",
    "notipaddress": "ipaddress",
    "numericnotequals": "numericequals",
}
"""Negated operator → the one it negates."""


def met(conditions: object, context: Context) -> bool:
    """Whether a request with this context meets all the conditions."""
    return all(
        _met(operator.lower(), key.lower(), [_text(value) for value in listing(values)], context)
        for operator, keys in mapping(conditions).items()
        for key, values in mapping(keys).items()
    )


def _met(operator: str, key: str, written: list[str], context: Context) -> bool:
    quantifier, _, name = operator.rpartition(":")
    optional = name.endswith("ifexists")
    name = name.removesuffix("ifexists")
    values = context.get(key, ())
    if name == "null":
        return all((expected.lower() == "true") == (not values) for expected in written)
    positive = NEGATED.get(name, name)
    if positive not in OPERATORS or quantifier not in ("", "foranyvalue", "forallvalues"):
        raise Undecided(f"the condition operator {operator}")
    if not values:
        return optional or (name in NEGATED and quantifier != "foranyvalue") or quantifier == "forallvalues"
    # A value with a variable that the request lacks matches nothing.
    expected = [text for value in written if (text := substituted(value, context)) is not None]
    matches = [any(OPERATORS[positive](text, value) for text in expected) != (name in NEGATED) for value in values]
    return any(matches) if quantifier == "foranyvalue" else all(matches)


def substituted(text: str, context: Context) -> str | None:
    """`text` with its policy variables replaced; None if the request lacks one."""
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        name, _, fallback = match[1].partition(",")
        # `${*}` and the like stand for the characters themselves.
        if name in ("*", "?", "$"):
            return name
        values = context.get(name.strip().lower(), ())
        if not values and fallback:
            return fallback.strip().strip("'")
        missing = missing or not values
        return values[0] if values else ""

    result = _VARIABLE.sub(value, text)
    return None if missing else result


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
