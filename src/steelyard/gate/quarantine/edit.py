"""Inserts and removes items of one list of `gate` in the text of a settings file; everything else stays. Pure.

Only block style is edited. None means that the layout is another one: the caller refuses rather than damages it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import yaml


def inserted(text: str, key: str, fields: Mapping[str, str]) -> str | None:
    """The text with one more item at the end of the list `key`, and with the keys above it where they are missing."""
    lines, newline = _lines(text)
    root = _root(text)
    gate = _pair(root, "gate")
    if gate is None:
        if root is not None and not _block(root, yaml.MappingNode):
            return None
        return _joined(lines, len(lines), ["gate:", f"  {key}:", *_item(fields, 4)], newline)
    if not _block(gate[1], yaml.MappingNode):
        return None
    column: int = gate[1].start_mark.column
    pair = _pair(gate[1], key)
    if pair is None:
        block = [f"{' ' * column}{key}:", *_item(fields, column + 2)]
        return _joined(lines, _last_line(gate[1]) + 1, block, newline)
    if _block(pair[1], yaml.SequenceNode):
        dash: int = pair[1].start_mark.column
        return _joined(lines, _last_line(pair[1]) + 1, _item(fields, dash), newline)
    place: int = pair[0].start_mark.line
    if pair[1].value:
        return None
    lines[place] = lines[place].replace(f"{key}: []", f"{key}:", 1)
    return _joined(lines, place + 1, _item(fields, column + 2), newline)


def removed(text: str, key: str, numbers: Collection[int]) -> str | None:
    """The text without the items at these places of the list; 0 is the first. Comments between items stay."""
    lines, newline = _lines(text)
    gate = _pair(_root(text), "gate")
    pair = None if gate is None else _pair(gate[1], key)
    if pair is None or not _block(pair[1], yaml.SequenceNode):
        return None
    items: list[Any] = pair[1].value
    gone = {line for number in numbers for line in range(items[number].start_mark.line, _last_line(items[number]) + 1)}
    if len(set(numbers)) == len(items):
        place: int = pair[0].start_mark.line
        # A key without items would be null, which is not the empty list.
        lines[place] = lines[place].replace(f"{key}:", f"{key}: []", 1)
    return newline.join([line for number, line in enumerate(lines) if number not in gone]) + newline


def _root(text: str) -> Any:
    loader: Any = yaml.SafeLoader(text)
    return loader.get_single_node()


def _lines(text: str) -> tuple[list[str], str]:
    newline = "\r\n" if "\r\n" in text else "\n"
    return text.removesuffix(newline).split(newline) if text else [], newline


def _joined(lines: list[str], place: int, block: list[str], newline: str) -> str:
    return newline.join([*lines[:place], *block, *lines[place:]]) + newline


def _pair(node: Any, name: str) -> tuple[Any, Any] | None:
    """The nodes of a key and its value."""
    if not isinstance(node, yaml.MappingNode):
        return None
    return next(((key, value) for key, value in node.value if key.value == name), None)


def _block(node: Any, kind: type[Any]) -> bool:
    return isinstance(node, kind) and bool(node.value) and not node.flow_style


def _last_line(node: Any) -> int:
    """The last line that belongs to a node, without the comments and blank lines behind it."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last: Any = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    # The end mark of a block scalar is at the start of the line after it.
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return int(node.end_mark.line) - 1
    return int(node.end_mark.line)


def _item(fields: Mapping[str, str], column: int) -> list[str]:
    text = yaml.safe_dump(dict(fields), sort_keys=False, allow_unicode=True, width=10_000)
    return [f"{' ' * column}{'  ' if number else '- '}{line}" for number, line in enumerate(text.splitlines())]
