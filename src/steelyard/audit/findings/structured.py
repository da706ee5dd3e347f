"""Findings that an agent wrote as JSON or YAML: the whole output, or fenced blocks of it.

Lists under a name that says findings come first, however deep; without one, every list of objects counts, then a
mapping of objects. A fenced block counts only if its entries read like findings: reviews quote samples of data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from steelyard.audit.findings.claims import RawFinding
from steelyard.audit.findings.phrases import long_enough
from steelyard.audit.findings.sections import fences
from steelyard.yamlfile import parse_output

_JSON_TAGS, _YAML_TAGS = ("", "json", "json5", "jsonc", "jsonl", "ndjson"), ("yaml", "yml")
_LISTS = ("findings", "issues", "problems", "vulnerabilities", "results", "defects", "bugs", "observations", "items")
_TELLING_LISTS = tuple(name for name in _LISTS if name not in ("results", "items"))
"""Names that no sample of ordinary data has."""
_TITLES = ("title", "name", "summary", "issue", "finding", "problem", "message", "description")
_DEPTH = 6
_NEAR = 20_000
"""Characters after one entry within which the next one is looked for; without it, a long list takes hours."""


class Records(NamedTuple):
    """What fenced blocks say, and the text without those blocks, its lines still numbered as before."""

    findings: list[RawFinding]
    rest: str


def json_findings(text: str) -> list[RawFinding] | None:
    """The findings of an output that is JSON as a whole, or JSON line by line; None when it is something else."""
    whole = _loaded(text)
    if whole is None:
        whole = _by_line(text)
    if whole is None:
        return None
    entries = _entries(whole)
    return _raw_findings([whole] if entries is None and isinstance(whole, dict) else entries or [], text, 1)


def fenced_findings(text: str) -> Records:
    """The findings in fenced blocks, and the text around them."""
    found: list[RawFinding] = []
    lines = text.split("\n")
    for tag, first, body in fences(text):
        value = _block(tag, body)
        entries = _entries(value) or []
        if entries and _tells(entries, _keys(value)):
            found += _raw_findings(entries, body, first)
            last = first + body.count("\n") + 1
            lines[first - 2 : last] = [""] * (last - first + 2)
    return Records(found, "\n".join(lines))


def _block(tag: str, body: str) -> Any:
    """The data of a fenced block, or None."""
    if tag in _YAML_TAGS:
        return parse_output(body)
    return (_loaded(body) or _by_line(body)) if tag in _JSON_TAGS else None


def _loaded(text: str) -> Any:
    """A JSON object or list, or None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Any, value) if isinstance(value, (dict, list)) else None


def _by_line(text: str) -> list[Any] | None:
    """The objects of a text that has one on each line, or None."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not lines[0].lstrip().startswith("{"):
        return None
    found: list[Any] = []
    for line in lines:
        value = _loaded(line)
        if not isinstance(value, dict):
            return None
        found.append(cast(Any, value))
    return found


def _entries(value: Any) -> list[Any] | None:
    """What the value lists as findings; None when it lists nothing."""
    named = _named(value)
    if named is not None:
        return named
    if isinstance(value, list):
        listed = cast(list[Any], value)
        return listed if all(isinstance(each, (dict, str)) for each in listed) else None
    lists = list(_lists(value))
    objects = _objects(each for listed in lists for each in listed)
    texts = [each for listed in lists for each in listed if isinstance(each, str) and long_enough(each)]
    return objects or texts or _mapped(value)


def _named(value: Any, depth: int = 0) -> list[Any] | None:
    """The entries of every list under a known name, depth first."""
    if depth > _DEPTH:
        return None
    found: list[list[Any] | None] = []
    if isinstance(value, dict):
        for key, each in cast(dict[Any, Any], value).items():
            known = str(key).casefold() in _LISTS
            listed = cast(list[Any], each) if isinstance(each, list) else _mapped(each)
            found.append(_unfolded(listed, depth + 1) if known and listed is not None else _named(each, depth + 1))
    elif isinstance(value, list):
        listed = _objects(cast(list[Any], value))
        found = [] if any(map(_reads_as_finding, listed)) else [_named(each, depth + 1) for each in listed]
    told = [each for each in found if each is not None]
    return [entry for each in told for entry in each] if told else None


def _unfolded(listed: Sequence[Any], depth: int) -> list[Any]:
    """The entries of a list; one that says nothing itself and lists findings (a file, a section) gives way to them."""
    found: list[Any] = []
    for each in listed:
        inner = None if _reads_as_finding(each) else _named(each, depth)
        found += [each] if inner is None else inner
    return [each for each in found if isinstance(each, (dict, str))]


def _lists(value: Any, depth: int = 0) -> Iterator[list[Any]]:
    """All lists below a value that hold objects or texts, depth first; lists inside their entries are theirs."""
    if isinstance(value, dict) and depth <= _DEPTH:
        for each in cast(dict[Any, Any], value).values():
            if isinstance(each, list):
                yield cast(list[Any], each)
            else:
                yield from _lists(each, depth + 1)


def _mapped(value: Any) -> list[Any] | None:
    """The objects of a mapping that holds nothing else: `{"F1": {…}, "F2": {…}}`."""
    if not isinstance(value, dict):
        return None
    values = list(cast(dict[Any, Any], value).values())
    return values if values and all(_reads_as_finding(each) and isinstance(each, dict) for each in values) else None


def _objects(values: Iterable[Any]) -> list[Any]:
    return [cast(Any, each) for each in values if isinstance(each, dict)]


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        table = cast(dict[Any, Any], value)
        return {str(key).casefold() for key in table}.union(*map(_keys, table.values()))
    return set()


def _tells(entries: Sequence[Any], names: Iterable[str]) -> bool:
    """Whether entries of a fenced block are findings and no sample of data."""
    if any(name in _TELLING_LISTS for name in names):
        return any(isinstance(each, str) or _title(each) or _reads_as_finding(each) for each in entries)
    telling = [each for each in _objects(entries) if _reads_as_finding(each)]
    return 2 * len(telling) >= len(entries)


def _reads_as_finding(entry: Any) -> bool:
    """Whether an entry has a text of several words."""
    if isinstance(entry, dict):
        return any(isinstance(each, str) and long_enough(each, 4) for each in cast(dict[Any, Any], entry).values())
    return isinstance(entry, str) and long_enough(entry, 4)


def _raw_findings(entries: Sequence[Any], text: str, first: int) -> list[RawFinding]:
    found: list[RawFinding] = []
    place, line = 0, first
    for each in entries:
        at = max(text.find(_start(each), place, place + _NEAR), place)
        line, place = line + text.count("\n", place, at), at
        found.append(RawFinding(_text(each), _title(each), line, line))
    return found


def _start(entry: Any) -> str:
    """The beginning of an entry's title as it stands in the JSON text."""
    lead = _title(entry) or (entry if isinstance(entry, str) else "")
    return json.dumps(lead, ensure_ascii=False)[1:-1][:60]


def _title(entry: Any) -> str:
    if isinstance(entry, dict):
        table: Mapping[str, Any] = {str(key).casefold(): each for key, each in cast(dict[Any, Any], entry).items()}
        return next((str(table[name]) for name in _TITLES if isinstance(table.get(name), str) and table[name]), "")
    return ""


def _text(entry: Any, depth: int = 0) -> str:
    if isinstance(entry, dict) and depth < _DEPTH:
        rows = cast(dict[Any, Any], entry).items()
        return "\n".join(f"{key}: {_text(value, depth + 1)}" for key, value in rows)
    if isinstance(entry, list) and depth < _DEPTH:
        return ", ".join(_text(each, depth + 1) for each in cast(list[Any], entry))
    return "" if entry is None else str(cast(object, entry))
