"""Draw every architecture: `python datasets/architecture_diagrams/draw.py [NAME ...]`.

Needs graphviz and the `diagrams` library (development only). Writes `NAME.png` and `NAME.txt` into the package. The
PNG carries its node names and the hash of its source in a text chunk, so a test can tell a stale picture without
drawing it again.
"""

import importlib
import json
import re
import struct
import sys
import tempfile
import textwrap
import zlib
from pathlib import Path

from source import HERE, Architecture, names, read, text

PACKAGE = HERE.parents[1] / "src" / "steelyard" / "bench" / "architecture_design" / "diagrams"
"""The folder of the pictures and texts."""
KEYWORD = b"steelyard-architecture"
WIDTH = 22
FONT = {"fontname": "DejaVu Sans"}
CLUSTER = FONT | {"fontsize": "13", "margin": "28"}
"""The margin keeps labels, which are wider than their icons, inside their group."""
GRAPH = FONT | {"fontsize": "16", "pad": "0.6", "dpi": "72", "ranksep": "1.1", "nodesep": "0.8", "splines": "spline"}


def main(wanted: list[str]) -> None:
    for name in names():
        if wanted and name not in wanted:
            continue
        architecture = read(name)
        (PACKAGE / f"{name}.png").write_bytes(stamp(picture(architecture), architecture))
        (PACKAGE / f"{name}.txt").write_text(text(architecture), encoding="utf-8")
        sys.stdout.write(f"{name}\n")


def picture(architecture: Architecture) -> bytes:
    """The PNG as graphviz draws it."""
    from diagrams import Cluster, Diagram, Edge

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / architecture.name
        edge_attr = FONT | {"fontsize": "11"}
        with Diagram(
            architecture.title,
            filename=str(target),
            show=False,
            direction="LR",
            graph_attr=GRAPH,
            node_attr=FONT | {"fontsize": "12"},
            edge_attr=edge_attr,
        ):
            drawn = {}

            def place(cluster: str | None) -> None:
                for node in architecture.nodes:
                    if node.cluster == cluster:
                        drawn[node.id] = _icon(node.icon)(_wrapped(node.name, node.note))
                for inner in architecture.clusters:
                    if inner.parent == cluster:
                        with Cluster(inner.label, graph_attr=CLUSTER):
                            place(inner.id)

            place(None)
            for edge in architecture.edges:
                drawn[edge.source] >> Edge(label=_wrapped(edge.label), color="#4a5568") >> drawn[edge.target]
        return target.with_suffix(".png").read_bytes()


def stamp(png: bytes, architecture: Architecture) -> bytes:
    """The PNG with a text chunk before its end: source hash and node names."""
    content = {"sha256": architecture.sha256, "nodes": [node.name for node in architecture.nodes]}
    payload = KEYWORD + b"\0" + json.dumps(content).encode("ascii")
    chunk = b"tEXt" + payload
    packed = struct.pack(">I", len(payload)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    end = png.rindex(b"IEND") - 4
    return png[:end] + packed + png[end:]


def _wrapped(*parts: str | None) -> str:
    """Lines short enough not to run into the neighbouring icon; a number keeps its unit."""
    return "\n".join(line for part in parts if part is not None for line in _lines(part))


def _lines(part: str) -> list[str]:
    glued = re.sub(r"(\d) (%|USD|TB|GB|MB|ms|h|s)(?!\w)", "\\1\N{NO-BREAK SPACE}\\2", part)
    return textwrap.wrap(glued, WIDTH, break_on_hyphens=False)


def _icon(path: str):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(f"diagrams.aws.{module}"), name)


if __name__ == "__main__":
    main(sys.argv[1:])
