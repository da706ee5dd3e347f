"""One subject: its numbers, what it was, and the way to its items."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any, cast

from steelyard.bench.category import Category
from steelyard.bench.model import BoardRow, CategoryResult
from steelyard.bench.report.document import range_text, tie_name
from steelyard.bench.report.page.marks import badges, board_page, card, whisker
from steelyard.bench.report.page.names import items_file
from steelyard.bench.suite import Suite
from steelyard.report import html, numbers
from steelyard.report.document import Bullets, Column, table
from steelyard.report.html import escape


def subject_page(row: BoardRow, suite: Suite) -> str:
    """The page of one row of the board."""
    sections = "\n".join(_category(row, category) for category in suite.categories.values())
    body = (
        f'<header><p class="kicker"><a href="../index.html">{escape(suite.title)}</a></p>'
        f"<h1><bdi>{escape(row.model)}</bdi>{badges(row)}</h1>"
        f'<div class="cards">{_cards(row)}</div></header>\n<main id="main">\n{sections}\n{_what(row, suite)}\n</main>'
    )
    return board_page(f"{row.model} · {suite.title}", body)


def _cards(row: BoardRow) -> str:
    interval = range_text(row.interval, "no interval: not complete")
    place = "–".join(str(end) for end in dict.fromkeys(row.rank_interval)) if row.rank_interval else numbers.UNKNOWN
    return "".join(
        (
            card("Overall", numbers.percent(row.overall), interval),
            card("Rank", str(row.rank or numbers.UNKNOWN), f"may lie at {place}"),
            card("Chance of first place", numbers.percent(row.chance_first, 0), "joint bootstrap"),
            card("Tie group", tie_name(row.tie_group) or numbers.UNKNOWN, "not distinct from the best of it"),
        )
    )


def _category(row: BoardRow, category: Category) -> str:
    key, result = category.key, row.results.get(category.key)
    head = f'<section><h2 id="{key}">{escape(category.name)}</h2><p class="soft">{escape(category.description)}.</p>'
    if result is None:
        return f"{head}<p>Not run; it counts 0 in overall.</p></section>"
    ends = range_text(result.interval)
    link = html.anchor(items_file(row, key), f"All {len(result.items)} items with questions and answers")
    return (
        f'{head}<p><span class="figure big">{numbers.percent(result.score)}</span> '
        f'{whisker(result.score, result.interval)} <span class="soft">95%: {ends}</span></p><p>{link}</p>'
        f"{html.fragment([Bullets(tuple(_facts(result)))])}</section>"
    )


def _facts(result: CategoryResult) -> list[str]:
    heuristic = " (heuristic)" if result.heuristic else ""
    facts = [f"Scored by {result.scorer}{heuristic}" + (f", judged by {result.judge}" if result.judge else "")]
    each = "" if result.epochs == 1 else f", {result.epochs} per item"
    facts.append(f"{result.scored} of {result.expected} runs scored{each}")
    facts += list(result.remarks)
    if result.intent is not None:
        facts.append(
            f"Intent: {numbers.score(result.intent)} of the requirements hold on average; "
            f"{numbers.percent(result.strict, 0)} pass and meet all of them"
        )
    elif result.strict is not None and result.strict != result.score:
        facts.append(f"Strict: {numbers.percent(result.strict)}, the facts alone")
    if result.unreadable is not None:
        facts.append(f"Answers not in the form that was asked for: {numbers.percent(result.unreadable, 0)}")
    if result.failures:
        named = ((name.replace("_", " "), count) for name, count in sorted(result.failures.items()) if name != "passed")
        facts.append(f"Failures: {', '.join(f'{name} {count}' for name, count in named)}")
    used = result.usage
    facts.append(
        f"{numbers.count(used.input_tokens)} tokens in, {numbers.count(used.output_tokens)} out, "
        f"cost {numbers.usd(used.cost_usd)}, {numbers.seconds(used.seconds)} of wall time"
    )
    return facts


def _stated(row: BoardRow) -> list[tuple[str, str]]:
    """What the maintainer's file says of the model, and what its runs cost."""
    stated = row.about.model_dump(mode="json", exclude_none=True) if row.about else {}
    price = cast(dict[str, float], stated.pop("price", {}))
    facts = [(name, f"{value:g}B" if name == "size" else str(value)) for name, value in stated.items()]
    facts += [(f"{name.replace('_', ' ')}, USD per million tokens", f"{value:g}") for name, value in price.items()]
    return facts if row.cost_usd is None else [*facts, ("cost of these runs", numbers.usd(row.cost_usd))]


def _what(row: BoardRow, suite: Suite) -> str:
    rows = [["Model", str(row.details.get("model"))], ["Label", str(row.details.get("label") or numbers.UNKNOWN)]]
    rows += [[name.capitalize(), text] for name, text in _stated(row)]
    settings = cast(dict[str, Any], row.details.get("settings") or {})
    rows += [[name, json.dumps(value, ensure_ascii=False, default=str)] for name, value in settings.items()]
    rows += [["Not comparable", reason] for reason in row.incomparable]
    rows += [
        [f"Log, {suite.categories[key].name}", PurePath(path).name]
        for key, result in row.results.items()
        for path in result.logs
    ]
    facts = table([Column("What"), Column("Value")], rows)
    return f'<section><h2 id="identity">What was weighed</h2>{html.fragment([facts])}</section>'
