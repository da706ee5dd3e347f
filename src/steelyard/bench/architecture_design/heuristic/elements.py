"""The elements of a task's key that the prose of an answer states, found by plain matching.

Law:
- An element is stated if one phrase of every group of its signals occurs in one passage that is language (`prose`). A
  component's name is a group of its own. It is *named* if its name, or one of two groups or more, occurs.
- A phrase of four characters or more matches at the start of a word, a shorter one only a whole word or its plural;
  hyphens and spaces are equivalent.
- A flow is stated to the extent that the steps of its path are: both components are named in one passage. A step is in
  order if the first is named before the second.
- An element whose own fact is wrong does not count, whatever the prose says.

It finds what is said; it cannot tell whether the sentence around it is true. The facts do that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

from steelyard.bench.architecture_design.heuristic.prose import PASSAGE, Prose
from steelyard.bench.architecture_design.model import Expected, Signals
from steelyard.bench.architecture_design.services import Vocabulary, meaning, nouns, vocabulary

_WHOLE = 3
"""Characters up to which a phrase matches whole words only."""


@dataclass(frozen=True, slots=True)
class Elements:
    """What an answer states of one key: a share per element, by kind."""

    components: tuple[float, ...]
    flows: tuple[float, ...]
    findings: tuple[float, ...]
    remedies: tuple[float, ...]
    explained: float
    """Stated components, findings and remedies / those that are at least named."""
    ordered: float
    """Steps and remedies in order / those that are stated."""

    @property
    def share(self) -> float:
        """Elements that are stated / all elements."""
        shares = (*self.components, *self.flows, *self.findings, *self.remedies)
        return sum(shares) / len(shares)


class Search:
    """Looks for the elements of a key in one answer."""

    def __init__(self, expected: Expected, prose: Prose) -> None:
        self._expected, self._prose = expected, prose
        self._whole = "\n".join(prose.sentences)
        self._starts = list(accumulate((len(part) + 1 for part in prose.sentences), initial=0))
        self._hits: dict[str, list[int]] = {}
        self._named = self._names()

    def elements(self, wrong: Collection[str] = ()) -> Elements:
        """What is stated; `wrong` names the facts that the answer has wrong."""
        expected = self._expected
        solved = [finding for finding in expected.findings if finding.remedy is not None]
        components = [self._passages(part.signals, self._named[part.name]) for part in expected.components]
        findings = {finding.id: self._passages(finding.signals) for finding in expected.findings}
        remedies = [self._passages(finding.remedy.signals) for finding in solved if finding.remedy is not None]
        steps = [[self._step(first, second) for first, second in pairwise(flow.path)] for flow in expected.flows]
        order = [later for flow in steps for later in flow if later is not None]
        causes = [findings[finding.id] for finding in solved]
        order += [cause[0] <= cure[-1] for cause, cure in zip(causes, remedies, strict=True) if cause and cure]
        places = [*components, *findings.values(), *remedies]
        return Elements(
            components=_shares(components, [part.fact in wrong for part in expected.components]),
            flows=tuple(_flow(flow, part.fact in wrong) for flow, part in zip(steps, expected.flows, strict=True)),
            findings=_shares(findings.values(), [part.fact in wrong for part in expected.findings]),
            remedies=_shares(remedies, [part.remedy is not None and part.remedy.fact in wrong for part in solved]),
            explained=min(sum(map(bool, places)) / max(sum(self._mentioned()), 1), 1.0),
            ordered=sum(order) / len(order) if order else 0.0,
        )

    def _passages(self, signals: Signals, named: Sequence[int] | None = None) -> list[int]:
        """The first sentences of the passages that have all groups and, if given, the name."""
        groups = [self._group(group) for group in signals] + ([named] if named is not None else [])
        near = [{start for place in group for start in range(place - PASSAGE + 1, place + 1)} for group in groups]
        return sorted(start for start in set[int].intersection(*near) if start >= 0 and self._prose.language[start])

    def _step(self, first: str, second: str) -> bool | None:
        """Whether a step is in order; None if no passage names both components."""
        pairs = [
            (before, after)
            for before in self._named[first]
            for after in self._named[second]
            if abs(before - after) < PASSAGE and self._prose.language[min(before, after)]
        ]
        return any(before <= after for before, after in pairs) if pairs else None

    def _mentioned(self) -> Iterator[bool]:
        """Per component, finding and remedy: whether the answer at least names it."""
        for component in self._expected.components:
            yield bool(self._named[component.name])
        for finding in self._expected.findings:
            for part in (finding, finding.remedy):
                if part is not None:
                    yield sum(map(bool, map(self._group, part.signals))) >= min(len(part.signals), 2)

    def _group(self, phrases: Iterable[str]) -> list[int]:
        """The sentences in which one of the phrases occurs."""
        return [place for phrase in phrases for place in self._sentences(phrase)]

    def _sentences(self, text: str) -> list[int]:
        """The sentences in which a phrase occurs; searched for once, in the whole prose."""
        if text not in self._hits:
            whole = self._whole
            found = (match.start() for match in phrase(text).finditer(whole))
            starts = (start for start in found if not (text[0].isalnum() and whole[start - 1 : start].isalnum()))
            self._hits[text] = sorted({bisect_right(self._starts, start) - 1 for start in starts})
        return self._hits[text]

    def _names(self) -> dict[str, list[int]]:
        """Component → the sentences that name it, or that have a noun which can mean nothing else."""
        meanings = {component.name: meaning(component.name) for component in self._expected.components}
        known = (vocabulary(), _nouns(frozenset(meanings.values())))
        found = [
            frozenset[str]().union(*(services for words in known for services in words.mentions(sentence)))
            for sentence in self._prose.sentences
        ]
        by_name = {name: set(self._sentences(name.lower())) for name in meanings}
        return {
            name: [place for place, services in enumerate(found) if services & wanted or place in by_name[name]]
            for name, wanted in meanings.items()
        }


def _shares(places: Iterable[Sequence[int]], denied: Sequence[bool]) -> tuple[float, ...]:
    return tuple(float(bool(found) and not wrong) for found, wrong in zip(places, denied, strict=True))


def _flow(steps: Sequence[bool | None], denied: bool) -> float:
    return 0.0 if denied else sum(step is not None for step in steps) / len(steps)


@cache
def phrase(text: str) -> re.Pattern[str]:
    """Matches one phrase in lower-case text; the caller checks that it begins a word, which is faster there."""
    words = [r"[\s-]?".join(map(re.escape, word.split("-"))) for word in text.split()]
    after = r"s?(?!\w)" if len(text) <= _WHOLE and text[-1:].isalnum() else ""
    return re.compile(r"[\s-]+".join(words) + after)


@cache
def _nouns(components: frozenset[frozenset[str]]) -> Vocabulary:
    return nouns(components)
