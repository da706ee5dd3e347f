"""JSONPath as Step Functions uses it: names, indexes, slices, wildcards and filters.

A path of names and single indexes leads to one value and fails if it is not there; any other leads to a list, which
may be empty.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

from steelyard.bench.cdk_synth.shape import is_list, is_mapping, listing, mapping
from steelyard.bench.hard_cdk.assertion.proviso import Undecided

_STEP = re.compile(
    r"\.(?P<name>[^.\[\]\s()*]+)|\[(?P<quote>['\"])(?P<key>.*?)(?P=quote)\]|\[(?P<index>-?\d+)\]"
    r"|\[(?P<low>-?\d*):(?P<high>-?\d*)\]|(?P<all>\[\*\]|\.\*)|\[\?\((?P<filter>.*?)\)\](?=[.\[]|$)"
)
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TEST = re.compile(
    r"\s*@(?P<path>[^\s=<>!&|]*)\s*(?:(?P<sign>==|!=|<=|>=|<|>)\s*(?P<value>'[^']*'|\"[^\"]*\"|[^\s&|]+))?\s*"
)


MAX_PATH = 1_000
"""Characters of a path."""


class NoValue(Exception):
    """A path that leads to one value leads nowhere; the message is the path."""


def select(path: str, root: Any) -> Any:
    """What the path, which begins with `$`, leads to; raises `NoValue`."""
    if len(path) > MAX_PATH:
        raise Undecided("a path that is too long")
    values, definite, place = [root], True, 1
    while place < len(path):
        step = _STEP.match(path, place)
        if step is None:
            raise Undecided(f"the path {path}")
        place = step.end()
        values = [found for value in values for found in _found(step, value)]
        definite = definite and (step["name"] or step["quote"] or step["index"]) is not None
    if not definite:
        return values
    if not values:
        raise NoValue(path)
    return values[0]


def _found(step: re.Match[str], value: Any) -> Iterable[Any]:
    name = step["name"] if step["name"] is not None else step["key"]
    if name is not None:
        return [value[name]] if is_mapping(value) and name in value else []
    if step["all"]:
        return mapping(value).values() if is_mapping(value) else listing(value)
    items = listing(value) if is_list(value) else []
    if step["index"] is not None:
        index = int(step["index"])
        return [items[index]] if -len(items) <= index < len(items) else []
    if step["filter"] is not None:
        return [item for item in items if _passes(step["filter"], item)]
    low, high = step["low"], step["high"]
    return items[int(low) if low else None : int(high) if high else None]


def _passes(text: str, item: Any) -> bool:
    return any(all(_holds(part, item) for part in either.split("&&")) for either in text.split("||"))


def _holds(text: str, item: Any) -> bool:
    test = _TEST.fullmatch(text)
    if test is None:
        raise Undecided(f"the filter {text}")
    try:
        # A filter leaves out an element that lacks the value; it does not fail.
        value = select(f"${test['path']}", item)
    except NoValue:
        return False
    if test["sign"] is None:
        return True
    expected = literal(test["value"])
    if test["sign"] in ("==", "!="):
        return equal(value, expected) == (test["sign"] == "==")
    comparable = (isinstance(value, str) and isinstance(expected, str)) or (number(value) and number(expected))
    return comparable and SIGNS[test["sign"]](value, expected)


def literal(text: str) -> Any:
    """A quoted text, a number, true, false or null."""
    if text[:1] in "'\"" and text[-1:] == text[:1]:
        return text[1:-1]
    known: dict[str, Any] = {"true": True, "false": False, "null": None}
    if text in known:
        return known[text]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError as error:
        raise Undecided(f"the value {text}") from error


def number(value: Any) -> bool:
    """Whether JSON calls the value a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1."""
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other, strict=True))
    if is_mapping(one) and is_mapping(other):
        left, right = mapping(one), mapping(other)
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return isinstance(one, bool) == isinstance(other, bool) and one == other
