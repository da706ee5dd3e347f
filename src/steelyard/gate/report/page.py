"""The comparison as an HTML page: what changed, the report, and for every changed task all runs of both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from steelyard.gate.model import Comparison, Side, Weighed
from steelyard.gate.report.document import changed, document
from steelyard.gate.report.runs import RUNS_STYLE, task_runs
from steelyard.gate.steps import RunView
from steelyard.report import html
from steelyard.report.document import Block, Bullets, Code, Details, Document, Heading, Paragraph

_SHOWN = 20
"""Tasks whose runs are shown: the worst first."""

_OPEN = 60
"""Lines of the configurations' diff that are shown unfolded."""

_STYLE = f"""
nav.here{{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;margin:.6rem 0 1.2rem;font-size:.94rem}}
{RUNS_STYLE}"""

ReadViews = Callable[[Side, Iterable[str]], Mapping[str, Sequence[RunView]]]
"""Reads the runs of one side in some tasks (`read.views.read_views`); called only if there is something to show."""


def page(weighed: Weighed, read_views: ReadViews, home: str = "") -> str:
    """The whole page; `home` is the page that leads to it, if there is one."""
    return whole_page(document(weighed).title, {"": weighed}, read_views, home=home)


def whole_page(
    title: str, members: Mapping[str, Weighed], read_views: ReadViews, above: Sequence[Block] = (), home: str = ""
) -> str:
    """A page of one comparison, or of several by name with a summary `above` them."""
    parts = [html.fragment(above)] if above else []
    parts += [_member(name, weighed, read_views) for name, weighed in members.items()]
    links = [f'<a href="#{_place(name, part)}">{html.escape(_label(name, part))}</a>' for name in members
             for part in (_PARTS if len(members) == 1 else ("",))]  # fmt: skip
    head = f"<header><h1>{html.escape(title)}</h1></header>\n"
    nav = f'<nav class="here" aria-label="On this page">{" ".join((html.way_home(home), *links))}</nav>\n'
    body = f"{head}{nav}<main id=main>\n{''.join(parts)}</main>"
    return html.page(title, body, script=html.asset("tables.js"), style=_STYLE)


_PARTS = {"changed": "What changed", "report": "Verdict", "runs": "Runs"}


def _place(name: str, part: str) -> str:
    return html.slug(f"{name} {part}")


def _label(name: str, part: str) -> str:
    return _PARTS.get(part) or name


def _member(name: str, weighed: Weighed, read_views: ReadViews) -> str:
    """One comparison, each part behind an anchor of its own."""
    report = document(weighed, pictures=True)
    heading = f'<h2 id="{_place(name, "")}">{html.escape(f"{name}: {report.title}")}</h2>\n' if name else ""
    first, rest = report.blocks[: _verdict_end(report)], report.blocks[_verdict_end(report) :]
    return (
        f"{heading}{_section(name, 'report', html.fragment(first))}"
        f"{_section(name, 'changed', html.fragment(_what_changed(weighed)))}"
        f"{html.fragment(rest)}\n{_runs(name, weighed, read_views)}"
    )


def _verdict_end(report: Document) -> int:
    """How many blocks come before the first heading: the settings that differ, and the answer in one sentence."""
    return next((place for place, block in enumerate(report.blocks) if isinstance(block, Heading)), len(report.blocks))


def _section(name: str, part: str, inner: str) -> str:
    return f'<section id="{_place(name, part)}">\n{inner}\n</section>\n'


def _what_changed(weighed: Weighed) -> list[Block]:
    """What differs between the two configurations: by name, and line by line where their files are at hand."""
    before, after = weighed.baseline.artifacts, weighed.candidate.artifacts
    lines = [
        f"{_change(path, before, after)}: {path}"
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]
    tested = weighed.outcome.under_test if isinstance(weighed.outcome, Comparison) else ()
    blocks: list[Block] = [Heading("What changed", 2)]
    if not lines and not tested:
        return [*blocks, Paragraph("The logs name no difference between the two sides.", "muted")]
    blocks.append(Bullets((*tested, *lines)))
    if weighed.changed:
        diff = Code(weighed.changed, "diff")
        long = len(weighed.changed.splitlines()) > _OPEN
        return [*blocks, Details("Line by line", (diff,)) if long else diff]
    missing: list[Block] = [Paragraph("Their files are not at hand here, so only names are shown.", "muted")]
    return [*blocks, *missing] if lines else blocks


def _change(path: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    return "added" if path not in before else "removed" if path not in after else "changed"


def _runs(name: str, weighed: Weighed, read_views: ReadViews) -> str:
    """The runs of every changed task."""
    if not isinstance(weighed.outcome, Comparison):
        return ""
    deltas = changed(weighed.outcome)
    tasks = [delta.task for delta in deltas[:_SHOWN]]
    before, after = (read_views(side, tasks) for side in (weighed.baseline, weighed.candidate))
    evidence = weighed.outcome.evidence
    checks = {task.task: task.worst_check for task in (evidence.tasks if evidence else ())}
    back = f'<p class="onward"><a href="#{_place(name, "report")}">Back to the verdict</a></p>'
    shown = [
        f'<h3 id="{_place(name, f"task {task}")}">{html.escape(task)}</h3>\n'
        f"{task_runs(before.get(task, ()), after.get(task, ()), checks.get(task))}{back}\n"
        for task in tasks
        if before.get(task) or after.get(task)
    ]
    if not shown:
        return ""
    more = len(deltas) - len(tasks)
    rest = [Paragraph(f"{more} more tasks changed; their runs are in the logs.", "muted")] if more else []
    head = '<h2>Runs</h2>\n<p class="muted">Tasks in which anything differs, the worst first.</p>\n'
    return _section(name, "runs", f"{head}{''.join(shown)}{html.fragment(rest)}")
