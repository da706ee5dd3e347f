"""The question that grades a text by a rubric, through the protocol (docs/scoring.md §4). Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from random import Random
from typing import Any

from steelyard.judge.decoys import Entry, entries, met, taken_wrongly, unmet
from steelyard.judge.parse import DecoyTaken, Verdict, VerdictError, grade_in, numbers_in, sentence
from steelyard.judge.prompt import fill, rubric_identity, template
from steelyard.judge.protocol import Form, Question, Quoting, Request, Rows, drawn_ids, list_of, listed, request
from steelyard.judge.rubric import BANDS, Rubric
from steelyard.judge.text import numbered, sentences, unlabelled

MOST = 6
"""Sentences that may be named per item."""

CHECK_DECOYS = 1
"""Decoys in a call of the quoting protocol about one item: none that is met, since a no earns nothing."""

PLACES = list_of({"type": "integer"})
"""JSON Schema of the numbers of sentences."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is graded by."""

    rubric: Rubric
    task: str
    others: tuple[Rubric, ...]

    @property
    def kind(self) -> str:
        return "criteria" if self.rubric.criteria else "dimensions"

    @property
    def field(self) -> dict[str, Mapping[str, Any]]:
        """The grade in a row of a reply: its name and schema."""
        return {"met": {"type": "boolean"}} if self.rubric.criteria else {"score": {"type": "number"}}

    def grades(self, rows: Rows) -> dict[str, float]:
        """The grades in a reply."""
        return {name: grade_in(row[field], f"{name}.{field}") for name, row in rows.items() for field in self.field}

    def frame(self, system: str, items: Mapping[str, Entry], shown: Sequence[str]) -> tuple[str, str, dict[str, str]]:
        """The messages of a call that shows the text."""
        about = f"The text: {self.rubric.about}\n\n"
        values = {"about": about, "task": self.task or "(none)", "items": listed(items), "text": numbered(shown)}
        return template(system), template("frame"), values


def question(rubric: Rubric, *, task: str, text: str, others: Sequence[Rubric] = ()) -> Question[Verdict]:
    """The question that grades `text`, an answer to `task`, by `rubric`.

    Args:
        rubric: What it is graded by.
        task: Trusted context, shown before the text.
        text: The graded text.
        others: Further rubrics of the user, on other subjects, from which decoys may be drawn.
    """
    asked = _Asked(rubric, task.strip(), tuple(others))
    return Question(
        text=text,
        context=asked.task,
        identity=rubric_identity(rubric),
        single=partial(_single, asked),
        nothing=verdict_of(rubric, {}, {}, "The text shows nothing."),
        encode=asdict,
        decode=decode_verdict,
        quoting=Quoting(partial(_passages, asked), partial(_check, asked), partial(_quoted, rubric)),
    )


def decode_verdict(data: Any) -> Verdict:
    """A `Verdict` from JSON; `Verdict` itself checks every number."""
    evidence = {str(key): tuple(map(str, quotes)) for key, quotes in data["evidence"].items()}
    scores = {str(key): float(value) for key, value in data["scores"].items()}
    if scores.keys() != evidence.keys():
        raise VerdictError("scores and evidence name different items")
    return Verdict(float(data["score"]), scores, evidence, str(data["rationale"]))


def _single(asked: _Asked, text: str, rng: Random) -> Request[Verdict]:
    """The call about the whole text."""
    rubric, shown = asked.rubric, sentences(text)
    known = met(rubric, text, rng)
    decoys = [*([known] if known else []), *unmet(rubric, f"{text}\n{asked.task}", asked.others, rng)]
    items = drawn_ids([*entries(rubric), *decoys], text, rng)

    def use(rows: Rows, rationale: str) -> Verdict:
        places, values = _places(rows, len(shown)), asked.grades(rows)
        for name, value in values.items():
            if round(value, 6) >= BANDS[1].low and not places[name]:
                raise VerdictError(f"{name} is graded without a sentence that shows it")
        real = _without_decoys(items, values)
        return verdict_of(rubric, real, _shown(items, places, shown), sentence(rationale))

    form = Form("grades", {"sentences": PLACES, **asked.field}, rationale=True)
    return request(asked.frame(asked.kind, items, shown), form, items, use, text, rng, decoys_in(items))


def _passages(asked: _Asked, text: str, rng: Random) -> Request[Mapping[str, tuple[str, ...]]]:
    """The first call of the quoting protocol: it names sentences, and grades nothing."""
    shown, items = sentences(text), drawn_ids(entries(asked.rubric), text, rng)

    def use(rows: Rows, rationale: str) -> Mapping[str, tuple[str, ...]]:
        return _shown(items, _places(rows, len(shown)), shown)

    return request(
        asked.frame("passages", items, shown), Form("passages", {"sentences": PLACES}), items, use, text, rng
    )


def _check(asked: _Asked, item: str, passages: Sequence[str], rng: Random) -> Request[float]:
    """A call of the quoting protocol about one item: the item and its sentences, and not the text."""
    rubric, shown = asked.rubric, "\n".join(map(unlabelled, passages))
    own = [entry for entry in entries(rubric) if entry.item == item]
    items = drawn_ids([*own, *unmet(rubric, f"{shown}\n{asked.task}", asked.others, rng, CHECK_DECOYS)], shown, rng)

    def use(rows: Rows, rationale: str) -> float:
        return _without_decoys(items, asked.grades(rows))[item]

    frame = fill(template("check"), _CHECK[asked.kind]), template("shown"), {"items": listed(items), "text": shown}
    return request(frame, Form("grades", asked.field), items, use, shown, rng, decoys_in(items))


_CHECK = {
    "criteria": {
        "how": "decide for each item of a list, on its own, whether they meet it",
        "lowest": "They are not met.",
        "value": '"met": true',
    },
    "dimensions": {
        "how": "grade them on each item of a list, on its own, as a number from 0.0 to 1.0 on its bands",
        "lowest": "They belong to the lowest band, below 0.30.",
        "value": '"score": 0.00',
    },
}


def decoys_in(items: Mapping[str, Entry]) -> list[str]:
    """The decoys among the items, as they are shown."""
    return [listed({name: entry}) for name, entry in items.items() if entry.item is None]


def _places(named: Rows, count: int) -> dict[str, tuple[int, ...]]:
    """The numbers of sentences in each entry of a reply."""
    return {name: numbers_in(row["sentences"], count, MOST, f"{name}.sentences") for name, row in named.items()}


def _shown(
    items: Mapping[str, Entry], places: Mapping[str, Sequence[int]], shown: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The sentences named for each real item that got some."""
    real = {entry.item: places[name] for name, entry in items.items() if entry.item is not None and places[name]}
    return {item: tuple(shown[place - 1] for place in numbers) for item, numbers in real.items()}


def _without_decoys(items: Mapping[str, Entry], values: Mapping[str, float]) -> dict[str, float]:
    """The grades of the real items; `DecoyTaken` if that of a decoy is not the known answer."""
    for name, entry in items.items():
        if entry.item is None and taken_wrongly(entry, values[name]):
            raise DecoyTaken(f"the reply takes a decoy: “{entry.about}” is {'' if entry.met else 'not '}met")
    return {entry.item: values[name] for name, entry in items.items() if entry.item is not None}


def _quoted(rubric: Rubric, passages: Mapping[str, Sequence[str]], answers: Mapping[str, float]) -> Verdict:
    evidence = {item: tuple(shown) for item, shown in passages.items()}
    return verdict_of(rubric, answers, evidence, "Graded item by item, each by its own passages.")


def verdict_of(
    rubric: Rubric, values: Mapping[str, float], evidence: Mapping[str, tuple[str, ...]], rationale: str
) -> Verdict:
    """The verdict; an item without a value is not met."""
    scores = {item.id: values.get(item.id, 0.0) for item in rubric.items}
    total = math.fsum(weight * scores[name] for name, weight in rubric.weights.items())
    return Verdict(min(max(total, 0.0), 1.0), scores, {name: evidence.get(name, ()) for name in scores}, rationale)
