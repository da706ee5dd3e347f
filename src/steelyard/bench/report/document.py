"""A board as a document: what the terminal and Markdown show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from steelyard.bench.analysis.front import ordered
from steelyard.bench.category import Category
from steelyard.bench.model import OVERALL, Board, BoardRow, CategoryResult, Ignored, Pair, items_hashes
from steelyard.bench.report.models import HEAD, models
from steelyard.bench.report.reading import BY_SIZE, legend, reading
from steelyard.bench.report.separation import sentences
from steelyard.bench.suite import OFFICIAL, Suite
from steelyard.errors import one_line
from steelyard.report import numbers
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Heading, Paragraph, Table, table
from steelyard.stats.interval import Interval

PARTED = " ≠"
"""Marks a strict score far below the overall one."""
NOT_RUN = "not run"
WITHHELD = "withheld"


def document(board: Board, *, listed: int | None = None) -> Document:
    """The board with its notes; at most `listed` remarks, and logs that do not count, are named one by one."""
    blocks: list[Block] = [standings(board)]
    blocks += [Paragraph(sentence, "warn") for sentence in sentences(board)]
    blocks.append(Paragraph(" ".join((LEGEND, *beside_notes(board), *heuristic_note(board))), "muted"))
    if remarks := _remarks(board):
        blocks.append(Bullets(_some(remarks, listed)))
    if neighbours := _neighbours(board):
        blocks += [Heading("Is the difference real?"), neighbours, Paragraph(legend(board.suite), "muted")]
    if facts := models(board):
        blocks += [Heading(HEAD), *facts]
    blocks += [Paragraph(text, "muted") for text in (*variance(board.suite), *_items_line(board))]
    blocks += _ignored(board.ignored, listed)
    return Document(_title(board), tuple(blocks))


LEGEND = (
    "95%: where the overall score may lie. Tie: rows with one letter cannot be told apart from the best of them; base "
    "is a baseline, part is not a full run, other is not comparable. A star marks a partial score."
)
"""What the columns of every board mean."""


def beside_notes(board: Board) -> list[str]:
    """What the columns mean that only some suites have."""
    notes: list[str] = []
    if board.suite.strict:
        notes.append("Strict: the overall score with only what meets its whole task; ≠ where it is more than 5 lower.")
    if asks_for_form(board.suite):
        notes.append("Unread: answers not in the form that was asked for.")
    return notes


def asks_for_form(suite: Suite) -> bool:
    """Whether a category of the suite asks for answers in a form that can be missed."""
    return any(category.unreadable for category in suite.categories.values())


def heuristic_note(board: Board) -> list[str]:
    """One sentence that names the categories with heuristic scores; none if there are none."""
    keys = {key for row in board.rows for key, result in row.results.items() if result.heuristic}
    names = [category.short for key, category in board.suite.categories.items() if key in keys]
    return [f"{' and '.join(names)}: a heuristic score, computed without a model."] if names else []


def variance(suite: Suite = OFFICIAL) -> list[str]:
    """The expected variance between runs, printed with every board whose categories state one."""
    known = [category for category in suite.categories.values() if category.expected_variance]
    parts = [f"{category.name} {category.expected_variance}" for category in known]
    parts.append(f"overall {numbers.margin(suite.margin)}")
    return [f"Expected variance between runs: {'; '.join((', '.join(parts[:-1]), parts[-1]))}."] if known else []


def standings(board: Board) -> Table:
    """The table of the board: rank, subject, overall with bar and interval, categories, tie group."""
    columns = [
        Column("#", "right", spare=1),
        Column("Model", shrink=True),
        Column("Overall"),
        Column("95%", "right", spare=3),
        *[Column("Strict", "right", spare=5)] * board.suite.strict,
        *(Column(category.short, "right", spare=2) for category in board.suite.categories.values()),
        Column("Tie", spare=4),
        *[Column("Unread", "right", spare=6)] * asks_for_form(board.suite),
    ]
    return table(columns, [_row(row, board.suite) for row in ordered(board)])


def tie_name(group: int | None) -> str:
    """1 → A, 26 → Z, 27 → AA."""
    name = ""
    while group:
        group, letter = divmod(group - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def score_text(result: CategoryResult | None) -> str:
    """A category score as a person reads it; a partial one carries a star."""
    if result is None:
        return NOT_RUN
    if result.score is None:
        return WITHHELD
    return numbers.percent(result.score, 0) + ("" if result.complete else "*")


def range_text(interval: Interval | None, unknown: str = numbers.UNKNOWN) -> str:
    """An interval as a person reads it."""
    return unknown if interval is None else numbers.percent_range(interval.low, interval.high)


def _row(row: BoardRow, suite: Suite) -> list[Cell | str]:
    share = f"{numbers.percent(row.overall):>5}"
    return [
        str(row.rank) if row.rank else numbers.UNKNOWN,
        Cell(row.model, "muted" if row.baseline else "plain"),
        Cell(WITHHELD, "bad") if row.overall is None else Cell(share, bar=row.overall),
        range_text(row.interval),
        *[_strict(row)] * suite.strict,
        *(_score(row.results.get(key)) for key in suite.categories),
        _group(row),
        *[_unreadable(row)] * asks_for_form(suite),
    ]


def _score(result: CategoryResult | None) -> Cell:
    text = score_text(result)
    return Cell(text, "muted" if result is None else "bad" if result.score is None else "plain")


def _group(row: BoardRow) -> Cell:
    if row.baseline:
        return Cell("base", "muted")
    if row.incomparable:
        return Cell("other", "muted")
    return Cell(tie_name(row.tie_group) or "part", "plain" if row.tie_group else "muted")


def strict_text(row: BoardRow) -> str:
    """The strict score; `≠` marks one far below the overall score."""
    return numbers.percent(row.strict) + (PARTED if row.parted else "")


def unreadable_text(row: BoardRow) -> str:
    """The share of unreadable answers in the category that is worst in this respect."""
    shares = [result.unreadable for result in row.results.values() if result.unreadable is not None]
    return numbers.percent(max(shares), 0) if shares else numbers.UNKNOWN


def _strict(row: BoardRow) -> Cell:
    return Cell(strict_text(row), "warn" if row.parted else "plain")


def _unreadable(row: BoardRow) -> Cell:
    text = unreadable_text(row)
    return Cell(text, "plain" if text in ("0%", numbers.UNKNOWN) else "warn")


def _remarks(board: Board) -> list[str]:
    lines: list[str] = []
    categories = board.suite.categories
    for row in board.rows:
        for key, result in row.results.items():
            if not result.complete:
                lines.append(f"{row.model}: {_partial(categories[key].name, result)}")
        if row.parted:
            lines.append(f"{row.model}: overall {numbers.percent(row.overall)}, strict {_strictly(row, categories)}")
        if row.missing and len(row.missing) < len(categories):
            names = ", ".join(categories[key].name for key in row.missing)
            lines.append(f"{row.model}: {names} not run; counts 0 in overall")
    return lines + list(board.notes)


def _strictly(row: BoardRow, categories: Mapping[str, Category]) -> str:
    """The strict score with the categories that make the difference."""
    parts = [
        f"{categories[key].name} {numbers.percent(result.score, 0)} → {numbers.percent(result.strict, 0)}"
        for key, result in row.results.items()
        if result.strict != result.score
    ]
    return f"{numbers.percent(row.strict)} ({', '.join(parts)})"


def _partial(name: str, result: CategoryResult) -> str:
    text = f"{name} {result.scored} of {result.expected} runs scored"
    if result.remarks:
        text += f" ({one_line('; '.join(result.remarks), 200)})"
    if result.score is None:
        text += "; no number is published that failures shaped which are not the model's: run again, or rescore"
    return text


def _neighbours(board: Board) -> Table | None:
    """Each ranked subject against the next one below."""
    ranked = [row.model for row in board.rows if row.rank is not None]
    pairs = {(pair.first, pair.second): pair for pair in board.pairs if pair.category == OVERALL}
    declares = board.suite.declares
    known = [pairs.get((one, two)) or pairs.get((two, one)) for one, two in pairwise(ranked)]
    rows = [_pair(pair, declares) for pair in known if pair]
    heads = [Column("Model", shrink=True), Column("against", shrink=True), Column("Δ", "right")]
    heads += [Column("Reading"), *[Column(BY_SIZE, spare=1)] * declares]
    return table(heads, rows) if rows else None


def _pair(pair: Pair, declares: bool) -> list[Cell | str]:
    cells: list[Cell | str] = [pair.first, pair.second, numbers.signed(pair.delta), reading(pair)]
    return [*cells, Cell(pair.declared or numbers.UNKNOWN, "muted")] if declares else cells


def _ignored(ignored: Sequence[Ignored], listed: int | None) -> list[Block]:
    if not ignored:
        return []
    named = [f"{entry.kind}: {entry.path}: {entry.reason}" for entry in ignored]
    return [Heading(f"Logs that do not count ({len(ignored)})"), Bullets(_some(named, listed))]


def _some(lines: Sequence[str], listed: int | None) -> tuple[str, ...]:
    """At most `listed` lines, and how many more there are."""
    if listed is None or len(lines) <= listed:
        return tuple(lines)
    return (*lines[:listed], f"and {len(lines) - listed} more")


def _items_line(board: Board) -> list[str]:
    """The hash of private items: it says which were asked, to somebody who has them."""
    if not board.suite.private:
        return []
    hashes = items_hashes(board)
    named = [f"{board.suite.categories[key].name} {digest}" for key, digest in hashes.items()]
    return [f"Private items, sha256: {', '.join(named)}"]


def _title(board: Board) -> str:
    ranked = sum(row.rank is not None for row in board.rows)
    base = sum(row.baseline for row in board.rows)
    subjects, baselines = numbers.things(len(board.rows), "subject"), numbers.things(base, "baseline")
    return f"{board.suite.title}: {subjects} ({ranked} ranked, {baselines}), {board.generated_at[:10]}"
