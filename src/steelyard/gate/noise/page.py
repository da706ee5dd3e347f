"""A noise record as an HTML page: a row per task with its flake rate and interval, the floor, and every policy."""

from __future__ import annotations

from steelyard.gate.evidence.noise import Noise, NoisyTask
from steelyard.gate.noise.report import checks, document, ordered
from steelyard.report import html
from steelyard.report.document import Heading, Table
from steelyard.report.numbers import percent, percent_range, score

_STYLE = """
.tasks th[scope=row]{min-width:8.5rem}.tasks td.left{min-width:13rem}
svg.range{display:block;width:9rem;margin:.2rem 0 0 auto;height:.8rem}
svg.range .rail{fill:var(--rail)}svg.range .band{fill:var(--series-1);opacity:.35}svg.range .dot{fill:var(--series-1)}
"""


def page(noise: Noise) -> str:
    """The whole page."""
    report = document(noise)
    place = next(number for number, block in enumerate(report.blocks) if block == Heading("Tasks", 2))
    before, after = report.blocks[: place + 1], report.blocks[place + 1 :]
    rest = [block for block in after if not isinstance(block, Table)]
    body = (
        f"<header><h1>{html.escape(report.title)}</h1></header>\n<main id=main>\n{html.fragment(before)}\n"
        f"{_tasks(noise)}\n{html.fragment(rest)}\n</main>"
    )
    return html.page(report.title, body, script=html.asset("tables.js"), style=_STYLE)


def _tasks(noise: Noise) -> str:
    names = ("Task", "Flake rate, 95% interval", "Runs", "sd of the composite", "Checks that vary")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "\n".join(_row(task) for task in ordered(noise))
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    return f'<div class="scroll tasks" tabindex="0">{table}</div>'


def _row(task: NoisyTask) -> str:
    interval = percent_range(task.flake_low, task.flake_high)
    cells = (
        f'<td class="right">{percent(task.flake_rate, 0)} <span class="soft">{interval}</span>{_range(task)}</td>'
        f'<td class="right">{task.runs}</td><td class="right">{score(task.composite_sd)}</td>'
        f'<td class="left">{html.escape(checks(task))}</td>'
    )
    return f'<tr><th scope="row">{html.escape(task.task)}</th>{cells}</tr>'


def _range(task: NoisyTask) -> str:
    """The flake rate on a rail from 0 to 100%, with its interval; screen readers get the numbers beside it."""
    low, high, middle = (100 * share for share in (task.flake_low, task.flake_high, task.flake_rate))
    return (
        '<svg class="range" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        f'<rect class="rail" y="4" width="100" height="2"/><rect class="band" x="{low:.1f}" y="2" '
        f'width="{max(high - low, 0.5):.1f}" height="6"/>'
        f'<rect class="dot" x="{min(max(middle - 0.75, 0), 98.5):.1f}" y="0" width="1.5" height="10"/></svg>'
    )
