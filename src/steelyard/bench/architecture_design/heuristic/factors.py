"""The factors of the heuristic, each in [0, 1]; `dimensions` combines them.

- density: 1 from `WORDS_PER_CREDIT` words near evidence per credited element; fewer words suggest a bare list.
- precision: named services that belong to the task / all named services. Foreign services are free up to `ALLOWED`, or
  up to the number that belong, whichever is larger: advice may go beyond the diagram, but not name every service. It is
  0 if `SURFEIT` times as many more are named: a catalogue is no answer.
- novelty: the share of words that occur in neither the prompt nor the key. `ASSUMED` words are added that have just
  enough of these, so that a few words of a short answer, or of padding, say little.
- topic: words specific to the task's situation (shared by at most `SHARED` tasks) near evidence; low for an answer
  that would fit any task.
- brevity: an answer that reaches fifty words only with sentences that are off topic counts as a short one.
- focus: the share of the words in sentences that are tied to the task; 1 from `FOCUSED`, 0 up to `ASTRAY`.
- concision: the share of the words that are near evidence.
- style: reasons, conditions, trade-offs and figures near evidence, per 100 words, up to a cap for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from math import prod

from steelyard.bench.architecture_design.heuristic.corpus import key_of, stem, task_text
from steelyard.bench.architecture_design.heuristic.evidence import Evidence, Search
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import Reading, words_of
from steelyard.bench.architecture_design.heuristic.services import meaning, vocabulary
from steelyard.bench.architecture_design.model import DesignItem

WORDS_PER_CREDIT = 10.0
ALLOWED = 4
"""Foreign services that cost nothing; the limit is the number that belong to the task if that is larger."""
SURFEIT = 1.5
"""Foreign services beyond the free ones, for each of these, from which an answer is a catalogue."""
TOPIC_WORDS = 5
"""Distinct words of the situation for full credit."""
TOPIC_FLOOR = 0.4
REASONS_PER_100, FIGURES_PER_100 = 0.5, 1.0
"""Rates near evidence for full credit: about what the plainest references have."""
BRIEF, BRIEF_WORDS = 0.8, 50
"""Factor and limit of the rule for short answers (docs/scoring.md §1.4)."""
NEAR = 20
"""Words on either side of a piece of evidence that belong to it."""
FILLER_ALLOWED = 0.45
"""Share of words far from any evidence that costs nothing."""
FILLER_FLOOR = 0.4
FOCUSED = 0.6
"""Share of the words in tied sentences for full credit."""
ASTRAY = 0.2
"""Share of the words in tied sentences up to which an answer is about something else; also the width of the slope."""
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
    """1 if there are enough words near evidence for the credits earned, less in proportion; `words` is their number."""
    credits = sum((*evidence.components, *evidence.flows, *evidence.findings, *evidence.remedies))
    return min(words / (WORDS_PER_CREDIT * credits), 1.0) if credits else 0.0


def precision(belonging: int, foreign: int) -> float:
    """The share of named services that belong to the task, after the free foreign ones."""
    allowed = max(ALLOWED, belonging)
    beyond = max(foreign - allowed, 0)
    return min(belonging / (belonging + beyond), max(1.0 - beyond / (SURFEIT * allowed), 0.0)) if beyond else 1.0


def services(item: DesignItem, search: Search) -> tuple[tuple[str, ...], int]:
    """The foreign services named, and the number of named services that belong to the task."""
    names = (*item.metadata.aws_services, *(component.name for component in item.expected.components))
    own = _belonging(task_text(item), key_of(item.expected), names)
    mentioned = [mention.services for mention in vocabulary().mentions(search.reading.text)]
    left_out = [mention.services for mention in vocabulary().mentions(search.reading.left_out)]
    foreign = {min(services) for services in (*mentioned, *left_out) if not services & own}
    belonging = {min(services & own) for services in mentioned if services & own}
    by_noun = sum(not search.strong[name] for name, where in search.weak.items() if where)
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


def novelty(item: DesignItem, reading: Reading, near: Sequence[bool]) -> float:
    """How much of the words near evidence is in neither the prompt nor the key; 0 if no content word is near."""
    words = (word for word, kept in zip(reading.words, near, strict=True) if kept)
    used = {stem(word) for word in words if len(word) > 2 and word not in FUNCTION_WORDS and word.isalpha()}
    if not used:
        return 0.0
    known = _stems(task_text(item), key_of(item.expected))
    shares = (
        (len(used - old) + ASSUMED * full) / (len(used) + ASSUMED) / full
        for old, full in zip(known, (NEW_TO_PROMPT, NEW_TO_BOTH), strict=True)
    )
    return prod(min(share, 1.0) for share in shares)


def words_near_evidence(reading: Reading, evidence: Evidence) -> list[bool]:
    """Per word: whether it is within `NEAR` words of evidence and not blank."""
    near = [False] * len(reading.words)
    for place in evidence.places:
        begin, end = max(place - NEAR, 0), min(place + NEAR + 1, len(near))
        near[begin:end] = [not blank for blank in reading.blank[begin:end]]
    return near


def brevity(reading: Reading) -> float:
    """`BRIEF` if only sentences that are off topic lift the answer to `BRIEF_WORDS` words."""
    own = sum(not blank for blank in reading.blank)
    return BRIEF if own < BRIEF_WORDS <= own + reading.left_out_own else 1.0


def focus(reading: Reading) -> float:
    """1 while at least `FOCUSED` of the words are in tied sentences, less in proportion, 0 up to `ASTRAY` of them."""
    words = len(reading.words) + reading.padding
    spans = zip(reading.sentences, reading.kinds, strict=True)
    tied = sum(last - first for (first, last), kind in spans if kind == "tied")
    share = tied / words if words else 1.0
    return min(share / FOCUSED, max(share - ASTRAY, 0.0) / ASTRAY, 1.0)


def topic(situation: frozenset[str], reading: Reading, near: Sequence[bool]) -> float:
    """`TOPIC_FLOOR` to 1, by the number of distinct words of the situation near evidence."""
    used = {stem(word) for word, kept in zip(reading.words, near, strict=True) if kept}
    return TOPIC_FLOOR + (1 - TOPIC_FLOOR) * min(len(used & situation) / TOPIC_WORDS, 1.0)


def style(reading: Reading, near: Sequence[bool]) -> float:
    """Reasons near evidence by their rate per 100 words; figures make up for up to 0.3 of it."""
    hundreds = max(len(reading.words) / 100, 1.0)
    text = " ".join(word if kept else "-" for word, kept in zip(reading.words, near, strict=True))
    reasons = len(_REASON.findall(text)) / hundreds
    figures = len(_FIGURE.findall(text)) / hundreds
    return min(min(reasons / REASONS_PER_100, 1.0) + 0.3 * min(figures / FIGURES_PER_100, 1.0), 1.0)


def concision(useful: int, words: int) -> float:
    """1 while at most `FILLER_ALLOWED` of the words are far from evidence, falling linearly to `FILLER_FLOOR`."""
    share = 1.0 - useful / words if words else 1.0
    return 1.0 - (1.0 - FILLER_FLOOR) * max(share - FILLER_ALLOWED, 0.0) / (1.0 - FILLER_ALLOWED)
