"""Verdicts on CDK apps, as text and as JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.bench.cdk_synth.verify import Verdict

NamedVerdict = tuple[str, Verdict]
"""The name of a file or folder, and the verdict on the app in it."""


def text(verdicts: Sequence[NamedVerdict]) -> str:
    """One line per app, and below it why it failed."""
    lines: list[str] = []
    for name, verdict in verdicts:
        lines.append(f"{name}: {'pass' if verdict.passed else verdict.klass}")
        lines += [f"    {line}" for line in verdict.message.splitlines()]
    return "\n".join(lines) + "\n"


def as_json(verdicts: Sequence[NamedVerdict]) -> dict[str, Any]:
    """All verdicts, and how many passed."""
    apps = [_app(name, verdict) for name, verdict in verdicts]
    passed = sum(verdict.passed for _, verdict in verdicts)
    return {"schema_version": "1.0", "passed": passed, "total": len(apps), "apps": apps}


def _app(name: str, verdict: Verdict) -> dict[str, Any]:
    return {
        "file": name,
        "passed": verdict.passed,
        "class": verdict.klass,
        "message": verdict.message,
        "stacks": sorted(verdict.templates),
        "seconds": round(verdict.seconds, 3),
        "confirmed": verdict.confirmed,
    }
