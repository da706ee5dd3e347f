"""What a reader of the page should know, in words."""

from __future__ import annotations

from steelyard.bench.category import Category
from steelyard.bench.model import BASELINES, Board, BoardRow, items_hashes
from steelyard.bench.report.document import range_text, variance
from steelyard.bench.report.reading import by_size
from steelyard.bench.suite import Suite
from steelyard.report import numbers
from steelyard.report.document import Block, Bullets, Column, Heading, Paragraph, Table, table

_READING: tuple[str, ...] = (
    "The mark is the score, the band its 95% interval: with this few items, a score is a range, not a point.",
    "A tie group holds everything that is not measurably different from its best member. Ranks inside a group are "
    "order, not evidence.",
    "Reading of a difference: paired on the same items and corrected for all pairs (Holm). Distinct; equivalent, "
    "which is inside the margin for certain; or unresolved, with the number of items that would settle it.",
    "Scores are shares of points inside each category's method, not school marks: compare subjects within a category, "
    "and use overall as a summary.",
    "Not run counts 0 in overall, and the row takes no rank. Withheld means that our own failures would have shaped "
    "the number, so there is none.",
)
"""How to read a page, whatever it is about."""


def reading(board: Board) -> list[str]:
    """How to read the page."""
    lines = list(_READING)
    if any(row.details.get("model") in BASELINES for row in board.rows):
        lines.append("Ceiling answers with the references, floor with seeded guesses: the ends of the scale, no rank.")
    if board.suite.declares:
        lines.append(by_size(board.suite))
    if board.suite.strict:
        lines.append(
            "Strict: the same weights, but an app counts only if it also meets every requirement of its task, and an "
            "architecture counts by its facts alone. ≠ marks a row whose strict score is more than 5 points lower."
        )
    return lines


def headline(board: Board) -> str:
    """The board in one or two sentences."""
    ranked = [row for row in board.rows if row.rank is not None]
    if not ranked:
        count = {2: "two", 3: "three", 4: "four"}.get(len(board.suite.categories), str(len(board.suite.categories)))
        return f"No model has run all {count} categories in full yet, so nobody takes a rank; baselines never do."
    best = ranked[0]
    text = f"{best.model} {'leads' if len(ranked) > 1 else 'scores'} with {_range(best)}"
    peers = [row for row in ranked[1:] if row.tie_group == best.tie_group]
    if len(ranked) == 1:
        return f"{text}. It is the only ranked subject."
    if not peers:
        return f"{text}, measurably ahead of all others."
    if len(peers) == 1:
        return f"{text}; {peers[0].model} cannot be told apart from it."
    return f"{text}; {len(peers)} others cannot be told apart from it."


def methodology(board: Board) -> list[Block]:
    """How the numbers come about."""
    weights = " + ".join(f"{category.weight:g} · {category.name}" for category in board.suite.categories.values())
    intervals = (
        "Binary categories: Wilson intervals. Rubric: t intervals. Overall: standard errors propagated through the "
        f"weights. Rank intervals: 2,000 joint bootstrap draws of the items, seed {board.spec.seed}. Several runs of "
        "one item are averaged first: the item is the unit."
    )
    published = (
        f"A number is published when at least {numbers.percent(board.spec.min_coverage, 0)} of what was started has a "
        "score; what our own machinery broke is unscored, never 0."
    )
    repeat = (
        "Temperature 0, the full dataset, a pinned model name; each log records seeds and versions.",
        "A fresh run is reproducible when its overall is within the margin of the published one: "
        "bench compare --reproduce.",
    )
    return [
        Paragraph(f"Overall = {weights}, between 0 and 1."),
        _categories(board.suite),
        *_hashes(board),
        Paragraph(intervals),
        *(Paragraph(text) for text in variance(board.suite)),
        Paragraph(published),
        *([Heading("Repeating a run", 3), Bullets(repeat)] if board.suite.declares else []),
    ]


def _hashes(board: Board) -> list[Block]:
    """Which items were asked, of boards whose items are not shipped."""
    hashes = items_hashes(board) if not board.suite.shipped else {}
    lines = tuple(f"{board.suite.categories[key].name}: hash of the items {digest}" for key, digest in hashes.items())
    return [Bullets(lines)] if lines else []


def _categories(suite: Suite) -> Table:
    """The categories and what is declared about them."""
    heads = ["Items", "Scoring", "Weight", "Margin", *(["Confidence", "Between runs"] if suite.declares else [])]
    rows = [_category(category)[: len(heads) + 1] for category in suite.categories.values()]
    return table(["Category", *(Column(name, "right") for name in heads)], rows)


def _category(category: Category) -> list[str]:
    figures = [str(category.sample_count), category.scoring, f"{category.weight:.2f}", numbers.margin(category.margin)]
    return [category.name, *figures, category.confidence, category.expected_variance]


def _range(row: BoardRow) -> str:
    ends = f" ({range_text(row.interval)})" if row.interval else ""
    return f"{numbers.percent(row.overall)}{ends}"
