"""YAML as people write it: every entry knows its line, and nothing in the file can surprise.

One document; mappings with text keys, lists and scalars, at most `DEPTH` levels deep. Duplicate keys, tags,
aliases and merge keys are refused. Every error reads `FILE, line N: sentence`, and so does every error of a pydantic
model that the data does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from steelyard.artifact import read_text
from steelyard.errors import InputError, one_line

DEPTH = 20
"""Lists and mappings inside each other that are still read; no file of ours needs more than six."""

FOREIGN_DEPTH = 100
"""The same for YAML that belongs to other programs. Deeper nesting takes PyYAML seconds per kilobyte."""

_LONGEST_NUMBER = 1_000
"""Characters of the longest whole number that is read."""

SIZE_LIMIT = 20_000_000
"""Bytes of the largest file that is read."""

Location: TypeAlias = tuple[int | str, ...]
"""Keys and list positions from the top of a document down to one entry."""

M = TypeVar("M", bound=BaseModel)

_OWN = "tag:yaml.org,2002:"
# The words that YAML 1.1, and therefore PyYAML, reads as booleans.
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
_MESSAGES = {
    "extra_forbidden": "unknown key",
    "missing": "is missing",
    "model_type": "must be a mapping of keys and values",
    "model_attributes_type": "must be a mapping of keys and values",
    "dict_type": "must be a mapping of keys and values",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "decimal_type": "must be a number",
    "decimal_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
}
_CRASHES = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError)
"""What PyYAML raises beside its own errors, such as for `"\\UFFFFFFFF"` or `!!timestamp x`."""
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair."""
_ANCHOR = re.compile(r"(?:^|[\s\[{,])[&*]\w")


class YamlError(InputError):
    """YAML that cannot be used; `line` and `problem` are the parts of the message."""

    def __init__(self, source: str, line: int, problem: str, *, cure: str | None = None) -> None:
        super().__init__(f"{source}, line {line}: {problem}", cure=cure)
        self.line = line
        """The line of the mistake; 1 is the first."""
        self.problem = problem
        """What is wrong, without the place."""


class Strict(BaseModel):
    """A model of a file of ours: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a document. Scalars are text exactly as written, or None for an empty one."""

    value: Value
    """Entries by key, entries in order, or a scalar."""
    line: int
    """The line of its key, or of the value itself where it has none; 1 is the first."""
    source: str
    """The name of the file, for errors."""
    kind: str = "str"
    """What YAML takes a scalar for: str, int, float, bool, null, …"""

    def fail(self, message: str, *, cure: str | None = None) -> YamlError:
        """The error to raise about this entry."""
        return YamlError(self.source, self.line, message, cure=cure)

    def text(self) -> str:
        """A scalar as text; an empty one is empty text."""
        if isinstance(self.value, (dict, list)):
            raise self.fail("text expected here")
        return (self.value or "").strip()

    def mapping(self, what: str, known: Collection[str] | None = None) -> dict[str, Entry]:
        """The value as a mapping; a key that is not `known` is an error. `what` names it in errors."""
        if not isinstance(self.value, dict):
            raise self.fail(f"{what} must be a mapping")
        for name, entry in self.value.items():
            if known is not None and name not in known:
                raise entry.fail(f"unknown field {name!r} in {what}")
        return self.value

    def items(self, what: str) -> list[Entry]:
        """The value as a list; an empty value is an empty list. `what` names it in errors."""
        if isinstance(self.value, list):
            return self.value
        if self.value is None or self.value == "":
            return []
        raise self.fail(f"{what} must be a list")

    def at(self, location: Sequence[int | str]) -> Entry:
        """The entry at `location`, or the nearest one above it that exists."""
        entry = self
        for part in location:
            below = entry._child(part)
            if below is None:
                break
            entry = below
        return entry

    def data(self) -> Any:
        """Plain Python values; numbers are exact decimals, dates stay text."""
        if isinstance(self.value, dict):
            return {name: entry.data() for name, entry in self.value.items()}
        if isinstance(self.value, list):
            return [entry.data() for entry in self.value]
        if self.kind == "bool":
            return _BOOLEANS[str(self.value).lower()]
        return self._number(str(self.value)) if self.kind in ("int", "float") else self.value

    def validated(self, kind: type[M]) -> M:
        """The value as a pydantic model; the error names the line and the key."""
        data = self.data()
        try:
            return kind.model_validate(data)
        except ValidationError as error:
            location = location_in(data, error)
            raise self.at(location).fail(sentence(error, location)) from error

    def _child(self, part: int | str) -> Entry | None:
        if isinstance(self.value, dict):
            return self.value.get(str(part))
        inside = isinstance(self.value, list) and isinstance(part, int) and part < len(self.value)
        return cast(list[Entry], self.value)[part] if inside else None

    def _number(self, text: str) -> Decimal:
        try:
            # Exact, because weights must sum to exactly 1, and 0.1 + 0.2 as floats is not 0.3.
            return Decimal(text.replace("_", "").replace(".inf", "Infinity").replace(".nan", "NaN"))
        except InvalidOperation:
            raise self.fail(f"{text!r} is not a plain number") from None


Value: TypeAlias = "str | dict[str, Entry] | list[Entry] | None"


def read(path: Path) -> Entry:
    """The one document in a file."""
    return parse(read_text(path, SIZE_LIMIT), str(path))


def parse(text: str, source: str) -> Entry:
    """The one document in `text`; `source` names it in errors."""
    entry = _Composer(text, source).document()
    if entry is None:
        raise YamlError(source, 1, "the file is empty")
    return entry


def parse_foreign(text: str, source: str) -> Entry | None:
    """A file in the format of another program, or None for an empty one.

    Tags and aliases are part of such formats: tags are ignored, and an alias is an empty entry, so nothing unfolds.
    """
    return _Composer(text, source, foreign=True).document()


def parse_output(text: str) -> Any:
    """YAML in a model's answer as plain data, or None when it is anything but a mapping or a list.

    Lenient, because the answer is measured and not refused: the last of duplicate keys counts. Text with anchors or
    aliases (they could unfold without end) or tags that would build objects is not data.
    """
    if _ANCHOR.search(text):
        return None
    try:
        value: Any = yaml.load(text, Loader=_ShallowLoader)
    except (yaml.YAMLError, *_CRASHES):
        return None
    return cast(Any, value) if isinstance(value, (dict, list)) else None


def parse_argument(text: str) -> Any:
    """The value of a command line's `KEY=VALUE`, as Inspect reads it: YAML, or else the text itself."""
    try:
        return yaml.load(text, Loader=_ShallowLoader)
    except (yaml.YAMLError, *_CRASHES):
        return text


def location_in(data: Any, error: ValidationError) -> Location:
    """The part of pydantic's location that exists in `data`, and a missing key: pydantic also names union members."""
    first = error.errors(include_url=False)[0]
    stated: Location = first.get("ctx", {}).get("at", ())
    named = (*first["loc"], *stated)
    location: list[int | str] = []
    value = data
    for index, part in enumerate(named):
        if _has(value, part):
            location.append(part)
            value = value[part]
        elif index == len(named) - 1 and _is_mapping(value) and (stated or first["type"] == "missing"):
            location.append(part)
    return tuple(location)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _has(value: Any, part: int | str) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(cast(list[Any], value))
    return isinstance(value, dict) and part in cast(dict[Any, Any], value)


def sentence(error: ValidationError, location: Sequence[int | str] | None = None) -> str:
    """The first problem of a pydantic error as `key: what is wrong`; without a `location`, where pydantic says."""
    first = error.errors(include_url=False)[0]
    name = ".".join(map(str, first["loc"] if location is None else location))
    message = _message(first["type"], first)
    if first["type"] in ("model_type", "dict_type") and not name:
        return f"the document {message}"
    return f"{name}: {message}" if name else message


def _message(kind: str, problem: Mapping[str, Any]) -> str:
    known = ("extra_forbidden", "missing")
    if kind not in known and problem.get("input", ...) is None:  # a key with nothing after it
        return "must not be empty"
    if kind == "string_too_short" and problem.get("ctx", {}).get("min_length") == 1:
        return "must not be empty"
    if kind in ("too_short", "too_long"):
        limits = problem.get("ctx", {})
        bound = f"at least {limits['min_length']}" if kind == "too_short" else f"at most {limits['max_length']}"
        return f"must have {bound} entries"
    if kind == "union_tag_invalid":
        wrong = problem["ctx"]
        tags = wrong["expected_tags"].replace("'", "")
        return one_line(f"{wrong['discriminator'].strip(chr(39))}: {wrong['tag']} is not one of {tags}", 300)
    message = str(problem["msg"]).removeprefix("Value error, ")
    return one_line(_MESSAGES.get(kind) or re.sub(r"^(?:Input|String|Value) should ", "must ", message), 200)


class _Composer:
    """Builds entries from PyYAML's events, one at a time: a bomb is refused before it has been read whole."""

    def __init__(self, text: str, source: str, *, foreign: bool = False) -> None:
        self.text, self.source, self.foreign = text, source, foreign
        self.loader: Any = None
        self.depth = 0

    def document(self) -> Entry | None:
        try:
            self.loader = yaml.SafeLoader(self.text)
            self.loader.get_event()  # the start of the stream
            if self.loader.check_event(yaml.StreamEndEvent):
                return None
            self.loader.get_event()
            entry = self._entry()
            self.loader.get_event()
            if not self.loader.check_event(yaml.StreamEndEvent):
                raise self._fail(self.loader.peek_event(), "a second document begins here; only one is allowed")
            return entry
        except yaml.reader.ReaderError as error:
            line = self.text.count("\n", 0, error.position) + 1
            problem = f"the character U+{ord(self.text[error.position]):04X} is not allowed"
            raise YamlError(self.source, line, problem) from error
        except yaml.MarkedYAMLError as error:
            mark: Any = error.problem_mark
            line = mark.line + 1 if mark else 1
            raise YamlError(self.source, line, f"not valid YAML: {error.problem or error.context}") from error
        except _CRASHES as error:
            raise YamlError(self.source, self.loader.line + 1, f"not valid YAML: {error}") from error

    def _fail(self, event: Any, problem: str) -> YamlError:
        return YamlError(self.source, event.start_mark.line + 1, problem)

    def _entry(self) -> Entry:
        event: Any = self.loader.get_event()
        line: int = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            if not self.foreign:
                raise self._fail(event, "anchors and aliases are not allowed")
            return Entry(None, line, self.source, "null")
        if event.tag is not None and not self.foreign:
            tag = event.tag.replace(_OWN, "!!", 1)
            raise self._fail(event, f"the tag {tag!r} is not allowed")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        self.depth += 1
        if self.depth > (FOREIGN_DEPTH if self.foreign else DEPTH):
            raise self._fail(event, "nested too deeply")
        value = self._pairs() if isinstance(event, yaml.MappingStartEvent) else self._list()
        self.loader.get_event()  # its end
        self.depth -= 1
        return Entry(value, line, self.source, "map" if isinstance(value, dict) else "seq")

    def _scalar(self, event: Any) -> Entry:
        # Written as an escape; as it stands the reader refuses it. No log and no UTF-8 holds one.
        if not self.foreign and (half := _HALF.search(event.value)):
            raise self._fail(event, f"the character U+{ord(half[0]):04X} is not allowed")
        kind = self.loader.resolve(yaml.ScalarNode, event.value, event.implicit).removeprefix(_OWN)
        value = None if kind == "null" else event.value
        return Entry(value, event.start_mark.line + 1, self.source, kind)

    def _list(self) -> list[Entry]:
        entries: list[Entry] = []
        while not self.loader.check_event(yaml.SequenceEndEvent):
            entries.append(self._entry())
        return entries

    def _pairs(self) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        while not self.loader.check_event(yaml.MappingEndEvent):
            key = self._entry()
            name = self._name(key)
            if name in entries:
                raise key.fail(f"duplicate key {name!r}")
            entries[name] = replace(self._entry(), line=key.line)
        return entries

    def _name(self, key: Entry) -> str:
        if isinstance(key.value, str) and (self.foreign or key.kind != "merge"):
            return key.value
        if not self.foreign:
            raise key.fail("merge keys are not allowed" if key.kind == "merge" else "a key must be text")
        return f"(key of line {key.line}, {id(key)})"  # another program's business, and no duplicate of anything


class _ShallowLoader(yaml.SafeLoader):
    """The safe loader, but nesting that would take it minutes is an error."""

    depth = 0

    def construct_number(self, node: Any) -> int:
        # Python does not write a number of thousands of digits, and `1:00:00:…` takes quadratic time to read.
        if len(node.value) > _LONGEST_NUMBER:
            raise yaml.YAMLError("a number with too many digits")
        return cast(Any, self).construct_yaml_int(node)

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.depth += 1
        if self.depth > FOREIGN_DEPTH:
            raise yaml.YAMLError("nested too deeply")
        try:
            return cast(Any, super()).compose_node(parent, index)
        finally:
            self.depth -= 1


_ShallowLoader.add_constructor(f"{_OWN}int", _ShallowLoader.construct_number)
