"""The question that grades a text by a rubric, through the protocol (docs/scoring.md §4). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter

from steelyard.judge.decoys import Entry, entries, met, taken_wrongly, unmet
from steelyard.judge.parse import TIE, DecoyTaken, Verdict, VerdictError, grade_in, numbers_in, sentence
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

R = TypeVar("R")

MOST = 6
"""Sentences that may be named per item."""

PLACES = {"sentences": list_of({"type": "integer"})}
"""What a row of a reply rests on: numbers of sentences."""

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


class Said(NamedTuple):
    """What a reply says about one item."""

    value: float = 0.0
    """The grade; of two results 1.0 if the second is better, 0.0 if the first is; 0.0 where none is asked for."""
    quotes: tuple[str, ...] = ()
    """The sentences that it rests on."""


@dataclass(frozen=True, slots=True)
class Items:
    """What one call asks about: items of a rubric and decoys under drawn ids, and the sentences in view."""

    entries: Mapping[str, Entry]
    parts: Sequence[str] = ()
    first: int | None = None
    """How many of them belong to the first of two results; None for a single text."""

    def call(
        self,
        frame: tuple[str, str, Mapping[str, str]],
        form: Form,
        use: Callable[[Mapping[str, Said], str], R],
        text: str,
        rng: Random,
    ) -> Request[R]:
        """The call; `use` makes its result of what is said about each item of the rubric, and the rationale."""
        system, user, values = frame
        decoys = [listed({name: entry}) for name, entry in self.entries.items() if entry.item is None]

        def read(rows: Rows, rationale: str) -> R:
            return use(self._said(rows), sentence(rationale))

        filled = {**values, "items": listed(self.entries)}
        return request((system, user, filled), form, self.entries, read, text, rng, decoys)

    def _said(self, rows: Rows) -> dict[str, Said]:
        found = {name: self._row(name, row) for name, row in rows.items()}
        for name, entry in self.entries.items():
            if taken_wrongly(entry, found[name].value):
                raise DecoyTaken(f"the reply takes a decoy: “{entry.about}”")
        return {entry.item: found[name] for name, entry in self.entries.items() if entry.item is not None}

    def _row(self, name: str, row: Mapping[str, Any]) -> Said:
        graded = next((field for field in ("met", "score", "better") if field in row), None)
        value = 0.0 if graded is None else grade_in(row[graded], f"{name}.{graded}")
        if "sentences" not in row:
            return Said(value)
        places = numbers_in(row["sentences"], len(self.parts), MOST, f"{name}.sentences")
        # The lowest band says that nothing is shown, and so does a tie.
        shows = round(value, 6) >= BANDS["30-49"]
        if self.first is not None:
            places = tuple(place for place in places if value == float(place > self.first))
            shows = value != TIE
        if shows and not places:
            raise VerdictError(f"{name} is graded without a sentence that shows it")
        return Said(value, tuple(self.parts[place - 1] for place in places))


def question(rubric: Rubric, *, task: str, text: str, others: Sequence[Rubric] = ()) -> Question[Verdict]:
    """The question that grades `text`, an answer to the trusted `task`; decoys may also be drawn from `others`."""
    asked = _Asked(rubric, task.strip(), others)
    return Question(
        text=text,
        context=asked.task,
        identity=rubric_identity(rubric),
        single=asked.single,
        nothing=verdict_of(rubric, {}, "The text shows nothing."),
        stored=STORED,
        quoting=Quoting(asked.passages, asked.check, asked.quoted),
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
        items = Items(drawn_ids([*entries(self.rubric), *decoys], text, rng), sentences(text))
        form = Form("grades", {**PLACES, **self._grade}, rationale=True)
        return items.call(self._frame(self._kind, items), form, partial(verdict_of, self.rubric), text, rng)

    def passages(self, text: str, rng: Random) -> Request[Mapping[str, tuple[str, ...]]]:
        """The first call of the quoting protocol: it names sentences, and grades nothing."""
        items = Items(drawn_ids(entries(self.rubric), text, rng), sentences(text))

        def use(said: Mapping[str, Said], rationale: str) -> Mapping[str, tuple[str, ...]]:
            return {item: each.quotes for item, each in said.items() if each.quotes}

        return items.call(self._frame("passages", items), Form("passages", PLACES), use, text, rng)

    def check(self, item: str, passages: Sequence[str], rng: Random) -> Request[float]:
        """A call of the quoting protocol about one item: the item and its sentences, and not the text."""
        shown = "\n".join(map(unlabelled, passages))
        own = [entry for entry in entries(self.rubric) if entry.item == item]
        # None that is met, since a no earns nothing.
        decoys = unmet(self.rubric, f"{shown}\n{self.task}", self.others, rng, count=1)
        items = Items(drawn_ids([*own, *decoys], shown, rng))
        frame = fill(template("check"), _CHECK[self._kind]), template("shown"), {"text": shown}
        return items.call(frame, Form("grades", self._grade), lambda said, _: said[item].value, shown, rng)

    def quoted(self, passages: Mapping[str, tuple[str, ...]], answers: Mapping[str, float]) -> Verdict:
        """The verdict of the quoting protocol."""
        said = {item: Said(answers.get(item, 0.0), quotes) for item, quotes in passages.items()}
        return verdict_of(self.rubric, said, "Graded item by item, each by its own passages.")

    @property
    def _kind(self) -> str:
        return "criteria" if self.rubric.criteria else "dimensions"

    @property
    def _grade(self) -> dict[str, Mapping[str, Any]]:
        """The grade in a row of a reply: its name and schema."""
        return {"met": {"type": "boolean"}} if self.rubric.criteria else {"score": {"type": "number"}}

    def _frame(self, system: str, items: Items) -> tuple[str, str, dict[str, str]]:
        """The messages of a call that shows the text."""
        values = {"task": self.task or "(none)", "text": numbered(items.parts)}
        return template(system), template("frame"), {**values, "about": f"The text: {self.rubric.about}\n\n"}


def verdict_of(rubric: Rubric, said: Mapping[str, Said], rationale: str) -> Verdict:
    """The verdict; an item of which nothing is said is not met."""
    found = {item.id: said.get(item.id, Said()) for item in rubric.items}
    scores = {name: each.value for name, each in found.items()}
    # Weights add up to 1 within a billionth only, so the total may lie slightly above it.
    total = min(max(rubric.total(scores), 0.0), 1.0)
    return Verdict(total, scores, {name: each.quotes for name, each in found.items()}, rationale)
