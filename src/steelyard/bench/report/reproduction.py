"""A reproduction (`analysis.reproduce`) as a document and as JSON data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, cast

from steelyard.bench.analysis.reproduce import Line, Reproduced, Reproduction
from steelyard.bench.model import OVERALL
from steelyard.bench.suite import Suite
from steelyard.outcome import DECIMALS, exact
from steelyard.report import numbers
from steelyard.report.document import Block, Bullets, Cell, Column, Document, Paragraph, table

SHOWN_DRIFT = 0.0005
"""A smaller drift is the rounding of a published board: it would read as 0.000 and is only in the JSON."""


def as_json(reproduced: Reproduced) -> dict[str, Any]:
    """A reproduction as JSON data."""
    return {
        "schema_version": 1,
        "suite": reproduced.suite.name,
        "verdict": reproduced.verdict,
        "tolerance": reproduced.suite.margin,
        "models": [asdict(model) for model in reproduced.models],
        "only_published": list(reproduced.only_published),
        "only_fresh": list(reproduced.only_fresh),
    }


def document(reproduced: Reproduced) -> Document:
    """A reproduction as a document."""
    suite = reproduced.suite
    rows = [_cells(model, line, suite) for model in reproduced.models for line in (model.overall, *model.categories)]
    figures = [Column(name, "right") for name in ("Board", "Fresh", "Δ")]
    columns = [Column("Model", shrink=True), "", *figures, "Agrees", Column("Chance", "right")]
    blocks: list[Block] = [Paragraph(*_verdict(reproduced)), table(columns, rows)]
    if notes := _notes(reproduced):
        blocks.append(Bullets(tuple(notes)))
    return Document("Reproduction of a published board", tuple(blocks))


def _cells(model: Reproduction, line: Line, suite: Suite) -> list[Cell | str]:
    first = line.key == OVERALL
    tone = {"within": "good", "outside": "bad" if first else "warn", "unanswered": "warn"}[line.agreement]
    return [
        model.model if first else "",
        "Overall" if first else suite.categories[line.key].short,
        numbers.percent(line.published),
        numbers.percent(line.fresh),
        _delta(line),
        Cell(f"{line.agreement} {numbers.margin(line.tolerance)}", cast(Any, tone)),
        numbers.percent(line.chance, 0),
    ]


def _delta(line: Line) -> str:
    """The difference with as many digits as it takes to see on which side of the tolerance it is."""
    for digits in range(3, DECIMALS):
        text = numbers.signed(line.delta, digits)
        if line.delta is None or (abs(float(text)) > line.tolerance) == (exact(abs(line.delta)) > line.tolerance):
            return text
    return numbers.signed(line.delta, DECIMALS)


def _verdict(reproduced: Reproduced) -> tuple[str, Any]:
    count = len(reproduced.models)
    if reproduced.verdict == "within":
        who = f"all {count} models are" if count > 1 else f"{reproduced.models[0].model} is"
        return f"Reproducible: {who} within {numbers.margin(reproduced.suite.margin)} overall.", "good"
    if reproduced.verdict == "outside":
        names = ", ".join(model.model for model in reproduced.models if model.overall.agreement == "outside")
        return f"Not reproducible: {names} outside {numbers.margin(reproduced.suite.margin)} overall.", "bad"
    return "Not answered: no model is outside, and not every one could be compared.", "warn"


def _notes(reproduced: Reproduced) -> list[str]:
    notes = [f"{model.model}: {model.why}" for model in reproduced.models if model.why]
    notes += [
        f"{model.model}: partial on both sides, compared anyway: {_short_names(model.partial, reproduced.suite)}"
        for model in reproduced.models
        if model.partial
    ]
    differing = [model for model in reproduced.models if model.differs]
    notes += [f"{model.model}: the fingerprint differs in {', '.join(model.differs)}" for model in differing]
    notes += [
        f"{model.model}: the published overall is {numbers.signed(model.drift)} off its own categories"
        for model in reproduced.models
        if model.drift is not None and exact(abs(model.drift)) >= SHOWN_DRIFT
    ]
    if reproduced.only_published:
        notes.append(f"published, not run: {', '.join(reproduced.only_published)}")
    if reproduced.only_fresh:
        notes.append(f"run, not published: {', '.join(reproduced.only_fresh)}")
    return notes


def _short_names(keys: Iterable[str], suite: Suite) -> str:
    return ", ".join(suite.categories[key].short for key in keys)
