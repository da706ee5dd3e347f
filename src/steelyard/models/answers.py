"""The table from which the embedded models answer.

The models may not import the wings, so `_registry` fills this table: each `Source` recognises the prompts of its own
items. References are never part of a prompt or a sandbox; only embedded models look them up, in this process.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Source(NamedTuple):
    """The answers of one dataset."""

    name: str
    reference: Callable[[str], str | None]
    """Prompt → the reference answer; None if the prompt belongs to another dataset."""
    guess: Callable[[str, random.Random], str | None]
    """Prompt → a guess from the seed; None if the prompt belongs to another dataset."""
    items: Callable[[], Mapping[str, str]] = dict[str, str]
    """Item id → the item's text, which every prompt of that item contains."""


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    """Add a source; it replaces one of the same name."""
    _sources[source.name] = source


def reference(prompt: str) -> str | None:
    """The reference answer to a prompt, or None if no source recognises it."""
    answers = (source.reference(prompt) for source in _sources.values())
    return next((answer for answer in answers if answer is not None), None)


def guess(prompt: str, rng: random.Random) -> str | None:
    """A guess at a prompt, or None if no source recognises it."""
    answers = (source.guess(prompt, rng) for source in _sources.values())
    return next((answer for answer in answers if answer is not None), None)


class Place(NamedTuple):
    """An item among the items of its source."""

    item: str
    """Its id."""
    siblings: tuple[str, ...]
    """The ids of all items of the source, itself included."""


def place(prompt: str) -> Place | None:
    """Which item the prompt asks about; the longest text wins, so that a text inside another cannot hide it."""
    matches = [
        (len(text), Place(name, tuple(items)))
        for items in (source.items() for source in _sources.values())
        for name, text in items.items()
        if text in prompt
    ]
    return max(matches)[1] if matches else None
