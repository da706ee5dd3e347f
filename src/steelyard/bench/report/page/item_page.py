"""The items of one subject in one category: question, answer, score and explanation, each behind one line."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.bench.model import BoardRow, ItemFacts
from steelyard.bench.read.answers import Answer
from steelyard.bench.report.page.marks import board_page, filter_field
from steelyard.bench.report.page.names import item_anchor, subject_file
from steelyard.bench.suite import Suite
from steelyard.outcome import Scored
from steelyard.report import numbers
from steelyard.report.html import escape

LONGEST = 20_000
"""Characters of one text that a page shows."""


def item_page(row: BoardRow, key: str, answers: Iterable[Answer], suite: Suite, *, reveal: bool) -> str:
    """The page of one subject's items in one category."""
    facts = row.results[key].facts
    ordered = sorted(answers, key=lambda answer: (answer.id, answer.epoch))
    items = "\n".join(_item(answer, facts.get(answer.id, ItemFacts(""))) for answer in ordered)
    name = suite.categories[key].name
    hidden = "" if reveal else "<p class='soft'>Reference answers are not shown.</p>"
    if any(answer.transcript for answer in ordered):
        hidden += "<p class='soft'>Transcripts open when the folder is served: steelyard view FOLDER.</p>"
    body = (
        f'<header><p class="kicker"><a href="../index.html">{escape(suite.title)}</a> · <a href="{subject_file(row)}">'
        f"<bdi>{escape(row.model)}</bdi></a></p><h1>{escape(name)}</h1>{hidden}"
        f"{filter_field('data-filter-items', 'items', 'id, word, failed, solved')}</header>\n"
        f'<main id="main"><div id="items">\n{items}\n</div></main>'
    )
    return board_page(f"{name} · {row.model}", body)


def _item(answer: Answer, facts: ItemFacts) -> str:
    value = answer.outcome.value if isinstance(answer.outcome, Scored) else None
    state = "unscored" if value is None else "solved" if value >= 1 else "failed" if value <= 0 else "partly"
    sign = {"unscored": "?", "solved": "✓", "failed": "✗", "partly": "◐"}[state]
    epoch = f" · run {answer.epoch}" if answer.epoch > 1 else ""
    named = answer.failure if answer.failure and state != "solved" else ""
    failure = f' <span class="badge">{escape(named.replace("_", " "))}</span>' if named else ""
    return (
        f'<details class="item {state}" id="{item_anchor(answer.id, answer.epoch)}"><summary>'
        f'<span class="sign">{sign}</span> <span class="soft"><bdi>{escape(answer.id)}</bdi>{epoch}</span> '
        f'<bdi class="title">{escape(facts.title)}</bdi> <span class="figure">{numbers.score(value, 2)}</span> '
        f'<span class="soft">{state}</span>{failure}</summary>\n'
        f"{_inside(answer, facts)}\n</details>"
    )


def _inside(answer: Answer, facts: ItemFacts) -> str:
    parts = [("Question", answer.question)]
    if answer.choices:
        parts.append(("Choices", "\n".join(f"{chr(65 + place)}) {text}" for place, text in enumerate(answer.choices))))
    parts.append(("Answer", answer.answer or "(empty)"))
    if not isinstance(answer.outcome, Scored):
        parts.append(("Unscored", f"{answer.outcome.fault}: {answer.outcome.reason}"))
    # Some scorers repeat the answer in their explanation.
    why = answer.explanation.replace(answer.answer, "").strip() if answer.answer else answer.explanation
    if why:
        parts.append(("Explanation", why))
    if answer.reference:
        parts.append(("Reference", answer.reference))
    figures = [f"{name} {value}" for name, value in answer.notes]
    if answer.seconds is not None:
        figures.append(numbers.seconds(answer.seconds))
    if answer.output_tokens is not None:
        figures.append(numbers.things(answer.output_tokens, "output token"))
    notes = " · ".join([value for values in facts.groups.values() for value in values] + figures)
    link = f'<p><a href="{escape(answer.transcript)}">Transcript</a></p>' if answer.transcript else ""
    shown = "".join(f"<h3>{name}</h3><pre tabindex=0>{escape(_cut(text))}</pre>" for name, text in parts)
    return (f'<p class="soft">{escape(notes)}</p>' if notes else "") + link + shown


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… {len(text) - LONGEST} more characters"
