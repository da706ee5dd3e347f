"""`steelyard audit check`, `import` and `mark` as functions: what is read and marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.spec import one_or_several, optional_path
from steelyard.location import local, location

if TYPE_CHECKING:
    from steelyard.audit.agreement.people import TwoOpinions
    from steelyard.audit.marking_page.server import MarkingServer
    from steelyard.audit.model import Key, Output
    from steelyard.audit.scorings import Scoring
    from steelyard.location import Location


def audit_findings(run: str | Path) -> Output:
    """Read the output of an agent or a scanner as findings, and what is left out of them with the reason.

    Args:
        run: The output: Markdown, JSON, YAML, SARIF.

    Returns:
        The findings with their lines and the places they name, and what belongs to none.

    Raises:
        InputError: The file cannot be read.
    """
    from steelyard.audit.files import read_run

    return read_run(Path(run))


def audit_import(path: str | Path) -> Scoring:
    """Read an existing scoring file, recompute it from its marks, and find printed numbers that do not follow.

    Args:
        path: Scoring file: a table of marks per problem and run, and the numbers computed from them.

    Returns:
        Marks, recomputed and printed numbers, and what does not follow.

    Raises:
        InputError: The file cannot be read or holds no table of marks.
    """
    from steelyard.audit.files import read_text
    from steelyard.audit.scorings import read_scoring

    return read_scoring(read_text(Path(path), "scoring file"), Path(path).name)


def audit_agree(one: str | Location, other: str | Location) -> TwoOpinions:
    """Compare what two people marked in the same runs: Cohen's κ, and where they differ.

    Args:
        one: Sheet (YAML) or scoring file (Markdown) of the first person.
        other: The same of the second.

    Returns:
        κ with its interval, the table of marks, and every cell with two different marks.

    Raises:
        IncomparableError: No cell is marked by both.
        InputError: A file cannot be read.
    """
    from steelyard.audit.agreement.people import two_opinions
    from steelyard.audit.files import read_opinion

    return two_opinions(*(read_opinion(local(path, "a sheet")) for path in (one, other)))


def audit_key(path: str | Path) -> Key:
    """Read and check an answer key.

    Args:
        path: Answer key, Markdown or YAML.

    Returns:
        The key, with warnings about missing fields.

    Raises:
        InputError: The key breaks a rule (docs/scoring.md §2.4); names the line.
    """
    from steelyard.audit.files import read_key

    return read_key(Path(path))


def audit_is_key(path: str | Path) -> bool:
    """Whether a file is an answer key in our own form, whole or faulty; a file of another program is not.

    Args:
        path: Any file.

    Returns:
        Whether `audit_key` would read it as one that a person wrote.

    Raises:
        InputError: The file cannot be read.
    """
    from steelyard.audit.files import read_text
    from steelyard.audit.key import is_key

    return is_key(read_text(Path(path), "file", strict=False), str(path))


@one_or_several("runs")
def audit_sheet(
    key: str | Path | None = None,
    runs: Sequence[str | Path] = (),
    *,
    log: str | Location | None = None,
    perspective: str | Path | None = None,
) -> str:
    """Write the blank sheet on which a person marks runs.

    Args:
        key: Answer key; with `log`, instead of the one the log names.
        runs: Files with the outputs of the agent, one per run.
        log: Log of an audit, instead of `runs`.
        perspective: File that describes what is in scope; it decides on bonus and penalty.

    Returns:
        The sheet as YAML, likely findings filled in and every mark open.

    Raises:
        InputError: A file cannot be used, or `key` is given for a log of several documents.
    """
    from steelyard.audit.files import read_key, read_run, read_text
    from steelyard.audit.marking.blank_sheet import blank_sheet, blank_sheets
    from steelyard.audit.read import only_document, outputs, read_audit_log
    from steelyard.audit.rescore import log_brief
    from steelyard.errors import InputError

    if log is None:
        if key is None or not runs:
            raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
        scope = read_text(Path(perspective), "perspective") if perspective else ""
        return blank_sheet(read_key(Path(key)), [read_run(Path(run)) for run in runs], scope)
    opened = read_audit_log(log)
    if key is not None:
        only_document(opened, cure="leave out --key: the log names that of each document")
    briefs = {name: log_brief(opened, name, optional_path(key), optional_path(perspective)) for name in opened.samples}
    runs_by_key = [(brief.key, output) for name, brief in briefs.items() for output in outputs(opened, name)]
    scope = next((brief.perspective for brief in briefs.values() if brief.perspective), "")
    return blank_sheets([run for run in runs_by_key if run[0].problems], scope)


@one_or_several("runs")
def audit_mark(
    runs: Sequence[str | Path] = (),
    *,
    key: str | Path | None = None,
    log: str | Location | None = None,
    suite: str | Path | None = None,
    set_name: str | None = None,
    perspective: str | Path | None = None,
    document: str | Path | None = None,
    sheet: str | Path | None = None,
    marked_by: str = "",
    blind: bool = False,
    port: int = 0,
) -> MarkingServer:
    """Open a local page on which a person marks runs; every mark is saved in the sheet at once.

    Args:
        runs: Files with the outputs of the agent, one per run.
        key: Answer key; with `log`, instead of the one the log names.
        log: Log of an audit, instead of `runs`.
        suite: Folder of a suite with recorded runs, instead of `runs`.
        set_name: Which set of recorded runs of the suite; needed when it has several.
        perspective: File that describes what is in scope.
        document: The audited document.
        sheet: The sheet to write or to continue; else the marks of the set, or `sheet.yaml`.
        marked_by: Who marks, for the sheet.
        blind: Show the marker's proposal for a cell only after the person has marked it.
        port: Port on 127.0.0.1; 0 takes a free one.

    Returns:
        The server; `address` is that of the page, `serve_forever` runs until the person is done.

    Raises:
        InputError: A file cannot be used, or there is nothing to mark.
        ArtifactError: The sheet cannot be written.
    """
    from steelyard.audit.marking_page.opening import from_files, from_log, from_suite
    from steelyard.audit.marking_page.server import MarkingServer
    from steelyard.audit.marking_page.session import Session
    from steelyard.errors import InputError

    if sum(map(bool, (runs, log, suite))) != 1:
        raise InputError("give run files with their key, or a log, or a suite", cure="RUN1 RUN2 --key KEY")
    paths = {"key": optional_path(key), "perspective": optional_path(perspective), "document": optional_path(document)}
    if suite:
        job = from_suite(local(suite, "a suite"), set_name, optional_path(sheet))
    elif log:
        job = from_log(location(log), paths, optional_path(sheet))
    else:
        job = from_files([local(run, "a run") for run in runs], paths, optional_path(sheet))
    return MarkingServer(Session(job.runs, job.sheet, marked_by, blind=blind), port, job.command)


@one_or_several("runs")
def audit_ask(
    key: str | Path | None = None,
    runs: Sequence[str | Path] = (),
    *,
    log: str | Location | None = None,
    perspective: str | Path | None = None,
    document: str | Path | None = None,
) -> str:
    """Write the questions about runs as one text to paste into any chat; `audit` reads its reply as `verdict`.

    Args:
        key: Answer key; with `log`, instead of the one the log names.
        runs: Files with the outputs of the agent, one per run.
        log: Log of an audit of one document, instead of `runs`.
        perspective: File that describes what is in scope.
        document: The audited document.

    Returns:
        The text: proposals by words with their passages, the least certain first, the key, the findings, the form of
        the reply.

    Raises:
        InputError: A file cannot be used, or the log holds several documents.
    """
    from steelyard.audit.files import read_key, read_run, read_text
    from steelyard.audit.marking.ask import ask_text
    from steelyard.audit.marking.questions import Brief
    from steelyard.audit.read import only_document, outputs, read_audit_log
    from steelyard.audit.rescore import log_brief
    from steelyard.errors import InputError

    if log is None:
        if key is None or not runs:
            raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
        scope = read_text(Path(perspective), "perspective") if perspective else ""
        brief = Brief(read_key(Path(key)), scope, read_text(Path(document), "document") if document else "")
        return ask_text(brief, [read_run(Path(run)) for run in runs])
    opened = read_audit_log(log)
    only = only_document(opened, cure="one document at a time")
    brief = log_brief(opened, only, optional_path(key), optional_path(perspective))
    if document:
        brief = replace(brief, document=read_text(Path(document), "document"))
    return ask_text(brief, outputs(opened, only))
