"""The comparison as an HTML page: the report, and both sides of every changed task next to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from steelyard.gate.model import Comparison, Side, TaskView, Weighed
from steelyard.gate.report.document import changed, document
from steelyard.report import html
from steelyard.report.document import Block, Cell, Code, Details, Paragraph, table

_SHOWN = 20
"""Tasks shown side by side: the worst first."""

_STYLE = """
.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem;align-items:start}
.pair>section{min-width:0}
.pair pre{max-height:32rem;overflow:auto}
@media(max-width:60rem){.pair{grid-template-columns:minmax(0,1fr)}}
"""


ReadViews = Callable[[Side, Iterable[str]], Mapping[str, TaskView]]
"""Reads what one side did in some tasks (`read.views.read_views`); called only if there is something to show."""


def page(weighed: Weighed, read_views: ReadViews) -> str:
    """The whole page."""
    report = document(weighed, pictures=True)
    body = f"<header><h1>{html.escape(report.title)}</h1></header>\n<main id=main>\n{html.fragment(report.blocks)}\n"
    if isinstance(weighed.outcome, Comparison):
        tasks = [delta.task for delta in changed(weighed.outcome)[:_SHOWN]]
        before, after = (read_views(side, tasks) for side in (weighed.baseline, weighed.candidate))
        body += "".join(_task(task, before.get(task), after.get(task)) for task in tasks)
    return html.page(report.title, f"{body}</main>", script=html.asset("tables.js"), style=_STYLE)


def _task(task: str, before: TaskView | None, after: TaskView | None) -> str:
    if before is None and after is None:
        return ""
    sides = (("Baseline", before), ("Candidate", after))
    columns = "".join(f"<section><h3>{name}</h3>{html.fragment(_blocks(view))}</section>" for name, view in sides)
    return f'<h2 id="{html.slug(task)}">{html.escape(task)}</h2>\n<div class="pair">{columns}</div>\n'


def _blocks(view: TaskView | None) -> list[Block]:
    if view is None:
        return [Paragraph("No run of this task.", "muted")]
    blocks: list[Block] = []
    if view.outputs:
        rows = [(name, _result(passed), message) for name, passed, message, _ in view.outputs]
        blocks.append(table(("Check", "Result", "Message"), rows))
    outputs = [(name, output) for name, passed, _, output in view.outputs if output and not passed]
    blocks += [Details(f"Output of {name}", (Code(output),)) for name, output in outputs]
    if view.diff:
        blocks += [Paragraph("What it changed", "muted"), Code(view.diff, "diff")]
    return [*blocks, Details("Transcript", (Code(view.transcript or "(empty)"),))]


def _result(passed: bool) -> Cell:
    return Cell("passed", "good") if passed else Cell("failed", "bad")
