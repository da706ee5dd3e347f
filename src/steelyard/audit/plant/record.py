"""What a suite keeps for one document: where its problems are, which tests prove them, and how to take them out.

    UNIT/document.md or change.diff   what a model reads
    UNIT/repository/                  what an agent works in: the planted code without the revealing tests
    UNIT/key.md                       the answer key
    UNIT/hidden/original/             the files of source as they are right
    UNIT/hidden/tests/                the files of tests as they were
    UNIT/hidden/proof.json            this record

The agent gets the document or the repository, never the key and never `hidden`.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from steelyard import artifact
from steelyard.audit.plant.site import Site, planted
from steelyard.errors import InputError
from steelyard.tree import File, Tree, lay_over, read_tree, safe_path, without
from steelyard.yamlfile import Strict

HIDDEN, REPOSITORY, FILE = "hidden", "repository", "proof.json"
ORIGINAL, TESTS = "original", "tests"


class Edit(Strict):
    """An edit of the right file that plants the problem."""

    path: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str


class Proved(Strict):
    """One problem and its proof."""

    kind: str
    tests: tuple[str, ...] = Field(min_length=1)
    """They fail with the problem and pass without it, whatever else is planted."""
    edit: Edit | None = None
    """None for a bug of the history, which is the only one of its document: the right files take its place."""


class PlantRecord(Strict):
    """One document with planted problems."""

    schema_version: int = 1
    commit: str
    date: str
    """The packages are those of this day."""
    problems: dict[str, Proved]
    gone: tuple[str, ...] = ()
    """Files of the planted code that the right code does not have."""
    steady: tuple[str, ...] = ()
    """Tests that pass with all problems planted: a repair must not break them."""


class PlantedUnit:
    """A document of a planted suite on the disk."""

    def __init__(self, folder: Path) -> None:
        path = folder / HIDDEN / FILE
        if not path.is_file():
            raise InputError(f"{folder} holds no planted problems", cure="a document of `steelyard audit plant`")
        try:
            self.record = PlantRecord.model_validate(artifact.read_json(path))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            where = ".".join(map(str, problem["loc"]))
            raise InputError(f"{path} is no record of a proof: {where}: {problem['msg']}") from error
        self.folder = folder
        self.repository: Tree = _read(folder / REPOSITORY)
        self.original: Tree = _read(folder / HIDDEN / ORIGINAL)
        self.tests: Tree = _read(folder / HIDDEN / TESTS)
        for proved in self.record.problems.values():
            if proved.edit is not None and safe_path(proved.edit.path) not in self.original:
                raise InputError(f"{path}: {proved.edit.path} is not among the right files")

    @property
    def right(self) -> dict[str, File]:
        """The code without any problem, with all tests."""
        return lay_over(without(self.repository, self.record.gone), {**self.original, **self.tests})

    @property
    def planted(self) -> dict[str, File]:
        """The code with all problems, with all tests."""
        return lay_over(self.repository, self.tests)

    def repaired(self, problem: str) -> dict[str, File]:
        """The code with all problems but this one."""
        others = [proved.edit for name, proved in self.record.problems.items() if name != problem]
        sites = [as_site(edit) for edit in others if edit is not None]
        return planted(self.right, sites)[0]


def as_site(edit: Edit) -> Site:
    """Enough of a site to plant it."""
    return Site(edit.path, "", edit.start, edit.end, edit.text, 0, 0, (0, 0), "", "")


def _read(folder: Path) -> dict[str, File]:
    return read_tree(folder, source=str(folder)) if folder.is_dir() else {}
