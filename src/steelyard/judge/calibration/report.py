"""A `Calibration` as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.errors import ToolchainError
from steelyard.judge.calibration.measure import (
    KAPPA_FLOOR,
    RECOMMENDED,
    TOLERANCE,
    WITHIN_FLOOR,
    Agreement,
    Calibration,
    Errors,
    Marked,
    control_holds,
)
from steelyard.judge.judgement import unusable_text
from steelyard.report import charts, numbers
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Figure, Heading, Paragraph, Table, table
from steelyard.stats.agreement import Kappa
from steelyard.stats.interval import wilson


def calibration_document(result: Calibration, data: dict[str, Any], pictures: bool) -> Document:
    """A measurement and its record; `pictures` if the output format can show charts."""
    blocks: list[Block] = [
        _verdict(result),
        *([Paragraph(f"{unusable_text(result.unusable)}.", "bad")] if result.unusable else []),
        Paragraph(
            f"Judge {data['judge']}, rubric {data['rubric_name']} ({data['rubric']}), {data['n']} labelled responses, "
            f"{data['scored']} with a verdict, {data['repeats']} per judge. "
            f"Labelled by: {', '.join(data['labelled_by'])}."
        ),
    ]
    if result.items:
        blocks += [_items(result.items), Heading("By tier"), _tiers(result.items)]
    if any(item.same_band is not None for item in result.items):
        rows = [[item.item, numbers.percent(item.same_band), numbers.score(item.repeat_sd)] for item in result.items]
        columns = ["item", Column("same band", "right"), Column("mean sd", "right")]
        blocks += [Heading("Self-consistency over repeats"), table(columns, rows)]
    if result.controls:
        blocks += [Heading("Control answers"), _controls(result.controls)]
    if pictures and result.items:
        blocks += _pictures(result)
    return Document("Judge calibration", (*blocks, *_notes(result)))


def _verdict(result: Calibration) -> Paragraph:
    if not result.marked:
        return Paragraph("There are no responses besides control answers, so the judge cannot be measured.", "bad")
    if not result.answered:
        return Paragraph("The judge gave no verdict at all, so it could not be measured.", "bad")
    kappa = result.kappa
    stated = "κ not estimable"
    if kappa is not None:
        value, low, high = (numbers.score(number, 2) for number in (kappa.value, kappa.low, kappa.high))
        stated = f"κ {value}, {numbers.percent(kappa.level, 0)} interval {low} to {high}"
    if result.passed:
        return Paragraph(f"Calibrated ({stated}).", "good")
    failed = ", ".join(item.item for item in result.items if not item.passed)
    return Paragraph(
        f"Not calibrated ({stated}): {failed} below the floor ({numbers.percent(WITHIN_FLOOR, 0)} within ±{TOLERANCE}, "
        f"lower end of κ at least {KAPPA_FLOOR}).",
        "bad",
    )


def _items(items: Sequence[Agreement]) -> Table:
    # Kappa decides, so a narrow terminal leaves out the others before it.
    figures = [Column(name, "right", spare=spare) for name, spare in zip(_HEADS, (2, 3, 1, 0), strict=True)]
    rows = [[item.item, *_errors(item.errors), _kappa(item.kappa), _held(item.passed)] for item in items]
    return table([Column("item"), *figures, Column("floor")], rows)


_HEADS = ("mean error", "mean |error|", f"within ±{TOLERANCE}", "weighted κ (90%)")


def _errors(errors: Errors) -> list[str]:
    return [numbers.signed(errors.mean), numbers.score(errors.absolute), numbers.percent(errors.within)]


def _held(passed: bool) -> Cell:
    return Cell("holds", "good") if passed else Cell("fails", "bad")


def _kappa(kappa: Kappa | None) -> str:
    if kappa is None:
        return "not estimable"
    return f"{numbers.score(kappa.value, 2)} ({numbers.score(kappa.low, 2)} to {numbers.score(kappa.high, 2)})"


def _tiers(items: Sequence[Agreement]) -> Table:
    columns = ["item", "tier", *(Column(name, "right") for name in ("n", "verdicts", *_HEADS[:3]))]
    rows = [
        [item.item, tier, numbers.count(errors.n), numbers.count(errors.scored), *_errors(errors)]
        for item in items
        for tier, errors in item.tiers.items()
    ]
    return table(columns, rows)


def _controls(controls: Sequence[Marked]) -> Table:
    names = list(controls[0].label.labels)
    rows: list[list[Cell | str]] = []
    for control in controls:
        known = [numbers.score(value, 2) for value in control.label.labels.values()]
        judged = [numbers.score(control.scores[name] if control.scores else None, 2) for name in names]
        state = _held(control_holds(control)) if control.scores else Cell("no verdict", "bad")
        rows.append([control.label.id, " / ".join(known), " / ".join(judged), state])
    return table(["control answer", f"known ({' / '.join(names)})", "judge", "result"], rows)


def _pictures(result: Calibration) -> list[Block]:
    blocks: list[Block] = [Heading("Judge against labels")]
    try:
        for item in result.items:
            points = [(row.label.labels[item.item], row.scores[item.item]) for row in result.marked if row.scores]
            svg = charts.agreement(points, tolerance=TOLERANCE, x_title="label", y_title=f"judge: {item.item}")
            alt = f"{len(points)} responses, judge against label, {item.item}; {_kappa(item.kappa)}"
            blocks.append(Figure(svg, alt, f"{item.item}: weighted κ {_kappa(item.kappa)}"))
    except ToolchainError as error:
        return [*blocks, Paragraph(str(error), "muted")]
    return blocks


def _notes(result: Calibration) -> list[Block]:
    lines: list[str] = []
    tripped, shown = result.tripped
    if shown:
        share = wilson(tripped, shown)
        ends = f"{numbers.percent(share.low, 0)} to {numbers.percent(share.high, 0)}"
        lines.append(f"{tripped} of {shown} honest responses tripped a decoy (95%: {ends}).")
    if (quoted := result.quoted) is not None:
        share = numbers.percent(quoted.same / quoted.n, 0)
        lines.append(
            f"Graded again by quoting, {share} of {quoted.n} grades fall into the same band; "
            f"on average they differ by {numbers.signed(quoted.difference)}."
        )
    if silent := [row for row in result.marked if row.scores is None]:
        lines.append(f"{len(silent)} responses got no verdict and count as not within tolerance: {silent[0].reason}")
    if 0 < len(result.marked) < RECOMMENDED:
        few = f"{len(result.marked)} responses are few"
        lines.append(f"{few}: with fewer than {RECOMMENDED} the interval of κ is wide.")
    return [Heading("Notes"), Bullets(tuple(lines))] if lines else []
