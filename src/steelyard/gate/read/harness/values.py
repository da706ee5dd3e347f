"""Values of foreign JSON: what is not of the expected type is absent, and what a run cannot do without is an error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from steelyard.errors import InputError
from steelyard.gate.checks.check import unique_names
from steelyard.gate.model import Cost, Run
from steelyard.logs.identity import sha256_of
from steelyard.logs.scores import number_of

Table = Mapping[str, Any]

_LONGEST = 300
"""Characters of a task's name that are kept."""


def table(value: Any) -> Table:
    """An object; empty for anything else."""
    return cast(Table, value) if isinstance(value, dict) else {}


def tables(value: Any) -> list[Table]:
    """The objects of a list."""
    listed = cast(list[Any], value) if isinstance(value, list) else []
    return [cast(Table, entry) for entry in listed if isinstance(entry, dict)]


def number(value: Any) -> float | None:
    """A finite number that is not negative."""
    known = None if isinstance(value, (bool, str)) else number_of(value)
    return known if known is not None and known >= 0 else None


def added(*values: Any) -> float | None:
    """The sum of the numbers that are known; None if none is."""
    known = [part for value in values if (part := number(value)) is not None]
    return math.fsum(known) if known else None


def name(value: Any, where: str) -> str:
    """The name of a task."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: a result has no name")
    whole = " ".join(value.split())
    # Prompts that only begin alike are other tasks, not epochs of one.
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}… {sha256_of(whole)[:8]}"


def elapsed_ms(started: Any, ended: Any) -> float | None:
    """Milliseconds between two moments in ISO 8601."""
    try:
        return number((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds() * 1000)
    except (TypeError, ValueError):
        return None


def run_of(task: str, checks: Iterable[tuple[str, bool]], passed: bool, cost: Cost) -> Run:
    """A run with one check per test or grader; where none is named, the whole is one check."""
    listed = list(checks)
    if not listed:
        return Run(task, float(passed), 1.0, cost=cost)
    named = dict(zip(unique_names([label for label, _ in listed]), (good for _, good in listed), strict=True))
    return Run(task, float(sum(named.values())), float(len(named)), cost=cost, checks=named)
