"""The metadata and the explanation stored with a score; neither reveals a right value."""

from __future__ import annotations

from typing import Any

from steelyard.bench.architecture_design.diagram import Diagram
from steelyard.bench.architecture_design.elements import Elements
from steelyard.bench.architecture_design.facts import Assessment
from steelyard.bench.architecture_design.score import Adjusted, Dimensions, Reading

LIMIT = 600
"""Maximum characters of an error; log summaries drop fields longer than a thousand."""


def metadata(final: Adjusted, reading: Reading, diagram: Diagram | None) -> dict[str, Any]:
    """For `Score.metadata`: the dimensions, their adjustments, the facts by name, and flags."""
    facts = reading.facts
    fields: dict[str, Any] = {
        **rounded(final.dimensions),
        "accuracy_facts": round(facts.accuracy, 4),
        "facts_wrong": list(facts.wrong),
        "facts_missing": list(facts.missing),
        "facts_trapped": list(facts.trapped),
        "elements": round(reading.elements.share, 4),
        "adjustments": {name: round(value, 4) for name, value in final.factors.items()},
        "flags": _flags(reading, diagram),
        "words": reading.prose.words,
    }
    if facts.unread:
        fields["reason"] = "unread"
    if diagram is not None:
        fields |= {
            "structured": diagram.status,
            "structured_error": None if diagram.error is None else diagram.error[:LIMIT],
            "missing_components": _short(diagram.missing),
        }
    return fields


def rounded(dimensions: Dimensions) -> dict[str, float]:
    """Each dimension as logs hold it."""
    return {name: round(value, 4) for name, value in dimensions._asdict().items()}


def _flags(reading: Reading, diagram: Diagram | None) -> list[str]:
    """What a reader may want to look at, sorted; flags change no score."""
    names = {
        "invisible": reading.prose.hidden,
        "wrong_fence": diagram is not None and diagram.wrong_fence,
        "several_diagrams": diagram is not None and diagram.candidates > 1,
    }
    return sorted(name for name, raised in names.items() if raised)


def explanation(final: Adjusted, reading: Reading, diagram: Diagram | None) -> str:
    """A few lines that explain the score to a reader."""
    dimensions = ", ".join(f"{name} {value:.2f}" for name, value in final.dimensions._asdict().items())
    lines = [dimensions, _facts(reading.facts), _elements(reading.elements)]
    if diagram is not None:
        lines.append(_diagram(diagram))
    if final.factors:
        lines.append("Adjusted: " + ", ".join(f"{name} {value:.2f}" for name, value in final.factors.items()))
    if names := _flags(reading, diagram):
        lines.append("Flags: " + ", ".join(names))
    return "\n".join(lines)


def _facts(facts: Assessment) -> str:
    if facts.unread:
        return "Facts: no JSON object with the fields that were asked for"
    kinds = (("wrong", facts.wrong), ("missing", facts.missing), ("costing a right one", facts.trapped))
    named = "".join(f"; {kind}: {', '.join(names)}" for kind, names in kinds if names)
    return f"Facts: {len(facts.right)} right{named}"


def _elements(elements: Elements) -> str:
    kinds = {kind: getattr(elements, kind) for kind in ("components", "flows", "findings", "remedies")}
    counts = [f"{sum(shares):.1f} of {len(shares)} {kind}" for kind, shares in kinds.items() if shares]
    return "Stated: " + ", ".join(counts)


def _diagram(diagram: Diagram) -> str:
    text = f"Diagram ({diagram.format}): {diagram.status}"
    if diagram.error is not None:
        text += f": {diagram.error[:LIMIT]}"
    if diagram.missing and diagram.status != "absent":
        text += f"; missing: {', '.join(_short(diagram.missing))}"
    return text


def _short(names: tuple[str, ...]) -> list[str]:
    return [name[:60] for name in names[:10]]
