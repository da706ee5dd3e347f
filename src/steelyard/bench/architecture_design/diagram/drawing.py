"""A diagram as nodes and edges, independent of its language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from steelyard.bench.architecture_design.services import plain, vocabulary

_BREAKS = ("_", "\\n", "<br>", "<br/>", "<br />")
LIMIT = 50_000
"""Maximum characters of a diagram; mermaid's own limit, applied to every format."""


@dataclass(frozen=True)
class Drawing:
    """Nodes and directed edges between different nodes."""

    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Node id to label."""
    edges: tuple[tuple[str, str], ...] = ()
    """Pairs of source id and target id."""

    @cached_property
    def _services(self) -> tuple[frozenset[str], ...]:
        """Per node the services that its label or its id may mean."""
        return tuple(_meaning(label) | _meaning(node) for node, label in self.nodes.items())

    def shows(self, services: frozenset[str]) -> bool:
        """Whether a node represents one of these services."""
        return any(meaning & services for meaning in self._services)


def drawing(nodes: Mapping[str, str], edges: Iterable[tuple[str, str]]) -> Drawing:
    """A drawing without self-loops, with a node for every end of an edge."""
    kept = tuple((source, target) for source, target in edges if source != target)
    ends = {node: node for edge in kept for node in edge}
    return Drawing({**ends, **nodes}, kept)


def _meaning(label: str) -> frozenset[str]:
    text = label.lower()
    for mark in _BREAKS:
        text = text.replace(mark, " ")
    text = " ".join(text.split())
    services = frozenset[str]().union(*vocabulary().mentions(text))
    return services | {plain(text)}
