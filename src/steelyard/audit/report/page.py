"""The HTML pages of a result and of a suite: marks to scan, criteria, and each run with its passages highlighted."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.audit.model import Output, Result, RunResult, SuiteResult
from steelyard.audit.report.document import (
    documents_table,
    estimate_sentence,
    extras_blocks,
    headline,
    result_rates,
    suite_head,
    suite_rates,
    suite_title,
)
from steelyard.audit.report.findings import findings_document, lines
from steelyard.audit.report.grid import marks_grid, problem_details
from steelyard.audit.report.passages import Segment, highlights, segments
from steelyard.report import html
from steelyard.report.document import Block, Heading
from steelyard.report.markup import STYLE, markup
from steelyard.report.numbers import count, percent, points


def result_page(result: Result, home: str = "") -> str:
    """The page of one document; `home` is the page that leads to it, if there is one."""
    title = f"Audit: {result.name}, round {result.round}"
    lead = f'<p class="lead">{html.escape(result.document)}</p>' if result.document else ""
    body = (
        f"<header><h1>{html.escape(title)}</h1>{lead}{html.way_home(home)}</header>\n"
        f"<main id=main>\n{_figures(result)}\n"
        # Without its first line, which the tiles show.
        f"{html.fragment(headline(result)[1:])}\n"
        f'<h2 id="problems-and-runs">Problems and runs</h2>\n{marks_grid(result)}\n{_criteria(result)}'
        f"{html.fragment([*extras_blocks(result), Heading('Precision and recall'), result_rates(result)])}\n"
        f"{_warnings(result.warnings)}\n"
        f'<h2 id="texts">The runs, with passages</h2>\n{_runs(result)}\n</main>'
    )
    return _page(title, body)


def suite_page(suite: SuiteResult) -> str:
    """The page of a suite: the pooled numbers, then every document with its marks."""
    title = suite_title(suite)
    blocks: list[Block] = [*suite_head(suite), Heading("Documents"), documents_table(suite)]
    blocks += [Heading("Precision and recall"), suite_rates(suite)]
    warnings = [f"{result.document}: {text}" for result in suite.results for text in result.warnings]
    documents = "\n".join(_document(number, result) for number, result in enumerate(suite.results, start=1))
    body = (
        f"<header><h1>{html.escape(title)}</h1></header>\n<main id=main>\n{html.fragment(blocks)}\n"
        f"{_warnings(warnings)}\n{documents}\n</main>"
    )
    return _page(title, body)


def output_page(output: Output) -> str:
    """The page of what was read from one run: the tables, then its whole text with the findings outlined."""
    report = findings_document(output)
    unmarked = RunResult(output, (), (), 0.0)
    text = "\n".join(_segment(unmarked, segment, "run") for segment in segments(output))
    body = (
        f"<header><h1>{html.escape(report.title)}</h1></header>\n<main id=main>\n{html.fragment(report.blocks)}\n"
        f'<h2 id="texts">The run</h2>\n{text}\n</main>'
    )
    return _page(report.title, body)


def _page(title: str, body: str) -> str:
    style = html.asset(STYLE) + html.asset("audit.css")
    return html.page(title, body, script=html.asset("tables.js") + html.asset("audit.js"), style=style)


def _figures(result: Result) -> str:
    """The numbers to read first, as tiles."""
    planted = count(len(result.problems))
    estimate = result.estimate
    spread = (
        f"90% interval {points(estimate.low)} to {points(estimate.high)}"
        if estimate
        else ("one run" if result.sd is None else f"sd {points(result.sd)}")
    )
    tiles = [
        ("Estimated mean" if estimate else "Mean", f"{points(result.mean)}<small> of {planted}</small>", spread),
        ("Stability", html.escape(result.stability), f"{count(len(result.runs))} runs"),
        *_agreement(result),
        *(
            (f"Run {number}", points(run.score), f"{count(len(run.output.findings))} findings")
            for number, run in enumerate(result.runs[:6], start=1)
        ),
    ]
    return '<div class="figures">' + "".join(_figure(*tile) for tile in tiles) + "</div>"


def _agreement(result: Result) -> list[tuple[str, str, str]]:
    """The tile on whether the runs found the same problems, if there are several."""
    found = result.agreement
    if found is None:
        return []
    beyond = "κ n/a" if found.kappa is None else f"κ {points(found.kappa)}"
    return [("Agreement", percent(found.share, 0), f"marked alike in all runs, {beyond}")]


def _figure(name: str, value: str, detail: str) -> str:
    return f"<div><span>{name}</span><strong>{value}</strong><span>{html.escape(detail)}</span></div>"


def _criteria(result: Result, prefix: str = "") -> str:
    if not result.problems:
        return ""
    return f'<h2 id="{prefix}criteria">Criteria and passages</h2>\n{problem_details(result, prefix)}\n'


def _warnings(texts: Sequence[str]) -> str:
    """Warnings, folded below their number."""
    if not texts:
        return ""
    items = "".join(f"<li>{html.escape(text)}</li>" for text in texts)
    noun = "warning" if len(texts) == 1 else "warnings"
    return f'<details class="warnings"><summary>! {count(len(texts))} {noun}</summary><ul>{items}</ul></details>'


def _document(number: int, result: Result) -> str:
    prefix = f"d{number}-"
    head = f'<h2 id="{prefix}document">{html.escape(result.document)}</h2>'
    if result.control:
        return f"{head}\n<p>A clean control: every finding is a false alarm.</p>\n{_runs(result, prefix, folded=True)}"
    summary = f"Mean {points(result.mean)} of {count(len(result.problems))}, stability {result.stability}."
    note = f'<p class="warn">! {html.escape(estimate_sentence(result.estimate))}</p>' if result.estimate else ""
    return (
        f"{head}\n<p>{summary}</p>{note}\n{marks_grid(result, prefix)}\n"
        f"<details><summary>Criteria and passages</summary>\n{problem_details(result, prefix)}</details>\n"
        f"{_runs(result, prefix, folded=True)}"
    )


def _runs(result: Result, prefix: str = "", *, folded: bool = False) -> str:
    return "\n".join(_run(number, run, prefix, folded) for number, run in enumerate(result.runs, start=1))


def _run(number: int, run: RunResult, prefix: str, folded: bool) -> str:
    anchor = f"{prefix}run{number}"
    score = f"{'estimated ' if run.estimate else ''}{points(run.score)} points"
    found = f"{count(len(run.output.findings))} findings"
    head = html.escape(f"Run {number}: {run.output.name}, {score}, {found}")
    cards = "\n".join(_segment(run, segment, anchor) for segment in segments(run.output))
    shut = "" if folded else " open"
    empty = '<p class="muted">No findings.</p>' if not run.output.findings else ""
    return f'<details class="run" id="{anchor}"{shut}><summary>{head}</summary>\n{empty}{cards}\n</details>'


def _segment(run: RunResult, segment: Segment, anchor: str) -> str:
    if segment.finding is None:
        return _gap(segment)
    text = markup(segment.text, highlights(run, segment))
    finding = segment.finding
    return (
        f'<section class="finding {_use(run, finding.index)}" id="{anchor}-f{finding.index}">'
        f"<p class=tag><b>{finding.id}</b> {_tags(run, finding.index)}"
        f"<span>line {lines(finding.line, finding.end)}</span></p>{text}</section>"
    )


def _gap(segment: Segment) -> str:
    """Text that belongs to no finding; what the reader left out is folded below the reason."""
    if not segment.left_out:
        return f'<div class="gap">{markup(segment.text)}</div>'
    reasons = "; ".join(dict.fromkeys(part.reason for part in segment.left_out))
    head = html.escape(f"Left out, line {lines(segment.line, segment.end)}: {reasons}")
    return f'<details class="gap"><summary>{head}</summary>{markup(segment.text)}</details>'


def _use(run: RunResult, finding: int) -> str:
    """What a finding counts as, as a class."""
    if any(cell.finding == finding for cell in run.cells):
        return "credited"
    return next((extra.verdict for extra in run.extras if extra.finding == finding), "neither")


def _tags(run: RunResult, finding: int) -> str:
    marks = [f'<span class="mark {cell.mark}">{html.escape(cell.problem)}</span>' for cell in run.cells]
    named = [tag for cell, tag in zip(run.cells, marks, strict=True) if cell.finding == finding]
    extras = [extra for extra in run.extras if extra.finding == finding]
    named += [
        f'<span class="chip {extra.verdict}">{extra.verdict}</span> <i>{html.escape(extra.reason)}</i>'
        for extra in extras
    ]
    return " ".join(named)
