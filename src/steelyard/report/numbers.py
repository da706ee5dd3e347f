"""Formats the numbers in reports. `None` is unknown and shown as a dash, never as 0."""

from __future__ import annotations

import math
from collections.abc import Sequence

UNKNOWN = "–"
"""How an unknown value is shown."""


def percent(value: float | None, digits: int = 1) -> str:
    """0.7234 → `72.3%`."""
    return UNKNOWN if value is None else f"{_plain(value * 100, digits)}%"


def percent_range(low: float, high: float) -> str:
    """0.56, 0.81 → `56–81%`."""
    return f"{_plain(low * 100, 0)}–{_plain(high * 100, 0)}%"


def margin(value: float) -> str:
    """0.05 → `±5%`."""
    return f"±{_plain(value * 100, 0)}%"


def points(value: float | None) -> str:
    """Audit points: two decimals."""
    return UNKNOWN if value is None else _plain(value, 2)


def score(value: float | None, digits: int = 3) -> str:
    """A score in [0, 1]: `0.723`."""
    return UNKNOWN if value is None else _plain(value, digits)


def signed(value: float | None, digits: int = 3) -> str:
    """A difference: `+0.012`, `-0.050`, `0.000`."""
    if value is None:
        return UNKNOWN
    text = _plain(value, digits)
    return f"+{text}" if float(text) > 0 else text


def count(value: int | float | None) -> str:
    """12345 → `12,345`."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def things(number: int, one: str, several: str = "") -> str:
    """1, run → `1 run`; 3, run → `3 runs`; 2, entry, entries → `2 entries`."""
    return f"{count(number)} {one if number == 1 else several or one + 's'}"


def few(names: Sequence[str], most: int) -> str:
    """a, b, c, d and at most 2 → `a, b and 2 more`."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {count(rest)} more" if rest > 0 else "")


def usd(value: float | None) -> str:
    """0.0213 → `$0.0213`; 12.5 → `$12.50`."""
    if value is None:
        return UNKNOWN
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def seconds(value: float | None) -> str:
    """Durations: `0.42 s`, `12 s`, `3 min 05 s`."""
    if value is None or not math.isfinite(value):  # a sum of huge numbers may have no end
        return UNKNOWN
    if value < 10:
        return f"{value:.2f} s"
    if value < 90:
        return f"{value:.0f} s"
    return f"{int(value // 60)} min {int(value % 60):02d} s"


def p_value(value: float | None) -> str:
    """`p = 0.038`, `p < 0.001`."""
    if value is None:
        return UNKNOWN
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _plain(value: float, digits: int) -> str:
    """Fixed decimals without a negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"
