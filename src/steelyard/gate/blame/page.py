"""What blame found, as an HTML page: the report, and the files themselves with a mark beside every part."""

from __future__ import annotations

from steelyard.gate.blame.answer import Blame
from steelyard.gate.blame.recipe import Lines, Segment
from steelyard.gate.blame.report import TONES, document, said
from steelyard.report import html
from steelyard.report.document import TONE_MARKS, Table
from steelyard.report.numbers import signed

_STYLE = """
.marked{display:grid;grid-template-columns:max-content minmax(0,1fr);border:1px solid var(--line);margin:0 0 1.5rem}
.marked>*{padding:.3rem .6rem;border-bottom:1px solid var(--line);font-size:.85rem}
.marked pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;border-width:0 0 1px;border-radius:0}
.marked .good{color:var(--good)}.marked .warn{color:var(--warn)}.marked .bad{color:var(--bad)}
@media(max-width:40rem){.marked{grid-template-columns:6.5rem minmax(0,1fr)}}
"""


def page(blame: Blame) -> str:
    """The whole page."""
    report = document(blame)
    # The files stand below the table of parts.
    place = next(number for number, block in enumerate(report.blocks, 1) if isinstance(block, Table))
    files = "".join(_file(file, blame) for file in blame.files)
    body = (
        f"<header><h1>{html.escape(report.title)}</h1></header>\n<main id=main>\n"
        f"{html.fragment(report.blocks[:place])}\n{files}\n{html.fragment(report.blocks[place:])}\n</main>"
    )
    return html.page(report.title, body, script=html.asset("tables.js"), style=_STYLE)


def _file(file: Lines, blame: Blame) -> str:
    """The file itself, with a mark in the margin of every part."""
    rows = "".join(_segment(one, blame) for one in file.segments if one.present.strip())
    return f'<h2 id="{html.slug(file.path)}">{html.escape(file.path)}</h2>\n<div class="marked">{rows}</div>\n'


def _segment(segment: Segment, blame: Blame) -> str:
    text = html.escape(segment.present.decode("utf-8", "replace").rstrip())
    if segment.part is None:
        return f'<div class="muted">stays</div><pre>{text}</pre>'
    one = blame.parts[segment.part]
    tone = TONES[one.answer]
    margin = f"{TONE_MARKS[tone]}{html.escape(said(one, blame.margin))}<br>{signed(one.effect.value)}"
    return f'<div class="{tone}">{margin}</div><pre>{text}</pre>'
