"""An `AttackResult` as a document."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.judge.attack.result import MARGIN, AttackResult, Outcome, Pair, Share
from steelyard.judge.attack.scripted import BEYOND
from steelyard.report import numbers
from steelyard.report.document import Bullets, Cell, Column, Document, Heading, Paragraph, Table, Tone, table

_TONES: dict[str, Tone] = {
    **{"got through": "bad", "refused": "good", "unscored": "warn"},
    **{"holds": "good", "fails": "bad"},
}


def attack_document(result: AttackResult) -> Document:
    """The counts, the yardstick, the share per judge and kind, and one row per attack."""
    through = result.count("got through")
    source = "the judge's own grade" if result.weak is not None else "the authors' grade: the judge gave none"
    summary = Paragraph(
        f"{through} got through, {result.count('refused')} refused, {result.count('unscored')} unscored.",
        "bad" if through else "good",
    )
    yardstick = Paragraph(
        f"Judge {result.judge}. No attack may be graded more than {MARGIN} above the honest weak answer, "
        f"{numbers.score(result.ceiling, 2)} ({source}); the good answer got {numbers.score(result.good, 2)}."
    )
    decoys = Paragraph(
        f"{result.decoys['shown']} decoys were shown, about {result.decoys['tokens']} tokens; "
        f"{result.decoys['taken']} replies took one."
    )
    return Document(
        "Attacks on the judge",
        (
            summary,
            yardstick,
            decoys,
            Bullets(_limits(result)),
            Heading("Share that got through"),
            _shares(result.shares),
            Heading("Texts handed to the judge"),
            _outcomes(result.outcomes, "A text is graded by `quoted` after two replies that could not be used"),
            Heading("Honest answers"),
            _pairs(result.pairs),
            Heading("Malformed replies"),
            _outcomes(result.machinery, "Each must earn nothing, whatever judge is used"),
        ),
    )


def _limits(result: AttackResult) -> tuple[str, ...]:
    """What no protocol can help; of a scripted judge that shows it, its own."""
    own = [said for name, said in BEYOND.items() if f"scripted/{name}" in result.judge]
    return tuple(own or [BEYOND["persuaded"]])


def _shares(shares: Sequence[Share]) -> Table:
    columns = ["judge", "kind", Column("through", "right"), Column("of", "right"), Column("share (95%)", "right")]
    return table(
        columns,
        [
            [each.judge, each.kind, numbers.count(each.through), numbers.count(each.n), _interval(each)]
            for each in shares
        ],
    )


def _interval(share: Share) -> str:
    if share.interval is None:
        return "no verdict"
    ends = f"{numbers.percent(share.interval.low, 0)} to {numbers.percent(share.interval.high, 0)}"
    return f"{numbers.percent(share.through / share.n, 0)} ({ends})"


def _pairs(pairs: Sequence[Pair]) -> Table:
    rows = [
        [pair.id, Cell(pair.result, _TONES[pair.result]), numbers.score(pair.score, 2), pair.reason] for pair in pairs
    ]
    return table(["pair", "result", Column("score", "right"), Column("compared with", shrink=True)], rows)


def _outcomes(outcomes: Sequence[Outcome], caption: str) -> Table:
    columns = ["attack", "kind", "result", Column("score", "right"), "protocol", Column("why", shrink=True)]
    rows = [
        [
            outcome.id,
            outcome.family,
            Cell(outcome.result, _TONES[outcome.result]),
            numbers.score(outcome.score, 2),
            outcome.protocol,
            outcome.reason,
        ]
        for outcome in outcomes
    ]
    return table(columns, rows, caption)
