"""Checks that mermaid's parser works, if an item of the run requires a Mermaid diagram."""

from __future__ import annotations

from inspect_ai import Task

from steelyard.bench.architecture_design.diagram.mermaid import KNOWN, parser


def check(task: Task, *, limit: int | None, scorer: str | None) -> None:
    """Raise an error with its cure if the parser does not work."""
    formats = ((sample.metadata or {}).get("output_format") for sample in list(task.dataset)[:limit])
    if "mermaid" in formats:
        parser().read(KNOWN)  # starts the process that parses answers later
