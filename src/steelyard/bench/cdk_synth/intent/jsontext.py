"""Objects that a template holds as JSON text, with references in it: policies, event patterns, workflows.

Pure and bounded; what is not such a text has no object.
"""

from __future__ import annotations

import json
import re
from typing import Any

from steelyard.bench.cdk_synth.intent.function import evaluated
from steelyard.bench.cdk_synth.shape import attribute, intrinsic, is_list, is_mapping, listing

MAX_TEXT = 200_000
"""Characters of a text that are read."""
MAX_DEPTH = 60
"""How deep a value is read."""
_BARE = re.compile(r"(?<=[:,\[])(\s*)(\$\{[\w.:-]+\})")


def parsed(value: Any, substitutions: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """The object that a text describes, with its references as references; None if the value is not such a text."""
    if is_mapping(value) and intrinsic(value) is None:
        return value
    text = _written(value, 0)
    if not text.lstrip().startswith("{") or len(text) > MAX_TEXT:
        return None
    # A reference may also stand where a number is wanted.
    for attempt in (text, _BARE.sub(r'\1"\2"', text)):
        try:
            found = referring(json.loads(attempt), substitutions or {})
        except (ValueError, RecursionError):
            continue
        return found if is_mapping(found) else None
    return None


def referring(value: Any, substitutions: dict[str, Any], depth: int = 0) -> Any:
    """`value` with the references in its texts as references; some of them may stand for other values."""
    if depth > MAX_DEPTH:
        return value
    if is_mapping(value):
        return {key: referring(part, substitutions, depth + 1) for key, part in value.items()}
    if is_list(value):
        return [referring(part, substitutions, depth + 1) for part in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    made = evaluated("Fn::Sub", [value, substitutions], None, lambda reference: reference)
    return value if made is None else made


def _written(value: object, depth: int) -> str:
    """The text, also one that intrinsics build; references are `${LogicalId.Attribute}` in it."""
    if isinstance(value, str):
        return value
    name, argument = intrinsic(value) or ("", None)
    parts = listing(argument)
    if name == "Fn::Join" and len(parts) == 2 and depth < MAX_DEPTH:
        return str(parts[0]).join(_written(part, depth + 1) for part in listing(parts[1]))
    return f"${{{'.'.join(filter(None, attribute(argument)))}}}" if name in ("Ref", "Fn::GetAtt") else ""
