"""Lenient readers of template values: they accept any value and never raise."""

from __future__ import annotations

import json
from typing import Any, TypeGuard, cast


def mapping(value: object) -> dict[str, Any]:
    """`value` as a mapping with string keys; anything else in it is dropped."""
    if not isinstance(value, dict):
        return {}
    return {key: item for key, item in cast(dict[object, Any], value).items() if isinstance(key, str)}


def listing(value: object) -> list[Any]:
    """`value` as a list: a list as is, None as an empty list, anything else as a list of one."""
    if value is None:
        return []
    return list(cast(list[Any] | tuple[Any, ...], value)) if isinstance(value, (list, tuple)) else [value]


def unpacked(value: object) -> Any:
    """What a text says as JSON; a text that is none, and anything else, unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def intrinsic(value: object) -> tuple[str, Any] | None:
    """Name and argument, if `value` is an intrinsic function."""
    if isinstance(value, dict) and len(cast(dict[object, Any], value)) == 1:
        name, argument = next(iter(cast(dict[object, Any], value).items()))
        if isinstance(name, str) and (name == "Ref" or name.startswith("Fn::")):
            return name, argument
    return None


def at(value: object, path: str) -> Any:
    """What a dotted path of keys and indexes leads to; None if it leads nowhere."""
    for step in path.split("."):
        if is_list(value) and step.isdecimal():
            value = next(iter(value[int(step) : int(step) + 1]), None)
        else:
            value = mapping(value).get(step)
    return value


def attribute(argument: object) -> tuple[str, str]:
    """Logical id and attribute of a `Fn::GetAtt`, in either spelling."""
    # Split once: attributes have dots of their own (`Endpoint.Port`).
    parts = argument.split(".", 1) if isinstance(argument, str) else listing(argument)
    # Padded, so that an argument without them gives empty names.
    names = [part if isinstance(part, str) else "" for part in [*parts, "", ""]]
    return names[0], names[1]


def is_flat(argument: object) -> bool:
    """Whether the pieces of a `Fn::Join` are texts and references, and not calls in calls."""
    pieces = listing(listing(argument)[1]) if len(listing(argument)) == 2 else []
    return all(isinstance(piece, str) or (intrinsic(piece) or ("",))[0] in ("Ref", "Fn::GetAtt") for piece in pieces)


def is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether `value` is an object of JSON."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether `value` is a list of JSON."""
    return isinstance(value, list)
