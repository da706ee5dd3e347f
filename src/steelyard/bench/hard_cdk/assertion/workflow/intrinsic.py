"""The intrinsic functions of Step Functions (`States.Format`, `States.MathAdd`, …)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.bench.cdk_synth.shape import is_list, is_mapping
from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.assertion.workflow.path import equal, literal, number

MAX_ITEMS = 1000
"""Elements of an array that a function may make."""
MAX_DEPTH = 10
"""Functions inside functions."""
MAX_WRITTEN = 5_000
"""Characters of a call as it is written."""
MAX_TEXT = 1_000_000
"""Characters of a text that `States.Format` may make."""
Paths = Callable[[str], Any]
_CALL = re.compile(r"\s*States\.(\w+)\s*\(")
_HASHES = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}
_ESCAPED = re.compile(r"\\(.)")


class IntrinsicFailed(Exception):
    """The function fails as in `States.IntrinsicFailure`."""


def evaluate(text: str, paths: Paths) -> Any:
    """The value of a call; `paths` gives the values of its paths."""
    if len(text) > MAX_WRITTEN:
        raise Undecided("a call that is too long")
    value, place = _call(text, 0, paths, 0)
    if text[place:].strip():
        raise IntrinsicFailed(f"unexpected text in {text}")
    return value


def _call(text: str, place: int, paths: Paths, depth: int) -> tuple[Any, int]:
    match = _CALL.match(text, place)
    if match is None or depth > MAX_DEPTH:
        raise IntrinsicFailed(f"not a function: {text[place : place + 60]}")
    if match[1] not in FUNCTIONS:
        raise Undecided(f"the function States.{match[1]}")
    arguments: list[Any] = []
    place = match.end()
    while not text[place:].lstrip().startswith(")"):
        if not text[place:].strip():
            raise IntrinsicFailed("a bracket is missing")
        value, place = _argument(text, place, paths, depth)
        arguments.append(value)
        rest = text[place:].lstrip()
        place = len(text) - len(rest)
        if rest.startswith(","):
            place += 1
        elif not rest.startswith(")"):
            raise IntrinsicFailed(f"a comma is missing: {rest[:60]}")
    try:
        value = FUNCTIONS[match[1]](*arguments)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError) as error:
        raise IntrinsicFailed(f"States.{match[1]}: {error}") from error
    return value, text.index(")", place) + 1


def _argument(text: str, place: int, paths: Paths, depth: int) -> tuple[Any, int]:
    rest = text[place:].lstrip()
    place = len(text) - len(rest)
    if rest.startswith("States."):
        return _call(text, place, paths, depth + 1)
    if rest.startswith("'"):
        quoted = re.match(r"'((?:\\.|[^'\\])*)'", rest)
        if quoted is None:
            raise IntrinsicFailed("a quote is missing")
        # With its escapes: `States.Format` must tell `\{\}` from a placeholder.
        return _Quoted(quoted[1]), place + quoted.end()
    word = re.match(r"\$(?:\[[^\]]*\]|[^,\[)\s])*|[^,)\s]+", rest)
    if word is None:
        raise IntrinsicFailed("an argument is missing")
    return paths(word[0]) if word[0].startswith("$") else literal(word[0]), place + word.end()


class _Quoted(str):
    """A text as it is written, with its escapes."""

    __slots__ = ()

    @property
    def plain(self) -> str:
        return _ESCAPED.sub(r"\1", str(self))


def _plain(value: Any) -> Any:
    return value.plain if isinstance(value, _Quoted) else value


def _format(template: Any, *values: Any) -> str:
    written = str(template)
    # Only a text that is written in the call has escapes.
    parts = re.split(r"(?<!\\)\{\}", written) if isinstance(template, _Quoted) else written.split("{}")
    if len(parts) != len(values) + 1:
        raise ValueError("the number of arguments does not match")
    texts = [_shown(_plain(value)) for value in values]
    if sum(map(len, texts)) > MAX_TEXT:
        raise ValueError("too long a text")
    plain = [_ESCAPED.sub(r"\1", part) if isinstance(template, _Quoted) else part for part in parts]
    return plain[0] + "".join(text + part for text, part in zip(texts, plain[1:], strict=True))


def _shown(value: Any) -> str:
    if is_list(value) or is_mapping(value):
        raise ValueError("only texts, numbers, booleans and null can be formatted")
    return value if isinstance(value, str) else json.dumps(value)


def _integer(value: Any) -> int:
    if not number(value):
        raise TypeError("a number is needed")
    return round(value)


def _array(value: Any) -> list[Any]:
    if not is_list(value):
        raise TypeError("an array is needed")
    return list(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is needed")
    return _plain(value)


def _partition(items: Any, size: Any) -> list[Any]:
    array, step = _array(items), _integer(size)
    if step < 1:
        raise ValueError("chunks have at least one element")
    return [array[place : place + step] for place in range(0, len(array), step)]


def _range(first: Any, last: Any, step: Any) -> list[int]:
    start, end, by = _integer(first), _integer(last), _integer(step)
    values = range(start, end + (1 if by > 0 else -1), by)
    if len(values) > MAX_ITEMS:
        raise ValueError("too many elements")
    return list(values)


def _unique(items: Any) -> list[Any]:
    array = _array(items)
    # Below, every element is compared with every other.
    if len(array) > MAX_ITEMS:
        raise ValueError("too many elements")
    kept: list[Any] = []
    for item in array:
        if not any(equal(item, other) for other in kept):
            kept.append(item)
    return kept


def _merge(one: Any, other: Any, deep: Any) -> dict[str, Any]:
    if deep is not False:
        raise ValueError("only a shallow merge is supported")
    if not is_mapping(one) or not is_mapping(other):
        raise TypeError("two objects are needed")
    return {**one, **other}


def _item(items: Any, index: Any) -> Any:
    array, place = _array(items), _integer(index)
    if not 0 <= place < len(array):
        raise IndexError("no such element")
    return array[place]


def _listed(*values: Any) -> list[Any]:
    return [_plain(value) for value in values]


def _split(text: Any, marks: Any) -> list[str]:
    if not _text(marks):
        raise ValueError("no separator")
    # As AWS has it: every character of the second text separates, and empty parts are left out.
    return [part for part in re.split(f"[{re.escape(_text(marks))}]", _text(text)) if part]


_OF_ONE: Mapping[str, Callable[[Any], Any]] = {
    "StringToJson": lambda text: json.loads(_text(text)),
    "JsonToString": lambda value: json.dumps(_plain(value), separators=(",", ":")),
    "ArrayLength": lambda items: len(_array(items)),
    "ArrayUnique": _unique,
    "Base64Encode": lambda text: base64.b64encode(_text(text).encode()).decode(),
    "Base64Decode": lambda text: base64.b64decode(_text(text)).decode(),
}
_OF_TWO: Mapping[str, Callable[[Any, Any], Any]] = {
    "ArrayPartition": _partition,
    "ArrayContains": lambda items, wanted: any(equal(item, _plain(wanted)) for item in _array(items)),
    "ArrayGetItem": _item,
    "Hash": lambda text, kind: hashlib.new(_HASHES[_text(kind)], _text(text).encode()).hexdigest(),
    "MathAdd": lambda one, other: _integer(one) + _integer(other),
    "StringSplit": _split,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **_OF_ONE,
    **_OF_TWO,
    "Format": _format,
    "Array": _listed,
    "ArrayRange": _range,
    "JsonMerge": _merge,
}
"""Name → function; what is random has no place in a scored task."""
