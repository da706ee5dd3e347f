"""Decoys: items that stand among the real ones and have a known answer (docs/scoring.md §4). Pure.

An item of another rubric may be drawn only if it names that rubric's subject ("Is it clear?" would fit any text; a
subject is what the shipped rubric and case do not speak of) and has no content word in common with the text, the task
and the rubric in use; of the shipped ones, those with the fewest are taken. Of those that remain, the draw is among the
twelve nearest in length. The met one holds single words of the text and never two in a row, so that no order of the
text stands among the items. All are shown in the form of the real items: as questions or statements, with bands or not.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from steelyard.judge.rubric import SHIPPED, BandName, Criterion, Dimension, Rubric
from steelyard.judge.text import sentences
from steelyard.outcome import exact
from steelyard.yamlfile import read

_LONG, _NAMED, _MOST = 5, 4, 20
"""Letters of a content word, and the least and the most of a word that a decoy names."""
_STEM = 7
"""Letters by which two forms of a word are told to be the same."""
_BANDS: Mapping[BandName, str] = {
    "90-100": "Both are there.",
    "70-89": "Both, one in another form.",
    "50-69": "One of them.",
    "30-49": "A related word alone.",
    "0-29": "Neither.",
}


class Entry(NamedTuple):
    """One line of the list that a judge is shown."""

    about: str
    bands: Mapping[BandName, str] | None = None
    item: str | None = None
    """The rubric's id; None for a decoy."""
    known: float | None = None
    """The right answer to a decoy, in [0, 1]; None for a real item."""


def entries(rubric: Rubric) -> list[Entry]:
    """The rubric's own items."""
    return [Entry(item.about, item.bands, item.id) for item in rubric.items]


def unmet(rubric: Rubric, known: str, others: Iterable[Rubric], rng: Random, count: int = 2) -> list[Entry]:
    """Decoys that a text does not meet; `known` is the text with its task."""
    real = entries(rubric)
    # An honest answer that speaks of what a decoy asks for would trip it.
    own = stems(" ".join((known, rubric.name, rubric.about, *(entry.about for entry in real))))
    shipped = [(len(words & own), item) for other in _other_subjects() for item, words in _on_subject(other)]
    foreign = (other for other in others if other.sha != rubric.sha)
    theirs = [(0, item) for other in foreign for item, words in _on_subject(other) if not words & own]
    banded = any(entry.bands for entry in real)
    pool = [(common, item) for common, item in (*shipped, *theirs) if not banded or item.bands]
    length = statistics.median(len(entry.about) for entry in real)
    # An item much longer or shorter than the real ones would be seen to be a decoy.
    nearest = sorted(pool, key=lambda pair: (pair[0], abs(len(pair[1].about) - length)))[:12]
    drawn = rng.sample([item for _, item in nearest], count)
    return [Entry(_styled(item.about, real), item.bands if banded else None, known=0.0) for item in drawn]


def met(rubric: Rubric, text: str, rng: Random, lacking: str = "") -> list[Entry]:
    """A decoy that `text` meets: it asks for words that the text holds, and `lacking` does not; none without such."""
    real, known = entries(rubric), lacking.casefold()
    shown = "\n".join(sentences(text))  # a word of the text may be cut in two there
    found = [word for word in words_of(shown, str.isalpha) if len(word) >= _NAMED], words_of(shown, str.isalnum)
    # Numbers and short words only where the text has no others.
    own = ([word for word in dict.fromkeys(group) if not known or word.casefold() not in known] for group in found)
    if not (words := next(filter(None, own), list[str]())):
        return []
    drawn = rng.sample(words, min(2, len(words)))
    named = " and ".join(f"“{word}”" for word in drawn)
    long = statistics.median(len(entry.about) for entry in real) > 60
    about = f"Does it mention {named}{', in whatever sense and at whatever place of the text' if long else ''}?"
    return [Entry(_styled(about, real), _BANDS if any(entry.bands for entry in real) else None, known=1.0)]


def taken_wrongly(entry: Entry, value: float) -> bool:
    """Whether an answer to a decoy is not the known one."""
    return entry.known is not None and exact(abs(value - entry.known)) >= 0.3


def words_of(text: str, inside: Callable[[str], bool], most: int = _MOST) -> list[str]:
    """The words of characters that are `inside` one, in parts of at most so many."""
    words = "".join(character if inside(character) else " " for character in text).split()
    return [word[start : start + most] for word in words for start in range(0, len(word), most)]


def stems(text: str) -> frozenset[str]:
    """The content words of a text: the long ones, by their beginnings."""
    return frozenset(word[:_STEM].casefold() for word in words_of(text, str.isalpha, len(text)) if len(word) >= _LONG)


def shipped_items() -> list[tuple[Rubric, Dimension]]:
    """Every item of the shipped rubrics of other subjects."""
    return [(rubric, item) for rubric in _other_subjects() for item in rubric.dimensions]


@cache
def _on_subject(rubric: Rubric) -> Sequence[tuple[Criterion | Dimension, frozenset[str]]]:
    """The items that name the subject of their rubric, each with its content words."""
    subject = stems(f"{rubric.name} {rubric.about}") - _usual_words()
    words = [(item, stems(item.about)) for item in rubric.items]
    return [(item, own) for item, own in words if own & subject]


def _styled(about: str, real: Sequence[Entry]) -> str:
    """A question "Does it name …?" as the statement "Names …." where the real items are statements."""
    questions = sum(entry.about.endswith("?") for entry in real)
    return about if 2 * questions >= len(real) else statement(about)


def statement(about: str) -> str:
    """A question that begins with "Does it", as a statement; any other one as it is."""
    start, _, rest = about.partition("Does it ")
    verb, _, rest = rest.partition(" ")
    return about if start else f"{verb.capitalize()}s {rest.removesuffix('?')}."


@cache
def _usual_words() -> frozenset[str]:
    """What rubrics and answers speak of whatever their subject, as far as the shipped ones show it."""
    usual = ("rubrics/architecture.yaml", "cases/thumbnails.yaml", "prompts/criteria.md")
    return stems(" ".join((SHIPPED / place).read_text("utf-8") for place in usual))


@cache
def _other_subjects() -> tuple[Rubric, ...]:
    return tuple(entry.validated(Rubric) for entry in read(SHIPPED / "rubrics" / "decoys.yaml").items("rubrics"))
