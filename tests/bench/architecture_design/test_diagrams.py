"""Pictures and texts come from one source, are all there, and name the same nodes."""

import json
import shutil
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from steelyard.bench.architecture_design.dataset import diagram_png, diagram_text, load
from steelyard.bench.jsonl import DatasetError

DRAWING = Path(__file__).resolve().parents[3] / "datasets" / "architecture_diagrams"
sys.path.insert(0, str(DRAWING))
import draw  # noqa: E402
import source  # noqa: E402

NAMES = source.names()
MAX_BYTES = 300_000


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Type and content of each PNG chunk; a wrong checksum fails."""
    position = 8
    while position < len(png):
        (length,) = struct.unpack(">I", png[position : position + 4])
        kind, content = png[position + 4 : position + 8], png[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack(">I", png[position + 8 + length : position + 12 + length])
        assert checksum == zlib.crc32(kind + content)
        yield kind, content
        position += 12 + length


def _stamp(name: str) -> dict[str, object]:
    texts = [content.partition(b"\0") for kind, content in _chunks(diagram_png(name)) if kind == b"tEXt"]
    (stamp,) = [value for keyword, _, value in texts if keyword == draw.KEYWORD]
    return json.loads(stamp)


def test_every_interpretation_task_has_a_source_and_every_source_a_task() -> None:
    assert sorted(item.metadata.diagram for item in load() if item.metadata.diagram) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_text_is_what_the_source_says(name: str) -> None:
    assert diagram_text(name) == source.text(source.read(name))


@pytest.mark.parametrize("name", NAMES)
def test_picture_was_drawn_from_this_source_with_these_nodes(name: str) -> None:
    architecture = source.read(name)
    assert _stamp(name) == {
        "sha256": architecture.sha256,
        "nodes": [node.name for node in architecture.nodes],
    }, "run: python datasets/architecture_diagrams/draw.py"


@pytest.mark.parametrize("name", NAMES)
def test_picture_is_a_readable_size(name: str) -> None:
    png = diagram_png(name)
    assert len(png) < MAX_BYTES
    kind, header = next(_chunks(png))
    width, height = struct.unpack(">II", header[:8])
    assert kind == b"IHDR"
    assert 500 <= width <= 3000
    assert 250 <= height <= 2000


@pytest.mark.parametrize("name", NAMES)
def test_text_names_every_node_and_connection(name: str) -> None:
    architecture, lines = source.read(name), diagram_text(name).splitlines()
    cut = lines.index("Connections:")
    for node in architecture.nodes:
        assert sum(line.strip().removeprefix("- ").startswith(node.name) for line in lines[:cut]) >= 1
    assert len(lines[cut + 1 :]) == len(architecture.edges)


def test_expected_components_of_interpretation_tasks_are_in_the_picture() -> None:
    """A service that is not drawn cannot be expected: each name is part of a node's name or note."""
    for item in load():
        if item.metadata.diagram is None:
            continue
        shown = diagram_text(item.metadata.diagram).lower()
        missing = [part.name for part in item.expected.components if part.name.lower() not in shown]
        assert not missing, (item.id, missing)


def test_drawing_again_gives_the_same_picture_where_graphviz_is_installed() -> None:
    """Fonts and graphviz versions differ between machines, so a machine's own drawing is compared with itself."""
    architecture = source.read("school-portal")
    if shutil.which("dot") is None:
        assert _stamp("school-portal")["sha256"] == architecture.sha256
        return
    first, second = (draw.stamp(draw.picture(architecture), architecture) for _ in range(2))
    assert first == second
    assert first.startswith(b"\x89PNG")


def test_a_missing_picture_is_named() -> None:
    with pytest.raises(DatasetError, match=r"diagrams/nowhere\.png"):
        diagram_png("nowhere")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cluster: vpc", "cluster: moon", "unknown cluster moon"),
        ("to: ebs", "to: moon", "unknown nodes"),
        ("name: EBS volume", "name: EC2 portal server", "share a name"),
    ],
)
def test_a_broken_source_is_refused(
    old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (source.SOURCES / "school-portal.yaml").read_text(encoding="utf-8")
    assert old in content
    (tmp_path / "broken.yaml").write_text(content.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(source, "SOURCES", tmp_path)
    with pytest.raises(ValueError, match=message):
        source.read("broken")
