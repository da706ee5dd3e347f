"""Options that several audit commands share, and where their output goes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from steelyard.audit.model import Result
from steelyard.audit.report import FORMATS, Report, to_text
from steelyard.cli.judging import judge_options
from steelyard.cli.options import colour, deliver, note, output, rare, width
from steelyard.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)

key_option = click.option("--key", type=FILE, metavar="KEY", help="Answer key, Markdown or YAML; a LOG names its own.")
run_option = click.option(
    "--run", "runs", type=FILE, multiple=True, metavar="RUN", help="Output of one run; repeat for each run."
)
perspective_option = click.option(
    "--perspective", type=FILE, metavar="FILE", help="What is in scope; decides on bonus and penalty."
)
lexical_option = click.option("--lexical", is_flag=True, help="Estimate by words: offline, deterministic.")
round_option = rare("--round", type=click.IntRange(0), default=1, show_default=True, help="Round of work on the agent.")


def marking_options(function: F) -> F:
    """Add `--marks`, `--lexical`, `--located` and the options of the judge."""
    marks = click.option("--marks", type=FILE, metavar="SHEET", help="Marks that a person filled in.")
    located = click.option("--located", is_flag=True, help="Mark by file and line, for scanners and review comments.")
    return marks(lexical_option(located(judge_options(function))))


def output_options(report: type[Report]) -> Callable[[F], F]:
    """Add an option for each format that this kind of report has; `show` takes their values."""
    names = [name for name, known in FORMATS.items() if report in known.reports]

    def add(function: F) -> F:
        function = output(*(name for name in names if name != "scoring"))(function)
        if "scoring" not in names:
            return function
        return click.option("-o", "--output", "scoring_path", metavar="FILE", help="Write the scoring file.")(function)

    return add


def split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str | None]]:
    """The arguments of an `api` function, and the path given for each format."""
    arguments = {name: value for name, value in options.items() if not name.endswith("_path")}
    if "no_judge_cache" in arguments:
        arguments["judge_cache"] = not arguments.pop("no_judge_cache")
    paths = {name.removesuffix("_path"): value for name, value in options.items() if name.endswith("_path")}
    return arguments, paths


def show(report: Report, paths: dict[str, str | None]) -> None:
    """Print the report, write each requested format, and put everything else on stderr."""
    missing = [name for name, path in paths.items() if path and type(report) not in FORMATS[name].reports]
    if missing:
        raise InputError("a suite has no scoring file and no SARIF", cure="score one document, or use --json")
    if isinstance(report, Result):
        _note_marker(report)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    render = {name: partial(known.render, report, now) for name, known in FORMATS.items()}
    deliver(paths, render, lambda: to_text(report, width=width(), colour=colour()))


def _note_marker(result: Result) -> None:
    """Who marked, how far the spread can be trusted, and every warning."""
    from steelyard.audit.report.document import agreement_text, estimate_sentence, spread_sentence
    from steelyard.judge.judgement import concord_text

    note(f"marked by: {result.marker}")
    if result.estimate is not None:
        note(estimate_sentence(result.estimate))
    if result.judge_agreement is not None:
        note(f"the judge: {concord_text(result.judge_agreement)}")
    if result.agreement is not None:
        note(f"stability {result.stability}{agreement_text(result.agreement)}")
    if result.sd_interval is not None:
        note(spread_sentence(result.sd_interval, len(result.runs)))
    for warning in result.warnings:
        note(f"warning: {warning}")
