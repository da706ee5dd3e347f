"""Decoys of the audit: problems, and for rulings a finding, of other documents that stand among the real ones. Pure.

Decoy problems come from the shipped keys and from other keys of the user, those that have the fewest content words
in common with the findings and the key in use; a reply must call them missed. All problems get drawn ids in a drawn
order. What is drawn depends on the random numbers, the key and the findings alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from random import Random

from steelyard.audit.key import parse_key
from steelyard.audit.model import Key, Problem
from steelyard.judge.decoys import stems
from steelyard.judge.protocol import drawn_ids

DECOYS = 2
"""Decoy problems per call."""

LEAST_ALIKE = 8
"""Problems of other keys, those with the fewest words in common, among which the draw is made."""

_SHIPPED = (("agent-review", "refunds"), ("code-review", "lockers"), ("security-review", "portal"))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A key as one call shows it."""

    key: Key
    """With drawn ids in a drawn order, decoys included."""
    ids: Mapping[str, str | None]
    """Drawn id → the id in the real key; None for a decoy."""


def drawn_key(key: Key, text: str, others: tuple[Key, ...], rng: Random, only: str | None = None) -> Drawn:
    """The key for a call about the findings in `text`; with `only`, one problem and one decoy."""
    real = [problem for problem in key.problems if only in (None, problem.id)]
    decoys = _decoys(key, text, others, rng, DECOYS if only is None else 1)
    shown = drawn_ids([*real, *decoys], text, rng)
    return Drawn(
        replace(key, problems=tuple(replace(problem, id=name) for name, problem in shown.items())),
        {name: problem.id if problem in real else None for name, problem in shown.items()},
    )


def decoy_finding(key: Key, text: str, others: tuple[Key, ...], rng: Random) -> str:
    """A finding about another document, which is no bonus here."""
    return _decoys(key, text, others, rng, 1)[0].description


def _decoys(key: Key, text: str, others: tuple[Key, ...], rng: Random, count: int) -> list[Problem]:
    titles = {problem.title for problem in key.problems}
    known = stems(" ".join((text, *map(_words, key.problems))))
    pool = [
        problem
        for other in (*_shipped_keys(), *others)
        for problem in other.problems
        # A shipped key in use would otherwise give its own problems as decoys.
        if problem.title not in titles and problem.description
    ]
    pool.sort(key=lambda problem: len(stems(_words(problem)) & known) / max(1, len(stems(_words(problem)))))
    return rng.sample(pool[:LEAST_ALIKE], count)


def _words(problem: Problem) -> str:
    return f"{problem.title} {problem.description} {problem.criteria.detected}"


@cache
def _shipped_keys() -> tuple[Key, ...]:
    folder = resources.files("steelyard").joinpath("examples", "audit")
    texts = [folder.joinpath(suite, unit, "key.md").read_text("utf-8") for suite, unit in _SHIPPED]
    return tuple(parse_key(text, "key.md") for text in texts)
