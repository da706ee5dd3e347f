"""Type checks for the fields of a log: each returns the value, or raises an error that names the field.

Pure. A log may come from anywhere, and a value of the wrong type would otherwise fail much later, without its name.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from steelyard.errors import LogError

STATUSES = ("success", "error", "cancelled", "started")
"""The states in which Inspect leaves a run."""

LOG_VERSIONS = (1, 2, 3)
"""Versions of Inspect's log format that can be read: version 3 of `.eval` files, as far as Inspect itself reads it."""

# Defined once: written out in a cast, they would be built again for each of 100,000 runs.
_Object: TypeAlias = dict[str, Any]
_List: TypeAlias = list[Any]


def text(value: object, field: str) -> str:
    """A string."""
    return value if isinstance(value, str) else _refuse(field, value, "a string")


def text_or_none(value: object, field: str) -> str | None:
    """A string or None."""
    return None if value is None else text(value, field)


def mapping(value: object, field: str) -> dict[str, Any]:
    """An object."""
    return cast(_Object, value) if isinstance(value, dict) else _refuse(field, value, "an object")


def mapping_or_empty(value: object, field: str) -> dict[str, Any]:
    """An object; null and absent read as empty."""
    return {} if value is None else mapping(value, field)


def texts(value: object, field: str) -> dict[str, str]:
    """An object whose values are strings."""
    return {name: text(member, f"{field}.{name}") for name, member in mapping(value, field).items()}


def items(value: object, field: str) -> list[Any]:
    """A list; null and absent read as empty."""
    if value is None:
        return []
    return cast(_List, value) if isinstance(value, list) else _refuse(field, value, "a list")


def amount(value: object, field: str) -> float | None:
    """A finite number of at least 0, or None."""
    if value is None:
        return None
    # In Python, True is an integer; in a log, it is not an amount. Nor is a whole number that no float can hold.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max:
        return value
    return _refuse(field, value, "a number of at least 0")


def whole(value: object, field: str) -> int:
    """An integer of at least 1."""
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return value if good else _refuse(field, value, "an integer of at least 1")


def moment(value: object, field: str) -> str:
    """A date and time in ISO 8601, unchanged."""
    instant(value, field)
    return text(value, field)


def instant(value: object, field: str) -> datetime:
    """A date and time in ISO 8601; UTC if it has no time zone."""
    try:
        parsed = datetime.fromisoformat(text(value, field))
    except ValueError:
        return _refuse(field, value, "a date and time (ISO 8601)")
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def status(value: object) -> str:
    """The state of a run."""
    return cast(str, value) if value in STATUSES else _refuse("status", value, f"one of {', '.join(STATUSES)}")


def version(value: object) -> None:
    """Raise unless the version of the log format can be read."""
    # True equals 1, which is a version.
    if isinstance(value, bool) or value not in LOG_VERSIONS:
        raise LogError(f"log format version {_shown(value)} is not supported, only {LOG_VERSIONS[-1]} and older")


def usage(value: object, field: str) -> Mapping[str, Mapping[str, Any]]:
    """Token counts and costs by model name."""
    by_model = {name: mapping(counts, f"{field}.{name}") for name, counts in mapping_or_empty(value, field).items()}
    for name, counts in by_model.items():
        for kind, number in counts.items():
            amount(number, f"{field}.{name}.{kind}")
    return by_model


def _refuse(field: str, value: object, expected: str) -> Any:
    raise LogError(f"{field} is {_shown(value)}, not {expected}")


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
