"""The question that grades a text by a rubric, through the protocol (docs/scoring.md §4). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, TypeVar

from pydantic import TypeAdapter

from steelyard.judge.decoys import Entry, entries, met, taken_wrongly, unmet
from steelyard.judge.parse import DecoyTaken, Verdict, VerdictError, grade_in, numbers_in, sentence
from steelyard.judge.protocol import (
    Form,
    Question,
    Quoting,
    Request,
    Rows,
    drawn_ids,
    fill,
    list_of,
    listed,
    request,
    rubric_identity,
    template,
)
from steelyard.judge.rubric import BANDS, Rubric
from steelyard.judge.text import numbered, sentences, unlabelled

V = TypeVar("V")

MOST = 6
"""Sentences that may be named per item."""

PLACES = list_of({"type": "integer"})
"""JSON Schema of the numbers of sentences."""

STORED = TypeAdapter(Verdict)
"""Writes and reads what the cache holds of a verdict, which itself checks every number."""

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


def question(rubric: Rubric, *, task: str, text: str, others: Sequence[Rubric] = ()) -> Question[Verdict]:
    """The question that grades `text`, an answer to the trusted `task`; decoys may also be drawn from `others`."""
    asked = _Asked(rubric, task.strip(), others)
    return Question(
        text=text,
        context=asked.task,
        identity=rubric_identity(rubric),
        single=asked.single,
        nothing=verdict_of(rubric, {}, {}, "The text shows nothing."),
        stored=STORED,
        quoting=Quoting(asked.passages, asked.check, partial(_quoted, rubric)),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is graded by, and the calls that grade a text by it."""

    rubric: Rubric
    task: str
    others: Sequence[Rubric]

    def single(self, text: str, rng: Random) -> Request[Verdict]:
        """The call about the whole text."""
        decoys = [*met(self.rubric, text, rng), *unmet(self.rubric, f"{text}\n{self.task}", self.others, rng)]
        items, shown = drawn_ids([*entries(self.rubric), *decoys], text, rng), sentences(text)

        def use(rows: Rows, rationale: str) -> Verdict:
            quotes, values = _quotes(rows, shown), self._grades(rows)
            for name, value in values.items():
                # The lowest band says that the text shows nothing, so there is nothing to name.
                if round(value, 6) >= BANDS["30-49"] and not quotes[name]:
                    raise VerdictError(f"{name} is graded without a sentence that shows it")
            return verdict_of(self.rubric, _undeceived(items, values), real(items, quotes), sentence(rationale))

        form = Form("grades", {"sentences": PLACES, **self._grade}, rationale=True)
        return request(self._frame(self._kind, items, shown), form, items, use, text, rng, decoys_in(items))

    def passages(self, text: str, rng: Random) -> Request[Mapping[str, tuple[str, ...]]]:
        """The first call of the quoting protocol: it names sentences, and grades nothing."""
        items, shown = drawn_ids(entries(self.rubric), text, rng), sentences(text)

        def use(rows: Rows, rationale: str) -> Mapping[str, tuple[str, ...]]:
            return {item: quotes for item, quotes in real(items, _quotes(rows, shown)).items() if quotes}

        form = Form("passages", {"sentences": PLACES})
        return request(self._frame("passages", items, shown), form, items, use, text, rng)

    def check(self, item: str, passages: Sequence[str], rng: Random) -> Request[float]:
        """A call of the quoting protocol about one item: the item and its sentences, and not the text."""
        shown = "\n".join(map(unlabelled, passages))
        own = [entry for entry in entries(self.rubric) if entry.item == item]
        # None that is met, since a no earns nothing.
        decoys = unmet(self.rubric, f"{shown}\n{self.task}", self.others, rng, count=1)
        items = drawn_ids([*own, *decoys], shown, rng)

        def use(rows: Rows, rationale: str) -> float:
            return _undeceived(items, self._grades(rows))[item]

        values = {"items": listed(items), "text": shown}
        frame = fill(template("check"), _CHECK[self._kind]), template("shown"), values
        return request(frame, Form("grades", self._grade), items, use, shown, rng, decoys_in(items))

    @property
    def _kind(self) -> str:
        return "criteria" if self.rubric.criteria else "dimensions"

    @property
    def _grade(self) -> dict[str, Mapping[str, Any]]:
        """The grade in a row of a reply: its name and schema."""
        return {"met": {"type": "boolean"}} if self.rubric.criteria else {"score": {"type": "number"}}

    def _grades(self, rows: Rows) -> dict[str, float]:
        return {name: grade_in(row[field], f"{name}.{field}") for name, row in rows.items() for field in self._grade}

    def _frame(self, system: str, items: Mapping[str, Entry], shown: Sequence[str]) -> tuple[str, str, dict[str, str]]:
        """The messages of a call that shows the text."""
        values = {"task": self.task or "(none)", "items": listed(items), "text": numbered(shown)}
        return template(system), template("frame"), {**values, "about": f"The text: {self.rubric.about}\n\n"}


def decoys_in(items: Mapping[str, Entry]) -> list[str]:
    """The decoys among the items, as they are shown."""
    return [listed({name: entry}) for name, entry in items.items() if entry.item is None]


def real(items: Mapping[str, Entry], said: Mapping[str, V]) -> dict[str, V]:
    """What is said under the ids of real items, by item."""
    return {entry.item: said[name] for name, entry in items.items() if entry.item is not None}


def _quotes(rows: Rows, shown: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The sentences that each row of a reply names."""
    places = {name: numbers_in(row["sentences"], len(shown), MOST, f"{name}.sentences") for name, row in rows.items()}
    return {name: tuple(shown[place - 1] for place in numbers) for name, numbers in places.items()}


def _undeceived(items: Mapping[str, Entry], values: Mapping[str, float]) -> dict[str, float]:
    """The grades of the real items; `DecoyTaken` if that of a decoy is not the known answer."""
    for name, entry in items.items():
        if entry.item is None and taken_wrongly(entry, values[name]):
            raise DecoyTaken(f"the reply takes a decoy: “{entry.about}” is {'' if entry.met else 'not '}met")
    return real(items, values)


def _quoted(rubric: Rubric, passages: Mapping[str, tuple[str, ...]], answers: Mapping[str, float]) -> Verdict:
    return verdict_of(rubric, answers, passages, "Graded item by item, each by its own passages.")


def verdict_of(
    rubric: Rubric, values: Mapping[str, float], evidence: Mapping[str, tuple[str, ...]], rationale: str
) -> Verdict:
    """The verdict; an item without a value is not met."""
    scores = {item.id: values.get(item.id, 0.0) for item in rubric.items}
    shown = {name: evidence.get(name, ()) for name in scores}
    # Weights add up to 1 within a billionth only, so the total may lie slightly above it.
    return Verdict(min(max(rubric.total(scores), 0.0), 1.0), scores, shown, rationale)
