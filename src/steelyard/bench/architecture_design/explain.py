"""What a score tells about itself: metadata that stays small, and a few lines for a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steelyard.bench.architecture_design.diagram import Diagram
from steelyard.bench.architecture_design.heuristic.dimensions import Heuristic
from steelyard.bench.architecture_design.score import Adjusted

LIMIT = 600
"""Characters of one field; summaries of a log drop what is longer than a thousand."""


def metadata(final: Adjusted, read: Heuristic, diagram: Diagram | None) -> dict[str, Any]:
    """For `Score.metadata`: the dimensions, what was done to them, and what was noticed."""
    told: dict[str, Any] = {
        "accuracy": round(final.dimensions.accuracy, 4),
        "completeness": round(final.dimensions.completeness, 4),
        "quality": round(final.dimensions.quality, 4),
        "adjustments": {name: round(value, 4) for name, value in final.factors.items()},
        "factors": {name: round(value, 3) for name, value in read.factors.items()},
        "flags": list(flags(read, diagram)),
        "words": len(read.reading.words),
    }
    if diagram is not None:
        told |= {
            "structured": diagram.status,
            "structured_error": None if diagram.error is None else diagram.error[:LIMIT],
            "missing_components": _short(diagram.missing),
        }
    return told


def flags(read: Heuristic, diagram: Diagram | None) -> tuple[str, ...]:
    """Names of what was noticed, sorted."""
    found = set(read.reading.flags)
    if diagram is not None and diagram.wrong_fence:
        found.add("wrong_fence")
    if diagram is not None and diagram.candidates > 1:
        found.add("several_diagrams")
    return tuple(sorted(found))


def explanation(final: Adjusted, read: Heuristic, diagram: Diagram | None) -> str:
    """A few lines for a person."""
    dimensions = final.dimensions
    lines = [
        f"accuracy {dimensions.accuracy:.2f}, completeness {dimensions.completeness:.2f}, "
        f"quality {dimensions.quality:.2f}",
        _elements(read),
    ]
    if diagram is not None:
        lines.append(_drawn(diagram))
    if final.factors:
        lines.append("Adjusted: " + ", ".join(f"{name} {value:.2f}" for name, value in final.factors.items()))
    if noticed := flags(read, diagram):
        lines.append("Noticed: " + ", ".join(noticed))
    return "\n".join(lines)


def _elements(read: Heuristic) -> str:
    evidence = read.evidence
    kinds = (
        ("components", evidence.components),
        ("flows", evidence.flows),
        ("findings", evidence.findings),
        ("remedies", evidence.remedies),
    )
    counts = [f"{sum(credits):.1f} of {len(credits)} {kind}" for kind, credits in kinds if credits]
    return "Shown: " + ", ".join(counts)


def _drawn(diagram: Diagram) -> str:
    text = f"Diagram ({diagram.format}): {diagram.status}"
    if diagram.error is not None:
        text += f": {diagram.error[:LIMIT]}"
    if diagram.missing and diagram.status != "absent":
        text += f"; missing: {', '.join(_short(diagram.missing))}"
    return text


def _short(names: Iterable[str]) -> list[str]:
    return [name[:60] for name in list(names)[:10]]
