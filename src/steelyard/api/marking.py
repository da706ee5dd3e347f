"""`steelyard audit check` and `mark` as functions: what is read and marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.spec import argument, option, parameter, rare, spec, takes
from steelyard.api.values import Location, Notify, file, path, places, silent
from steelyard.errors import InputError
from steelyard.location import local

if TYPE_CHECKING:
    from steelyard.audit.marking_page.opening import MarkingJob
    from steelyard.audit.marking_page.server import MarkingServer
    from steelyard.audit.model import Key, Output
    from steelyard.audit.plant.record import PlantedUnit
    from steelyard.audit.plant.reprove import Reproved
    from steelyard.audit.scorings import Scoring

    Units = Mapping[str, tuple[PlantedUnit, Sequence[Output]]]
    """By document what was planted, and the runs."""


def audit_findings(run: str | Path) -> Output:
    """Read the output of an agent or a scanner as findings, and what is left out of them with the reason.

    Args:
        run: The output: Markdown, JSON, YAML, SARIF.

    Returns: The findings with their lines and the places they name, and what belongs to none.
    """
    from steelyard.audit.files import read_run

    return read_run(Path(run))


def audit_import(path: str | Path) -> Scoring:
    """Read an existing scoring file, recompute it from its marks, and find printed numbers that do not follow.

    Args:
        path: Scoring file: a table of marks per problem and run, and the numbers computed from them.

    Returns: Marks, recomputed and printed numbers, and what does not follow.
    """
    from steelyard.audit.files import read_text
    from steelyard.audit.scorings import read_scoring

    return read_scoring(read_text(Path(path), "scoring file"), Path(path).name)


def audit_key(path: str | Path) -> Key:
    """Read and check an answer key.

    Args:
        path: Answer key, Markdown or YAML.

    Returns: The key, with warnings about missing fields.

    Raises:
        InputError: The key breaks a rule (docs/scoring.md §2.4); names the line.
    """
    from steelyard.audit.files import read_key

    return read_key(Path(path))


def audit_prove(where: str | Path, notify: Notify = silent) -> tuple[Reproved, ...]:
    """Prove the planted problems of a suite again: red with them, green without, three times out of three.

    Args:
        where: Folder of a planted suite, or the key of one of its documents.
        notify: Called with each step.

    Returns: Every problem, proved or not.
    """
    from steelyard.audit.plant.record import PlantedUnit
    from steelyard.audit.plant.reprove import reprove
    from steelyard.audit.suite import read_suite
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    path = Path(where)
    if path.is_dir() or path.name == "suite.yaml":
        folders = [unit.key.parent for unit in read_suite(path).units if unit.key is not None]
    else:
        folders = [path.parent]
    units = [PlantedUnit(folder) for folder in folders]
    return tuple(found for unit in units for found in reprove(unit, notify))


@spec
class AuditCheck:
    """A file, and what it is."""

    path: Path = argument("A key, a run, a scoring file, or a planted suite.", "FILE", converter=file)
    _: KW_ONLY
    kind: Literal["key", "run", "scoring"] | None = option(
        "Read FILE as this; else its content decides.", "--as", default=None
    )
    prove: bool = option("Prove the problems of a planted suite, or of one key of it, again.", default=False)
    notify: Notify = parameter("Called with each step of a proof.", default=silent)


@takes(AuditCheck)
def audit_check(spec: AuditCheck) -> Key | Output | Scoring | tuple[Reproved, ...]:
    """Read a file of any kind: an answer key, the output of an agent or a scanner, or a scoring file.

    Returns:
        What `audit_key`, `audit_findings`, `audit_import` or, with `prove`, `audit_prove` makes of it. A file of
        another program is read as a run, unless `kind` says that it is a key.
    """
    from steelyard.audit.files import read_text
    from steelyard.audit.key import is_key

    if spec.prove:
        return audit_prove(spec.path, spec.notify)
    if spec.kind == "key" or (spec.kind is None and is_key(read_text(spec.path, "file", strict=False), str(spec.path))):
        return audit_key(spec.path)
    try:
        return audit_findings(spec.path) if spec.kind == "run" else audit_import(spec.path)
    except InputError:
        # Without --as, whatever is neither a key nor a scoring file is read as a run.
        if spec.kind is not None:
            raise
        return audit_findings(spec.path)


@spec
class AuditMark:
    """Runs that a person or a chat marks, and where the marks go."""

    what: tuple[Location, ...] = argument(
        "Files with the outputs of the agent, one per run; or a log; or the folder of a suite with recorded runs.",
        "RUN...|LOG|SUITE", default=(), converter=places,
    )  # fmt: skip
    _: KW_ONLY
    key: Path | None = option("Answer key, Markdown or YAML; a LOG names its own.", "KEY", default=None, converter=path)
    perspective: Path | None = option(
        "What is in scope; decides on bonus and penalty.", "FILE", default=None, converter=path
    )
    document: Path | None = option("The audited document, to look things up.", "FILE", default=None, converter=path)
    set_name: str | None = option("Which recorded runs of the SUITE.", "--set", "NAME", default=None)
    sheet: Path | None = option(
        "The sheet, or the file that --as writes.", "-o", "--sheet", "FILE", default=None, converter=path
    )
    marked_by: str = rare("Who marks; it is written into the sheet.", "--by", "NAME", default="")
    blind: bool = rare("Show what the words propose only after your mark.", default=False)
    port: int = rare("Port on 127.0.0.1; 0 takes a free one.", default=0, least=0, most=65535)

    def job(self) -> MarkingJob:
        """The runs to mark: a folder is a suite; JSON with a key is a scanner's output, without one a log."""
        from steelyard.audit.marking_page.opening import from_files, from_log, from_suite

        if not self.what:
            raise InputError("at least one run is needed, or a log, or a suite", cure="RUN1 RUN2 --key KEY")
        only = self.what[0] if len(self.what) == 1 else None
        if only is not None and ((isinstance(only, Path) and only.is_dir()) or only.name == "suite.yaml"):
            return from_suite(local(only, "a suite"), self.set_name, self.sheet)
        paths = {"key": self.key, "perspective": self.perspective, "document": self.document}
        if only is not None and (only.suffix == ".eval" or (only.suffix == ".json" and self.key is None)):
            return from_log(only, paths, self.sheet)
        return from_files([local(run, "a run") for run in self.what], paths, self.sheet)


@takes(AuditMark)
def audit_mark(spec: AuditMark) -> MarkingServer:
    """Open a local page on which a person marks runs; every mark is saved in the sheet at once.

    Returns: The server; `address` is that of the page, `serve_forever` runs until the person is done.
    """
    from steelyard.audit.marking_page.server import MarkingServer
    from steelyard.audit.marking_page.session import Session

    job = spec.job()
    return MarkingServer(Session(job.runs, job.sheet, spec.marked_by, blind=spec.blind), spec.port, job.command)


@takes(AuditMark)
def audit_sheet(spec: AuditMark) -> str:
    """Write the blank sheet on which a person marks runs.

    Returns: The sheet as YAML, likely findings filled in and every mark open.
    """
    from steelyard.audit.marking.blank_sheet import blank_sheets

    runs = [run for run in spec.job().runs if run.brief.key.problems]
    scope = next((run.brief.perspective for run in runs if run.brief.perspective), "")
    return blank_sheets([(run.brief.key, run.output) for run in runs], scope)


@takes(AuditMark)
def audit_ask(spec: AuditMark) -> str:
    """Write the questions about runs as one text to paste into any chat; `audit_score` reads its reply as `verdict`.

    Returns:
        The text: proposals by words with their passages, the least certain first, the key, the findings, the form of
        the reply.
    """
    from steelyard.audit.marking.ask import ask_text

    runs = spec.job().runs
    if len({run.document for run in runs}) != 1:
        raise InputError("a chat is asked about one document", cure="name the runs of one document with their --key")
    return ask_text(runs[0].brief, [run.output for run in runs])
