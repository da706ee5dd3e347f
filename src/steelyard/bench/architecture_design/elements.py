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

from steelyard.bench.architecture_design.model import Element, Expected, Signals
from steelyard.bench.architecture_design.prose import PASSAGE, Prose
from steelyard.bench.architecture_design.services import meaning, nouns, vocabulary

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
        components = [self._passages(part.signals, self._named[part.name]) for part in expected.components]
        findings = [self._passages(part.signals) for part in expected.findings]
        remedies = [self._passages(part.signals) for part in expected.remedies]
        steps = [[self._step(first, second) for first, second in pairwise(flow.path)] for flow in expected.flows]
        order = [later for flow in steps for later in flow if later is not None]
        causes = [found for found, part in zip(findings, expected.findings, strict=True) if part.remedy is not None]
        # First mention of the finding, last of its remedy: an answer may return to either one later.
        order += [cause[0] <= cure[-1] for cause, cure in zip(causes, remedies, strict=True) if cause and cure]
        named = [bool(self._named[part.name]) for part in expected.components]
        named += [self._mentioned(part.signals) for part in (*expected.findings, *expected.remedies)]
        stated = map(bool, (*components, *findings, *remedies))
        flows = (sum(step is not None for step in flow) / len(flow) for flow in steps)
        return Elements(
            components=_shares(map(bool, components), expected.components, wrong),
            flows=_shares(flows, expected.flows, wrong),
            findings=_shares(map(bool, findings), expected.findings, wrong),
            remedies=_shares(map(bool, remedies), expected.remedies, wrong),
            explained=min(sum(stated) / max(sum(named), 1), 1.0),
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

    def _mentioned(self, signals: Signals) -> bool:
        """Whether the answer at least names a finding or a remedy."""
        return sum(map(bool, map(self._group, signals))) >= min(len(signals), 2)

    def _group(self, phrases: Iterable[str]) -> list[int]:
        """The sentences in which one of the phrases occurs."""
        return [place for phrase in phrases for place in self._sentences(phrase)]

    def _sentences(self, text: str) -> list[int]:
        """The sentences in which a phrase occurs; searched for once, in the whole prose."""
        if text not in self._hits:
            starts = occurrences(text, self._whole)
            self._hits[text] = sorted({bisect_right(self._starts, start) - 1 for start in starts})
        return self._hits[text]

    def _names(self) -> dict[str, list[int]]:
        """Component → the sentences that name it, or that have a noun which can mean nothing else."""
        meanings = {component.name: meaning(component.name) for component in self._expected.components}
        known = (vocabulary(), nouns(frozenset(meanings.values())))
        found = [
            frozenset[str]().union(*(services for words in known for services in words.mentions(sentence)))
            for sentence in self._prose.sentences
        ]
        by_name = {name: set(self._sentences(name.lower())) for name in meanings}
        return {
            name: [place for place, services in enumerate(found) if services & wanted or place in by_name[name]]
            for name, wanted in meanings.items()
        }


def _shares(shares: Iterable[float], parts: Sequence[Element], wrong: Collection[str]) -> tuple[float, ...]:
    return tuple(0.0 if part.fact in wrong else float(share) for share, part in zip(shares, parts, strict=True))


def occurrences(text: str, whole: str) -> Iterator[int]:
    """Where a phrase begins in lower-case text."""
    found = (match.start() for match in phrase(text).finditer(whole))
    # Checking the letter before each hit is faster than a lookbehind in the pattern.
    return (start for start in found if not (text[0].isalnum() and whole[start - 1 : start].isalnum()))


@cache
def phrase(text: str) -> re.Pattern[str]:
    """Matches one phrase, whatever stands before it."""
    words = [r"[\s-]?".join(map(re.escape, word.split("-"))) for word in text.split()]
    after = r"s?(?!\w)" if len(text) <= _WHOLE and text[-1:].isalnum() else ""
    return re.compile(r"[\s-]+".join(words) + after)
