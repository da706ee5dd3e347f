"""The heuristic: accuracy, completeness and quality of an answer, without a model.

Law, each in [0, 1], from the credits of `evidence`:

    complete     = min(1, D · mean credit / FULL)            mean over kinds of elements, weighted by the subtype
    reach        = min(1, complete / ENOUGH)
    completeness = G · complete
    accuracy     = G · T · min(1, 2 · reach) · (½ · purity + ½ · reach)
    quality      = G · T · C · reach · (STYLE_FLOOR + (1 − STYLE_FLOOR) · style)
    G = P · N · O

- purity: the mean credit of the elements that the answer touches at all.
- D, density: at least `WORDS_PER_CREDIT` words near evidence per element; who packs more into fewer is listing.
- P, precision: named services that belong to the task / all named services, without foreign ones up to `ALLOWED` or
  up to the number of those that belong. Advice may go beyond the picture; who names every service has chosen none.
- N, novelty: an answer has words that stand neither in its prompt nor in the key.
- O, order: its words are in the order of a language (`language.ordered`).
- T, topic: words of the task's own situation (those that at most `SHARED` tasks have) near evidence; an answer
  that fits every task fits none.
- C, concision: the share of the words that stand near evidence.
- style: reasons, conditions and trade-offs, and figures, near evidence, per 100 words up to a full measure of each.

Copied and repeated words are no evidence for any of this (`reading`). An answer without evidence scores 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from steelyard.bench.architecture_design.dataset import diagram_text, load
from steelyard.bench.architecture_design.diagram import sketched
from steelyard.bench.architecture_design.heuristic.evidence import Evidence, Search, meaning
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS, ordered
from steelyard.bench.architecture_design.heuristic.reading import Reading, read, words_of
from steelyard.bench.architecture_design.heuristic.services import vocabulary
from steelyard.bench.architecture_design.model import DesignItem, Expected, Subtype

FULL = 0.92
ENOUGH = 0.7
WORDS_PER_CREDIT = 10.0
ALLOWED = 4
"""Foreign services that cost nothing; as many as belong to the task, if those are more."""
STYLE_FLOOR = 0.55
TOPIC_WORDS = 6
"""Different words of the situation that make an answer this task's."""
TOPIC_FLOOR = 0.4
SHARED = 3
"""Tasks that may share a word of the situation; what more of them have is everybody's word."""
REASONS_PER_100, FIGURES_PER_100 = 2.0, 2.0
NEAR = 20
"""Words around a piece of evidence that belong to it."""
FILLER_ALLOWED = 0.35
"""Share of words far from any evidence that costs nothing."""
FILLER_FLOOR = 0.4
NEW_TO_PROMPT, NEW_TO_BOTH = 0.3, 0.15
"""Share of an answer's different words that are new against the prompt, and against prompt and key."""

_ASSESSMENT = {"components": 0.2, "flows": 0.1, "findings": 0.4, "remedies": 0.3}
_CREATION = {"components": 0.45, "flows": 0.2, "findings": 0.35, "remedies": 0.0}
WEIGHTS: Mapping[Subtype, Mapping[str, float]] = {
    "service_identification": {"components": 0.65, "flows": 0.2, "findings": 0.15, "remedies": 0.0},
    "data_flow_analysis": {"components": 0.35, "flows": 0.3, "findings": 0.25, "remedies": 0.1},
    "security_assessment": _ASSESSMENT,
    "scalability_analysis": _ASSESSMENT,
    "cost_optimization": _ASSESSMENT,
    "architecture_critique": _ASSESSMENT,
    "requirements_to_architecture": _CREATION,
    "pattern_implementation": _CREATION,
    "problem_solving": _ASSESSMENT,
}
"""What counts how much in each subtype; kinds that a task does not have are left out and the rest is scaled up."""

_REASON = re.compile(
    r"(?<!\w)(?:because|since|so that|so|therefore|thus|hence|otherwise|instead of|rather than|unless|although|though"
    r"|even if|even though|however|but|which means|means that|in order to|only if|only when|if|until|without|whereas"
    r"|while|trade-?off|at the price|the price|in exchange|as long as|reason|why|due to|leads? to|depends? on|not just"
    r"|not only|before|first|instead|for this|that is)(?!\w)"
)
_FIGURE = re.compile(r"(?<![\w.])[$€~≈<>]?\d[\d.,:/]*(?![\w-]{0,20}[a-z]{4})")


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Three numbers in [0, 1]."""

    accuracy: float
    completeness: float
    quality: float

    @property
    def mean(self) -> float:
        return (self.accuracy + self.completeness + self.quality) / 3


@dataclass(frozen=True, slots=True)
class Heuristic:
    """Raw dimensions, and what they rest on."""

    raw: Dimensions
    reading: Reading
    evidence: Evidence
    foreign: tuple[str, ...]
    """Named services that belong neither to the task nor to its remedies."""
    factors: Mapping[str, float]
    """Density, precision, topic, concision, style."""


def heuristic(item: DesignItem, answer: str, prompt: str = "") -> Heuristic:
    """The raw dimensions of an answer; `prompt` is what the subject was given beside task and architecture."""
    shown = task_text(item)
    reading = read(answer, f"{shown}\n{prompt}", key_of(item.expected))
    search = Search(item.expected, reading, sketched(reading.blocks))
    evidence = search.evidence()
    foreign, belonging = _services(item, search)
    telling = _telling(reading, evidence)
    useful = sum(telling)
    factors = {
        "density": _density(useful, evidence),
        "precision": _precision(belonging, len(foreign)),
        "novelty": _novelty(item, reading),
        "order": ordered(reading.words),
        "topic": _topic(situation(shown), reading, telling),
        "concision": _concision(useful, len(reading.words)),
        "style": _style(reading, telling),
    }
    return Heuristic(_raw(item, evidence, factors), reading, evidence, foreign, factors)


def task_text(item: DesignItem) -> str:
    """The task and its architecture in words, however it was shown."""
    diagram = item.metadata.diagram
    return item.input if diagram is None else f"{item.input}\n\n{diagram_text(diagram)}"


def key_of(expected: Expected) -> tuple[str, ...]:
    """Everything in a key that an honest answer cannot quote."""
    entries: list[str] = []
    for component in expected.components:
        entries += [component.role, *(" ".join(group) for group in component.signals)]
    entries += [flow.statement for flow in expected.flows]
    for finding in expected.findings:
        entries += [finding.statement, *(" ".join(group) for group in finding.signals)]
        if finding.remedy is not None:
            entries += [finding.remedy.statement, *(" ".join(group) for group in finding.remedy.signals)]
    return tuple(entries)


def situation(prompt: str) -> frozenset[str]:
    """Words of the task's own situation: words of the prompt that few tasks share, and that are no function words."""
    return frozenset(word for word in _content(prompt) if _tasks_with().get(word, 0) <= SHARED)


@cache
def _content(prompt: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(prompt) if len(word) >= 4 and word not in FUNCTION_WORDS)


@cache
def _tasks_with() -> Mapping[str, int]:
    """In how many tasks a word occurs."""
    counts: dict[str, int] = {}
    for item in load():
        for word in _content(task_text(item)):
            counts[word] = counts.get(word, 0) + 1
    return counts


def stem(word: str) -> str:
    """A word without its commonest endings."""
    bare = word.removesuffix("'s")
    for ending in ("ing", "ies", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 4:
            return bare.removesuffix(ending)
    return bare


def _raw(item: DesignItem, evidence: Evidence, factors: Mapping[str, float]) -> Dimensions:
    weights = WEIGHTS[item.metadata.subtype]
    kinds: dict[str, Sequence[float]] = {
        "components": evidence.components,
        "flows": evidence.flows,
        "findings": evidence.findings,
        "remedies": evidence.remedies,
    }
    present = {kind: credits for kind, credits in kinds.items() if credits and weights[kind]}
    total = sum(weights[kind] for kind in present)
    share = sum(weights[kind] * _mean(credits) for kind, credits in present.items()) / total
    honest = factors["precision"] * factors["novelty"] * factors["order"]
    complete = min(factors["density"] * share / FULL, 1.0)
    reach = min(complete / ENOUGH, 1.0)
    style = STYLE_FLOOR + (1 - STYLE_FLOOR) * factors["style"]
    fitting = honest * factors["topic"]
    return Dimensions(
        accuracy=fitting * min(2 * reach, 1.0) * (0.5 * _purity(evidence) + 0.5 * reach),
        completeness=honest * complete,
        quality=fitting * factors["concision"] * reach * style,
    )


def _purity(evidence: Evidence) -> float:
    touched = [credit for credit, named in zip(evidence.components, evidence.named, strict=True) if named]
    touched += [credit for credit in (*evidence.flows, *evidence.findings, *evidence.remedies) if credit > 0]
    return _mean(touched)


def _density(words: int, evidence: Evidence) -> float:
    credits = sum((*evidence.components, *evidence.flows, *evidence.findings, *evidence.remedies))
    return min(words / (WORDS_PER_CREDIT * credits), 1.0) if credits else 0.0


def _precision(belonging: int, foreign: int) -> float:
    named = belonging + max(foreign - max(ALLOWED, belonging), 0)
    return belonging / named if named else 1.0


def _services(item: DesignItem, search: Search) -> tuple[tuple[str, ...], int]:
    """Foreign services, and the number of services that belong to the task and are named."""
    names = (*item.metadata.aws_services, *(each.name for each in item.expected.components))
    own = _belonging(task_text(item), key_of(item.expected), names)
    found = [each.services for each in vocabulary().mentions(search.reading.text)]
    foreign = {min(services) for services in found if not services & own}
    welcome = {min(services & own) for services in found if services & own}
    by_noun = sum(not search.strong[name] for name, where in search.weak.items() if where)
    return tuple(sorted(foreign)), len(welcome) + by_noun


@cache
def _belonging(task: str, key: tuple[str, ...], names: tuple[str, ...]) -> frozenset[str]:
    """Services of the task: what it, its architecture or its key names."""
    text = "\n".join((task, *key)).lower()
    named = frozenset(service for each in vocabulary().mentions(text) for service in each.services)
    return named.union(*(meaning(name) for name in names))


@cache
def _given(task: str, key: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the task, and words of task and key."""
    words = frozenset(stem(word) for word in words_of(task))
    return words, words | {stem(word) for entry in key for word in words_of(entry)}


def _novelty(item: DesignItem, reading: Reading) -> float:
    said = {stem(word) for word in reading.words if len(word) > 2 and word not in FUNCTION_WORDS and word.isalpha()}
    if not said:
        return 0.0
    beyond_prompt, beyond_both = (len(said - old) / len(said) for old in _given(task_text(item), key_of(item.expected)))
    return min(beyond_prompt / NEW_TO_PROMPT, 1.0) * min(beyond_both / NEW_TO_BOTH, 1.0)


def _telling(reading: Reading, evidence: Evidence) -> list[bool]:
    """Per word: whether it is one's own and stands within `NEAR` words of evidence."""
    telling = [False] * len(reading.words)
    for place in evidence.places:
        begin, end = max(place - NEAR, 0), min(place + NEAR + 1, len(telling))
        telling[begin:end] = [not blank for blank in reading.blank[begin:end]]
    return telling


def _topic(wanted: frozenset[str], reading: Reading, telling: Sequence[bool]) -> float:
    said = {stem(word) for word, tells in zip(reading.words, telling, strict=True) if tells}
    return TOPIC_FLOOR + (1 - TOPIC_FLOOR) * min(len(said & wanted) / TOPIC_WORDS, 1.0)


def _style(reading: Reading, telling: Sequence[bool]) -> float:
    hundreds = max(len(reading.words) / 100, 1.0)
    text = " ".join(word if tells else "-" for word, tells in zip(reading.words, telling, strict=True))
    reasons = len(_REASON.findall(text)) / hundreds
    figures = len(_FIGURE.findall(text)) / hundreds
    return 0.7 * min(reasons / REASONS_PER_100, 1.0) + 0.3 * min(figures / FIGURES_PER_100, 1.0)


def _concision(useful: int, words: int) -> float:
    """1 while at most `FILLER_ALLOWED` of the words tell nothing, falling in a straight line to `FILLER_FLOOR`."""
    share = 1.0 - useful / words if words else 1.0
    return 1.0 - (1.0 - FILLER_FLOOR) * max(share - FILLER_ALLOWED, 0.0) / (1.0 - FILLER_ALLOWED)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
