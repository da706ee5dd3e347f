"""Reports of an audit, in every format. To add a format: one module beside this one, and one line in `FORMATS`.

The command line offers `--NAME PATH` for each format on the commands whose reports have it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from steelyard import artifact
from steelyard.audit.agreement.people import TwoOpinions
from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.audit.model import Output, Result, SuiteResult
from steelyard.audit.report.agreement import agreement_data, agreement_document
from steelyard.audit.report.data import comparison_data, history_data, result_data, suite_data
from steelyard.audit.report.document import result_document, suite_digest, suite_document
from steelyard.audit.report.findings import findings_data, findings_document
from steelyard.audit.report.page import output_page, result_page, suite_page
from steelyard.audit.report.sarif import to_sarif
from steelyard.audit.report.scoring_check import scoring_check_data, scoring_check_document
from steelyard.audit.report.scoring_file import block, scoring_file
from steelyard.audit.report.trends import comparison_digest, comparison_document, history_chart, history_document
from steelyard.audit.scorings import Scoring
from steelyard.report import html, markdown, terminal
from steelyard.report.document import Document

Report: TypeAlias = Result | SuiteResult | Comparison | History | Output | Scoring | TwoOpinions
"""Everything that an audit reports."""

LARGE_SUITE = 4
"""From more documents than this on, the terminal shows a digest and the page everything."""


class Format(NamedTuple):
    """One format, and the reports that have it."""

    render: Callable[[Any, str], str]
    """Takes the report and the time of writing (ISO 8601)."""
    reports: tuple[type[Report], ...]


class _Shape(NamedTuple):
    """How a kind of report is shown and written."""

    document: Callable[[Any], Document]
    schema: str
    data: Callable[..., dict[str, Any]]
    page: Callable[[Any], str] | None = None
    """A page that holds more than the document."""
    dated: bool = False
    """Whether its JSON says when it was written."""


def _history_page(history: History) -> str:
    return html.render(history_document(history, history_chart(history)))


_SHAPES: dict[type[Report], _Shape] = {
    Result: _Shape(result_document, "audit", result_data, result_page, dated=True),
    SuiteResult: _Shape(suite_document, "audit-suite", suite_data, suite_page, dated=True),
    Comparison: _Shape(comparison_document, "audit-comparison", comparison_data),
    History: _Shape(history_document, "audit-history", history_data, _history_page),
    Output: _Shape(findings_document, "audit-findings", findings_data, output_page),
    Scoring: _Shape(scoring_check_document, "audit-import", scoring_check_data),
    TwoOpinions: _Shape(agreement_document, "audit-agreement", agreement_data),
}


def to_document(report: Report) -> Document:
    """A report as headings, tables and notes."""
    return _SHAPES[type(report)].document(report)


def to_json(report: Report, written_at: str = "") -> str:
    """A report as JSON text that satisfies its schema; `written_at` is ISO 8601."""
    shape = _SHAPES[type(report)]
    data = shape.data(report, generated_at=written_at) if shape.dated else shape.data(report)
    return artifact.json_text(data, schema=shape.schema)


def to_markdown(report: Report, written_at: str = "") -> str:
    """A report as Markdown."""
    return markdown.render(to_document(report))


def to_html(report: Report, written_at: str = "") -> str:
    """A report as one HTML page."""
    page = _SHAPES[type(report)].page
    return page(report) if page else html.render(to_document(report))


def to_text(report: Report, *, width: int, colour: bool) -> str:
    """A report as the command line prints it: the agreed block for one document, else tables."""
    if isinstance(report, Result):
        return block(report)
    if isinstance(report, SuiteResult) and len(report.results) > LARGE_SUITE:
        return terminal.render(suite_digest(report), width=width, colour=colour)
    if isinstance(report, Comparison) and len(report.documents) > LARGE_SUITE:
        return terminal.render(comparison_digest(report), width=width, colour=colour)
    return terminal.render(to_document(report), width=width, colour=colour)


_ALL = tuple(_SHAPES)

FORMATS: dict[str, Format] = {
    "json": Format(to_json, _ALL),
    "markdown": Format(to_markdown, _ALL),
    "html": Format(to_html, _ALL),
    "sarif": Format(to_sarif, (Result,)),
    "svg": Format(history_chart, (History,)),
    "scoring": Format(scoring_file, (Result,)),
}
"""Name → format. The command line offers all but `scoring` as `--NAME PATH`; `scoring` is `--output FILE`."""
