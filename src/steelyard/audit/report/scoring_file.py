"""The two texts whose every line is agreed: the block on stdout and the scoring file (docs/scoring.md §2.3).

Scores have two decimals, counts are integers, and nothing else is ever added. More than two runs add columns `Run3` …,
summary lines and `run3:` lines before `stability:`.
"""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.audit.model import SYMBOLS, Cell, Extra, Problem, Result
from steelyard.audit.score import BONUS_LIMIT, BONUS_POINTS, PENALTY_POINTS
from steelyard.report.numbers import points, signed
from steelyard.text import short

NOTE_LENGTH = 160
"""Characters of a note, finding or reason in the scoring file."""


def block(result: Result) -> str:
    """What `audit score` prints."""
    return "\n".join(_block(result)) + "\n"


def _block(result: Result) -> Iterator[str]:
    yield f"mean: {points(result.mean)}"
    yield f"sd: {_sd(result)}"
    for number, run in enumerate(result.runs, start=1):
        yield f"run{number}: {points(run.score)}"
    yield f"stability: {result.stability}"
    yield f"detected: {result.count('detected')}"
    yield f"partial: {result.count('partial')}"
    yield f"missed: {result.count('missed')}"


def scoring_file(result: Result, written_at: str = "") -> str:
    """What `-o FILE` writes."""
    return "\n".join(_scoring_file(result)) + "\n"


def _scoring_file(result: Result) -> Iterator[str]:
    numbers = range(1, len(result.runs) + 1)
    yield f"# Scoring: {_cell(result.name)} Round {result.round}"
    yield ""
    yield "## Per-Problem Detection"
    yield ""
    yield f"| Problem | Severity | {' | '.join(f'Run{number}' for number in numbers)} | Notes |"
    yield f"|---------|----------|{'|'.join('------' for _ in numbers)}|-------|"
    for problem in result.problems:
        yield _row(result, problem)
    yield ""
    yield "## Bonus Findings"
    yield "| Run | Finding | Valid | Score |"
    yield "|-----|---------|-------|-------|"
    yield from _extras(result, "bonus")
    yield ""
    yield "## Penalty Findings"
    yield "| Run | Finding | Reason | Score |"
    yield "|-----|---------|--------|-------|"
    yield from _extras(result, "penalty")
    yield ""
    yield "## Summary"
    for number, run in zip(numbers, result.runs, strict=True):
        yield f"- Run {number}: {points(run.score)} ({run.counted('bonus')}B, {run.counted('penalty')}P)"
    yield f"- **Mean: {points(result.mean)}**"
    yield f"- **SD: {_sd(result)}**"
    yield f"- Stability: {result.stability.capitalize()}"


def _row(result: Result, problem: Problem) -> str:
    cells = [next(cell for cell in run.cells if cell.problem == problem.id) for run in result.runs]
    marks = " | ".join(SYMBOLS[cell.mark] for cell in cells)
    notes = "; ".join(text for number, cell in enumerate(cells, start=1) if (text := _note(number, cell)))
    return f"| {problem.id}: {_cell(problem.title)} | {problem.severity} | {marks} | {_cell(notes, 4 * NOTE_LENGTH)} |"


def _note(number: int, cell: Cell) -> str:
    """The finding a mark rests on, and what was said about it."""
    where = f"Run{number} F{cell.finding:02d}" if cell.finding is not None else f"Run{number}" if cell.note else ""
    return f"{where}: {short(cell.note, NOTE_LENGTH)}" if cell.note else where


def _extras(result: Result, verdict: str) -> Iterator[str]:
    for number, run in enumerate(result.runs, start=1):
        for each in run.extras:
            if each.verdict == verdict:
                yield f"| {number} | {_cell(each.title)} | {_third(each)} | {signed(_score(each), 2)} |"


def _third(each: Extra) -> str:
    if each.verdict == "penalty":
        return _cell(each.reason or "out of scope or wrong")
    beyond = "" if each.counted else f"not counted, only {BONUS_LIMIT} are: "
    return _cell(f"Yes: {beyond}{each.reason}" if each.reason or beyond else "Yes").rstrip(": ")


def _score(each: Extra) -> float:
    if not each.counted:
        return 0.0
    return BONUS_POINTS if each.verdict == "bonus" else -PENALTY_POINTS


def _sd(result: Result) -> str:
    return "n/a" if result.sd is None else points(result.sd)


def _cell(text: str, limit: int = NOTE_LENGTH) -> str:
    """Foreign text on one line that cannot break a table or open a tag."""
    flat = short(text, limit)
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
