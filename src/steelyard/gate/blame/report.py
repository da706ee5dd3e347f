"""What blame found, as a document and as JSON (`blame.schema.json`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steelyard.gate.blame.answer import ANSWERS, Answer, Blame, PartAnswer
from steelyard.gate.blame.effects import Effect
from steelyard.gate.blame.weigh import margin_for, runs_for
from steelyard.outcome import exact
from steelyard.report.document import (
    Block,
    Bullets,
    Cell,
    Column,
    Document,
    Heading,
    Paragraph,
    Table,
    Tone,
    Whisker,
    table,
)
from steelyard.report.numbers import UNKNOWN, count, signed, things, usd

if TYPE_CHECKING:
    from steelyard.gate.blame.plan import Forecast

SCHEMA = "blame"
SCHEMA_VERSION = 1

TONES: dict[Answer, Tone] = {"harms": "bad", "helps": "good", "no effect": "muted", "cannot tell": "warn"}

_CAPTION = "what a part adds to the mean score of a task, and to a run"

_LIMIT = (
    "What is said of a part holds with half of the other parts absent. It promotes nothing: gate prune runs the "
    "configuration without the parts against the whole one, and that verdict counts."
)


def document(blame: Blame) -> Document:
    """The whole answer."""
    blocks: list[Block] = [
        Paragraph(headline(blame), "bad" if blame.named("harms") else "plain"),
        part_table(blame),
        *_together(blame),
        *(Paragraph(note, "muted") for note in blame.notes),
        Paragraph(_LIMIT, "muted"),
        Paragraph(provenance(blame), "muted"),
    ]
    return Document("Which part did it", tuple(blocks))


def headline(blame: Blame) -> str:
    """The answer in one sentence or two."""
    harms, helps, none, open_ = (blame.named(answer) for answer in ANSWERS)
    said = [f"{_names(found)} {word}." for found, word in ((harms, "harms"), (helps, "helps")) if found]
    if not said:
        said.append("None of the parts alone is shown to matter.")
    if none:
        said.append(f"{things(len(none), 'part')} without an effect above {blame.margin:g}.")
    if open_:
        said.append(f"{things(len(open_), 'part')}: cannot tell at this budget.")
    return " ".join(said)


def _names(parts: Sequence[PartAnswer]) -> str:
    shown = ", ".join(one.part.name for one in parts[:3])
    return f"{shown} and {len(parts) - 3} more" if len(parts) > 3 else shown


def ordered(blame: Blame) -> list[tuple[int, PartAnswer]]:
    """What harms first, then what helps, by the size of the effect."""
    return sorted(enumerate(blame.parts), key=lambda one: (ANSWERS.index(one[1].answer), one[1].effect.value))


def part_table(blame: Blame) -> Table:
    """A row per part."""
    columns = (
        Column("Part", shrink=True),
        "Answer",
        Column("Effect", "right"),
        Column("95%", "right", spare=1),
        Column("Tokens", "right", spare=2),
        Column("Cost", "right", spare=3),
        Column("Seconds", "right", spare=4),
    )
    reach = max(abs(end) for one in blame.parts for end in (*one.effect, blame.margin) if end is not None)
    rows = [
        (
            one.part.name,
            Cell(said(one, blame.margin), TONES[one.answer]),
            signed(one.effect.value),
            Cell(interval(one.effect), whisker=_whisker(one.effect, reach)),
            _amount(one.tokens, 0),
            UNKNOWN if one.usd is None else f"{'-' if one.usd.value < 0 else '+'}{usd(abs(one.usd.value))}",
            _amount(one.seconds, 1),
        )
        for _, one in ordered(blame)
    ]
    return table(columns, rows, _CAPTION)


def said(one: PartAnswer, margin: float) -> str:
    """The answer in words."""
    return f"no effect above {margin:g}" if one.answer == "no effect" else one.answer


def interval(estimate: Effect) -> str:
    """`-0.21 … -0.08`."""
    if estimate.low is None or estimate.high is None:
        return UNKNOWN
    return f"{signed(estimate.low, 2)} … {signed(estimate.high, 2)}"


def _whisker(estimate: Effect, reach: float) -> Whisker:
    """The effect on a rail with 0 in the middle."""
    value = estimate.value
    ends = (value if end is None else end for end in (estimate.low, value, estimate.high))
    low, value, high = (0.5 + 0.5 * end / reach for end in ends)
    return Whisker(low, value, high, zero=0.5)


def _amount(estimate: Effect | None, digits: int) -> str:
    return UNKNOWN if estimate is None else f"{estimate.value:+,.{digits}f}"


def _together(blame: Blame) -> list[Block]:
    if not blame.together:
        return []
    lines = tuple(
        f"{one.first} does {signed(one.effect.value)} more where {one.second} is there ({interval(one.effect)})"
        for one in blame.together
    )
    return [Heading("Parts that act together", 2), Bullets(lines)]


def provenance(blame: Blame) -> str:
    """Where the numbers come from."""
    lost = f", {things(blame.unscored, 'more run')} without a pair of scores" if blame.unscored else ""
    price = "" if blame.usd is None else f", {usd(blame.usd)}"
    return (
        f"{things(blame.runs, 'run')} in {things(blame.looks, 'look')}{lost}{price}; stopped because {blame.stopped}. "
        f"Each run had a random half of the {things(len(blame.parts), 'part')}, seed {blame.seed}; a part is named at "
        f"an e-value of {count(len(blame.parts) / blame.alpha)}."
    )


def preview(planned: Forecast) -> Document:
    """What will be spent, before it is."""
    parts, price = planned.recipe.parts, planned.usd_per_run
    money = "Their cost is unknown: no earlier run is on record; --usd-per-run states one."
    if price is not None:
        most = usd(price * planned.most_runs)
        money = f"At {usd(price)} a run that is about {usd(price * planned.runs)}, and {most} at most."
    lines = [
        f"{things(len(parts), 'part')}, {'each ' if len(parts) > 1 else ''}present in half of the runs.",
        _reach(planned.margin, planned.runs, planned.most_runs),
        money,
        *([f"{things(planned.finished, 'run')} already done."] if planned.finished else []),
    ]
    rows = [(str(number), part.name, _first(part.text)) for number, part in enumerate(parts, 1)]
    columns = (Column("#", "right"), Column("Part", shrink=True), Column("Begins", shrink=True, spare=1))
    told = (*map(Paragraph, lines), *(Paragraph(line, "warn") for line in planned.doubts))
    return Document("What would be taken apart", (table(columns, rows), *told))


def _reach(margin: float, runs: int, most: int) -> str:
    if round(margin_for(runs), 3) > margin:
        enough = f"{count(runs_for(margin))} show every effect of {margin:g}"
        return f"{things(runs, 'run')} show effects of about {margin_for(runs):.2g} or rule them out; {enough}."
    return f"About {things(runs, 'run')}, at most {count(most)}, show every effect of {margin:g} or rule it out."


def _first(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip("+- \t")]
    return (lines[0] if len(lines) == 1 or not lines[0].startswith("#") else lines[1])[:60] if lines else ""


def as_json(blame: Blame) -> dict[str, Any]:
    """The answer as JSON."""
    return {
        "schema_version": SCHEMA_VERSION,
        "label": blame.label,
        "summary": headline(blame),
        "margin": blame.margin,
        "alpha": blame.alpha,
        "runs": blame.runs,
        "unscored": blame.unscored,
        "looks": blame.looks,
        "seed": blame.seed,
        "usd": blame.usd,
        "stopped": blame.stopped,
        "parts": [_part(one) for one in blame.parts],
        "together": [
            {"first": one.first, "second": one.second, "effect": _estimate(one.effect)} for one in blame.together
        ],
        "notes": list(blame.notes),
        "origin": dict(blame.origin),
    }


def _part(one: PartAnswer) -> dict[str, Any]:
    costs = {name: _estimate(getattr(one, name)) for name in ("tokens", "usd", "seconds")}
    effect = _estimate(one.effect)
    return {"name": one.part.name, "text": one.part.text, "answer": one.answer, "effect": effect, "e": one.e, **costs}


def _estimate(estimate: Effect | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {name: None if value is None else exact(value) for name, value in estimate._asdict().items()}
