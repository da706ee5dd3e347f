"""Changes one value of a YAML text and leaves every other character as it is, comments and layout included.

Every change is checked: the new text must read as the old one with that value changed, or nothing is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import yaml

from steelyard.yamlfile import Entry, YamlError, parse

_WIDE = 1 << 30
"""A value stays on its line however long it is."""


def assigned(text: str, path: Sequence[str | int], value: Any, source: str) -> str:
    """`text` with `value` (text, or mappings and lists of it) at `path`; keys that are missing are added."""
    expected = _with(_parsed(text, source).data(), path, value)
    changed = _changed(text, _root(text), list(path), value)
    if _parsed(changed, source).data() != expected:
        raise YamlError(source, 1, "cannot be changed without rewriting it", cure="use the layout of a blank sheet")
    return changed


def appended(text: str, path: Sequence[str | int], lines: Sequence[str], source: str) -> str:
    """`text` with one more item in the list at `path`; `lines` is the item as YAML, its dash in the first column."""
    node = _node(_root(text), path)
    if not isinstance(node, yaml.SequenceNode) or node.flow_style or not node.value:
        raise YamlError(source, 1, "has no list to which runs can be added", cure="use the layout of a blank sheet")
    place = _line_end(text, _end(node))
    indent = " " * cast(Any, node.start_mark).column
    added = "".join(f"\n{indent}{line}" if line else "\n" for line in lines)
    changed = text[:place] + added + text[place:]
    if len(_items(changed, path, source)) != len(_items(text, path, source)) + 1:
        raise YamlError(source, 1, "cannot be changed without rewriting it", cure="use the layout of a blank sheet")
    return changed


class _Dumper(yaml.SafeDumper):
    """Quotes text so that its line ends stay inside one line of YAML."""


def _quoted(dumper: Any, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"')


_Dumper.add_representer(str, _quoted)


def flow(value: Any) -> str:
    """A value as YAML on one line."""
    dumped = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, allow_unicode=True, width=_WIDE, sort_keys=False)
    # PyYAML puts dots after a document that is a single plain scalar.
    return str(dumped).removesuffix("\n").removesuffix("\n...").rstrip("\n")


def _root(text: str) -> yaml.Node:
    """The text as nodes with their places; libyaml, where it is installed, takes a tenth of the time."""
    return cast(Any, yaml).compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@lru_cache(maxsize=4)
def _parsed(text: str, source: str) -> Entry:
    """The text as entries; what one change wrote is what the next one begins with."""
    return parse(text, source)


def _items(text: str, path: Sequence[str | int], source: str) -> list[Any]:
    return parse(text, source).at(path).items("the list")


def _node(node: yaml.Node, path: Sequence[str | int]) -> yaml.Node | None:
    for part in path:
        below = _child(node, part)
        if below is None:
            return None
        node = below
    return node


def _child(node: yaml.Node, part: str | int) -> yaml.Node | None:
    content: Any = node.value
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in content if key.value == part), None)
    items: list[yaml.Node] = content if isinstance(node, yaml.SequenceNode) else []
    return items[part] if isinstance(part, int) and part < len(items) else None


def _changed(text: str, node: yaml.Node, path: list[str | int], value: Any) -> str:
    below = _child(node, path[0]) if path else None
    if below is not None:
        return _changed(text, below, path[1:], value)
    for key in reversed(path[1:]):
        value = {key: value}
    if path and isinstance(node, yaml.MappingNode) and node.value:
        return _inserted(text, node, f"{flow_key(path[0])}: {flow(value)}")
    return _replaced(text, node, {path[0]: value} if path else value)


def flow_key(key: str | int) -> str:
    """A key as YAML."""
    return flow({str(key): 0})[1:].rpartition(":")[0]


def _replaced(text: str, node: yaml.Node, value: Any) -> str:
    start, end = cast(Any, node.start_mark).index, _end(node)
    old = text[start:end]
    # An empty value starts right after the colon, and YAML needs a space there.
    space = " " if text[:start].endswith(":") else ""
    return text[:start] + space + flow(value) + ("\n" if old.endswith("\n") else "") + text[end:]


def _inserted(text: str, node: yaml.MappingNode, entry: str) -> str:
    end = _end(node)
    if node.flow_style:
        return f"{text[: end - 1].rstrip()}, {entry}{text[end - 1 :]}"
    place = _line_end(text, end)
    return f"{text[:place]}\n{' ' * cast(Any, node.start_mark).column}{entry}{text[place:]}"


def _end(node: yaml.Node) -> int:
    """Where a node ends; PyYAML lets a block reach to the next one, over comments in between."""
    content: Any = node.value
    if isinstance(node, yaml.MappingNode) and not node.flow_style and content:
        return _end(content[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and content:
        return _end(content[-1])
    return int(cast(Any, node.end_mark).index)


def _line_end(text: str, place: int) -> int:
    if place and text[place - 1] == "\n":  # a block of text ends behind its line
        return place - 1
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _with(data: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(key, int):
        items = cast(list[Any], data) if isinstance(data, list) else list[Any]()
        return [_with(item, rest, value) if place == key else item for place, item in enumerate(items)]
    table = cast(dict[str, Any], data) if isinstance(data, dict) else dict[str, Any]()
    return {**table, key: _with(table.get(key), rest, value)}
