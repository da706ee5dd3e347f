"""YAML as people write it, with the line of every entry, and nothing in it that could surprise.

Scalars stay text exactly as written (`None` for an empty one); duplicate keys, aliases and tags of other languages are
refused. `Entry.line` is what errors name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, cast

from steelyard.errors import InputError, boundary


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a YAML file and the line it starts on."""

    value: Value
    line: int
    source: str

    def fail(self, message: str, *, cure: str | None = None) -> InputError:
        """The error to raise about this entry."""
        return InputError(f"{self.source}, line {self.line}: {message}", cure=cure)

    def text(self) -> str:
        """A scalar as text; an empty one is empty text."""
        if isinstance(self.value, (dict, list)):
            raise self.fail("text expected here")
        return (self.value or "").strip()

    def mapping(self, what: str) -> dict[str, Entry]:
        """The value as a mapping."""
        if isinstance(self.value, dict):
            return self.value
        raise self.fail(f"{what} must be a mapping")

    def items(self, what: str) -> list[Entry]:
        """The value as a list; an empty value is an empty list."""
        if isinstance(self.value, list):
            return self.value
        if self.value is None or self.value == "":
            return []
        raise self.fail(f"{what} must be a list")


Value: TypeAlias = "str | dict[str, Entry] | list[Entry] | None"


def read_yaml(text: str, source: str) -> Entry:
    """The one document in `text`."""
    import yaml

    try:
        node = cast(object, yaml.compose(text, Loader=yaml.SafeLoader))  # pyright: ignore[reportUnknownMemberType]
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InputError(f"{source}{line}: not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{source}: not valid YAML: {error}") from error
    if node is None:
        raise InputError(f"{source} is empty")
    with boundary(InputError, f"cannot read {source}"):
        return _entry(node, source, set())


def _entry(node: object, source: str, seen: set[int]) -> Entry:
    import yaml

    assert isinstance(node, yaml.Node)
    line = node.start_mark.line + 1
    if id(node) in seen:
        raise InputError(f"{source}, line {line}: anchors and aliases are not used here")
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        return Entry(_pairs(node, source, seen), line, source)
    if isinstance(node, yaml.SequenceNode):
        return Entry([_entry(each, source, seen) for each in node.value], line, source)
    return Entry(None if node.tag == "tag:yaml.org,2002:null" else str(node.value), line, source)


def _pairs(node: object, source: str, seen: set[int]) -> dict[str, Entry]:
    import yaml

    assert isinstance(node, yaml.MappingNode)
    found: dict[str, Entry] = {}
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in found:
            raise InputError(f"{source}, line {line}: {name!r} stands twice in one mapping")
        entry = _entry(value, source, seen)
        found[name] = Entry(entry.value, line, source)
    return found
