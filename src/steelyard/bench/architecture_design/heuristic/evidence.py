"""Credits for the expected elements that an answer shows.

Law, each credit in [0, 1]:
- component: named and tied to its role. `NAMED` for a bare name; in a passage that explains, `PLACED` plus the rest in
  proportion to the groups of its signals within `BEFORE` words before and `AFTER` words after a mention. A component
  that is only referred to by a noun gets `NOUN` of that.
- flow: the share of its steps that are described in order: two neighbors of the path within `STEP` words, either in
  order with a verb of motion between them, or reversed with a verb of fetching. A step that is only drawn in a diagram
  counts `DRAWN`.
- finding, remedy: 1 if all groups of signals occur within `WINDOW` words; `PARTLY` if one of three or more groups is
  missing. A remedy without its finding counts half.
Every credit from prose is multiplied by how far its passage explains (`signals.explained`). Of passages with the same
credit, the one in the shortest sentences is the evidence.

Hard rules:
- Only sentences that are tied to the task (`situation`) are searched; the others are left out before.
- A signal of a role counts for the components that its sentence names; if it names none, for those of the last sentence
  that did. What is said of another component is no evidence for this one.
- A finding that is denied, or a remedy that is denied, done or needless, keeps `DENIED` of its credit. One that is said
  of another component than the facts say it of (`presence`) keeps nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from steelyard.bench.architecture_design.diagram.drawing import Drawing
from steelyard.bench.architecture_design.heuristic.passages import Passages
from steelyard.bench.architecture_design.heuristic.presence import Presence
from steelyard.bench.architecture_design.heuristic.reading import Reading
from steelyard.bench.architecture_design.heuristic.services import meaning, nouns, plain, vocabulary
from steelyard.bench.architecture_design.heuristic.signals import Phrases, explained
from steelyard.bench.architecture_design.heuristic.truth import Polarity
from steelyard.bench.architecture_design.model import Component, Expected, Flow, Signals

NAMED = 0.1
PLACED = 0.35
NOUN = 0.7
BEFORE, AFTER = 25, 40
STEP = 45
DRAWN = 0.8
WINDOW = 45
PARTLY = 0.4
DENIED = 0.25

_MOTION = re.compile(
    r"→|(?<!\w)(?:to|into|then|onto|through|via|next|from there|afterwards|finally|trigger\w*|invok\w*|call\w*|send\w*"
    r"|sent|writ\w+|wrote|put\w*|pass\w*|forward\w*|push\w*|publish\w*|deliver\w*|rout\w+|load\w*|stor\w+|append\w*"
    r"|replicat\w*|feed\w*|hand\w*|emit\w*|start\w*|save\w*|updat\w+|return\w*|connect\w*|points?|tells?|asks?|by"
    r"|drop\w*|insert\w*|index\w*|stream\w*|fan\w*|notif\w*|announc\w*|aggregat\w*|goes|go|lands?|reach\w*|hits?|talks?)(?!\w)"
)
_FETCHING = re.compile(
    r"(?<!\w)(?:from|reads?|reading|poll\w*|consum\w*|quer\w+|fetch\w*|tak\w+|gets?|scan\w*|behind|by|subscrib\w*"
    r"|pull\w*|origin|in front|fed|watch\w*|load\w*|captur\w*|picks?)(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Credits per element, in the order of the key."""

    components: tuple[float, ...]
    named: tuple[bool, ...]
    """Per component: whether the prose or a diagram names it."""
    flows: tuple[float, ...]
    findings: tuple[float, ...]
    remedies: tuple[float, ...]
    """One credit per finding that has a remedy."""
    places: frozenset[int]
    """Indices of the words that are part of some evidence."""
    statements: frozenset[int]
    """Those of them that show more than a name: a role, a step, a finding or a remedy."""
    denied: tuple[str, ...] = ()
    """Findings and remedies (`finding ID`, `remedy ID`) that the answer denies or calls done or needless."""


class Search:
    """Searches one answer for the elements of one key."""

    def __init__(
        self,
        expected: Expected,
        reading: Reading,
        drawing: Drawing,
        affirmed: Collection[str] | None = None,
        presence: Presence | None = None,
    ) -> None:
        """`affirmed` names the findings and remedies that can be denied, all by default; `presence` tells whether a
        finding is said of a component that the facts say it of."""
        self.expected, self.reading, self.drawing, self.affirmed = expected, reading, drawing, affirmed
        self.presence = presence
        self.phrases = Phrases(reading)
        self.polarity = Polarity(reading)
        self.meanings = {component.name: meaning(component.name) for component in expected.components}
        self.strong = self._mentions(strong=True)
        self.weak = self._mentions(strong=False)
        self.places: set[int] = set()
        self.statements: set[int] = set()
        self.denied: set[str] = set()
        self.passages = Passages(reading, {name: [*self.strong[name], *self.weak[name]] for name in self.meanings})
        self.key = self.phrases.places(_phrases(expected)) | {
            index
            for mention in vocabulary().mentions(reading.text)
            for index in range(reading.at(mention.start), reading.at(mention.end - 1) + 1)
        }

    def _mentions(self, *, strong: bool) -> Mapping[str, list[int]]:
        """Component name to the indices of the words that name it (`strong`), or refer to it by a noun."""
        mentions = (vocabulary() if strong else nouns(self.meanings.values())).mentions(self.reading.text)
        places: dict[str, list[int]] = {}
        for name, services in self.meanings.items():
            places[name] = [self.reading.at(mention.start) for mention in mentions if mention.services & services]
            if strong and not services & vocabulary().services:
                places[name] = self.phrases.hits([plain(name)])
        return places

    def evidence(self) -> Evidence:
        """The credits of all expected elements."""
        components = tuple(self._component(component) for component in self.expected.components)
        flows = tuple(self._flow(flow) for flow in self.expected.flows)
        findings: list[float] = []
        remedies: list[float] = []
        for finding in self.expected.findings:
            findings.append(self._signals(finding.signals, f"finding {finding.id}"))
            if finding.remedy is not None:
                credit = self._signals(finding.remedy.signals, f"remedy {finding.id}")
                remedies.append(credit * (1.0 if findings[-1] >= PARTLY else 0.5))
        named = tuple(self._named(component) for component in self.expected.components)
        places, statements, denied = frozenset(self.places), frozenset(self.statements), tuple(sorted(self.denied))
        return Evidence(components, named, flows, tuple(findings), tuple(remedies), places, statements, denied)

    def _named(self, component: Component) -> bool:
        drawn = self.drawing.shows(self.meanings[component.name])
        return drawn or bool(self.strong[component.name])

    def _component(self, component: Component) -> float:
        strong, weak = self.strong[component.name], self.weak[component.name]
        groups = [self.phrases.hits(group) for group in component.signals]
        roles = [self._role(component.name, place, groups) for place in sorted({*strong, *weak})]
        best, where = max(roles, key=self._rank, default=(0.0, frozenset[int]()))
        self._found(where, statement=len(where) > 1)
        if self._named(component):
            return max(best, NAMED)
        return best if strong else best * NOUN

    def _role(self, name: str, place: int, groups: Sequence[Sequence[int]]) -> tuple[float, frozenset[int]]:
        own = [[hit for hit in group if self.passages.speak_of(name, place, hit)] for group in groups]
        hits = self._nearest(own, place, place - BEFORE, place + AFTER)
        first, last = min([place, *hits]), max([place, *hits])
        credit = PLACED + (1 - PLACED) * len(hits) / len(groups)
        return credit * explained(self.reading, first, last, self.key), frozenset([place, *hits])

    def _nearest(self, groups: Sequence[Sequence[int]], place: int, first: int, last: int) -> list[int]:
        """Of each group the hit from `first` to `last` that is nearest to a word, in its own sentence if possible."""
        sentence, own = self.passages.sentence, self.passages.sentence(place)
        within = (group[bisect_left(group, first) : bisect_left(group, last + 1)] for group in groups)
        return [min(hits, key=lambda hit: (sentence(hit) != own, abs(hit - place), hit)) for hits in within if hits]

    def _found(self, where: frozenset[int], *, statement: bool = True) -> None:
        self.places |= where
        self.statements |= where if statement else set()

    def _rank(self, found: tuple[float, frozenset[int]]) -> tuple[float, int]:
        """The credit of evidence, and how short its sentences are."""
        credit, hits = found
        spans = (self.reading.sentences[number] for number in {self.passages.sentence(hit) for hit in hits})
        return credit, -sum(last - first for first, last in spans)

    def _signals(self, signals: Signals, element: str) -> float:
        """The credit of a finding or a remedy."""
        groups = [self.phrases.hits(group) for group in signals]
        best, where = 0.0, frozenset[int]()
        for anchor in sorted({place for group in groups for place in group}):
            hits = self._nearest(groups, anchor, anchor, anchor + WINDOW)
            value = _group_credit(len(hits), len(groups))
            if value and value >= best:
                value *= explained(self.reading, anchor, max(hits), self.key) * self._stands(element, hits)
                best, where = max((best, where), (value, frozenset(hits)), key=self._rank)
        self._found(where)
        if where and self._stands(element, where) < 1.0:
            self.denied.add(element)
        return best

    def _stands(self, element: str, hits: Collection[int]) -> float:
        """1; `DENIED` if most of the words of a finding or remedy are denied; 0 if it is said of other components."""
        if self._misplaced(element, hits):
            return 0.0
        if self.affirmed is not None and element not in self.affirmed:
            return 1.0
        return DENIED if self.polarity.denies(hits, remedy=element.startswith("remedy")) else 1.0

    def _misplaced(self, element: str, hits: Collection[int]) -> bool:
        kind, _, name = element.partition(" ")
        if self.presence is None or kind != "finding":
            return False
        words = self.reading.words
        spans = [(first, last) for first, last in self.reading.sentences if any(first <= hit < last for hit in hits)]
        return any(self.presence.misplaced(name, " ".join(words[first:last])) for first, last in spans)

    def _flow(self, flow: Flow) -> float:
        steps = list(pairwise(flow.path))
        return sum(max(self._described(*step), self._drawn(*step)) for step in steps) / len(steps)

    def _described(self, source: str, target: str) -> float:
        starts = sorted({*self.strong[source], *self.weak[source]})
        ends = sorted({*self.strong[target], *self.weak[target]})
        best, where = 0.0, frozenset[int]()
        for start in starts:
            for end in ends[bisect_left(ends, start - STEP) : bisect_left(ends, start + STEP + 1)]:
                if end != start and self._moves(start, end):
                    value = explained(self.reading, min(start, end), max(start, end))
                    best, where = max((best, where), (value, frozenset({start, end})), key=self._rank)
        self._found(where)
        return best

    def _moves(self, start: int, end: int) -> bool:
        first, last = min(start, end), max(start, end)
        between = self.reading.text[self.reading.starts[first] : self.reading.starts[last]]
        if start < end:
            return bool(_MOTION.search(between))
        return "→" not in between and bool(_FETCHING.search(between))

    def _drawn(self, source: str, target: str) -> float:
        return DRAWN if self.drawing.leads(self.meanings[source], self.meanings[target]) else 0.0


def _phrases(expected: Expected) -> list[str]:
    signals = [group for component in expected.components for group in component.signals]
    for finding in expected.findings:
        signals += [*finding.signals, *(finding.remedy.signals if finding.remedy is not None else ())]
    return [phrase for group in signals for phrase in group]


def _group_credit(satisfied: int, total: int) -> float:
    if satisfied == total:
        return 1.0
    return PARTLY if total >= 3 and satisfied == total - 1 else 0.0
