"""Options that several audit commands share, and where their output goes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from steelyard.audit.agreement.people import TwoOpinions
from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.audit.model import Result, SuiteResult
from steelyard.audit.report import FORMATS, Report, to_text
from steelyard.cli.options import colour, deliver, note, output, rare
from steelyard.cli.terminal import width
from steelyard.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])


def output_options(report: type[Report]) -> Callable[[F], F]:
    """Add an option for each format that this kind of report has; `show` takes their values."""
    names = [name for name, known in FORMATS.items() if report in known.reports]

    def add(function: F) -> F:
        function = output(*(name for name in names if name != "scoring"))(function)
        if "scoring" not in names:
            return function
        return rare("-o", "--output", "scoring_path", metavar="FILE", help="Write the scoring file.")(function)

    return add


_NAMES: dict[type, str] = {
    SuiteResult: "suite",
    Comparison: "comparison",
    History: "history",
    TwoOpinions: "comparison of marks",
}


def show(report: Report, paths: dict[str, str | None]) -> None:
    """Print the report, write each requested format, and put everything else on stderr."""
    missing = [name for name, path in paths.items() if path and type(report) not in FORMATS[name].reports]
    if missing:
        raise InputError(f"a {_NAMES.get(type(report), 'result')} has no {missing[0]} file", cure="use --json")
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
