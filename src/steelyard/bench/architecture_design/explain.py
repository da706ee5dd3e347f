"""The metadata and the explanation stored with a score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steelyard.bench.architecture_design.diagram import Diagram
from steelyard.bench.architecture_design.heuristic.dimensions import Heuristic
from steelyard.bench.architecture_design.score import Adjusted

LIMIT = 600
"""Maximum characters of an error; log summaries drop fields longer than a thousand."""


def metadata(final: Adjusted, heuristic: Heuristic, diagram: Diagram | None) -> dict[str, Any]:
    """For `Score.metadata`: the dimensions, their adjustments, and flags."""
    fields: dict[str, Any] = {
        "accuracy": round(final.dimensions.accuracy, 4),
        "completeness": round(final.dimensions.completeness, 4),
        "quality": round(final.dimensions.quality, 4),
        "adjustments": {name: round(value, 4) for name, value in final.factors.items()},
        "factors": {name: round(value, 3) for name, value in heuristic.factors.items()},
        "flags": list(flags(heuristic, diagram)),
        "words": len(heuristic.reading.words) + heuristic.reading.padding,
    }
    if diagram is not None:
        fields |= {
            "structured": diagram.status,
            "structured_error": None if diagram.error is None else diagram.error[:LIMIT],
            "missing_components": _short(diagram.missing),
        }
    return fields


def flags(heuristic: Heuristic, diagram: Diagram | None) -> tuple[str, ...]:
    """Flags of the answer and of its diagram, sorted."""
    names = set(heuristic.reading.flags)
    if diagram is not None and diagram.wrong_fence:
        names.add("wrong_fence")
    if diagram is not None and diagram.candidates > 1:
        names.add("several_diagrams")
    return tuple(sorted(names))


def explanation(final: Adjusted, heuristic: Heuristic, diagram: Diagram | None) -> str:
    """A few lines that explain the score to a reader."""
    dimensions = final.dimensions
    lines = [
        f"accuracy {dimensions.accuracy:.2f}, completeness {dimensions.completeness:.2f}, "
        f"quality {dimensions.quality:.2f}",
        _elements(heuristic),
    ]
    if diagram is not None:
        lines.append(_diagram(diagram))
    if final.factors:
        lines.append("Adjusted: " + ", ".join(f"{name} {value:.2f}" for name, value in final.factors.items()))
    if names := flags(heuristic, diagram):
        lines.append("Flags: " + ", ".join(names))
    return "\n".join(lines)


def _elements(heuristic: Heuristic) -> str:
    evidence = heuristic.evidence
    kinds = (
        ("components", evidence.components),
        ("flows", evidence.flows),
        ("findings", evidence.findings),
        ("remedies", evidence.remedies),
    )
    counts = [f"{sum(credits):.1f} of {len(credits)} {kind}" for kind, credits in kinds if credits]
    return "Credited: " + ", ".join(counts)


def _diagram(diagram: Diagram) -> str:
    text = f"Diagram ({diagram.format}): {diagram.status}"
    if diagram.error is not None:
        text += f": {diagram.error[:LIMIT]}"
    if diagram.missing and diagram.status != "absent":
        text += f"; missing: {', '.join(_short(diagram.missing))}"
    return text


def _short(names: Iterable[str]) -> list[str]:
    return [name[:60] for name in list(names)[:10]]
