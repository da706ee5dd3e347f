"""The kinds of problems that are planted, and how a key speaks of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from steelyard.audit.model import Severity


@dataclass(frozen=True, slots=True)
class Mutation:
    """One way in which code goes wrong."""

    category: str
    severity: Severity
    """As a reviewer would rank this kind before knowing the code; a person may correct the key."""
    says: str
    """What is wrong, in words; `{was}` is the right code."""


KINDS: Mapping[str, Mutation] = MappingProxyType(
    {
        "removed check": Mutation("validation", "Critical", "The check `{was}` is gone."),
        "weakened condition": Mutation("validation", "Critical", "One half of the condition `{was}` is gone."),
        "inverted condition": Mutation("logic", "Medium", "The condition `{was}` was turned around or joined wrongly."),
        "off by one": Mutation("boundary", "Medium", "A boundary or a count is off by one; right is `{was}`."),
        "wrong default": Mutation("configuration", "Medium", "A default has another value; right is `{was}`."),
        "swallowed error": Mutation("error handling", "Critical", "An error is swallowed where `{was}` passed it on."),
        "uncaught error": Mutation("error handling", "Medium", "An error is no longer caught; right is `{was}`."),
        "wrong key": Mutation("data", "Medium", "Another key or attribute is used than the right `{was}`."),
        "swapped arguments": Mutation("data", "Medium", "Two arguments of `{was}` changed places."),
        "missing close": Mutation("resources", "Medium", "`{was}` is gone, so something is not released."),
        "missing step": Mutation("logic", "Medium", "The step `{was}` is gone."),
        "lost update": Mutation("state", "Critical", "The update `{was}` is gone."),
        "dropped lock": Mutation("concurrency", "Critical", "The block under `{was}` now runs without it."),
        "dropped await": Mutation("concurrency", "Critical", "`{was}` is no longer awaited."),
        "unescaped input": Mutation("security", "Critical", "`{was}` is gone: the value is used as it came."),
        "unconverted value": Mutation("data", "Minor", "The conversion `{was}` is gone."),
        "wrong unit": Mutation("units", "Medium", "A factor between units is gone; right is `{was}`."),
        "wrong operator": Mutation("arithmetic", "Medium", "Another operator is used than in the right `{was}`."),
        "real bug": Mutation("history", "Medium", "{was}"),
    }
)
"""Name of a kind → what a key says about it."""
