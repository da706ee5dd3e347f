"""JSON as `json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)` writes it, several times faster.

With `indent`, Python's encoder is not the compiled one. Here the compiled one writes every object and list that holds
no others, with line breaks as its separators; only what is around them is put together in Python.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, cast

_Object = dict[str, Any]

_SCALARS = frozenset({str, int, float, bool, type(None)})


def indented_json(data: Any, depth: int = 0) -> str:
    """The text of `data`; raises `TypeError` or `ValueError` for what JSON does not have."""
    if not isinstance(data, (dict, list, tuple)) or not data:
        return _encode(depth)(data)
    values = cast(Collection[Any], data.values() if isinstance(data, dict) else data)
    if _SCALARS.issuperset(map(type, values)):
        return _broken(_encode(depth)(data), depth)
    if isinstance(data, list) and all(map(_is_record, values)):
        return _records(data, depth)
    parts = (indented_json(value, depth + 1) for value in values)
    if isinstance(data, dict):
        names = map(_name, cast(Mapping[Any, Any], data))
        parts = (f"{name}: {part}" for name, part in zip(names, parts, strict=True))
    return _broken(f"{{{_joined(parts, depth)}}}" if isinstance(data, dict) else f"[{_joined(parts, depth)}]", depth)


def _is_record(value: Any) -> bool:
    return (
        type(value) is dict
        and bool(cast(_Object, value))
        and _SCALARS.issuperset(map(type, cast(_Object, value).values()))
    )


def _records(data: Any, depth: int) -> str:
    """A list of objects that hold no others, written in one go: there is no line break inside a text of JSON."""
    inner, outer = _line(depth + 2), _line(depth + 1)
    text = _encode(depth + 1)(data)[2:-2].replace(f"}},{inner}{{", f"{outer}}},{outer}{{{inner}")
    return _broken(f"[{{{inner}{text}{outer}}}]", depth)


def _joined(parts: Iterable[str], depth: int) -> str:
    return f",{_line(depth + 1)}".join(parts)


def _broken(text: str, depth: int) -> str:
    """An object or a list with line breaks after its first mark and before its last one."""
    return f"{text[0]}{_line(depth + 1)}{text[1:-1]}{_line(depth)}{text[-1]}"


def _line(depth: int) -> str:
    return "\n" + "  " * depth


def _name(key: Any) -> str:
    """A key as the encoder writes it: numbers and constants become text."""
    return _text(key) if type(key) is str else _encode(0)({key: 0})[1:-4]


@lru_cache(4096)
def _text(key: str) -> str:
    """The objects of a list often have the same keys."""
    return _encode(0)(key)


@cache
def _encode(depth: int) -> Any:
    separators = ("," + _line(depth + 1), ": ")
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=separators).encode
