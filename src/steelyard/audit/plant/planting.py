"""What is to be planted, what came of it, and what is remembered of an interrupted run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.proof.candidates import DEFAULT, Limits

CACHE = ".plant.json"
"""In the folder of the suite: what became of each edit, so that an interrupted run goes on where it was."""

Form = Literal["repository", "diff"]
"""What the agent gets: the whole repository, or a change as a pull request shows it."""

Tell = Callable[[str, int, int], None]
"""Receives what is being tried, how many problems there are, and how many are wanted."""


@dataclass(frozen=True, slots=True)
class PlantSpec:
    """What to plant, and where."""

    repo: Path
    out: Path
    most: int = 30
    """Problems at most."""
    per_document: int = 5
    """Problems in one document at most."""
    form: Form = "repository"
    from_history: bool = False
    """Real bugs that the history fixed, instead of planted ones."""
    ref: str = "HEAD"
    depth: int = 1_000
    """Commits to look at."""
    limits: Limits = DEFAULT
    seed: int = 0
    timeout_s: float = 300.0
    """For one run of all tests."""


@dataclass(frozen=True, slots=True)
class Written:
    """One document of the suite."""

    id: str
    problems: tuple[str, ...]
    """Kind of each; empty for the clean control."""
    files: int
    """Files that hold a problem."""


@dataclass(frozen=True, slots=True)
class Planting:
    """What came of it."""

    documents: tuple[Written, ...]
    states: Mapping[str, int] = field(default_factory=dict[str, int])
    """What became of the edits, or of the commits, that were tried → how many."""
    set_aside: tuple[str, ...] = ()
    """Tests and files that were not used, each with the reason."""
    cpu_s: float = 0.0
    """Processor time of the tests that were run."""
    naive_cpu_s: float = 0.0
    """The same if every run had been one of all tests; estimated."""
    control: bool = True
    """Whether the suite has a document without problems."""

    @property
    def problems(self) -> int:
        """Problems in all documents."""
        return sum(len(document.problems) for document in self.documents)

    @property
    def kinds(self) -> Counter[str]:
        """How many of each kind."""
        return Counter(kind for document in self.documents for kind in document.problems)


class Memory:
    """What is known about edits and commits."""

    def __init__(self, out: Path) -> None:
        self._path = out / CACHE
        known: Any = artifact.read_json(self._path) if self._path.is_file() else {}
        self._known = cast(dict[str, dict[str, Any]], known if isinstance(known, dict) else {})

    def get(self, *names: str) -> dict[str, Any] | None:
        """What was kept under these names."""
        return self._known.get("/".join(names))

    def put(self, found: Mapping[str, Any], *names: str) -> None:
        """Keep it."""
        self._known["/".join(names)] = dict(found)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # At once, because the run may be interrupted at any edit.
        artifact.write_json(self._path, self._known)


def refuse_other(out: Path) -> None:
    """A folder that holds anything but a planted suite is not written to."""
    if out.is_dir() and any(out.iterdir()) and not (out / CACHE).is_file():
        raise InputError(f"{out} is not empty and holds no planted suite", cure="another folder for --out")
