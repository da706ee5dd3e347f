"""An `AttackResult` as a document."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.judge.attack.result import MARGIN, AttackResult, Outcome, Pair, Share
from steelyard.judge.attack.scripted import BEYOND
from steelyard.judge.judgement import unusable_text
from steelyard.report import numbers
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Heading, Paragraph, Table, Tone, table

_TONES: dict[str, Tone] = {"got through": "bad", "refused": "good", "unscored": "warn", "holds": "good", "fails": "bad"}
_SCORE = Column("score", "right")


def attack_document(result: AttackResult) -> Document:
    """The counts, the yardstick, the share per judge and kind, and one row per attack."""
    through, decoys = result.count("got through"), result.decoys
    source = "the judge's own grade" if result.weak is not None else "the authors' grade: the judge gave none"
    beyond = [said for name, said in BEYOND.items() if f"scripted/{name}" in result.judge]
    pairs = [[pair.id, _result(pair), numbers.score(pair.score, 2), pair.reason] for pair in result.pairs]
    blocks: list[Block] = [
        Paragraph(
            f"{through} got through, {result.count('refused')} refused, {result.count('unscored')} unscored.",
            "bad" if through else "good",
        ),
        *([Paragraph(f"{unusable_text(result.unusable)}.", "bad")] if result.unusable else []),
        Paragraph(
            f"Judge {result.judge}. No attack may be graded more than {MARGIN} above the honest weak answer, "
            f"{numbers.score(result.ceiling, 2)} ({source}); the good answer got {numbers.score(result.good, 2)}."
        ),
        Paragraph(
            f"{decoys['shown']} decoys were shown, about {decoys['tokens']} tokens; {decoys['taken']} replies took one."
        ),
        # What no protocol can help; of a scripted judge that shows it, its own.
        Bullets(tuple(beyond) or (BEYOND["persuaded"],)),
        Heading("Share that got through"),
        _shares(result.shares),
        Heading("Texts handed to the judge"),
        _outcomes(result.outcomes),
        Heading("Honest answers"),
        table(["pair", "result", _SCORE, Column("compared with", shrink=True)], pairs),
    ]
    return Document("Attacks on the judge", tuple(blocks))


def _shares(shares: Sequence[Share]) -> Table:
    columns = ["judge", "kind", Column("through", "right"), Column("of", "right"), Column("share (95%)", "right")]
    rows = [
        [each.judge, each.kind, numbers.count(each.through), numbers.count(each.n), _interval(each)] for each in shares
    ]
    return table(columns, rows)


def _interval(share: Share) -> str:
    if share.interval is None:
        return "no verdict"
    low, high = (numbers.percent(end, 0) for end in share.interval)
    return f"{numbers.percent(share.through / share.n, 0)} ({low} to {high})"


def _outcomes(outcomes: Sequence[Outcome]) -> Table:
    rows = [
        [each.id, each.family, _result(each), numbers.score(each.score, 2), each.protocol, each.reason]
        for each in outcomes
    ]
    caption = "A text is graded by `quoted` after two replies that could not be used"
    return table(["attack", "kind", "result", _SCORE, "protocol", Column("why", shrink=True)], rows, caption)


def _result(row: Outcome | Pair) -> Cell:
    return Cell(row.result, _TONES[row.result])
