"""YAML with line numbers: plain data, and where each part of it stands.

Law: one document; mappings with text keys, lists, text, numbers (as exact decimals), booleans and null; no aliases,
no tags, no key twice. Everything else is an `InputError` that names the line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, cast

import yaml

from steelyard.errors import InputError, boundary

Path = tuple[int | str, ...]

_DEPTH = 20
"""Lists and mappings inside each other that are still read."""
_OPENING = (
    *(yaml.FlowSequenceStartToken, yaml.FlowMappingStartToken),
    *(yaml.BlockSequenceStartToken, yaml.BlockMappingStartToken),
)
_CLOSING = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)

_OWN = "tag:yaml.org,2002:"
"""What the tags of YAML itself begin with."""

_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}


@dataclass(frozen=True, slots=True)
class Located:
    """Data and the line of every path into it."""

    data: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of `path`, or of the nearest part above it that exists (1 is the first)."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def located(text: str, source: str) -> Located:
    """The one YAML document in `text`."""
    lines: dict[Path, int] = {}
    try:
        with boundary(InputError, f"{source} cannot be read as YAML"):
            _refuse_bombs(text, source)
            node = yaml.SafeLoader(text).get_single_node()
            if node is None:
                raise InputError(f"{source}, line 1: the file is empty")
            return Located(_value(node, (), lines, source), lines)
    except InputError as error:
        if isinstance(error.__cause__, yaml.reader.ReaderError):
            raise InputError(f"{source}, {_unreadable(error.__cause__, text)}") from error
        mark = getattr(error.__cause__, "problem_mark", None)
        if mark is None:
            raise
        problem = getattr(error.__cause__, "problem", None) or "not YAML"
        raise InputError(f"{source}, line {mark.line + 1}: {problem}") from error


def _unreadable(error: yaml.reader.ReaderError, text: str) -> str:
    """Line and name of a character that YAML does not allow."""
    line = text.count("\n", 0, error.position) + 1
    return f"line {line}: the character U+{ord(text[error.position]):04X} is not allowed"


def _refuse_bombs(text: str, source: str) -> None:
    """An alias can unfold into gigabytes, and deep nesting takes for ever; nothing we read needs either."""
    loader, depth = yaml.SafeLoader(text), 0
    while loader.check_token():
        token = cast(yaml.Token, loader.get_token())  # pyright: ignore[reportUnknownMemberType]
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if isinstance(token, yaml.AliasToken) or depth > _DEPTH:
            what = "aliases are not allowed" if depth <= _DEPTH else "nested too deeply"
            raise InputError(f"{source}, line {token.start_mark.line + 1}: {what}")


def _value(node: yaml.Node, path: Path, lines: dict[Path, int], source: str) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        _known_kind(node, ("map",), source)
        return _mapping(node, path, lines, source)
    if isinstance(node, yaml.SequenceNode):
        _known_kind(node, ("seq",), source)
        return [_value(child, (*path, index), lines, source) for index, child in enumerate(node.value)]
    kind = _known_kind(node, _SCALARS, source)
    where = f"{source}, line {node.start_mark.line + 1}"
    try:
        return _SCALARS[kind](node.value)
    except InvalidOperation:
        raise InputError(f"{where}: {node.value!r} is not a plain number") from None
    except KeyError:
        raise InputError(f"{where}: {node.value!r} is neither true nor false") from None


def _known_kind(node: yaml.Node, known: Collection[str], source: str) -> str:
    """The kind of a node in YAML's own words, or `InputError` for one that a tag made something else."""
    kind = node.tag.removeprefix(_OWN)
    if kind == node.tag or kind not in known:
        raise InputError(f"{source}, line {node.start_mark.line + 1}: a value of the kind {kind!r} is not allowed")
    return kind


def _mapping(node: yaml.MappingNode, path: Path, lines: dict[Path, int], source: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key, line = str(key_node.value), key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise InputError(f"{source}, line {line}: a key must be text")
        _known_kind(key_node, _SCALARS, source)
        if key in found:
            raise InputError(f"{source}, line {line}: the key {key!r} stands twice")
        lines[(*path, key)] = line
        found[key] = _value(value_node, (*path, key), lines, source)
    return found


def _number(text: str) -> Decimal:
    return Decimal(text.replace("_", "").replace(".inf", "Infinity").replace(".nan", "NaN"))


def _text(text: str) -> str:
    return text


_SCALARS: dict[str, Callable[[str], Any]] = {
    "str": _text,
    "int": _number,
    "float": _number,
    "bool": lambda text: _BOOLEANS[text.lower()],
    "null": lambda text: None,
    # A date or a lone "=" is text to a person who writes a rubric.
    "timestamp": _text,
    "value": _text,
}
