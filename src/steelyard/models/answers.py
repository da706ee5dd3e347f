"""The table from which the embedded baselines answer.

The models may not import the wings, so `_registry` fills this table: each `Source` recognises the prompts of its own
items. References are never part of a prompt or a sandbox; only the ceiling looks them up, in this process.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple


class Source(NamedTuple):
    """The answers of one dataset."""

    name: str
    reference: Callable[[str], str | None]
    """Prompt → the reference answer; None if the prompt belongs to another dataset."""
    guess: Callable[[str, random.Random], str | None]
    """Prompt → a guess from the seed; None if the prompt belongs to another dataset."""


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
