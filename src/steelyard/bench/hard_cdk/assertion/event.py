"""Event patterns of EventBridge: does a pattern match an event?

Every field of the pattern must be in the event; a list holds alternatives, plain values or one matcher each
(`prefix`, `suffix`, `equals-ignore-case`, `wildcard`, `anything-but`, `numeric`, `exists`, `cidr`); `$or` is one of
several patterns. A list in the event matches if one of its elements does.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from steelyard.bench.cdk_synth.intent.statement import glob
from steelyard.bench.cdk_synth.shape import is_mapping, listing, mapping, unpacked
from steelyard.bench.hard_cdk.assertion.proviso import Undecided, within
from steelyard.bench.hard_cdk.assertion.workflow.path import SIGNS, equal, number
from steelyard.bench.hard_cdk.deploy import Deployment

MAX_DEPTH = 40
_SIGNS = {**SIGNS, "=": operator.eq}


def receivers(event: Mapping[str, Any], bus: str, deployment: Deployment) -> set[str]:
    """ARNs of the targets to which the enabled rules of the bus deliver the event."""
    arns: set[str] = set()
    for item in deployment.resources:
        # The bus is given by its name or by its ARN.
        written = str(item.properties.get("EventBusName", "default"))
        if item.type != "AWS::Events::Rule" or written.rsplit("/", 1)[-1] != bus:
            continue
        pattern = item.properties.get("EventPattern")
        enabled = item.properties.get("State", "ENABLED") != "DISABLED"
        if enabled and pattern and matches(mapping(pattern), event):
            arns |= {str(mapping(target).get("Arn")) for target in listing(item.properties.get("Targets"))}
    return arns


def passes(record: Mapping[str, Any], function: str, deployment: Deployment) -> bool:
    """Whether one of the event source mappings of a function lets the record through."""
    for item in deployment.resources:
        named = str(item.properties.get("FunctionName", "")).rsplit(":", 1)[-1]
        if item.type != "AWS::Lambda::EventSourceMapping" or named != function:
            continue
        filters = listing(mapping(item.properties.get("FilterCriteria")).get("Filters"))
        # A mapping without filters lets everything through.
        if not filters or any(matches(mapping(unpacked(mapping(part).get("Pattern"))), record) for part in filters):
            return True
    return False


def matches(pattern: Mapping[str, Any], event: Mapping[str, Any], depth: int = 0) -> bool:
    """Whether the event matches the pattern; an empty pattern matches nothing."""
    if depth > MAX_DEPTH:
        raise Undecided("an event pattern that is too deep")
    for key, expected in pattern.items():
        if key == "$or":
            if not any(matches(mapping(part), event, depth + 1) for part in listing(expected)):
                return False
        elif is_mapping(expected):
            if not matches(mapping(expected), mapping(event.get(key)), depth + 1):
                return False
        elif not any(_alternative(part, key, event) for part in listing(expected)):
            return False
    return bool(pattern)


def _alternative(expected: Any, key: str, event: Mapping[str, Any]) -> bool:
    # To a pattern, null is a value; `listing` would drop it.
    values = (listing(event[key]) if event[key] is not None else [None]) if key in event else []
    if not is_mapping(expected):
        return any(equal(expected, value) for value in values)
    name, argument = next(iter(mapping(expected).items()), ("", None))
    if name == "exists":
        return (key in event) == (argument is True)
    return any(_matcher(name, argument, value) for value in values)


def _matcher(name: str, argument: Any, value: Any) -> bool:
    if name == "anything-but":
        if is_mapping(argument):
            inner, part = next(iter(mapping(argument).items()))
            return not any(_matcher(inner, item, value) for item in listing(part))
        return not any(equal(item, value) for item in listing(argument))
    if name == "numeric":
        return _numeric(listing(argument), value)
    if not isinstance(value, str):
        return False
    if name in ("prefix", "suffix") and is_mapping(argument):
        folded = str(mapping(argument).get("equals-ignore-case", "")).lower()
        return value.lower().startswith(folded) if name == "prefix" else value.lower().endswith(folded)
    text = str(argument)
    if name == "cidr":
        return within(text, value)
    known = {
        "prefix": value.startswith(text),
        "suffix": value.endswith(text),
        "equals-ignore-case": value.lower() == text.lower(),
        # To `glob`, `?` is a wildcard too; in an event pattern it is not.
        "wildcard": "?" not in text and glob(text, value),
    }
    if name not in known:
        raise Undecided(f"the event matcher {name}")
    return known[name]


def _numeric(words: list[Any], value: Any) -> bool:
    signs, bounds = words[::2], words[1::2]
    # AWS refuses such a rule, so nothing can be said about what it would match.
    if not words or len(signs) != len(bounds) or not all(map(number, bounds)):
        raise Undecided("a numeric matcher without its numbers")
    if unknown := [str(sign) for sign in signs if str(sign) not in _SIGNS]:
        raise Undecided(f"the numeric matcher {unknown[0][:60]}")
    return number(value) and all(_SIGNS[sign](value, bound) for sign, bound in zip(signs, bounds, strict=True))
