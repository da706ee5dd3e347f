"""Suites: a folder of documents with their keys, described by `suite.yaml`.

    schema_version: "1"
    name: code-review
    perspective: perspective.md
    agent: agent.md
    documents:
      - {id: lockers, document: lockers/document.md, key: lockers/key.md}
      - {id: tariff, document: tariff/document.md}          no key: a clean control
    sets:                                                    recorded runs (optional)
      careful:
        marks: marks/careful.yaml
        runs: {lockers: [runs/careful/lockers-1.md], tariff: [runs/careful/tariff-1.md]}

Paths are relative to the folder and must stay inside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from steelyard.audit.files import read_text
from steelyard.errors import InputError
from steelyard.yamlfile import Entry, parse

SUITE_FILE = "suite.yaml"


@dataclass(frozen=True, slots=True)
class Unit:
    """One document of a suite."""

    id: str
    document: Path | None
    key: Path | None
    """None for a clean control."""


@dataclass(frozen=True, slots=True)
class RunSet:
    """Recorded runs of one agent, or one version of it."""

    name: str
    runs: Mapping[str, tuple[Path, ...]]
    """Document id → its runs in order."""
    marks: Path | None


@dataclass(frozen=True, slots=True)
class Suite:
    """Documents with their keys, the perspective, the agent, and recorded runs."""

    name: str
    units: tuple[Unit, ...]
    perspective: Path | None
    agent: Path | None
    sets: Mapping[str, RunSet]

    def unit(self, name: str) -> Unit:
        """The document with this id."""
        return next(unit for unit in self.units if unit.id == name)


def read_suite(where: Path) -> Suite:
    """The suite in a folder, or in a `suite.yaml`."""
    path = where / SUITE_FILE if where.is_dir() else where
    if not path.is_file():
        problem = f"has no {SUITE_FILE}" if where.exists() else "does not exist"
        raise InputError(f"{where} {problem}", cure="docs/audit/suites.md shows the layout of a suite")
    top = parse(read_text(path, "suite"), str(path))
    known = {"schema_version", "name", "perspective", "agent", "documents", "sets"}
    fields = top.mapping("a suite", known)
    units = tuple(_unit(entry, path.parent) for entry in _required(top, fields, "documents").items("documents"))
    if not units:
        raise top.fail("a suite needs at least one document")
    _check_unique(units, fields["documents"])
    sets = fields["sets"].mapping("sets") if "sets" in fields else {}
    return Suite(
        name=_required(top, fields, "name").text(),
        units=units,
        perspective=_path(fields.get("perspective"), path.parent),
        agent=_path(fields.get("agent"), path.parent),
        sets={name: _set(name, entry, units, path.parent) for name, entry in sets.items()},
    )


def _unit(entry: Entry, folder: Path) -> Unit:
    fields = entry.mapping("a document", {"id", "document", "key"})
    name = _required(entry, fields, "id").text()
    if not name:
        raise entry.fail("a document needs an id")
    return Unit(name, _path(_required(entry, fields, "document"), folder), _path(fields.get("key"), folder))


def _set(name: str, entry: Entry, units: tuple[Unit, ...], folder: Path) -> RunSet:
    fields = entry.mapping(f"the set {name}", {"runs", "marks"})
    runs: dict[str, tuple[Path, ...]] = {}
    for document, listed in _required(entry, fields, "runs").mapping("runs").items():
        if all(document != unit.id for unit in units):
            raise listed.fail(f"{document!r} is not a document of this suite")
        paths = [_path(run, folder) for run in listed.items("runs of a document")]
        runs[document] = tuple(path for path in paths if path is not None)
    return RunSet(name, runs, _path(fields.get("marks"), folder))


def _path(entry: Entry | None, folder: Path) -> Path | None:
    if entry is None or not entry.text():
        return None
    path = folder / entry.text()
    # Resolved, because a link may lead out of the folder.
    if not path.resolve().is_relative_to(folder.resolve()):
        raise entry.fail(f"{entry.text()} is outside the suite")
    if not path.is_file():
        raise entry.fail(f"{entry.text()} does not exist")
    return path


def _required(entry: Entry, fields: Mapping[str, Entry], name: str) -> Entry:
    if name not in fields:
        raise entry.fail(f"{name!r} is missing")
    return fields[name]


def _check_unique(units: tuple[Unit, ...], entry: Entry) -> None:
    names = [unit.id for unit in units]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise entry.fail(f"duplicate document {duplicates[0]!r}")
