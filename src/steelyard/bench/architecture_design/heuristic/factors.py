"""The factors of the heuristic, each in [0, 1]; `dimensions` combines them.

What counts is said by the *words of the evidence*: those of the sentences that hold the best evidence for some element.
No other sentence can raise a factor.

- density: 1 from `WORDS_PER_CREDIT` words of the evidence per credited element; fewer words suggest a bare list.
- precision: named services that belong to the task / all named services. Foreign services are free up to `ALLOWED`, or
  up to the number that belong, whichever is larger: advice may go beyond the diagram, but not name every service. It is
  0 if `SURFEIT` times as many more are named: a catalogue is no answer.
- novelty: the share of words that occur in neither the prompt nor the key. `ASSUMED` words are added that have just
  enough of these, so that a few words of a short answer, or of padding, say little.
- topic: words of the evidence that are specific to the task's situation (shared by at most `SHARED` tasks); low for an
  answer that would fit any task.
- brevity: an answer of which less than fifty words are words of the evidence counts as a short one; it is 1 from twice
  as many.
- focus: the words of the evidence / these and the words that are off topic; 1 from `FOCUSED`, 0 up to `ASTRAY`.
- concision: the words of the evidence / all words.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import prod

from steelyard.bench.architecture_design.heuristic.corpus import key_of, stem, task_text
from steelyard.bench.architecture_design.heuristic.evidence import Evidence, Search
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.bench.architecture_design.heuristic.reading import Reading, words_of
from steelyard.bench.architecture_design.heuristic.services import meaning, vocabulary
from steelyard.bench.architecture_design.model import DesignItem

WORDS_PER_CREDIT = 6.0
ALLOWED = 4
"""Foreign services that cost nothing; the limit is the number that belong to the task if that is larger."""
SURFEIT = 1.5
"""Foreign services beyond the free ones, for each of these, from which an answer is a catalogue."""
TOPIC_WORDS = 3
"""Distinct words of the situation for full credit."""
TOPIC_FLOOR = 0.4
BRIEF, BRIEF_WORDS = 0.75, 50
"""Limit of the rule for short answers (docs/scoring.md §1.4), and a factor that is lower than that rule's: an answer
must not gain from words that get it over the limit, not even a bonus that the rule would have lowered."""
FILLER_ALLOWED = 0.77
"""Share of words without evidence that costs nothing; about what the most talkative references have."""
FILLER_FLOOR = 0.4
FOCUSED = 0.45
"""Share of words of the evidence for full credit."""
ASTRAY = 0.15
"""Share of words of the evidence up to which an answer is about something else; also the width of the slope."""
ASSUMED = 20
NEW_TO_PROMPT, NEW_TO_BOTH = 0.3, 0.15
"""Share of an answer's distinct words not in the prompt, and in neither prompt nor key, for full credit."""


def density(words: int, evidence: Evidence) -> float:
    """1 if there are enough words for the credits earned, less in proportion."""
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


def novelty(item: DesignItem, words: Iterable[str]) -> float:
    """How much of the words is in neither the prompt nor the key; 0 if there is no content word."""
    used = {stem(word) for word in words if len(word) > 2 and word not in FUNCTION_WORDS and word.isalpha()}
    if not used:
        return 0.0
    known = _stems(task_text(item), key_of(item.expected))
    shares = (
        (len(used - old) + ASSUMED * full) / (len(used) + ASSUMED) / full
        for old, full in zip(known, (NEW_TO_PROMPT, NEW_TO_BOTH), strict=True)
    )
    return prod(min(share, 1.0) for share in shares)


def sentences_with(evidence: Evidence, reading: Reading) -> list[tuple[int, int]]:
    """The sentences that hold evidence: index of the first word, and of the word after the last."""
    places = evidence.places
    return [(first, last) for first, last in reading.sentences if not places.isdisjoint(range(first, last))]


def brevity(words: int, reading: Reading) -> float:
    """`BRIEF` if an answer of `BRIEF_WORDS` words or more has fewer words of the evidence, and 1 from twice as many."""
    if sum(not blank for blank in reading.blank) + reading.left_out_own < BRIEF_WORDS:
        return 1.0
    return BRIEF + (1 - BRIEF) * min(max(words / BRIEF_WORDS - 1, 0.0), 1.0)


def focus(words: int, off_topic: int) -> float:
    """1 while at least `FOCUSED` of the words are words of the evidence, less in proportion, 0 up to `ASTRAY`."""
    share = words / (words + off_topic) if off_topic else 1.0
    return min(share / FOCUSED, max(share - ASTRAY, 0.0) / ASTRAY, 1.0)


def topic(situation: frozenset[str], words: Iterable[str]) -> float:
    """`TOPIC_FLOOR` to 1, by the number of distinct words of the situation among the words."""
    used = {stem(word) for word in words}
    return TOPIC_FLOOR + (1 - TOPIC_FLOOR) * min(len(used & situation) / TOPIC_WORDS, 1.0)


def concision(words: int, total: int) -> float:
    """1 while at most `FILLER_ALLOWED` of the words are none of the evidence, falling linearly to `FILLER_FLOOR`."""
    share = 1.0 - words / total if total else 1.0
    return 1.0 - (1.0 - FILLER_FLOOR) * max(share - FILLER_ALLOWED, 0.0) / (1.0 - FILLER_ALLOWED)
