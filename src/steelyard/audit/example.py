"""Recorded runs: sets of outputs that come with a suite, marked and pooled without calling any model."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from steelyard.audit.files import read_key, read_run, read_sheet, read_text
from steelyard.audit.marking import BySheet, Way, marker, marks
from steelyard.audit.marking.questions import Brief
from steelyard.audit.model import EMPTY_KEY, Marker, Result
from steelyard.audit.pool import SuiteResult, pooled
from steelyard.audit.suite import RunSet, Suite, Unit, read_suite
from steelyard.audit.weigh import Spec, weigh
from steelyard.errors import ArtifactError, InputError, boundary

SUITES = ("code-review", "security-review", "agent-review")
"""The suites that are shipped."""


def suite_folder(name: str) -> Path:
    """The folder of a shipped suite."""
    folder = Path(str(resources.files("steelyard").joinpath("examples", "audit", name)))
    if name not in SUITES or not folder.is_dir():
        raise InputError(f"{name!r} is no shipped suite", cure=", ".join(SUITES))
    return folder


def suite_result(suite: Suite, runs: RunSet, way: Way, round: int = 1, name: str | None = None) -> SuiteResult:
    """Recorded runs of a suite, marked and pooled; `name` is the agent's, else the set's."""
    scope = read_text(suite.perspective, "perspective") if suite.perspective else ""
    units = [unit for unit in suite.units if runs.runs.get(unit.id)]
    if not units:
        raise InputError(f"the set {runs.name!r} holds no run of this suite")
    called = name or runs.name
    results = [_result(unit, runs, scope, way, (called, round)) for unit in units]
    return pooled(suite.name, called, round, results)


def showcase() -> Result:
    """One audit that needs no model: two recorded runs of a shipped suite with the authors' marks."""
    suite = read_suite(suite_folder("code-review"))
    found = suite_result(suite, suite.sets["hasty"], sheet_of(suite.sets["hasty"]))
    return found.keyed[0]


def sheet_of(runs: RunSet) -> BySheet:
    """The marks that come with a set of recorded runs."""
    if runs.marks is None:
        raise InputError(f"the set {runs.name!r} comes without marks")
    return BySheet(read_sheet(runs.marks))


def _result(unit: Unit, runs: RunSet, scope: str, way: Way, about: tuple[str, int]) -> Result:
    key = read_key(unit.key) if unit.key else EMPTY_KEY
    text = read_text(unit.document, "document") if unit.document else ""
    brief = Brief(key, scope, text)
    outputs = [read_run(path) for path in runs.runs[unit.id]]
    marked_by = marker(brief, way) if key.problems else Marker("lexical", "nobody: a clean document")
    return weigh(Spec(*about, key, unit.id), outputs, marks(brief, outputs, way), marked_by)


def copy_suite(name: str, target: Path) -> None:
    """A shipped suite as the beginning of an own one; an existing folder is left alone."""
    import shutil

    if target.exists():
        raise InputError(f"{target} exists already")
    with boundary(ArtifactError, f"cannot write {target}"):
        shutil.copytree(suite_folder(name), target)
