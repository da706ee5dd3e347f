"""The two texts with a fixed format: the block on stdout and the scoring file (docs/scoring.md §2.3).

Scores have two decimals, counts are integers, and nothing may be added. Further runs add columns `Run3` …, summary
lines, and `run3:` lines before `stability:`.
"""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.audit.model import BONUS_LIMIT, BONUS_POINTS, PENALTY_POINTS, SYMBOLS, Cell, Extra, Problem, Result
from steelyard.report.numbers import points, signed
from steelyard.text import short

NOTE_LENGTH = 160
"""Longest note, finding or reason in the scoring file, in characters."""


def block(result: Result) -> str:
    """The block that `audit score` prints."""
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
    """The file that `audit score -o FILE` writes."""
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
    """The finding a mark was given for, and the marker's note."""
    where = f"Run{number} F{cell.finding:02d}" if cell.finding is not None else f"Run{number}" if cell.note else ""
    return f"{where}: {short(cell.note, NOTE_LENGTH)}" if cell.note else where


def _extras(result: Result, verdict: str) -> Iterator[str]:
    for number, run in enumerate(result.runs, start=1):
        for extra in run.extras:
            if extra.verdict == verdict:
                yield f"| {number} | {_cell(extra.title)} | {_reason(extra)} | {signed(_score(extra), 2)} |"


def _reason(extra: Extra) -> str:
    if extra.verdict == "penalty":
        return _cell(extra.reason or "out of scope or wrong")
    beyond = "" if extra.counted else f"not counted, only {BONUS_LIMIT} are: "
    return _cell(f"Yes: {beyond}{extra.reason}" if extra.reason or beyond else "Yes").rstrip(": ")


def _score(extra: Extra) -> float:
    if not extra.counted:
        return 0.0
    return BONUS_POINTS if extra.verdict == "bonus" else -PENALTY_POINTS


def _sd(result: Result) -> str:
    return "n/a" if result.sd is None else points(result.sd)


def _cell(text: str, limit: int = NOTE_LENGTH) -> str:
    """Untrusted text on one line, escaped so that it cannot break the table or open a tag."""
    flat = short(text, limit)
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
