"""Findings that an agent wrote as JSON: the whole output, or fenced blocks of it."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from steelyard.audit.outline import fences
from steelyard.audit.pieces import Piece

_JSON_TAGS, _YAML_TAGS = ("", "json", "json5", "jsonc"), ("yaml", "yml")
_LISTS = ("findings", "issues", "problems", "vulnerabilities", "results", "defects", "bugs", "observations", "items")
_TITLES = ("title", "name", "summary", "issue", "finding", "problem", "message", "description")
_DEPTH = 6


def json_findings(text: str) -> list[Piece] | None:
    """The findings of an output that is JSON; None when it is something else."""
    whole = _loaded(text)
    if whole is not None:
        return _pieces(whole, text, 1)
    found: list[Piece] = []
    for tag, first, body in fences(text):
        value = _yaml(body) if tag in _YAML_TAGS else _loaded(body) if tag in _JSON_TAGS else None
        if value is not None and _entries(value) is not None:
            found += _pieces(value, body, first)
    return found or None


def _loaded(text: str) -> Any:
    """A JSON object or list, or None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Any, value) if isinstance(value, (dict, list)) else None


def _yaml(text: str) -> Any:
    """A YAML mapping or list without anchors (they could unfold without end), or None."""
    import yaml

    if re.search(r"(?:^|[\s\[{,])[&*]\w", text):
        return None
    try:
        value: Any = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return cast(Any, value) if isinstance(value, (dict, list)) else None


def _entries(value: Any, depth: int = 0) -> list[Any] | None:
    if isinstance(value, list):
        listed = cast(list[Any], value)
        return listed if all(isinstance(each, (dict, str)) for each in listed) else None
    if not isinstance(value, dict) or depth > _DEPTH:
        return None
    table = {str(key).casefold(): each for key, each in cast(dict[Any, Any], value).items()}
    for name in _LISTS:
        if isinstance(table.get(name), list):
            return _entries(table[name], depth + 1)
    for each in table.values():
        if isinstance(each, (dict, list)) and (found := _entries(each, depth + 1)):
            return found
    return None


def _pieces(value: Any, text: str, first: int) -> list[Piece]:
    entries = _entries(value)
    if entries is None:
        entries = cast(list[Any], [value] if isinstance(value, dict) else [])
    found: list[Piece] = []
    place = 0
    for each in entries:
        place = max(text.find(_start(each), place), place)
        line = first + text.count("\n", 0, place)
        found.append(Piece(_text(each), _title(each), line, line))
    return found


def _start(entry: Any) -> str:
    """The beginning of an entry's title as it stands in the JSON text."""
    lead = _title(entry) or (entry if isinstance(entry, str) else "")
    return json.dumps(lead, ensure_ascii=False)[1:-1][:60]


def _title(entry: Any) -> str:
    if isinstance(entry, dict):
        table = {str(key).casefold(): each for key, each in cast(dict[Any, Any], entry).items()}
        return next((str(table[name]) for name in _TITLES if isinstance(table.get(name), str) and table[name]), "")
    return ""


def _text(entry: Any, depth: int = 0) -> str:
    if isinstance(entry, dict) and depth < _DEPTH:
        rows = cast(dict[Any, Any], entry).items()
        return "\n".join(f"{key}: {_text(value, depth + 1)}" for key, value in rows)
    if isinstance(entry, list) and depth < _DEPTH:
        return ", ".join(_text(each, depth + 1) for each in cast(list[Any], entry))
    return "" if entry is None else str(cast(object, entry))
