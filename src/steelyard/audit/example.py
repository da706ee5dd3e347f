"""Recorded runs: sets of outputs that come with a suite, marked and pooled without calling any model."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path

from steelyard.audit.files import read_key, read_run, read_sheet, read_source, read_text
from steelyard.audit.marking import ByPlace, BySheet, ByWords, Way, marker, marks
from steelyard.audit.marking.questions import Brief
from steelyard.audit.model import EMPTY_KEY, Result, SuiteResult
from steelyard.audit.plant.record import FILE, HIDDEN, REPOSITORY, PlantedUnit
from steelyard.audit.suite import RunSet, Suite, Unit, read_suite
from steelyard.audit.weigh import Spec, pooled, weigh
from steelyard.errors import ArtifactError, InputError, boundary
from steelyard.tree import write_tree

SUITES = ("code-review", "security-review", "agent-review")
"""The suites that are shipped, written and marked by hand."""
PLANTED = "planted"
"""The shipped suite of planted code, with recorded runs of scanners."""


def suite_folder(name: str) -> Path:
    """The folder of a shipped suite."""
    folder = Path(str(resources.files("steelyard").joinpath("examples", "audit", name)))
    if name not in (*SUITES, PLANTED) or not folder.is_dir():
        raise InputError(f"{name!r} is not a shipped suite", cure=", ".join((*SUITES, PLANTED)))
    return folder


def suite_result(
    suite: Suite, runs: RunSet, way: Way, round: int = 1, name: str | None = None, *, partial: bool = False
) -> SuiteResult:
    """Recorded runs of a suite, marked and pooled; `name` is the agent's, else the set's.

    A set that lacks runs of a document has no pooled result, unless `partial` asks for the documents it has.
    """
    scope = read_text(suite.perspective, "perspective") if suite.perspective else ""
    absent = without_runs(suite, runs, partial=partial)
    units = [unit for unit in suite.units if unit.id not in absent]
    agent = name or runs.name
    results = [_result(unit, runs, scope, way, (agent, round)) for unit in units]
    return replace(pooled(suite.name, agent, round, results), absent=absent)


def without_runs(suite: Suite, runs: RunSet, *, partial: bool) -> tuple[str, ...]:
    """The documents of which a set has no runs; an `InputError` unless the others may be scored without them."""
    # Clean controls count too: a set without their runs would hide its false alarms.
    absent = tuple(unit.id for unit in suite.units if not runs.runs.get(unit.id))
    if len(absent) == len(suite.units):
        raise InputError(f"the set {runs.name!r} has no runs of this suite")
    if absent and not partial:
        lacking = f"the set {runs.name!r} has no runs of {', '.join(absent)}"
        raise InputError(
            f"{lacking}, so there is no pooled score", cure="--partial scores the documents that have runs"
        )
    return absent


def chosen_set(suite: Suite, name: str | None) -> RunSet:
    """The set of that name, or the only one there is."""
    names = list(suite.sets)
    chosen = name or (names[0] if len(names) == 1 else None)
    if chosen is None or chosen not in suite.sets:
        what = f"no set {chosen!r} in" if chosen else "no set chosen for"
        raise InputError(f"{what} the suite {suite.name}", cure=f"--set {' | '.join(names) or '(it has none)'}")
    return suite.sets[chosen]


def example_result(name: str, runs: str | None, *, lexical: bool = False) -> Result | SuiteResult:
    """The first document of a shipped suite by its authors' marks, or by words; all of them by file and line where the
    set comes without marks: the findings of scanners on planted code."""
    suite = read_suite(suite_folder(name))
    chosen = chosen_set(suite, runs or ("hasty" if "hasty" in suite.sets else next(iter(suite.sets))))
    if chosen.marks is None:
        return suite_result(suite, chosen, ByWords() if lexical else ByPlace())
    return suite_result(suite, chosen, ByWords() if lexical else sheet_of(chosen)).keyed[0]


def showcase() -> Result:
    """One audit that needs no model: two recorded runs of a shipped suite with the authors' marks."""
    suite = read_suite(suite_folder("code-review"))
    runs = suite.sets["hasty"]
    return suite_result(suite, runs, sheet_of(runs)).keyed[0]


def sheet_of(runs: RunSet) -> BySheet:
    """The marks that come with a set of recorded runs."""
    if runs.marks is None:
        raise InputError(f"the set {runs.name!r} has no marks")
    return BySheet(read_sheet(runs.marks))


def _result(unit: Unit, runs: RunSet, scope: str, way: Way, agent_round: tuple[str, int]) -> Result:
    key = read_key(unit.key) if unit.key else EMPTY_KEY
    source = read_source(unit.document) if unit.document else None
    brief = Brief(key, scope, source.text if source else "")
    outputs = [read_run(path) for path in runs.runs[unit.id]]
    spec = Spec(*agent_round, key, unit.id, source=source)
    return weigh(spec, outputs, marks(brief, outputs, way), marker(brief, way))


def copy_suite(name: str, target: Path) -> None:
    """Copies a shipped suite to start your own from; an existing folder is not overwritten."""
    import shutil

    if target.exists():
        raise InputError(f"{target} already exists")
    with boundary(ArtifactError, f"cannot write {target}"):
        shutil.copytree(suite_folder(name), target)
        for proof in target.glob(f"*/{HIDDEN}/{FILE}"):
            # A clean control is the planted repository made right again: it is shipped once.
            unit = PlantedUnit(proof.parent.parent)
            write_tree(target / f"{unit.folder.name}-clean" / REPOSITORY, unit.right)
