"""How alike a finding and a problem are: thirteen numbers for each pair, from the key and the finding alone.

Nothing depends on the other findings of a run, so one more finding never lowers an earlier one. Words that few problems
of the key use weigh more: ln(1 + problems / problems that use it). A key and a run in two languages are compared in
English (`terms.in_english`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from steelyard.audit.findings.locations import locations
from steelyard.audit.model import Finding, Key, Location, Problem
from steelyard.audit.terms import in_english, is_spaceless, names, pairs, trigrams, words

Numbers: TypeAlias = NDArray[np.float64]

FEATURES = (
    *("trigrams", "detected", "partial", "bm25", "lead", "heading", "names", "cosine", "pairs", "place", "length"),
    *("across", "size"),
)
"""The numbers of a pair, in the order of the weights file.

`trigrams`, `names`, `pairs`: share of the problem's, by weight, that the finding has. `detected`, `partial`: the same
for the words of that criterion. `bm25`: of the problem's words. `lead`: by how much bm25 exceeds that of the key's next
best problem. `heading`: share of the trigrams of its title in the finding's title. `cosine`: of the words. `place`: of
the location. `length`: of the finding, as a logarithm. `across`: 1 for two languages. `size`: words of the problem,
as a logarithm.
"""

_SATURATION, _LENGTH_SHARE, _USUAL_LENGTH = 1.2, 0.75, 90.0
"""The constants of BM25, and the words of a usual finding."""
_SHORTEST = 5
NEAR_LINES = 3
"""Lines between two places that still count as one."""


class _Index:
    """The units (words, trigrams, …) that the problems of a key use, and their weights."""

    def __init__(self, cut: Callable[[str], Sequence[str]], cores: Sequence[str], others: Sequence[str] = ()) -> None:
        self._cut = cut
        used = (unit for text in (*cores, *others) for unit in cut(text))
        self._columns = {unit: column for column, unit in enumerate(dict.fromkeys(used))}
        self.core = self.rows(cores) > 0
        users = self.core.sum(axis=0) if not others else (self.core | (self.rows(others) > 0)).sum(axis=0)
        self.weights: Numbers = np.log1p(len(cores) / np.maximum(users, 1))

    def rows(self, texts: Sequence[str]) -> Numbers:
        """How often each text uses each unit."""
        counts = np.zeros((len(texts), len(self._columns)))
        for row, text in enumerate(texts):
            for unit in self._cut(text):
                column = self._columns.get(unit)
                if column is not None:
                    counts[row, column] += 1
        return counts

    def coverage(self, problems: NDArray[np.bool_], findings: Numbers) -> Numbers:
        """Problem × finding: the share of the problem's units, by weight, that the finding has."""
        weighted = problems * self.weights
        return (weighted @ (findings > 0).T) / np.maximum(weighted.sum(axis=1), 1e-9)[:, None]


@dataclass(frozen=True, slots=True)
class _Text:
    """The parts of a problem that are compared."""

    title: str
    core: str
    """Title, description and ○ criterion."""
    detected: str
    partial: str
    location: str


class KeyText:
    """A key prepared for comparison with the findings of a run; `findings_text` decides the language."""

    def __init__(self, key: Key, findings_text: str) -> None:
        texts = [_text(problem, str) for problem in key.problems]
        spaceless = is_spaceless(" ".join(text.core for text in texts))
        across = spaceless != is_spaceless(findings_text)
        self._across = across
        self._render: Callable[[str], str] = in_english if across else str
        self._texts = [_text(problem, self._render) for problem in key.problems] if across else texts
        self._places = [locations(problem.location) for problem in key.problems]
        cores = [text.core for text in self._texts]
        # `partial` and `place` compare words that the core of a problem may not use.
        others = [f"{text.partial} {text.location}" for text in self._texts]
        self._words, self._trigrams = _Index(words, cores, others), _Index(trigrams, cores)
        self._names, self._pairs = _Index(names, cores), _Index(pairs, cores)
        self._sizes: Numbers = np.log([len(words(core)) + _SHORTEST for core in cores])

    def features(self, findings: Sequence[Finding]) -> Numbers:
        """Problem × finding × `FEATURES`."""
        texts = [self._render(finding.text) for finding in findings]
        used = self._words.rows(texts)
        lengths = np.array([len(words(text)) for text in texts], dtype=float)
        bm25 = self._bm25(used, lengths)
        titles = [self._render(finding.title) for finding in findings]
        columns = {
            "trigrams": self._trigrams.coverage(self._trigrams.core, self._trigrams.rows(texts)),
            "detected": self._part("detected", used),
            "partial": self._part("partial", used),
            "bm25": bm25,
            "lead": bm25 - _best_other(bm25),
            "heading": self._trigrams.coverage(
                self._trigrams.rows([text.title for text in self._texts]) > 0, self._trigrams.rows(titles)
            ),
            "names": self._names.coverage(self._names.core, self._names.rows(texts)),
            "cosine": self._cosine(used, texts),
            "pairs": self._pairs.coverage(self._pairs.core, self._pairs.rows(texts)),
            "place": self._place(used, findings),
            "length": np.repeat(np.log(lengths + _SHORTEST)[None, :], len(self._texts), axis=0),
            "across": np.full(bm25.shape, float(self._across)),
            "size": np.repeat(self._sizes[:, None], len(texts), axis=1),
        }
        return np.stack([columns[name] for name in FEATURES], axis=-1)

    def closest(self, problem: int, sentences: Sequence[str]) -> str:
        """The sentence that shares the most words, by weight, with a problem; empty if there is none."""
        if not sentences:
            return ""
        shared = self._words.rows([self._render(sentence) for sentence in sentences]) > 0
        return sentences[int(np.argmax(shared @ (self._words.core[problem] * self._words.weights)))]

    def _part(self, name: str, used: Numbers) -> Numbers:
        return self._words.coverage(self._words.rows([getattr(text, name) for text in self._texts]) > 0, used)

    def _bm25(self, used: Numbers, lengths: Numbers) -> Numbers:
        norm = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths / _USUAL_LENGTH)
        saturated = used * (_SATURATION + 1) / (used + norm[:, None])
        weighted = self._words.core * self._words.weights
        return (weighted @ saturated.T) / np.maximum(weighted.sum(axis=1), 1e-9)[:, None]

    def _cosine(self, used: Numbers, texts: Sequence[str]) -> Numbers:
        weighted = self._words.core * self._words.weights
        sizes = np.maximum([len(set(words(text))) for text in texts], _SHORTEST)
        return (weighted @ (used > 0).T) / np.sqrt(np.maximum(weighted.sum(axis=1), 1e-9)[:, None] * sizes[None, :])

    def _place(self, used: Numbers, findings: Sequence[Finding]) -> Numbers:
        """Where both sides name files or lines these decide; otherwise the words of the key's location do."""
        shares = self._words.coverage(self._words.rows([text.location for text in self._texts]) > 0, used)
        for row, places in enumerate(self._places):
            for column, finding in enumerate(findings):
                if places and finding.locations:
                    near = any(same_place(one, other) for one in places for other in finding.locations)
                    shares[row, column] = float(near)
        return shares


def same_place(one: Location, other: Location) -> bool:
    """Whether two places may be the same: equal files as far as both name one, lines within `NEAR_LINES`."""
    # With a slash before each, so that `views.py` is no end of `reviews.py`.
    ends = f"/{one.path}", f"/{other.path}"
    if one.path and other.path and not (ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])):
        return False
    if one.line is None or other.line is None:
        return bool(one.path and other.path)
    return one.line - NEAR_LINES <= (other.end or other.line) and other.line - NEAR_LINES <= (one.end or one.line)


def _text(problem: Problem, render: Callable[[str], str]) -> _Text:
    criteria = problem.criteria
    core = f"{problem.title} {problem.description} {criteria.detected}"
    parts = (problem.title, core, criteria.detected, criteria.partial, problem.location)
    return _Text(*map(render, parts))


def _best_other(scores: Numbers) -> Numbers:
    """For each problem and finding the highest score that the finding has with another problem; 0 if there is none."""
    if len(scores) < 2:
        return np.zeros_like(scores)
    top: Numbers = np.sort(scores, axis=0)
    return cast(Numbers, np.where(scores == top[-1], top[-2], top[-1]))
