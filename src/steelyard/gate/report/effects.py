"""Every task with its interval as a picture: how far it moved, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from steelyard.gate.evidence.result import TaskEvidence
from steelyard.report import html
from steelyard.report.document import Figure
from steelyard.report.numbers import signed, things

_MOST = 40
"""Tasks that are drawn: those that moved most."""

_ROW, _TOP, _BOTTOM, _EDGE = 24, 22, 8, 10
_COLOURS = {"better": "var(--good)", "worse": "var(--bad)", "suspect": "var(--warn)", "ok": "var(--soft)"}
_LETTER = 7.0
"""Width of a letter of the names, at most, in units of the picture."""


def effects_figure(tasks: Sequence[TaskEvidence], broken: Collection[str] = ()) -> Figure | None:
    """The picture; None if no task moved. Tasks that are `broken` have a hard regression."""
    moved = sorted((task for task in tasks if task.delta or task.low is not None), key=lambda task: -abs(task.delta))
    if not moved:
        return None
    drawn = sorted(moved[:_MOST], key=lambda task: (task.delta, task.task))
    wide, narrow = _drawn(drawn, broken, 640, 220), _drawn(drawn, broken, 330, 0)
    rest = len(tasks) - len(drawn)
    left = f" {things(rest, 'more task')} moved less or not at all." if rest else ""
    caption = (
        "Mean delta of each task with its 95% interval, the largest loss first. Green is shown to be better, red to be "
        f"worse or a hard regression, amber is suspect, grey may be chance.{left}"
    )
    alt = "; ".join(f"{task.task} {signed(task.delta)}, {task.status}" for task in drawn[:10])
    return Figure(wide, f"Deltas of tasks: {alt}", caption, narrow)


def _drawn(tasks: Sequence[TaskEvidence], broken: Collection[str], width: int, names: int) -> str:
    """One row a task: the name in a column of its own, or above its interval where there is no room."""
    row = _ROW if names else 2 * _ROW - 8
    height = _TOP + row * len(tasks) + _BOTTOM
    reach = max(max(abs(task.delta), abs(task.low or 0), abs(task.high or 0)) for task in tasks) or 1.0
    middle, half = (names + width) / 2, (width - names) / 2 - _EDGE

    def x(value: float) -> float:
        return middle + value / reach * half

    parts = [
        f'<line x1="{middle}" x2="{middle}" y1="{_TOP - 4}" y2="{height - _BOTTOM}" stroke="var(--line)"/>',
        _text(x(-reach), 12, f"worse, {signed(-reach, 2)}", "start"),
        _text(x(reach), 12, f"better, {signed(reach, 2)}", "end"),
    ]
    for place, task in enumerate(tasks):
        top = _TOP + row * place
        y = top + (_ROW / 2 if names else row - 12)
        room = int(((names - 12) if names else width) / _LETTER)
        name = task.task if len(task.task) <= room else f"{task.task[: room - 1]}…"
        colour = _COLOURS["worse" if task.task in broken else task.status]
        parts.append(_text(0, y + 4 if names else top + 12, html.escape(name), "start", "var(--ink)"))
        if task.low is not None and task.high is not None:
            ends = f'x1="{x(task.low):.1f}" x2="{x(task.high):.1f}" y1="{y:.1f}" y2="{y:.1f}"'
            parts.append(f'<line {ends} stroke="{colour}" stroke-width="3" opacity=".55"/>')
        parts.append(f'<circle cx="{x(task.delta):.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" font-size="12">{"".join(parts)}</svg>'


def _text(x: float, y: float, text: str, anchor: str, fill: str = "var(--soft)") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{text}</text>'
