"""A scenario makes one question: a text, and claims about what follows from it, right or slipped.

A claim knows its right value, which a simulation computed, and the values that typical slips lead to. Which claims of a
question are stated rightly is drawn from the question's seed; a false one states the value of one of its slips.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LETTERS = "ABCDEFGHIJ"
CANARY = "steelyard-hard-exam canary 2b7f4f0a-93d5-4c1e-a6b8-5e0c7d21f6e9"
ASK = "Which of the following statements hold? (Select ALL that apply.)"


@dataclass(frozen=True)
class Claim:
    """A sentence with `{}` where its value goes."""

    sentence: str
    right: str
    slips: Sequence[tuple[str, str]]
    """Wrong value, and the slip that leads to it."""
    why: str
    """Why the right value is right."""


@dataclass(frozen=True)
class Scenario:
    """Everything about a question but its id and its draw."""

    domain: str
    services: Sequence[str]
    source: str
    """Where AWS documents the rules that the text states."""
    text: str
    claims: Sequence[Claim]
    correct: str
    """The rule that decides."""


SCENARIOS: dict[str, list[Callable[[], Scenario]]] = {}
"""Module → its scenarios, in the order of the ids."""


def scenario(*settings: object) -> Callable[[Callable[..., Scenario]], Callable[..., Scenario]]:
    """Registers a function once per setting."""

    def add(function: Callable[..., Scenario]) -> Callable[..., Scenario]:
        for setting in settings:
            made = SCENARIOS.setdefault(function.__module__, [])
            made.append(lambda setting=setting: function(setting))
        return function

    return add


def truth(sentence: str, holds: bool, words: tuple[str, str], slip: str, why: str) -> Claim:
    """A claim with two possible values: `words` if it holds and if it does not."""
    right, wrong = words if holds else words[::-1]
    return Claim(sentence, right, ((wrong, slip),), why)


def question(number: int, made: Scenario) -> dict[str, object]:
    """One row of the dataset."""
    rng = random.Random(f"steelyard-hard-exam-{number}")
    claims = list(made.claims)
    rng.shuffle(claims)
    claims = claims[: len(LETTERS)]
    assert len(claims) >= 8, made.text[:60]
    count = rng.randint(2, min(7, len(claims) - 2))
    true = set(rng.sample(range(len(claims)), count))
    choices, reasons, slipped = [], {}, []
    for place, claim in enumerate(claims):
        letter = LETTERS[place]
        slips = [slip for slip in claim.slips if slip[0] != claim.right]
        assert slips, (claim.sentence, claim.right)
        wrong, why_wrong = rng.choice(slips)
        choices.append(claim.sentence.format(claim.right if place in true else wrong))
        slip = "" if place in true else f" Stated so, it follows from a slip: {why_wrong}."
        reasons[letter] = claim.why + slip
        if place not in true:
            slipped.append((letter, why_wrong))
    assert len(set(choices)) == len(choices), choices
    target = [LETTERS[place] for place in sorted(true)]
    misses = [
        {"letters": sorted([*target, letter]), "why": why} for letter, why in rng.sample(slipped, min(2, len(slipped)))
    ]
    return {
        "id": f"hx-{number:03d}",
        "input": f"{made.text.strip()}\n\n{ASK}",
        "choices": choices,
        "target": target,
        "metadata": {
            "difficulty": "expert",
            "domain": made.domain,
            "aws_services": list(made.services),
            "explanation": {"correct": made.correct, "choices": reasons},
            "source": made.source,
            "near_misses": misses,
            "as_of": "2026-11",
            "canary": CANARY,
        },
    }
