"""What anything that calls itself a log must look like: each check gives the value back or raises, naming the field.

Pure. A log is somebody else's file, and a value of the wrong type that is let in here stops everything above.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from steelyard.errors import LogError

STATUSES = ("success", "error", "cancelled", "started")
"""What Inspect says of a run."""

LOG_VERSIONS = (1, 2)
"""Versions of Inspect's log format that are understood here."""

# Named once: spelled out in a cast, they would be built anew for each of 100,000 runs.
_Object: TypeAlias = dict[str, Any]
_List: TypeAlias = list[Any]


def text(value: object, field: str) -> str:
    """A text."""
    return value if isinstance(value, str) else _refuse(field, value, "a text")


def text_or_none(value: object, field: str) -> str | None:
    """A text, or nothing."""
    return None if value is None else text(value, field)


def mapping(value: object, field: str) -> dict[str, Any]:
    """An object."""
    return cast(_Object, value) if isinstance(value, dict) else _refuse(field, value, "an object")


def mapping_or_empty(value: object, field: str) -> dict[str, Any]:
    """An object; null and absent read as empty."""
    return {} if value is None else mapping(value, field)


def texts(value: object, field: str) -> dict[str, str]:
    """An object whose values are texts."""
    return {name: text(each, f"{field}.{name}") for name, each in mapping(value, field).items()}


def items(value: object, field: str) -> list[Any]:
    """A list; null and absent read as empty."""
    if value is None:
        return []
    return cast(_List, value) if isinstance(value, list) else _refuse(field, value, "a list")


def amount(value: object, field: str) -> float | None:
    """A finite number from 0 up, or nothing."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf:
        return value
    return _refuse(field, value, "a number from 0 up")


def whole(value: object, field: str) -> int:
    """A whole number from 1 up."""
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return cast(int, value) if good else _refuse(field, value, "a whole number from 1 up")


def moment(value: object, field: str) -> str:
    """A date and time as ISO 8601, as it was written."""
    instant(value, field)
    return text(value, field)


def instant(value: object, field: str) -> datetime:
    """A date and time as ISO 8601; UTC where it names no zone."""
    try:
        found = datetime.fromisoformat(text(value, field))
    except ValueError:
        return _refuse(field, value, "a date and time (ISO 8601)")
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def status(value: object) -> str:
    """How far a run came."""
    return cast(str, value) if value in STATUSES else _refuse("status", value, f"one of {', '.join(STATUSES)}")


def version(value: object) -> None:
    """The version of the log's format, which must be one that is understood here."""
    if isinstance(value, bool) or value not in LOG_VERSIONS:
        raise LogError(f"log format version {_shown(value)} is not known here, only {LOG_VERSIONS[-1]} and older")


def usage(value: object, field: str) -> Mapping[str, Mapping[str, Any]]:
    """Token counts and costs by model name."""
    found = {name: mapping(each, f"{field}.{name}") for name, each in mapping_or_empty(value, field).items()}
    for name, counts in found.items():
        for kind, number in counts.items():
            amount(number, f"{field}.{name}.{kind}")
    return found


def _refuse(field: str, value: object, wanted: str) -> Any:
    raise LogError(f"{field} is {_shown(value)}, not {wanted}")


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
