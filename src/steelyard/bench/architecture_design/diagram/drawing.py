"""A diagram as nodes and edges, whatever language it was written in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from steelyard.bench.architecture_design.heuristic.services import plain, vocabulary

_BREAK = re.compile(r"_|\\n|<br\s*/?>", re.IGNORECASE)
LIMIT = 50_000
"""Characters of the largest diagram; mermaid's own limit, used for every format."""
HOPS = 2
"""A step of a flow may pass one node that the flow does not name."""


@dataclass(frozen=True)
class Drawing:
    """Nodes by id with their label, and directed edges between different nodes."""

    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    edges: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _services(self) -> Mapping[str, frozenset[str]]:
        """Node id to everything its label, or its id, can mean."""
        return {node: _meant(label) | _meant(node) for node, label in self.nodes.items()}

    @cached_property
    def _next(self) -> Mapping[str, frozenset[str]]:
        following: dict[str, set[str]] = {}
        for source, target in self.edges:
            following.setdefault(source, set()).add(target)
        return {source: frozenset(targets) for source, targets in following.items()}

    def shows(self, meant: frozenset[str]) -> bool:
        """Whether a node stands for one of these services."""
        return bool(self._holders(meant))

    def leads(self, source: frozenset[str], target: frozenset[str]) -> bool:
        """Whether edges lead from one service to another within `HOPS`, or straight back (an arrow of a reader)."""
        ends = self._holders(target)
        reached: set[str] = set(self._holders(source))
        starts = reached
        for _ in range(HOPS):
            reached = {node for each in reached for node in self._next.get(each, ())}
            if reached & ends:
                return True
        return any(self._next.get(end, frozenset()) & starts for end in ends)

    def _holders(self, meant: frozenset[str]) -> set[str]:
        return {node for node, services in self._services.items() if services & meant}


def drawing(nodes: Mapping[str, str], edges: Iterable[tuple[str, str]]) -> Drawing:
    """A drawing without edges from a node to itself, and with a node for every end of an edge."""
    kept = tuple((source, target) for source, target in edges if source != target)
    ends = {node: node for edge in kept for node in edge}
    return Drawing({**ends, **nodes}, kept)


def joined(drawings: Iterable[Drawing]) -> Drawing:
    """Several diagrams of one answer as one, their ids kept apart."""
    nodes: dict[str, str] = {}
    edges: list[tuple[str, str]] = []
    for number, each in enumerate(drawings):
        nodes |= {f"{number} {node}": label if label != node else node for node, label in each.nodes.items()}
        edges += [(f"{number} {source}", f"{number} {target}") for source, target in each.edges]
    return Drawing(nodes, tuple(edges))


def _meant(label: str) -> frozenset[str]:
    text = " ".join(_BREAK.sub(" ", label).lower().split())
    found = frozenset(service for mention in vocabulary().mentions(text) for service in mention.services)
    return found | {plain(text)}
