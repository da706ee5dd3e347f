"""The HTML page of a result: the report, and each run's text with its evidence highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from steelyard.audit.model import SYMBOLS, Finding, Result, RunResult
from steelyard.audit.report.document import FINDINGS_HEADING, result_document
from steelyard.report import html
from steelyard.report.numbers import points

_STYLE = """
.run-text { white-space: pre-wrap; overflow-wrap: anywhere; font-family: var(--mono); font-size: .85rem;
  line-height: 1.5;
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; max-width: none; }
.run-text mark { color: inherit; background: var(--brass-soft); border-bottom: 2px solid var(--brass); }
.run-text mark.bonus { border-bottom-color: var(--good); background: none; }
.run-text mark.penalty { border-bottom: 2px dashed var(--bad); background: none; }
.run-text mark b { font: 600 .75em var(--sans); color: var(--soft); margin-right: .3em; }
"""


class Highlight(NamedTuple):
    """A highlighted stretch of a run's text."""

    start: int
    end: int
    label: str
    kind: str
    """`problem`, `bonus` or `penalty`."""
    hint: str


def result_page(result: Result) -> str:
    """The whole page."""
    report = result_document(result)
    texts = "\n".join(_run(number, run) for number, run in enumerate(result.runs, start=1))
    # The page shows the texts themselves, so it leaves out the list of findings at the end of the report.
    blocks = report.blocks[: report.blocks.index(FINDINGS_HEADING)]
    body = (
        f"<header><h1>{html.escape(report.title)}</h1></header>\n<main id=main>\n{html.fragment(blocks)}\n"
        f'<h2 id="texts">The runs, with evidence</h2>\n{texts}\n</main>'
    )
    return html.page(report.title, body, script=html.asset("tables.js"), style=_STYLE)


def _run(number: int, run: RunResult) -> str:
    inner = "".join(_marked(run.output.text, spans(run)))
    head = html.escape(f"Run {number}: {run.output.name}, {points(run.score)} points")
    return f'<details open><summary>{head}</summary>\n<div class="run-text" tabindex="0">{inner}</div>\n</details>'


def spans(run: RunResult) -> list[Highlight]:
    """Where the evidence is, without overlaps, in the order of the text."""
    lines = _line_starts(run.output.text)
    findings = {finding.index: finding for finding in run.output.findings}
    candidates: list[Highlight] = []
    for cell in run.cells:
        if cell.finding in findings:
            place = _place(run.output.text, lines, findings[cell.finding], cell.quote)
            candidates.append(Highlight(*place, f"{cell.problem} {SYMBOLS[cell.mark]}", "problem", cell.note))
    for extra in run.extras:
        if extra.verdict != "neither" and extra.finding in findings:
            place = _place(run.output.text, lines, findings[extra.finding])
            candidates.append(Highlight(*place, extra.verdict, extra.verdict, extra.reason))
    return _without_overlaps(candidates)


def find(text: str, quote: str, start: int = 0) -> tuple[int, int] | None:
    """Where `quote` is in `text`, after `start` if possible; white space and emphasis may differ."""
    words = [re.escape(word) for word in re.findall(r"[^\s*_`]+", quote)]
    if not words:
        return None
    pattern = re.compile(r"[\s*_`]+".join(words), re.IGNORECASE)
    match = pattern.search(text, start) or pattern.search(text)
    return match.span() if match else None


def _place(text: str, lines: Sequence[int], finding: Finding, quote: str = "") -> tuple[int, int]:
    """The quote, else the finding's title, else its first line."""
    start = lines[min(finding.line, len(lines)) - 1]
    title = finding.title.removesuffix("…")
    return find(text, quote, start) or find(text, title, start) or _line(text, lines, finding.line)


def _line_starts(text: str) -> list[int]:
    return [0, *(line_end.end() for line_end in re.finditer("\n", text))]


def _line(text: str, starts: Sequence[int], number: int) -> tuple[int, int]:
    start = starts[min(number, len(starts)) - 1]
    end = text.find("\n", start)
    return start, len(text) if end < 0 else end


def _without_overlaps(candidates: list[Highlight]) -> list[Highlight]:
    kept: list[Highlight] = []
    for span in sorted(candidates, key=lambda span: (span.start, span.kind != "problem")):
        if span.end > span.start and (not kept or span.start >= kept[-1].end):
            kept.append(span)
    return kept


def _marked(text: str, highlights: Sequence[Highlight]) -> Iterator[str]:
    position = 0
    for span in highlights:
        yield html.escape(text[position : span.start])
        hint = f' title="{html.escape(span.hint)}"' if span.hint else ""
        inner = f"<b>{html.escape(span.label)}</b>{html.escape(text[span.start : span.end])}"
        yield f'<mark class="{span.kind}"{hint}>{inner}</mark>'
        position = span.end
    yield html.escape(text[position:])
