"""The heuristic: accuracy, completeness and quality of an answer, without a model.

Law, each in [0, 1], from the credits of `evidence`:

    complete     = min(1, D · mean credit / FULL)            mean over kinds of elements, weighted by the subtype
    reach        = min(1, complete / ENOUGH)
    completeness = G · complete
    accuracy     = G · T · min(1, 2 · reach) · (½ · purity + ½ · reach)
    quality      = G · T · C · reach
    G = P · N · O · B · U · A · F · K

All three are then scaled down, if need be, so that their mean is at most the ceiling

    CEILING_FLOOR + (1 − CEILING_FLOOR) · min(1, anchored words / ANCHORED)

in which a word of the evidence counts by its sentence's anchor (`situation`): an answer that says little about this
task in particular is not good, whatever it says about architectures.

An answer is read in steps. First only those sentences count that have more of the task than the names of its
components. Between the first and the last of these that show more than a name, all others count as well: what opens or
closes an answer and shows nothing makes no context of what is between. The ceiling is the higher of the two readings'.
If that gives less than `NAMES`, those that are bound by the names of components count as well, for up to `NAMES`: a
textbook says what a service does, too, and so does an honest weak answer.

- purity: the mean credit of the elements that the answer mentions at all.
- D density, P precision, N novelty, T topic, B brevity, U focus and C concision: see `factors`.
- A, assertion, F, figures, and K, consistency: whether the answer asserts what it mentions, with the numbers of the
  task, and without contradicting its facts (`truth`).
- O, order: whether the words follow natural word order (`language.ordered`).

Copied and repeated words never count as evidence (`reading`). An answer without evidence scores 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, partial
from math import prod

from steelyard.bench.architecture_design.dataset import references
from steelyard.bench.architecture_design.diagram import sketched
from steelyard.bench.architecture_design.heuristic import factors
from steelyard.bench.architecture_design.heuristic.corpus import key_of, situation, task_text
from steelyard.bench.architecture_design.heuristic.evidence import Evidence, Search
from steelyard.bench.architecture_design.heuristic.language import ordered
from steelyard.bench.architecture_design.heuristic.reading import Reading, read
from steelyard.bench.architecture_design.heuristic.situation import Sorter, sorter
from steelyard.bench.architecture_design.heuristic.truth import consistency, facts, figures
from steelyard.bench.architecture_design.model import DesignItem, Subtype

FULL = 0.8
ENOUGH = 0.7
NAMES = 0.1
"""Highest mean for what is bound to the task by the names of its components alone."""
CEILING_FLOOR = 0.12
ANCHORED = 40
"""Anchored words from which the mean has no ceiling."""
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
"""Weight of each kind of element, per subtype; kinds that a task lacks are dropped and the others scaled up."""

_GENERAL = ("precision", "novelty", "order", "brevity", "focus", "assertion", "figures", "consistency")


@dataclass(frozen=True, slots=True)
class Dimensions:
    """The three scores of an answer, each in [0, 1]."""

    accuracy: float
    completeness: float
    quality: float

    @property
    def mean(self) -> float:
        return (self.accuracy + self.completeness + self.quality) / 3


@dataclass(frozen=True, slots=True)
class Heuristic:
    """The raw dimensions and the evidence behind them."""

    raw: Dimensions
    reading: Reading
    evidence: Evidence
    foreign: tuple[str, ...]
    """Services named in the answer that belong to neither the task nor its remedies."""
    factors: Mapping[str, float]
    """Factor name (those of `factors`, order, assertion, figures, consistency) to value in [0, 1]."""
    ceiling: float
    """The highest mean that the words about this task in particular allow."""


def heuristic(item: DesignItem, answer: str, prompt: str = "") -> Heuristic:
    """Score an answer; `prompt` is what the subject saw besides the task and the architecture."""
    weigh = partial(_weighed, item, answer, prompt)
    own = weigh(sorter(item), ends=frozenset())
    ends = _with_statements(own)
    if len(ends) > 1:
        own = weigh(sorter(item), ends=ends, ceiling=own.ceiling)
    if own.raw.mean >= NAMES:
        return own
    named = weigh(sorter(item, by_name=True))
    return max(own, replace(named, raw=_capped(named.raw, NAMES)), key=lambda weighed: weighed.raw.mean)


def _with_statements(weighed: Heuristic) -> frozenset[int]:
    """The numbers of the sentences that show more than a name."""
    statements, reading = weighed.evidence.statements, weighed.reading
    spans = zip(reading.numbers, reading.sentences, strict=True)
    return frozenset(number for number, span in spans if not statements.isdisjoint(range(*span)))


def _weighed(
    item: DesignItem,
    answer: str,
    prompt: str,
    sort: Sorter,
    ends: Set[int] | None = None,
    ceiling: float = 0.0,
) -> Heuristic:
    """One reading of an answer; `ends` are as for the sorter, `ceiling` is the lowest that applies."""
    shown = task_text(item)
    key = key_of(item.expected)
    reading = read(answer, f"{shown}\n{prompt}", key, partial(sort, ends=ends))
    search = Search(item.expected, reading, sketched(reading.blocks), _affirmed(item), sort.presence)
    evidence = search.evidence()
    foreign, belonging = factors.services(item, search)
    sentences = factors.sentences_with(evidence, reading)
    words = [reading.words[at] for first, last in sentences for at in range(first, last) if not reading.blank[at]]
    values = {
        "density": factors.density(len(words), evidence),
        "precision": factors.precision(belonging, len(foreign)),
        "novelty": factors.novelty(item, words),
        "order": ordered(reading.words),
        "topic": factors.topic(situation(shown), words),
        "concision": factors.concision(len(words), len(reading.words) + reading.padding),
        "brevity": factors.brevity(len(words), reading),
        "focus": factors.focus(len(words), reading.padding),
        "assertion": search.polarity.assertion,
        "figures": figures(reading.whole, _facts(item.id, shown, key)),
        "consistency": consistency(reading),
    }
    ceiling = max(ceiling, _ceiling(sort, [reading.words[slice(*span)] for span in sentences]))
    return Heuristic(_capped(_raw(item, evidence, values), ceiling), reading, evidence, foreign, values, ceiling)


def _ceiling(sort: Sorter, sentences: Iterable[Sequence[str]]) -> float:
    """The highest mean for an answer, by the words about this task in particular in its sentences with evidence."""
    anchored = sum(len(words) * sort.points(" ".join(words)).anchor for words in sentences)
    return CEILING_FLOOR + (1.0 - CEILING_FLOOR) * min(anchored / ANCHORED, 1.0)


def _capped(raw: Dimensions, ceiling: float) -> Dimensions:
    scale = min(ceiling / raw.mean, 1.0) if raw.mean else 1.0
    return Dimensions(raw.accuracy * scale, raw.completeness * scale, raw.quality * scale)


@cache
def _affirmed(item: DesignItem) -> frozenset[str]:
    """The findings and remedies that the reference affirms, which therefore can be denied."""
    names = {f"{kind} {finding.id}" for finding in item.expected.findings for kind in ("finding", "remedy")}
    reading = read(references().get(item.id, ""))
    return frozenset(names.difference(Search(item.expected, reading, sketched(reading.blocks)).evidence().denied))


@cache
def _facts(item_id: str, shown: str, key: tuple[str, ...]) -> frozenset[str]:
    return facts((shown, *key, references().get(item_id, "")))


def _raw(item: DesignItem, evidence: Evidence, values: Mapping[str, float]) -> Dimensions:
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
    general = prod(values[name] for name in _GENERAL)
    complete = min(values["density"] * share / FULL, 1.0)
    reach = min(complete / ENOUGH, 1.0)
    on_topic = general * values["topic"]
    return Dimensions(
        accuracy=on_topic * min(2 * reach, 1.0) * (0.5 * _purity(evidence) + 0.5 * reach),
        completeness=general * complete,
        quality=on_topic * values["concision"] * reach,
    )


def _purity(evidence: Evidence) -> float:
    mentioned = [credit for credit, named in zip(evidence.components, evidence.named, strict=True) if named]
    mentioned += [credit for credit in (*evidence.flows, *evidence.findings, *evidence.remedies) if credit > 0]
    return _mean(mentioned)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
