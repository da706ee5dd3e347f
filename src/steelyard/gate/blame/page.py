"""What blame found, as an HTML page: the table with a chart, and the files themselves with a mark beside every part."""

from __future__ import annotations

from steelyard.gate.blame.answer import Answer, Blame, MarkedFile, PartAnswer
from steelyard.gate.blame.report import document, interval, ordered, said
from steelyard.report import html
from steelyard.report.document import Table
from steelyard.report.numbers import UNKNOWN, signed, usd

MARKS: dict[Answer, str] = {"harms": "✗", "helps": "✓", "no effect": "·", "cannot tell": "?"}

_CLASSES: dict[Answer, str] = {"harms": "bad", "helps": "good", "no effect": "soft", "cannot tell": "warn"}

_STYLE = """
.parts th[scope=row]{min-width:9rem}.parts td{min-width:5rem}
svg.effect{display:block;width:12rem;height:.9rem}
svg.effect .rail{fill:var(--rail)}svg.effect .band{fill:var(--series-1);opacity:.35}
svg.effect .dot{fill:var(--series-1)}
svg.effect .zero{fill:var(--ink)}
.marked{display:grid;grid-template-columns:max-content minmax(0,1fr);border:1px solid var(--line);margin:0 0 1.5rem}
.marked>*{padding:.3rem .6rem;border-bottom:1px solid var(--line);font-size:.85rem}
.marked pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;border-width:0 0 1px;border-radius:0}
.marked .good{color:var(--good)}.marked .warn{color:var(--warn)}.marked .bad{color:var(--bad)}
@media(max-width:40rem){.marked{grid-template-columns:6.5rem minmax(0,1fr)}svg.effect{width:9rem}}
"""


def page(blame: Blame) -> str:
    """The whole page."""
    report = document(blame)
    before = report.blocks[:1]
    after = [block for block in report.blocks[1:] if not isinstance(block, Table)]
    body = (
        f"<header><h1>{html.escape(report.title)}</h1></header>\n<main id=main>\n{html.fragment(before)}\n"
        f"{_parts(blame)}\n{''.join(_file(file, blame) for file in blame.files)}\n{html.fragment(after)}\n</main>"
    )
    return html.page(report.title, body, script=html.asset("tables.js"), style=_STYLE)


def _parts(blame: Blame) -> str:
    names = ("Part", "Answer", "Effect, 95% interval", "Tokens a run", "Cost a run", "Seconds a run")
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    reach = max((_reach(one) for one in blame.parts), default=blame.margin)
    rows = "\n".join(_row(one, blame, max(reach, blame.margin)) for _, one in ordered(blame))
    table = f"<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
    return f'<div class="scroll parts" tabindex="0">{table}</div>'


def _reach(one: PartAnswer) -> float:
    return max(abs(end) for end in (one.effect.low, one.effect.high, one.effect.value) if end is not None)


def _row(one: PartAnswer, blame: Blame, reach: float) -> str:
    costs = (
        UNKNOWN if one.tokens is None else f"{one.tokens.value:+,.0f}",
        UNKNOWN if one.usd is None else f"{'-' if one.usd.value < 0 else '+'}{usd(abs(one.usd.value))}",
        UNKNOWN if one.seconds is None else f"{one.seconds.value:+.1f}",
    )
    cells = (
        f'<td class="left {_CLASSES[one.answer]}">{MARKS[one.answer]} {html.escape(said(one, blame.margin))}</td>'
        f'<td class="left">{signed(one.effect.value)} <span class="soft">{interval(one.effect)}</span>'
        f"{_chart(one, reach)}</td>"
    )
    cells += "".join(f'<td class="right">{html.escape(cost)}</td>' for cost in costs)
    return f'<tr><th scope="row">{html.escape(one.part.name)}</th>{cells}</tr>'


def _chart(one: PartAnswer, reach: float) -> str:
    """The effect on a rail with 0 in the middle; screen readers get the numbers beside it."""

    def place(value: float) -> float:
        return 50 + 50 * value / reach

    low, high = (one.effect.value if end is None else end for end in (one.effect.low, one.effect.high))
    return (
        '<svg class="effect" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<rect class="rail" y="4" width="100" height="2"/><rect class="zero" x="49.75" width=".5" height="10"/>'
        f'<rect class="band" x="{place(low):.1f}" y="2" width="{max(place(high) - place(low), 0.5):.1f}" height="6"/>'
        f'<rect class="dot" x="{min(max(place(one.effect.value) - 0.75, 0), 98.5):.1f}" width="1.5" height="10"/></svg>'
    )


def _file(file: MarkedFile, blame: Blame) -> str:
    """The file itself, with a mark in the margin of every part."""
    rows = "".join(_stretch(part, text, blame) for part, text in file.stretches if text.strip())
    return f'<h2 id="{html.slug(file.path)}">{html.escape(file.path)}</h2>\n<div class="marked">{rows}</div>\n'


def _stretch(part: int | None, text: str, blame: Blame) -> str:
    if part is None:
        return f'<div class="soft">stays</div><pre>{html.escape(text.rstrip())}</pre>'
    one = blame.parts[part]
    margin = f"{MARKS[one.answer]} {html.escape(said(one, blame.margin))}<br>{signed(one.effect.value)}"
    return f'<div class="{_CLASSES[one.answer]}">{margin}</div><pre>{html.escape(text.rstrip())}</pre>'
