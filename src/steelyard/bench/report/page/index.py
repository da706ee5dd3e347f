"""The first page: who is best, how certain that is, and where to look next."""

from __future__ import annotations

from steelyard.bench.model import Board, BoardRow
from steelyard.bench.report.document import (
    asks_for_form,
    beside_notes,
    heuristic_note,
    range_text,
    strict_text,
    tie_name,
    unreadable_text,
)
from steelyard.bench.report.models import HEAD, models
from steelyard.bench.report.page.breakdown import breakdowns
from steelyard.bench.report.page.figures import costs, failures, heat, intervals
from steelyard.bench.report.page.marks import badges, board_page, card, filter_field, score_cell, subject_link, whisker
from steelyard.bench.report.page.matrix import LARGEST, matrices
from steelyard.bench.report.page.names import subject_file
from steelyard.bench.report.page.words import headline, methodology, reading
from steelyard.bench.report.separation import sentences
from steelyard.bench.suite import Suite
from steelyard.report import html, numbers
from steelyard.report.document import Bullets, Details, Paragraph, table
from steelyard.report.html import escape


def index(board: Board, *, viewer: bool, home: str = "") -> str:
    """The whole page; `viewer` links Inspect's log viewer beside it, `home` the page that leads here."""
    parts = [
        _header(board, home),
        '<main id="main">',
        _standings(board),
        _models(board),
        _section("Scores with their intervals", html.figure(intervals(board))),
        _section("By category", html.figure(heat(board))),
        _section("By domain, difficulty and subtype", breakdowns(board)),
        _section("Who is really different from whom", matrices(board) + _left_out(board)),
        _section("How answers fail", html.fragment(failures(board))),
        _section("What it takes", html.fragment(costs(board))),
        _section("How to read this", html.fragment([Bullets(tuple(reading(board)))])),
        _section("Method", html.fragment(methodology(board))),
        _section("Data", _data(board, viewer)),
        "</main>",
    ]
    return board_page(board.suite.title, "\n".join(parts), description=headline(board))


def _header(board: Board, home: str) -> str:
    ranked = sum(row.rank is not None for row in board.rows)
    base = sum(row.baseline for row in board.rows)
    cards = [
        card("Ranked", str(ranked), "complete and comparable"),
        card("Other rows", str(len(board.rows) - ranked), f"{base} of them baselines"),
        card("Items", str(board.suite.sample_count), f"in {len(board.suite.categories)} categories"),
        card("Made", board.generated_at[:10], board.run_id),
    ]
    title = f"{board.suite.title}: {board.suite.question}" if board.suite.question else board.suite.title
    return (
        '<header><p class="kicker">Steelyard · leaderboard</p><h1>'
        f"{escape(title)}</h1>"
        f'<p class="lead">{escape(headline(board))}</p>{_ways(board, home)}'
        f'<div class="cards">{"".join(cards)}</div></header>'
    )


def _ways(board: Board, home: str) -> str:
    """Where to go from here."""
    links = [html.way_home(home), html.anchor("items.html", "All items × models")]
    if len(board.rows) > 1:
        links.append(html.anchor("compare.html", "Compare two models"))
    return f'<nav class="ways" aria-label="More pages">{"".join(links)}</nav>'


def _standings(board: Board) -> str:
    heads = [("#", "right"), ("Model", "left"), ("Tie", "center"), ("Overall", "left"), ("95%", "right")]
    heads += [("Strict", "right")] * board.suite.strict
    heads += [(category.short, "right") for category in board.suite.categories.values()]
    heads += [("Unread", "right")] * asks_for_form(board.suite)
    heads += [("Place", "right"), ("First", "right")]
    head = "".join(f'<th scope="col" class="{align}">{escape(name)}</th>' for name, align in heads)
    rows = "\n".join(_row(row, board.suite) for row in board.rows)
    return (
        '<section aria-labelledby="standings"><h2 id="standings">Standings</h2>'
        f"{filter_field('data-filter', 'board', 'model, maker, baseline')}"
        f"{html.scrolled('Standings', 'id=board data-sortable', head, rows)}"
        f"{html.fragment([Paragraph(sentence, 'warn') for sentence in sentences(board)])}"
        '<p class="soft">Rows with the same letter cannot be told apart from the best of them. Place: where the rank '
        f"may lie. First: the chance of being best. {escape(' '.join([*beside_notes(board), *heuristic_note(board)]))}"
        f"</p>{html.fragment([Bullets(board.notes)] if board.notes else [])}</section>"
    )


def _row(row: BoardRow, suite: Suite) -> str:
    tone = ' class="baseline"' if row.baseline else ""
    order = -1.0 if row.overall is None else row.overall
    cells = _strict(row) if suite.strict else ""
    cells += "".join(score_cell(row.results.get(key)) for key in suite.categories)
    cells += f'<td class="right soft">{unreadable_text(row)}</td>' if asks_for_form(suite) else ""
    return (
        f'<tr{tone}><td class="right" data-order="{row.rank or 9999}">{row.rank or numbers.UNKNOWN}</td>'
        f'<th scope="row">{subject_link(row)}{badges(row)}</th><td class="center">{_tie(row)}</td>'
        f'<td data-order="{order:.6f}"><span class="figure">{numbers.percent(row.overall)}</span>'
        f"{whisker(row.overall, row.interval, muted=row.rank is None)}</td>"
        f'<td class="right soft">{range_text(row.interval)}</td>{cells}<td class="right soft">{_place(row)}</td>'
        f'<td class="right soft">{numbers.percent(row.chance_first, 0)}</td></tr>'
    )


def _strict(row: BoardRow) -> str:
    order = -1.0 if row.strict is None else row.strict
    tone = " warn" if row.parted else ""
    return f'<td class="right{tone}" data-order="{order:.6f}">{strict_text(row)}</td>'


def _place(row: BoardRow) -> str:
    if row.rank_interval is None:
        return numbers.UNKNOWN
    low, high = row.rank_interval
    return str(low) if low == high else f"{low}–{high}"


def _tie(row: BoardRow) -> str:
    return f'<span class="tie">{tie_name(row.tie_group)}</span>' if row.tie_group else numbers.UNKNOWN


def _models(board: Board) -> str:
    facts = models(board, lambda row: f"models/{subject_file(row)}")
    return _section(HEAD, html.fragment(facts)) if facts else ""


def _section(title: str, body: str) -> str:
    name = html.slug(title)
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>\n{body}\n</section>'


def _left_out(board: Board) -> str:
    ranked = sum(row.rank is not None for row in board.rows)
    return f'<p class="soft">The first {LARGEST} of {ranked} subjects are shown.</p>' if ranked > LARGEST else ""


def _data(board: Board, viewer: bool) -> str:
    links = (
        '<p><a href="leaderboard.json" download>leaderboard.json</a> · '
        '<a href="leaderboard.csv" download>leaderboard.csv</a></p>'
    )
    if viewer:
        links += (
            "<p><a href='viewer/index.html'>Transcripts in Inspect's log viewer</a>, when the folder is served: "
            "steelyard view FOLDER</p>"
        )
    if not board.ignored:
        return links
    columns = ["Why", "Log", "Reason"]
    rows = [[entry.kind, entry.path, entry.reason] for entry in board.ignored]
    folded = Details(f"Logs that do not count ({len(rows)})", (table(columns, rows),))
    return links + html.fragment([folded])
