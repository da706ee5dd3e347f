"""The factors of the heuristic, each in [0, 1]; `dimensions` combines them.

Hard rule: whatever could raise a factor is counted in the *core* alone, the sentences that the credits rest on;
whatever lowers one is counted in the whole answer. So text that earns no credit can raise none of them.

- density: 1 from `WORDS_PER_CREDIT` words of the core per credited element; fewer words suggest a bare list.
- precision: services of the core that belong to the task / the same and all foreign ones. Foreign services are free up
  to `ALLOWED`, or up to the number that belong, whichever is larger: advice may go beyond the diagram, but not name
  every service.
- novelty: the share of the core's words that occur in neither the prompt nor the key. `ASSUMED` words are added that
  have just enough of these, so that a few words of a short answer say little.
- topic: words of the core specific to the task's situation (shared by at most `SHARED` tasks); low for an answer that
  would fit any task.
- focus, concision: the share of the words that are in the core.
- style: reasons, conditions, trade-offs and figures of the core, per 100 of its words, up to a cap for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from math import prod

from steelyard.bench.architecture_design.heuristic.evidence import Evidence, Search
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import Reading, words_of
from steelyard.bench.architecture_design.heuristic.services import meaning, vocabulary
from steelyard.bench.architecture_design.heuristic.situation import key_of, stem, task_text
from steelyard.bench.architecture_design.model import DesignItem

WORDS_PER_CREDIT = 7.0
ALLOWED = 4
"""Foreign services that cost nothing; the limit is the number that belong to the task if that is larger."""
TOPIC_WORDS = 4
"""Distinct words of the situation for full credit."""
TOPIC_FLOOR = 0.8
REASONS_PER_100, FIGURES_PER_100 = 0.5, 1.0
"""Rates near evidence for full credit: about what the plainest references have."""
FILLER_ALLOWED = 0.75
"""Share of words outside the core that costs nothing."""
FILLER_FLOOR = 0.4
FOCUSED = 0.25
"""Share of the words in the core for full credit."""
ASSUMED = 20
NEW_TO_PROMPT, NEW_TO_BOTH = 0.3, 0.15
"""Share of an answer's distinct words not in the prompt, and in neither prompt nor key, for full credit."""

_REASON = re.compile(
    r"(?<!\w)(?:because|since|so that|so|therefore|thus|hence|otherwise|instead of|rather than|unless|although|though"
    r"|even if|even though|however|but|which means|means that|in order to|only if|only when|if|until|without|whereas"
    r"|while|trade-?off|at the price|the price|in exchange|as long as|reason|why|due to|leads? to|depends? on|not just"
    r"|not only|before|first|instead|for this|that is)(?!\w)"
)
_FIGURE = re.compile(r"(?<![\w.])[$€~≈<>]?\d[\d.,:/]*(?![\w-]{0,20}[a-z]{4})")


def density(words: int, evidence: Evidence) -> float:
    """1 if there are enough words in the core for the credits earned, less in proportion; `words` is their number."""
    credits = sum((*evidence.components, *evidence.flows, *evidence.findings, *evidence.remedies))
    return min(words / (WORDS_PER_CREDIT * credits), 1.0) if credits else 0.0


def precision(belonging: int, foreign: int) -> float:
    """The share of named services that belong to the task, after the free foreign ones."""
    named = belonging + max(foreign - max(ALLOWED, belonging), 0)
    return belonging / named if named else 1.0


def services(item: DesignItem, search: Search, core: Sequence[bool]) -> tuple[tuple[str, ...], int]:
    """The foreign services named anywhere, and the number of services named in the core that belong to the task."""
    names = (*item.metadata.aws_services, *(component.name for component in item.expected.components))
    own = _belonging(task_text(item), key_of(item.expected), names)
    reading = search.reading
    mentioned = vocabulary().mentions(reading.text)
    foreign = {
        min(mention.services)
        for mention in (*mentioned, *vocabulary().mentions(reading.left_out))
        if not mention.services & own
    }
    belonging = {
        min(mention.services & own)
        for mention in mentioned
        if mention.services & own and core[reading.at(mention.start)]
    }
    by_noun = sum(
        not search.strong[name] and any(core[place] for place in where) for name, where in search.weak.items()
    )
    return tuple(sorted(foreign)), len(belonging) + by_noun


@cache
def _belonging(task: str, key: tuple[str, ...], names: tuple[str, ...]) -> frozenset[str]:
    """The services named by the task, its architecture or its key."""
    text = "\n".join((task, *key)).lower()
    named = frozenset(service for mention in vocabulary().mentions(text) for service in mention.services)
    return named.union(*(meaning(name) for name in names))


@cache
def _stems(task: str, key: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The word stems of the task, and those of task and key together."""
    stems = frozenset(stem(word) for word in words_of(task))
    return stems, stems | {stem(word) for entry in key for word in words_of(entry)}


def novelty(item: DesignItem, words: Sequence[str]) -> float:
    """How many of the core's words are in neither the prompt nor the key; 0 if it has no content word."""
    used = {stem(word) for word in words if len(word) > 2 and word not in FUNCTION_WORDS and word.isalpha()}
    if not used:
        return 0.0
    known = _stems(task_text(item), key_of(item.expected))
    shares = (
        (len(used - old) + ASSUMED * full) / (len(used) + ASSUMED) / full
        for old, full in zip(known, (NEW_TO_PROMPT, NEW_TO_BOTH), strict=True)
    )
    return prod(min(share, 1.0) for share in shares)


def core_of(reading: Reading, evidence: Evidence) -> list[bool]:
    """Per word: whether it is not blank and in a sentence that a credit rests on."""
    core = [False] * len(reading.words)
    for first, last in reading.sentences:
        if any(place in evidence.places for place in range(first, last)):
            core[first:last] = [not blank for blank in reading.blank[first:last]]
    return core


def focus(useful: int, words: int) -> float:
    """1 while at least `FOCUSED` of the words are in the core, less in proportion; 1 if there are no words."""
    return min(useful / (FOCUSED * words), 1.0) if words else 1.0


def topic(situation: frozenset[str], words: Sequence[str]) -> float:
    """`TOPIC_FLOOR` to 1, by the number of distinct words of the situation in the core."""
    used = {stem(word) for word in words}
    return TOPIC_FLOOR + (1 - TOPIC_FLOOR) * min(len(used & situation) / TOPIC_WORDS, 1.0)


def style(words: Sequence[str]) -> float:
    """Reasons in the core by their rate per 100 words; figures make up for up to 0.3 of it."""
    hundreds = max(len(words) / 100, 1.0)
    text = " ".join(words)
    reasons = len(_REASON.findall(text)) / hundreds
    figures = len(_FIGURE.findall(text)) / hundreds
    return min(min(reasons / REASONS_PER_100, 1.0) + 0.3 * min(figures / FIGURES_PER_100, 1.0), 1.0)


def concision(useful: int, words: int) -> float:
    """1 while at most `FILLER_ALLOWED` of the words are outside the core, falling linearly to `FILLER_FLOOR`."""
    share = 1.0 - useful / words if words else 1.0
    return 1.0 - (1.0 - FILLER_FLOOR) * max(share - FILLER_ALLOWED, 0.0) / (1.0 - FILLER_ALLOWED)
