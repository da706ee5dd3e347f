"""Turns results into documents. Numbers are only formatted here, by `report.numbers`, not computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.audit import model
from steelyard.audit.compare import CURE
from steelyard.audit.model import (
    BONUS_LIMIT,
    SYMBOLS,
    Agreement,
    Estimate,
    Extra,
    Rates,
    Result,
    RunResult,
    SuiteResult,
)
from steelyard.audit.score import rates
from steelyard.audit.text import per_document
from steelyard.judge.judgement import concord_text
from steelyard.report.document import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Details,
    Document,
    Heading,
    Paragraph,
    Table,
    table,
)
from steelyard.report.numbers import UNKNOWN, count, percent, points
from steelyard.text import short

DIGEST_ROWS = 12
"""Rows of a table in a digest."""
DIGEST_WARNINGS = 3
"""Warnings in a digest."""

FINDINGS_HEADING = Heading("What the runs reported")
"""Opens the last section of a result's report: the findings of each run."""


def result_document(result: Result) -> Document:
    """The report on one agent and one document."""
    blocks: list[Block] = [
        *headline(result),
        Heading("Problems and runs"),
        grid(result),
        *extras_blocks(result),
        Heading("Precision and recall"),
        result_rates(result),
        *warnings(result.warnings),
        FINDINGS_HEADING,
        *(_findings(number, run) for number, run in enumerate(result.runs, start=1)),
    ]
    return Document(f"Audit: {result.name}, round {result.round}", tuple(blocks))


def headline(result: Result) -> list[Block]:
    """The main numbers, and who marked."""
    runs = [f"run {number} {points(run.score)}" for number, run in enumerate(result.runs, start=1)]
    sd = "sd n/a" if result.sd is None else f"sd {points(result.sd)}"
    text = f"Mean {points(result.mean)} of {count(len(result.problems))} ({', '.join(runs)}), {sd}, "
    paragraphs: list[Block] = [Paragraph(f"{text}stability {result.stability}{agreement_text(result.agreement)}.")]
    advisory = result.marker.kind == "lexical"
    paragraphs.append(Paragraph(f"Marked by: {result.marker}.", "warn" if advisory else "muted"))
    if result.estimate is not None:
        paragraphs.append(Paragraph(estimate_sentence(result.estimate), "warn"))
    if result.judge_agreement is not None:
        paragraphs.append(Paragraph(f"The judge: {concord_text(result.judge_agreement)}.", "muted"))
    if result.sd_interval is not None:
        paragraphs.append(Paragraph(spread_sentence(result.sd_interval, len(result.runs)), "muted"))
    return paragraphs


def agreement_text(agreement: Agreement | None) -> str:
    """How far the runs marked alike, as the end of a sentence; empty if there is nothing to compare."""
    if agreement is None:
        return ""
    beyond = "κ n/a" if agreement.kappa is None else f"κ {points(agreement.kappa)}"
    return f", agreement {percent(agreement.share, 0)} ({beyond})"


def estimate_sentence(estimate: Estimate) -> str:
    """That the points are an estimate, how far it may be off, and what would settle it."""
    low, high = points(estimate.low), points(estimate.high)
    return (
        f"An estimate: with a chance of {percent(estimate.level, 0)} the points lie between {low} and {high}; "
        f"expected {points(estimate.expected)}. "
        "It is a first look at honest reports: padded titles earn 10 of 10 from it. "
        "Two estimates decide nothing unless their intervals part. "
        f"To settle it, {CURE}."
    )


def spread_sentence(interval: tuple[float, float], runs: int) -> str:
    """How uncertain the sd is with so few runs."""
    low, high = points(interval[0]), points(interval[1])
    return f"The true sd behind {count(runs)} runs lies between {low} and {high} (95%)."


def grid(result: Result) -> Table:
    """Problem × run with ○ △ ×; the hint of a cell is its passage."""
    columns = ["Problem", "Severity", "Category", *(f"Run {number + 1}" for number in range(len(result.runs)))]
    heads = [Column(columns[0], shrink=True), *(Column(name) for name in columns[1:3])]
    heads += [Column(name, align="center") for name in columns[3:]]
    rows: list[list[Cell | str]] = []
    for problem in result.problems:
        row: list[Cell | str] = [f"{problem.id}: {problem.title}", problem.severity, problem.category]
        cells = [next(cell for cell in run.cells if cell.problem == problem.id) for run in result.runs]
        rows.append(row + [mark_cell(cell) for cell in cells])
    return table(heads, rows)


def mark_cell(cell: model.Cell) -> Cell:
    """One mark, with its passage as the hint."""
    finding = f"F{cell.finding:02d}" if cell.finding is not None else ""
    parts = (estimate_text(cell), finding, f"“{cell.quote}”" if cell.quote else "", cell.note)
    hint = ": ".join(part for part in parts if part)
    return Cell(SYMBOLS[cell.mark], hint=short(hint, 400) or cell.mark)


def estimate_text(cell: model.Cell) -> str:
    """The probabilities of an estimated mark; empty for one that was given."""
    chances = cell.probabilities
    if chances is None:
        return ""
    shares = ", ".join(f"{sign} {percent(getattr(chances, mark), 0)}" for mark, sign in SYMBOLS.items())
    return f"estimate: {shares}"


def extras_blocks(result: Result) -> list[Block]:
    """The bonuses and penalties of all runs."""
    rows = [
        (str(number), _verdict(extra), Cell(extra.title, hint=extra.reason or None), extra.reason)
        for number, run in enumerate(result.runs, start=1)
        for extra in run.extras
        if extra.verdict != "neither"
    ]
    if not rows:
        return [Paragraph("No bonus and no penalty.", "muted")]
    return [Heading("Bonus and penalty"), table(["Run", "Verdict", Column("Finding", shrink=True), "Why"], rows)]


def _verdict(extra: Extra) -> Cell:
    if extra.verdict == "penalty":
        return Cell("penalty −0.5", "bad")
    return Cell("bonus +0.5", "good") if extra.counted else Cell(f"bonus, beyond {BONUS_LIMIT}", "muted")


def result_rates(result: Result) -> Table:
    """Precision and recall of one document."""
    return _rates_table([("this document", rates(result.problems, result.runs))])


def _rates_table(rows: Sequence[tuple[str, Rates]]) -> Table:
    heads = ["", *(Column(name, align="right") for name in ("Precision", "Recall", "F1", "Severity-weighted recall"))]
    return table(
        heads,
        [(name, *map(_share, (row.precision, row.recall, row.f1, row.weighted_recall))) for name, row in rows],
    )


def _share(value: float | None) -> Cell:
    return Cell(UNKNOWN, "muted") if value is None else Cell(percent(value, 0), bar=value)


def warnings(texts: Sequence[str]) -> list[Block]:
    """A section of warnings, if there are any."""
    return [Heading("Warnings"), Bullets(tuple(texts))] if texts else []


def _findings(number: int, run: RunResult) -> Details:
    text = "\n\n".join(f"{finding.id} (line {finding.line})\n{finding.text}" for finding in run.output.findings)
    return Details(f"Run {number}: {run.output.name}, {count(len(run.output.findings))} findings", (Code(text or "–"),))


def suite_document(suite: SuiteResult) -> Document:
    """The report on one agent and a suite."""
    blocks = suite_head(suite)
    blocks += [Heading("Documents"), documents_table(suite), Heading("Precision and recall"), suite_rates(suite)]
    for result in suite.keyed:
        blocks += [Heading(f"{result.document}: problems and runs", 3), grid(result)]
    blocks += warnings(_suite_warnings(suite))
    return Document(suite_title(suite), tuple(blocks))


def suite_digest(suite: SuiteResult) -> Document:
    """The report on a large suite, short enough for a screen: the documents with the lowest recall, a few warnings."""
    blocks = suite_head(suite)
    ordered = sorted(suite.keyed, key=lambda result: (result.mean / len(result.problems), result.document))
    # Clean documents have no share to sort by, so those with false alarms get rows of their own.
    alarmed = [result for result in suite.results if result.control and result.mean < 0]
    shown = [*ordered[: DIGEST_ROWS - len(alarmed[:3])], *alarmed[:3]]
    rest = len(suite.results) - len(shown)
    blocks += [Heading("Documents, lowest share found first"), documents_table(replace(suite, results=tuple(shown)))]
    texts = _suite_warnings(suite)
    more = [f"{count(rest)} more documents"] if rest else []
    more += [f"{count(len(texts) - DIGEST_WARNINGS)} more warnings"] if len(texts) > DIGEST_WARNINGS else []
    blocks += warnings(texts[:DIGEST_WARNINGS])
    if more:
        blocks.append(Paragraph(f"{', '.join(more)}, every problem and run: --html PAGE or --json FILE.", "muted"))
    return Document(suite_title(suite), tuple(blocks))


def _suite_warnings(suite: SuiteResult) -> list[str]:
    return per_document((result.document, text) for result in suite.results for text in result.warnings)


def suite_title(suite: SuiteResult) -> str:
    """The title of a suite's report."""
    return f"Audit suite {suite.suite}: {suite.name}, round {suite.round}"


def suite_head(suite: SuiteResult) -> list[Block]:
    """The pooled numbers of a suite, who marked, and what is missing."""
    blocks: list[Block] = [Paragraph(_suite_line(suite)), Paragraph(f"Marked by: {_markers(suite)}.", "muted")]
    if suite.estimate is not None:
        blocks.append(Paragraph(estimate_sentence(suite.estimate), "warn"))
    if suite.absent:
        here, all_documents = count(len(suite.results)), count(len(suite.results) + len(suite.absent))
        absent = short(", ".join(suite.absent), 400)
        blocks.append(Paragraph(f"Partial: {here} of {all_documents} documents; no runs of {absent}.", "bad"))
    if suite.sd_interval is not None:
        low, high = (points(bound) for bound in suite.sd_interval)
        blocks.append(Paragraph(f"The true sd of a document's runs lies between {low} and {high} (95%).", "muted"))
    return blocks


def _suite_line(suite: SuiteResult) -> str:
    planted = sum(len(result.problems) for result in suite.results)
    sd = "n/a" if suite.sd is None else points(suite.sd)
    total = f"Pooled {points(suite.points)} points of {count(planted)}, sd {sd}, stability {suite.stability}"
    total += agreement_text(suite.agreement)
    return f"{total}, {count(suite.false_alarms)} false alarms on clean documents."


def _markers(suite: SuiteResult) -> str:
    keyed = suite.keyed or suite.results
    return "; ".join(dict.fromkeys(str(result.marker) for result in keyed))


def documents_table(suite: SuiteResult) -> Table:
    """The numbers of each document of a suite."""
    right = [Column(name, align="right") for name in ("Runs", "Mean", "SD", "○", "△", "×", "Bonus", "Penalty")]
    rows = [
        (
            Cell(result.document + (" (clean control)" if result.control else "")),
            count(len(result.runs)),
            points(result.mean),
            "n/a" if result.sd is None else points(result.sd),
            *(count(result.count(mark)) for mark in ("detected", "partial", "missed")),
            *(count(sum(run.counted(kind) for run in result.runs)) for kind in ("bonus", "penalty")),
        )
        for result in suite.results
    ]
    return table(["Document", *right], rows)


def suite_rates(suite: SuiteResult) -> Table:
    """Precision and recall of each document, and pooled."""
    rows = [(result.document, rates(result.problems, result.runs)) for result in suite.results]
    return _rates_table([*rows, ("pooled", suite.rates)])
