"""A diagram as nodes and edges, independent of its language, and the language that is only that: JSON.

Law: strict JSON (no duplicate keys, no NaN, no comments) that matches `architecture.schema.json`; ids are unique; both
ends of every connection are listed components. The error names the first violation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from steelyard.artifact import unique_keys, validator
from steelyard.bench.architecture_design.services import plain, vocabulary
from steelyard.pythons import json_fault

LIMIT = 50_000
"""Maximum characters of a diagram; mermaid's own limit, applied to every format."""
_BREAK = re.compile(r"_|\\n|<br(?: ?/)?>")


class DiagramError(ValueError):
    """The text is not a well-formed diagram; names the first thing wrong."""


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
    # `nodes` last: a declared label replaces the bare id.
    return Drawing({**ends, **nodes}, kept)


def _meaning(label: str) -> frozenset[str]:
    text = " ".join(_BREAK.sub(" ", label.lower()).split())
    return frozenset({plain(text)}).union(*vocabulary().mentions(text))


def read_json(text: str) -> Drawing:
    """Read the architecture from a JSON text; raises `DiagramError` if it is not valid."""
    try:
        data = json.loads(text, object_pairs_hook=unique_keys, parse_constant=_constant)
        problem = next(iter(validator("architecture").iter_errors(data)), None)
    except json.JSONDecodeError as error:
        fault = json_fault(error)
        raise DiagramError(f"not JSON: {fault.msg}, line {fault.lineno} column {fault.colno}") from error
    except RecursionError as error:
        raise DiagramError("nested too deeply") from error
    except ValueError as error:  # a duplicate key, NaN, a lone surrogate, or nested too deeply for the schema
        raise DiagramError(str(error)) from error
    if problem is not None:
        where = "/".join(str(part) for part in problem.instance_path) or "the object"
        raise DiagramError(f"{where}: {str(problem.message)[:200]}")
    ids = [str(component["id"]) for component in data["components"]]
    if duplicate := next((name for name in ids if ids.count(name) > 1), None):
        raise DiagramError(f"duplicate id '{duplicate[:60]}'")
    nodes = {str(component["id"]): component["service"] for component in data["components"]}
    edges = [(str(connection["from"]), str(connection["to"])) for connection in data["connections"]]
    if unknown := next((end for edge in edges for end in edge if end not in nodes), None):
        raise DiagramError(f"a connection names '{unknown[:60]}', which is not a component")
    return drawing(nodes, edges)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"not JSON: {name} is not a number")
