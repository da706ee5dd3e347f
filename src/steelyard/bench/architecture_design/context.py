"""The context a judge gets for an architecture task: the task, the architecture as text, the expected elements."""

from __future__ import annotations

from steelyard.bench.architecture_design.dataset import diagram_text
from steelyard.bench.architecture_design.model import DesignItem


def judge_context(item: DesignItem) -> str:
    """The judge's trusted context for `item`; the subject never sees the expected elements."""
    parts = [item.input.strip()]
    if item.metadata.diagram is not None:
        parts.append(f"The architecture in words:\n{diagram_text(item.metadata.diagram).strip()}")
    parts.append("What a full answer holds (other words and other sound solutions count as well):\n" + _elements(item))
    return "\n\n".join(parts)


def _elements(item: DesignItem) -> str:
    expected = item.expected
    lines = [f"- {component.name}: {component.role}" for component in expected.components]
    lines += [f"- {flow.statement}" for flow in expected.flows]
    for finding in expected.findings:
        remedy = f" Remedy: {finding.remedy.statement}" if finding.remedy is not None else ""
        lines.append(f"- {finding.statement}{remedy}")
    return "\n".join(lines)
