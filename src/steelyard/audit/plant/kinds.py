"""The kinds of problems that are planted, and how a key speaks of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from steelyard.audit.model import Severity


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which code goes wrong."""

    category: str
    severity: Severity
    """As a reviewer would rank this kind before knowing the code; a person may correct the key."""
    says: str
    """What is wrong, in words; `{was}` is the right code."""


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "removed check": Kind("validation", "Critical", "The check `{was}` is gone."),
        "weakened condition": Kind("validation", "Critical", "One half of the condition `{was}` is gone."),
        "inverted condition": Kind("logic", "Medium", "The condition `{was}` was turned around or joined wrongly."),
        "off by one": Kind("boundary", "Medium", "A boundary or a count is off by one; right is `{was}`."),
        "wrong default": Kind("configuration", "Medium", "A default has another value; right is `{was}`."),
        "swallowed error": Kind("error handling", "Critical", "An error is swallowed where `{was}` passed it on."),
        "uncaught error": Kind("error handling", "Medium", "An error is no longer caught; right is `{was}`."),
        "wrong key": Kind("data", "Medium", "Another key or attribute is used than the right `{was}`."),
        "swapped arguments": Kind("data", "Medium", "Two arguments of `{was}` changed places."),
        "missing close": Kind("resources", "Medium", "`{was}` is gone, so something is not released."),
        "missing step": Kind("logic", "Medium", "The step `{was}` is gone."),
        "lost update": Kind("state", "Critical", "The update `{was}` is gone."),
        "dropped lock": Kind("concurrency", "Critical", "The block under `{was}` now runs without it."),
        "dropped await": Kind("concurrency", "Critical", "`{was}` is no longer awaited."),
        "unescaped input": Kind("security", "Critical", "`{was}` is gone: the value is used as it came."),
        "unconverted value": Kind("data", "Minor", "The conversion `{was}` is gone."),
        "wrong unit": Kind("units", "Medium", "A factor between units is gone; right is `{was}`."),
        "wrong operator": Kind("arithmetic", "Medium", "Another operator is used than in the right `{was}`."),
        "real bug": Kind("history", "Medium", "{was}"),
    }
)
"""Name of a kind → what a key says about it."""
