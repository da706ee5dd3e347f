"""The question that grades a text by a rubric, through the protocol (docs/scoring.md §4). Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from random import Random
from typing import Any

from steelyard.judge.decoys import Entry, entries, met, taken_wrongly, unmet
from steelyard.judge.parse import (
    DecoyTaken,
    Verdict,
    VerdictError,
    expect_keys,
    number,
    numbers_in,
    read_object,
    rows,
    sentence,
    truth,
)
from steelyard.judge.prompt import fill, rubric_identity, template
from steelyard.judge.protocol import (
    TEXT,
    Question,
    Quoting,
    Request,
    decoy_tokens,
    drawn_code,
    drawn_ids,
    list_of,
    listed,
    schema_of,
)
from steelyard.judge.rubric import BANDS, Rubric
from steelyard.judge.sentences import numbered, sentences, unlabelled

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
    def value(self) -> str:
        """The name of a grade in a reply."""
        return "met" if self.rubric.criteria else "score"

    @property
    def value_schema(self) -> Mapping[str, Any]:
        return {"type": "boolean"} if self.rubric.criteria else {"type": "number"}

    def grade(self, row: Mapping[str, Any], where: str) -> float:
        return (truth if self.rubric.criteria else number)(row[self.value], f"{where}.{self.value}")


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
        nothing=_verdict(rubric, {}, {}, "The text shows nothing."),
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
    code = drawn_code(text, rng)

    def read(reply: str) -> Verdict:
        answer = read_object(reply, code)
        expect_keys(answer, ("grades", "rationale"), "the reply")
        grades = rows(answer["grades"], items, ("sentences", asked.value), "grades")
        places = _places(grades, len(shown))
        values = {name: asked.grade(row, name) for name, row in grades.items()}
        for name, value in values.items():
            if round(value, 6) >= BANDS[1].low and not places[name]:
                raise VerdictError(f"{name} is graded without a sentence that shows it")
        real = _without_decoys(items, values)
        return _verdict(rubric, real, _shown(items, places, shown), sentence(answer["rationale"], "rationale"))

    grade_schema = schema_of(id=TEXT, sentences=PLACES, **{asked.value: asked.value_schema})
    return Request(
        system=template(asked.kind),
        user=_frame(asked, items, shown, code, text, rng),
        read=read,
        schema=schema_of(code=TEXT, grades=list_of(grade_schema), rationale=TEXT),
        decoys=len(decoys),
        decoy_tokens=decoy_tokens(items),
    )


def _passages(asked: _Asked, text: str, rng: Random) -> Request[Mapping[str, Any]]:
    """The first call of the quoting protocol: which sentences show which item."""
    shown = sentences(text)
    items = drawn_ids(entries(asked.rubric), text, rng)
    code = drawn_code(text, rng)

    def read(reply: str) -> Mapping[str, tuple[str, ...]]:
        answer = read_object(reply, code)
        expect_keys(answer, ("passages",), "the reply")
        named = rows(answer["passages"], items, ("sentences",), "passages")
        return _shown(items, _places(named, len(shown)), shown)

    return Request(
        system=template("passages"),
        user=_frame(asked, items, shown, code, text, rng),
        read=read,
        schema=schema_of(code=TEXT, passages=list_of(schema_of(id=TEXT, sentences=PLACES))),
    )


def _check(asked: _Asked, item: str, passages: Sequence[str], rng: Random) -> Request[float]:
    """A call of the quoting protocol about one item: the item and its sentences, and not the text."""
    rubric, shown = asked.rubric, "\n".join(map(unlabelled, passages))
    own = [entry for entry in entries(rubric) if entry.item == item]
    items = drawn_ids([*own, *unmet(rubric, f"{shown}\n{asked.task}", asked.others, rng, CHECK_DECOYS)], shown, rng)
    code = drawn_code(shown, rng)

    def read(reply: str) -> float:
        answer = read_object(reply, code)
        expect_keys(answer, ("grades",), "the reply")
        grades = rows(answer["grades"], items, (asked.value,), "grades")
        return _without_decoys(items, {name: asked.grade(row, name) for name, row in grades.items()})[item]

    values = {"items": listed(items), "fence": drawn_code(shown, rng), "text": shown, "code": code}
    return Request(
        system=fill(template("check"), _CHECK[asked.kind]),
        user=fill(template("shown"), values),
        read=read,
        schema=schema_of(code=TEXT, grades=list_of(schema_of(id=TEXT, **{asked.value: asked.value_schema}))),
        decoys=CHECK_DECOYS,
        decoy_tokens=decoy_tokens(items),
    )


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


def _frame(asked: _Asked, items: Mapping[str, Entry], shown: Sequence[str], code: str, text: str, rng: Random) -> str:
    values = {
        "about": f"The text: {asked.rubric.about}\n\n",
        "task": asked.task or "(none)",
        "items": listed(items),
        "fence": drawn_code(text, rng),
        "text": numbered(shown),
        "code": code,
    }
    return fill(template("frame"), values)


def _places(named: Mapping[str, Mapping[str, Any]], count: int) -> dict[str, tuple[int, ...]]:
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
    return _verdict(rubric, answers, evidence, "Graded item by item, each by its own passages.")


def _verdict(
    rubric: Rubric, values: Mapping[str, float], evidence: Mapping[str, tuple[str, ...]], rationale: str
) -> Verdict:
    """The verdict; an item without a value is not met."""
    scores = {item.id: values.get(item.id, 0.0) for item in rubric.items}
    total = math.fsum(weight * scores[name] for name, weight in rubric.weights.items())
    return Verdict(min(max(total, 0.0), 1.0), scores, {name: evidence.get(name, ()) for name in scores}, rationale)
