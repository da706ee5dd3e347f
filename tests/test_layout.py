"""The shape of the source tree: small folders, unique names, plain English."""

from __future__ import annotations

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "steelyard"
WINGS = ("bench", "audit", "gate", "judge", "cli")
MOST_MODULES = 20


def own_modules(folder: Path) -> list[Path]:
    """The modules below a folder that we wrote as code; references and examples are data."""
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not {"references", "examples"} & set(path.relative_to(SOURCE).parts)
    ]


def test_no_folder_holds_more_modules_than_a_reader_can_scan() -> None:
    sizes = Counter(path.parent for path in own_modules(SOURCE) if path.name != "__init__.py")
    assert {str(folder): count for folder, count in sizes.items() if count > MOST_MODULES} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph("steelyard", exclude_type_checking_imports=True, cache_dir=None)
    order = TopologicalSorter({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})
    order.prepare()  # raises and names the modules of a circle


@pytest.mark.parametrize("wing", WINGS)
def test_no_class_name_occurs_twice_in_a_wing(wing: str) -> None:
    names = Counter(
        node.name
        for path in own_modules(SOURCE / wing)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_three_wings_have_the_same_rooms() -> None:
    shared = {"model", "score", "read", "weigh", "report", "run", "rescore"}
    for wing in ("bench", "audit", "gate"):
        present = {path.stem for path in (SOURCE / wing).iterdir() if path.suffix in ("", ".py")}
        assert shared - present == set(), wing
