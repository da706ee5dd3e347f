"""What the sources of the tests say, before any foreign code runs: which tests exist, and their text held in memory."""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Record = Callable[[str, str, str, str], None]
"""Records one test: its id, its class or "", its bare name, and `passed`, `failed` or `skipped`."""

EQUAL = "steelyard_equal"
"""The function that replaces `==` in assertions; see `equality`."""
EQUALITIES = (
    "assertEqual",
    "assertListEqual",
    "assertTupleEqual",
    "assertSequenceEqual",
    "assertDictEqual",
    "assertSetEqual",
    "assertCountEqual",
    "assertMultiLineEqual",
)
"""The assertions of `unittest` that two values are equal."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Selection:
    """Tests that run in one process: those of one file that have the same name."""

    file: Path
    name: str | None
    """None for the tests of the file that its source does not name, such as generated ones."""
    known: frozenset[str]
    """All names in the source of the file."""
    owners: tuple[frozenset[str], ...] = ()
    """Per definition of the test, the classes that may report it; an empty name is the module."""

    @property
    def label(self) -> str:
        """The name in messages."""
        return self.name or f"a generated test of {self.file.name}"

    def selects(self, name: str) -> bool:
        """Whether the test `name` runs in this process."""
        return name == self.name if self.name is not None else name not in self.known


def selections(path: Path, runner: str) -> list[Selection]:
    """Every test below `path`, by process."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*.py") if is_test(file.name, runner))
    return [selection for file in files for selection in _selections(file, ast.parse(file.read_bytes()), runner)]


def is_test(name: str, runner: str) -> bool:
    return name.startswith("test") if runner == "unittest" else name.startswith("test_") or name.endswith("_test.py")


def _selections(file: Path, tree: ast.Module, runner: str) -> Iterator[Selection]:
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    owners: dict[str, list[frozenset[str]]] = {}
    for name, node in classes.items():
        for test in _names(node.body):
            owners.setdefault(test, []).append(frozenset({name, *_descendants(name, classes)}))
    for test in _names(tree.body) if runner == "pytest" else ():
        owners.setdefault(test, []).append(frozenset({""}))
    known = frozenset(owners)
    yield from (Selection(file, test, known, tuple(classes)) for test, classes in owners.items())
    yield Selection(file, None, known)


def _names(body: list[ast.stmt]) -> list[str]:
    return list(dict.fromkeys(node.name for node in body if isinstance(node, _FUNCTIONS) and node.name[:4] == "test"))


def _descendants(name: str, classes: dict[str, ast.ClassDef]) -> set[str]:
    children = {
        child
        for child, node in classes.items()
        if child != name and any(isinstance(base, ast.Name) and base.id == name for base in node.bases)
    }
    # Sources may name bases in a circle.
    rest = {child: node for child, node in classes.items() if child != name}
    return children.union(*(_descendants(child, rest) for child in children))


class Pinned:
    """The files of the tests, held in memory, where the code under test cannot change them for the next process."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        texts = {file: _checked(file, data) for file, data in self._on_disk().items()}
        self.files = texts
        """Absolute path → content, with `==` in assertions replaced."""
        self.mentions_any = any(b"ANY" in data for file, data in texts.items() if file.endswith(".py"))
        """Whether the tests themselves may use `unittest.mock.ANY`, which equals everything by design."""

    def restore(self) -> None:
        """Make the files on disk what they are in memory."""
        # A link may show the right content now and lead elsewhere later.
        if not any(path.is_symlink() for path in self._paths) and self._on_disk() == self.files:
            return
        for path in self._paths:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        for name, data in self.files.items():
            file = Path(name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def _on_disk(self) -> dict[str, bytes]:
        return {file: data for path in self._paths for file, data in _read(path).items()}


def _read(path: Path) -> dict[str, bytes]:
    if not path.is_dir():
        return {str(path): path.read_bytes()} if path.is_file() else {}
    names = (os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files)
    return {name: Path(name).read_bytes() for name in names if os.path.isfile(name) and not os.path.islink(name)}


def _checked(file: str, data: bytes) -> bytes:
    """The source with `assert a == b` turned into `assert steelyard_equal(a, b)`, line by line where it was."""
    if not file.endswith(".py"):
        return data
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    edits: list[tuple[int, int, bytes]] = []
    for node in _equalities(ast.parse(data)):
        left, right = node.left, node.comparators[0]
        begin, end = starts[node.lineno - 1] + node.col_offset, starts[(node.end_lineno or 0) - 1] + _end(node)
        gap = starts[(left.end_lineno or 0) - 1] + _end(left), starts[right.lineno - 1] + right.col_offset
        between = data[slice(*gap)]
        # With a comment between the sides, or a second `==` in one, it is not certain which is the operator.
        if b"#" in between or between.count(b"==") != 1:
            continue
        operator = gap[0] + between.index(b"==")
        edits += [(begin, begin, f"{EQUAL}((".encode()), (operator, operator + 2, b"),("), (end, end, b"))")]
    for begin, end, text in sorted(edits, reverse=True):
        data = data[:begin] + text + data[end:]
    return data


def _equalities(tree: ast.Module) -> Iterator[ast.Compare]:
    """The comparisons in assertions that are a single `==` and stand in no other one."""
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Assert):
            nodes = [node for node in ast.walk(statement.test) if isinstance(node, ast.Compare)]
            # Edits of one comparison inside another would overlap.
            inner = {id(below) for node in nodes for below in ast.walk(node) if below is not node}
            for node in nodes:
                if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq) and id(node) not in inner:
                    yield node


def _end(node: ast.expr) -> int:
    return node.end_col_offset or 0
