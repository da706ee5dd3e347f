"""What calibrating and attacking a judge found, as documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from steelyard.errors import ToolchainError
from steelyard.judge.attack import MARGIN, Assault, Outcome
from steelyard.judge.calibration.measure import (
    KAPPA_FLOOR,
    RECOMMENDED,
    TOLERANCE,
    WITHIN_FLOOR,
    Agreement,
    Calibration,
    Marked,
    canary_holds,
)
from steelyard.report import charts, numbers
from steelyard.report.document import (
    Block,
    Bullets,
    Cell,
    Column,
    Document,
    Figure,
    Heading,
    Paragraph,
    Table,
    Tone,
    table,
)
from steelyard.stats.agreement import Kappa

_TONES: dict[str, Tone] = {"got through": "bad", "refused": "good", "unscored": "warn"}


def calibration_document(result: Calibration, data: dict[str, Any], pictures: bool) -> Document:
    """The whole finding; `data` is its record. Pictures are left out where the medium cannot show them."""
    blocks: list[Block] = [
        _verdict(result),
        Paragraph(
            f"Judge {data['judge']}, rubric {data['rubric_name']} ({data['rubric']}), {data['n']} labelled responses, "
            f"{data['scored']} with a verdict, {data['repeats']} per judge. "
            f"Labelled by: {', '.join(data['labelled_by'])}."
        ),
    ]
    if result.items:
        blocks += [_items(result.items), Heading("By tier"), _tiers(result.items)]
    if any(item.same_band is not None for item in result.items):
        blocks += [Heading("Self-consistency over repeats"), _consistency(result.items)]
    if result.canaries:
        blocks += [Heading("Canaries"), _canaries(result.canaries)]
    if pictures and result.items:
        blocks += _pictures(result)
    blocks += _notes(result)
    return Document("Judge calibration", tuple(blocks))


def attack_document(result: Assault) -> Document:
    """What got through, what was refused, what was unscored."""
    through = result.count("got through")
    measured = "the judge's own grade" if result.weak is not None else "the authors' grade: the judge gave none"
    summary = Paragraph(
        f"{through} got through, {result.count('refused')} refused, {result.count('unscored')} unscored.",
        "bad" if through else "good",
    )
    yardstick = Paragraph(
        f"Judge {result.judge}. No attack may be graded more than {MARGIN} above the honest weak answer, "
        f"{numbers.score(result.ceiling, 2)} ({measured}); the good answer got {numbers.score(result.good, 2)}."
    )
    return Document(
        "Attacks on the judge",
        (
            summary,
            yardstick,
            *_reasons(result.outcomes),
            _outcomes(result.outcomes, "Texts handed to the judge"),
            Heading("Malformed replies handed to the machinery"),
            _outcomes(result.machinery, "Each must end unscored, whatever judge is used"),
        ),
    )


def _verdict(result: Calibration) -> Paragraph:
    if not result.marked:
        return Paragraph("There are no responses besides canaries: nothing to measure the judge by.", "bad")
    if not result.scored:
        return Paragraph("No verdict at all: the judge could not be measured.", "bad")
    kappa = result.kappa
    stated = _stated(kappa) if kappa is not None else "κ not estimable"
    if result.passed:
        return Paragraph(f"Calibrated ({stated}).", "good")
    failed = ", ".join(item.item for item in result.items if not item.passed)
    return Paragraph(
        f"Not calibrated ({stated}): {failed} below the floor ({numbers.percent(WITHIN_FLOOR, 0)} within ±{TOLERANCE}, "
        f"lower end of κ at least {KAPPA_FLOOR}).",
        "bad",
    )


def _stated(kappa: Kappa) -> str:
    interval = f"{numbers.percent(kappa.level, 0)} interval"
    return (
        f"κ {numbers.score(kappa.value, 2)}, {interval} {numbers.score(kappa.low, 2)} to {numbers.score(kappa.high, 2)}"
    )


def _items(items: Sequence[Agreement]) -> Table:
    # Kappa decides, so a narrow terminal leaves out the others before it.
    figures = [Column(name, "right", spare=spare) for name, spare in zip(_HEADS, (2, 3, 1, 0), strict=True)]
    columns = [Column("item"), *figures, Column("floor")]
    rows = [
        [
            item.item,
            numbers.signed(item.errors.mean),
            numbers.score(item.errors.absolute),
            numbers.percent(item.errors.within),
            _kappa(item.kappa),
            Cell("holds", "good") if item.passed else Cell("fails", "bad"),
        ]
        for item in items
    ]
    return table(columns, rows)


_HEADS = ("mean error", "mean |error|", f"within ±{TOLERANCE}", "weighted κ (90%)")


def _kappa(found: Kappa | None) -> str:
    if found is None:
        return "not estimable"
    return f"{numbers.score(found.value, 2)} ({numbers.score(found.low, 2)} to {numbers.score(found.high, 2)})"


def _tiers(items: Sequence[Agreement]) -> Table:
    columns = ["item", "tier", Column("n", "right"), Column("verdicts", "right")]
    columns += [Column(name, "right") for name in _HEADS[:3]]
    rows = [
        [
            item.item,
            tier,
            numbers.count(found.n),
            numbers.count(found.scored),
            numbers.signed(found.mean),
            numbers.score(found.absolute),
            numbers.percent(found.within),
        ]
        for item in items
        for tier, found in item.tiers.items()
    ]
    return table(columns, rows)


def _consistency(items: Sequence[Agreement]) -> Table:
    columns = ["item", Column("same band", "right"), Column("mean sd", "right")]
    return table(
        columns, [[each.item, numbers.percent(each.same_band), numbers.score(each.repeat_sd)] for each in items]
    )


def _canaries(canaries: Sequence[Marked]) -> Table:
    names = list(canaries[0].label.labels)
    rows: list[list[Cell | str]] = []
    for each in canaries:
        shown = [f"{numbers.score(value, 2)}" for value in each.label.labels.values()]
        given = [numbers.score(each.scores[name] if each.scores else None, 2) for name in names]
        state = Cell("holds", "good") if canary_holds(each) else Cell("fails" if each.scores else "no verdict", "bad")
        rows.append([each.label.id, " / ".join(shown), " / ".join(given), state])
    return table(["canary", f"known ({' / '.join(names)})", "judge", "result"], rows)


def _pictures(result: Calibration) -> list[Block]:
    drawn: list[Block] = [Heading("Judge against labels")]
    try:
        for item in result.items:
            points = [(row.label.labels[item.item], row.scores[item.item]) for row in result.marked if row.scores]
            svg = charts.agreement(points, tolerance=TOLERANCE, x_title="label", y_title=f"judge: {item.item}")
            alt = f"{len(points)} responses, judge against label, {item.item}; {_kappa(item.kappa)}"
            drawn.append(Figure(svg, alt, f"{item.item}: weighted κ {_kappa(item.kappa)}"))
    except ToolchainError as error:
        return [*drawn, Paragraph(str(error), "muted")]
    return drawn


def _notes(result: Calibration) -> list[Block]:
    lines: list[str] = []
    silent = [row for row in result.marked if row.scores is None]
    if silent:
        lines.append(f"{len(silent)} responses got no verdict and count as not within tolerance: {silent[0].reason}")
    if 0 < len(result.marked) < RECOMMENDED:
        lines.append(
            f"{len(result.marked)} responses are few: with fewer than {RECOMMENDED} the interval of κ is wide."
        )
    return [Heading("Notes"), Bullets(tuple(lines))] if lines else []


def _reasons(outcomes: Sequence[Outcome]) -> list[Block]:
    """Why texts were unscored, the commonest reason first: the table has no room for whole sentences."""
    counted = Counter(each.reason for each in outcomes if each.result == "unscored" and each.reason)
    lines = tuple(f"{count} unscored: {reason}" for reason, count in counted.most_common())
    return [Bullets(lines)] if lines else []


def _outcomes(outcomes: Sequence[Outcome], caption: str) -> Table:
    columns = ["attack", "kind", "result", Column("score", "right"), Column("noticed", shrink=True)]
    columns += [Column("why", shrink=True)]
    rows = [
        [
            each.id,
            each.family,
            Cell(each.result, _TONES[each.result]),
            numbers.score(each.score, 2),
            ", ".join(each.flags),
            each.reason,
        ]
        for each in outcomes
    ]
    return table(columns, rows, caption)
