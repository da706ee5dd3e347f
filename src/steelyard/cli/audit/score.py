"""`steelyard audit score`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from steelyard.audit.marking import Way, chosen_way
from steelyard.audit.model import Result
from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options
from steelyard.cli.options import deliver, note, output
from steelyard.errors import InputError

FILE = click.Path(path_type=Path)


def marker_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--marks`, `--lexical` and the judge's options."""
    function = judge_options(function)
    function = click.option("--lexical", is_flag=True, help="Mark by words: offline, deterministic, advisory.")(
        function
    )
    return click.option("--marks", type=FILE, metavar="SHEET", help="Marks that a person filled in.")(function)


def way_of(marks: Path | None, lexical: bool, judge: tuple[str, ...], **judging: Any) -> Way:
    """Who marks, by what was asked; a judge of the environment steps back for --marks and --lexical."""
    from steelyard.audit.files import read_sheet

    wanted = bool(judge) or judging.get("require_judge", False) or not (marks or lexical)
    panel = chosen_panel(judge=judge, **judging) if wanted else None
    return chosen_way(panel, read_sheet(marks) if marks else None, lexical)


@click.command()
@click.argument("log", required=False, metavar="[LOG]")
@click.option("--key", "key_path", type=FILE, metavar="KEY", help="Answer key, Markdown or YAML.")
@click.option("--run", "run_paths", type=FILE, multiple=True, metavar="RUN", help="Output of one run; give each run.")
@click.option("--perspective", type=FILE, metavar="FILE", help="What is in scope; decides on bonus and penalty.")
@click.option("--document", "document_path", type=FILE, metavar="FILE", help="The document, for the judge and SARIF.")
@click.option("--name", help="Name of the agent in the scoring file.")
@click.option("--round", "round_number", type=click.IntRange(0), help="Round of work on the agent.")
@click.option("-o", "--output", "scoring_path", metavar="FILE", help="Write the scoring file.")
@marker_options
@output("json", "markdown", "html", "sarif")
def score(log: str | None, run_paths: tuple[Path, ...], scoring_path: str | None, **options: Any) -> Exit:
    """Score the runs of an agent against an answer key; prints the block, writes the scoring file.

    LOG is a log of `steelyard audit run`; without a way to mark, the marks in it are used. Exit 0 when scored, 2 when
    an input is unusable or the judge left a run without a verdict.

    \b
    Example:
      steelyard audit score --key key.md --run run1.md --run run2.md --perspective scope.md \\
        --name code-reviewer --round 1 -o scoring.md --lexical
    """
    paths = {name: options.pop(f"{name}_path") for name in ("json", "markdown", "html", "sarif")}
    names = ("key_path", "perspective", "document_path", "name", "round_number")
    given = {name: options.pop(name) for name in names}
    if log is not None and run_paths:
        raise InputError("score a LOG or --run files, not both")
    result, document = _from_log(log, given, options) if log is not None else _from_files(run_paths, given, options)
    show(result, {"scoring": scoring_path, **paths}, document)
    return Exit.FINE


def _from_files(
    run_paths: tuple[Path, ...], given: dict[str, Any], options: dict[str, Any]
) -> tuple[Result, Path | None]:
    from steelyard.audit.files import read_key, read_run, read_text
    from steelyard.audit.marking import marker, marks
    from steelyard.audit.marking.questions import Brief
    from steelyard.audit.weigh import Spec, weigh

    if given["key_path"] is None or not run_paths:
        raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
    way = way_of(**options)
    scope = read_text(given["perspective"], "perspective") if given["perspective"] else ""
    document = given["document_path"]
    brief = Brief(read_key(given["key_path"]), scope, read_text(document, "document") if document else "")
    outputs = [read_run(path) for path in run_paths]
    number = 1 if given["round_number"] is None else given["round_number"]
    spec = Spec(given["name"] or "agent", number, brief.key, document.name if document else given["key_path"].name)
    return weigh(spec, outputs, marks(brief, outputs, way), marker(brief, way)), document


def _from_log(log: str, given: dict[str, Any], options: dict[str, Any]) -> tuple[Result, Path | None]:
    from steelyard.audit.read import read_audit_log, recorded
    from steelyard.audit.rescore import remarked

    found = read_audit_log(log)
    names = list(found.samples)
    if len(names) != 1:
        raise InputError(f"{log} holds {len(names)} documents", cure=f"steelyard audit suite {log}")
    asked = options["marks"] or options["lexical"] or options["judge"]
    if asked:
        result = remarked(found, names[0], way_of(**options), given["key_path"], given["perspective"])
    else:
        result = recorded(found, names[0])
    named = replace(result, name=given["name"] or result.name)
    number = result.round if given["round_number"] is None else given["round_number"]
    known = Path(found.paths(names[0]).get("document") or "")
    return replace(named, round=number), given["document_path"] or (known if known.is_file() else None)


def show(result: Result, paths: dict[str, str | None], document: Path | None) -> None:
    """The block to stdout, the files that were asked for, everything else to stderr."""
    from steelyard.audit.report.scoring_file import block

    tell(result)
    deliver(paths, makers(result, document), lambda: block(result))


def makers(result: Result, document: Path | None) -> dict[str, Callable[[], str]]:
    """What produces each format."""
    from steelyard import artifact
    from steelyard.audit import metadata as record
    from steelyard.audit.files import read_text
    from steelyard.audit.report import document as report
    from steelyard.audit.report import page
    from steelyard.audit.report import sarif as missed
    from steelyard.audit.report import scoring_file as template
    from steelyard.report import markdown

    now = datetime.now(UTC).isoformat(timespec="seconds")
    text = read_text(document, "document") if document else ""
    return {
        "scoring": lambda: template.scoring_file(result),
        "json": lambda: artifact.json_text(record.result_data(result, generated_at=now), schema="audit"),
        "markdown": lambda: markdown.render(report.document(result)),
        "html": lambda: page.page(result),
        "sarif": lambda: missed.missed_sarif(result, text, _uri(document) if document else result.document),
    }


def _uri(path: Path) -> str:
    """A path as code hosts want it: relative to where we are, when it lies below."""
    whole = path.resolve()
    return whole.relative_to(Path.cwd()).as_posix() if whole.is_relative_to(Path.cwd()) else whole.as_posix()


def tell(result: Result) -> None:
    """Who marked, how far the spread can be trusted, and every warning, on stderr."""
    from steelyard.audit.report.document import spread_sentence
    from steelyard.judge.judgement import concord_text

    note(f"marked by: {result.marker}")
    if result.judge_agreement is not None:
        note(f"the judge: {concord_text(result.judge_agreement)}")
    if result.sd_interval is not None:
        note(spread_sentence(result.sd_interval, len(result.runs)))
    for warning in result.warnings:
        note(f"warning: {warning}")
