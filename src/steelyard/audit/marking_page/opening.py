"""What is to be marked: run files with a key, a log, or a set of a suite; and the command that scores the sheet."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steelyard.audit.example import chosen_set
from steelyard.audit.files import read_brief, read_run, read_text
from steelyard.audit.marking_page.session import OpenRun
from steelyard.audit.suite import read_suite
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.location import Location

SHEET = Path("sheet.yaml")
"""The sheet if none is named."""


class MarkingJob(NamedTuple):
    """The runs to mark and where the marks go."""

    runs: list[OpenRun]
    sheet: Path
    command: str
    """Scores the sheet."""


def from_files(runs: Sequence[Path], paths: Mapping[str, Path | None], sheet: Path | None) -> MarkingJob:
    """Run files of one document; `paths` are those of its key, perspective and document."""
    if paths["key"] is None:
        raise InputError("an answer key is needed", cure="--key KEY")
    unit = {name: str(path) if path else None for name, path in paths.items()}
    brief = read_brief(unit, unit["perspective"])
    name = (paths["document"] or paths["key"]).name
    words = ["audit", "score", *(word for run in runs for word in ("--run", str(run))), *_options(paths)]
    opened = [OpenRun(name, brief, read_run(run)) for run in runs]
    return _job(opened, sheet or SHEET, words)


def from_log(log: Location, paths: Mapping[str, Path | None], sheet: Path | None) -> MarkingJob:
    """The outputs in a log; `paths` replace those of the run if it holds one document."""
    from steelyard.audit.read import only_document, outputs, read_audit_log
    from steelyard.audit.rescore import log_brief

    opened = read_audit_log(log)
    if paths["key"] or paths["document"]:
        only_document(opened, cure="leave out --key and --document: the log names those of each document")
    briefs = {name: log_brief(opened, name, paths["key"], paths["perspective"]) for name in opened.samples}
    if paths["document"]:
        text = read_text(paths["document"], "document")
        briefs = {name: replace(brief, document=text) for name, brief in briefs.items()}
    runs = [OpenRun(name, brief, output) for name, brief in briefs.items() for output in outputs(opened, name)]
    words = ["score", str(log), *(_options(paths) if len(briefs) == 1 else ())]
    return _job(runs, sheet or SHEET, ["audit", *words])


def from_suite(folder: Path, set_name: str | None, sheet: Path | None) -> MarkingJob:
    """The recorded runs of a set; its own marks are continued unless another sheet is named."""
    suite = read_suite(folder)
    chosen = chosen_set(suite, set_name)
    scope = str(suite.perspective) if suite.perspective else None
    runs: list[OpenRun] = []
    for unit in suite.units:
        paths = {"key": str(unit.key) if unit.key else None, "document": str(unit.document) if unit.document else None}
        brief = read_brief(paths, scope)
        runs += [OpenRun(unit.id, brief, read_run(path)) for path in chosen.runs.get(unit.id, ())]
    return _job(runs, sheet or chosen.marks or SHEET, ["audit", "score", str(folder), "--set", chosen.name])


def _job(runs: list[OpenRun], sheet: Path, words: Sequence[str]) -> MarkingJob:
    return MarkingJob(runs, sheet, shlex.join(["steelyard", *words, "--marks", str(sheet)]))


def _options(paths: Mapping[str, Path | None]) -> list[str]:
    return [word for name, path in paths.items() if path for word in (f"--{name}", str(path))]
