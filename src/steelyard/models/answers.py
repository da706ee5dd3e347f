"""Where the embedded baselines find their answers.

The wings lie above the models, so they fill this table (`_registry` does it): a `Source` recognises prompts of its own
items. References never stand in a prompt or a sandbox; only the ceiling, in this process, can look them up.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple


class Source(NamedTuple):
    """One provider of answers."""

    name: str
    reference: Callable[[str], str | None]
    """Prompt → the reference answer; None when the prompt is not of this source."""
    guess: Callable[[str, random.Random], str | None]
    """Prompt → a seeded answer that knows nothing; None when the prompt is not of this source."""


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    """Add a source; a second one of the same name takes its place."""
    _sources[source.name] = source


def reference(prompt: str) -> str | None:
    """The reference answer of whichever source knows the prompt."""
    return next((found for source in _sources.values() if (found := source.reference(prompt)) is not None), None)


def guess(prompt: str, rng: random.Random) -> str | None:
    """A guess of whichever source knows the prompt."""
    return next((found for source in _sources.values() if (found := source.guess(prompt, rng)) is not None), None)
