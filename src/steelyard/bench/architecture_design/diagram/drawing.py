"""A diagram as nodes and edges, independent of its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from steelyard.bench.architecture_design.heuristic.services import plain, vocabulary

_BREAK = re.compile(r"_|\\n|<br\s*/?>", re.IGNORECASE)
LIMIT = 50_000
"""Maximum characters of a diagram; mermaid's own limit, applied to every format."""
HOPS = 2
"""Maximum edges for one step of a flow: it may pass through one node that the flow does not name."""


@dataclass(frozen=True)
class Drawing:
    """Nodes and directed edges between different nodes."""

    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Node id to label."""
    edges: tuple[tuple[str, str], ...] = ()
    """Pairs of source id and target id."""

    @cached_property
    def _services(self) -> Mapping[str, frozenset[str]]:
        """Node id to the services that its label or its id may mean."""
        return {node: _meaning(label) | _meaning(node) for node, label in self.nodes.items()}

    @cached_property
    def _next(self) -> Mapping[str, frozenset[str]]:
        following: dict[str, set[str]] = {}
        for source, target in self.edges:
            following.setdefault(source, set()).add(target)
        return {source: frozenset(targets) for source, targets in following.items()}

    def shows(self, services: frozenset[str]) -> bool:
        """Whether a node represents one of these services."""
        return bool(self._nodes_of(services))

    def leads(self, source: frozenset[str], target: frozenset[str]) -> bool:
        """Whether edges lead from source to target within `HOPS`, or one edge from target to source (a read)."""
        ends = self._nodes_of(target)
        starts = reached = self._nodes_of(source)
        for _ in range(HOPS):
            reached = {following for node in reached for following in self._next.get(node, ())}
            if reached & ends:
                return True
        return any(self._next.get(end, frozenset()) & starts for end in ends)

    def _nodes_of(self, services: frozenset[str]) -> set[str]:
        return {node for node, meaning in self._services.items() if meaning & services}


def drawing(nodes: Mapping[str, str], edges: Iterable[tuple[str, str]]) -> Drawing:
    """A drawing without self-loops, with a node for every end of an edge."""
    kept = tuple((source, target) for source, target in edges if source != target)
    ends = {node: node for edge in kept for node in edge}
    return Drawing({**ends, **nodes}, kept)


def joined(drawings: Iterable[Drawing]) -> Drawing:
    """The diagrams of one answer as a single drawing; ids get the diagram's number as a prefix to stay distinct."""
    nodes: dict[str, str] = {}
    edges: list[tuple[str, str]] = []
    for number, part in enumerate(drawings):
        nodes |= {f"{number} {node}": label for node, label in part.nodes.items()}
        edges += [(f"{number} {source}", f"{number} {target}") for source, target in part.edges]
    return Drawing(nodes, tuple(edges))


def _meaning(label: str) -> frozenset[str]:
    text = " ".join(_BREAK.sub(" ", label).lower().split())
    services = frozenset(service for mention in vocabulary().mentions(text) for service in mention.services)
    return services | {plain(text)}
