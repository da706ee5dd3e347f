"""Marks as coloured cells, problem × run, and the problems with their criteria beside the passages: markup for pages.

A mark is never told by colour alone: the sign is in the cell, and the three grounds differ in lightness as well.
"""

from __future__ import annotations

from steelyard.audit.model import BONUS_POINTS, PENALTY_POINTS, SYMBOLS, Cell, Problem, Result, RunResult
from steelyard.audit.report.document import estimate_text, mark_cell
from steelyard.report.html import escape
from steelyard.report.markup import markup
from steelyard.report.numbers import count, percent, points
from steelyard.text import short


def marks_grid(result: Result, prefix: str = "") -> str:
    """The grid; ids of the page begin with `prefix`, so that several grids can share one."""
    heads = "".join(
        f'<th scope="col" class="center"><a href="#{prefix}run{number}" title="{escape(run.output.name)}">'
        f"Run&nbsp;{number}</a></th>"
        for number, run in enumerate(result.runs, start=1)
    )
    rows = "\n".join(_row(result, problem, row, prefix) for row, problem in enumerate(result.problems))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="problems and runs"><table class="marks">'
        f'<thead><tr><th scope="col">Problem</th>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n'
        f"<tfoot>{_totals(result)}</tfoot></table></div>\n{_legend(result)}"
    )


def _row(result: Result, problem: Problem, row: int, prefix: str) -> str:
    cells = "".join(
        f'<td class="center">{tile(_cell(run, problem.id), f"{prefix}run{number}")}</td>'
        for number, run in enumerate(result.runs, start=1)
    )
    return (
        f'<tr><th scope="row"><a class="id" href="#{prefix}p{row}">{escape(problem.id)}</a> '
        f"<bdi>{escape(problem.title)}</bdi> {severity(problem)}</th>{cells}</tr>"
    )


def tile(cell: Cell, run: str = "") -> str:
    """One mark; it links to its finding in the run with the id `run`."""
    shown = mark_cell(cell)
    hint = f' data-hint="{escape(shown.hint)}"' if shown.hint else ""
    estimated = cell.probabilities is not None
    chance = f"<small>{percent(getattr(cell.probabilities, cell.mark), 0)}</small>" if estimated else ""
    label = f"{cell.mark}{', an estimate' if estimated else ''}"
    look = f'class="mark {cell.mark}{" estimate" if estimated else ""}"'
    inner = f'{SYMBOLS[cell.mark]}{chance}<span class="unseen">{label}</span>'
    if cell.finding is None or not run:
        return f'<span {look}{hint} tabindex="0">{inner}</span>'
    return f'<a {look}{hint} href="#{run}-f{cell.finding}">{inner}</a>'


def severity(problem: Problem) -> str:
    """The severity as a chip."""
    return f'<span class="chip {problem.severity.lower()}">{escape(problem.severity)}</span>'


def _totals(result: Result) -> str:
    rows = {
        "Bonus": [_signed("+", run.counted("bonus") * BONUS_POINTS) for run in result.runs],
        "Penalty": [_signed("−", run.counted("penalty") * PENALTY_POINTS) for run in result.runs],
        "Estimated score" if result.estimate else "Score": [points(run.score) for run in result.runs],
    }
    return "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td class=center>{value}</td>" for value in values)}</tr>'
        for name, values in rows.items()
    )


def _signed(sign: str, value: float) -> str:
    return f"{sign}{points(value)}" if value else points(0.0)


def _legend(result: Result) -> str:
    words = {"detected": "detected, 1 point", "partial": "partial, 0.5", "missed": "missed, 0"}
    parts = " ".join(
        f'<span><span class="mark {mark}">{SYMBOLS[mark]}</span> {words[mark]} ({count(result.count(mark))})</span>'
        for mark in SYMBOLS
    )
    estimated = "<span>dashed: an estimate, with its probability</span>" if result.estimate else ""
    return f'<p class="legend">{parts} {estimated}</p>'


def problem_details(result: Result, prefix: str = "") -> str:
    """Each problem, folded: what it is, its criteria, and what every run got for it."""
    return "\n".join(_problem(result, problem, row, prefix) for row, problem in enumerate(result.problems))


def _problem(result: Result, problem: Problem, row: int, prefix: str) -> str:
    cells = [_cell(run, problem.id) for run in result.runs]
    tiles = "".join(tile(cell) for cell in cells)
    where = " · ".join(escape(short(part, 300)) for part in (problem.category, problem.location) if part)
    place = f'<p class="soft">{where}</p>' if where else ""
    return (
        f'<details class="problem" id="{prefix}p{row}"><summary><span class="id">{escape(problem.id)}</span> '
        f"<bdi>{escape(problem.title)}</bdi> {severity(problem)}<span class=tiles>{tiles}</span></summary>\n"
        f"{place}{markup(problem.description) if problem.description else ''}{criteria(problem)}\n"
        f"<ul class=passages>{''.join(_passage(number, cell, prefix) for number, cell in enumerate(cells, 1))}"
        "</ul></details>"
    )


def criteria(problem: Problem) -> str:
    """When a problem counts as detected, partial or missed, in the words of the key; empty if they are not known."""
    rows = "".join(
        f'<dt><span class="mark {mark}">{sign}</span></dt><dd>{markup(getattr(problem.criteria, mark))}</dd>'
        for mark, sign in SYMBOLS.items()
        if getattr(problem.criteria, mark)
    )
    return f"<dl class=criteria>{rows}</dl>" if rows else ""


def _passage(number: int, cell: Cell, prefix: str) -> str:
    finding = f"F{cell.finding:02d}" if cell.finding is not None else "no finding"
    link = f'<a href="#{prefix}run{number}-f{cell.finding}">{finding}</a>' if cell.finding is not None else finding
    quote = f"<q>{escape(cell.quote)}</q>" if cell.quote else ""
    note = f'<span class="soft">{escape(cell.note)}</span>' if cell.note else ""
    chances = f'<span class="soft">{escape(estimate_text(cell))}</span>' if cell.probabilities else ""
    return f"<li>{tile(cell)} <span>Run {number}, {link} {quote} {note} {chances}</span></li>"


def _cell(run: RunResult, problem: str) -> Cell:
    return next(cell for cell in run.cells if cell.problem == problem)
