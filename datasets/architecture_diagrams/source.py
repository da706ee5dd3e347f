"""One declarative source per architecture; the picture and the text are both made from it.

A source is a YAML file: `title`, `clusters` (id -> label, optional parent), `nodes` (id, name, icon,
optional cluster and note) and `edges` (from, to, optional label). Names, notes and labels go into the picture and into
the text alike, so what a model can read does not depend on whether it has eyes.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"


@dataclass(frozen=True)
class Cluster:
    id: str
    label: str
    parent: str | None


@dataclass(frozen=True)
class Node:
    id: str
    name: str
    icon: str
    cluster: str | None
    note: str | None


@dataclass(frozen=True)
class Edge:
    source: str
    target: str
    label: str | None


@dataclass(frozen=True)
class Architecture:
    name: str
    title: str
    clusters: tuple[Cluster, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    sha256: str

    def node(self, node_id: str) -> Node:
        return next(node for node in self.nodes if node.id == node_id)


def names() -> list[str]:
    return sorted(path.stem for path in SOURCES.glob("*.yaml"))


def read(name: str) -> Architecture:
    content = (SOURCES / f"{name}.yaml").read_bytes()
    raw = yaml.safe_load(content)
    clusters = tuple(Cluster(key, value["label"], value.get("parent")) for key, value in raw["clusters"].items())
    nodes = tuple(
        Node(key, value["name"], value["icon"], value.get("cluster"), value.get("note"))
        for key, value in raw["nodes"].items()
    )
    edges = tuple(Edge(edge["from"], edge["to"], edge.get("label")) for edge in raw["edges"])
    architecture = Architecture(name, raw["title"], clusters, nodes, edges, hashlib.sha256(content).hexdigest())
    _check(architecture)
    return architecture


def text(architecture: Architecture) -> str:
    """The architecture in words: every node in its cluster, then every connection."""
    lines = [f"Architecture: {architecture.title}", "", "Components:"]
    lines += _nodes(architecture, None, 1)
    lines += ["", "Connections:"]
    for edge in architecture.edges:
        label = "" if edge.label is None else f": {_flat(edge.label)}"
        lines.append(f"  {architecture.node(edge.source).name} -> {architecture.node(edge.target).name}{label}")
    return "\n".join(lines) + "\n"


def _nodes(architecture: Architecture, cluster: str | None, depth: int) -> list[str]:
    pad = "  " * depth
    lines = []
    for node in architecture.nodes:
        if node.cluster == cluster:
            lines.append(f"{pad}- {node.name}" + ("" if node.note is None else f" ({_flat(node.note)})"))
    for inner in architecture.clusters:
        if inner.parent == cluster:
            lines += [f"{pad}[{_flat(inner.label)}]", *_nodes(architecture, inner.id, depth + 1)]
    return lines


def _flat(label: str) -> str:
    return " ".join(label.split())


def _check(architecture: Architecture) -> None:
    clusters = {cluster.id for cluster in architecture.clusters}
    node_names = [node.name for node in architecture.nodes]
    if len(set(node_names)) != len(node_names):
        raise ValueError(f"{architecture.name}: two nodes share a name, so the text would be ambiguous")
    for place in [node.cluster for node in architecture.nodes] + [inner.parent for inner in architecture.clusters]:
        if place is not None and place not in clusters:
            raise ValueError(f"{architecture.name}: unknown cluster {place}")
    joined = {end for edge in architecture.edges for end in (edge.source, edge.target)}
    ids = {node.id for node in architecture.nodes}
    if joined - ids:
        raise ValueError(f"{architecture.name}: edges name unknown nodes {sorted(joined - ids)}")
