"""The lexical marker: deterministic, offline and advisory. It only compares words.

A problem is represented by the words of its title, description and ○ criterion; the fewer problems use a word, the more
it weighs. The likeness of a finding and a problem is their weighted cosine. From `DETECTED` up, and if the finding is
at least as close to the ○ as to the △ criterion, the mark is ○; from `PARTIAL` up it is △. A finding counts for the
problem it is most like, and for another one only if that is nearly as close. Bonuses come from the key's bonus table
only, each entry once; findings clearly like an entry of the perspective's "out of scope" list are penalties. Findings
that copy the key or the document or list bare words, and sentences that address the marker, are flagged and earn
nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from steelyard.audit.marking.flags import ADDRESSES, addresses, barred, without_addresses
from steelyard.audit.marking.terms import rarity, terms, weight
from steelyard.audit.model import BonusEntry, Claim, Finding, Key, Marks, Output, Problem, Ruling

DETECTED = 0.30
PARTIAL = 0.20
"""Lowest likeness for a mark; tuned on the recorded runs of the shipped suites, and a test measures the agreement."""

NEARLY = 0.85
"""Share of the best likeness that another problem must reach for the finding to count for it too."""

MIN_SHARED = 2
"""Words a finding must share with a problem; a single one may be chance."""

COPIED, COPIED_FROM = 0.8, 12
"""A finding with this share of a problem's words copies the key, if the problem has at least `COPIED_FROM` words."""

BONUS = 0.25
OUT_OF_SCOPE = 0.40

NAME = "lexical (advisory: compares words, understands nothing)"


@dataclass(frozen=True, slots=True)
class _ProblemWords:
    """The words of a problem, stemmed."""

    problem: Problem
    core: frozenset[str]
    """Of its title, description and ○ criterion."""
    full: frozenset[str]
    """Of its title and ○ criterion."""
    partial: frozenset[str]
    """Of its △ criterion."""


def lexical_marks(key: Key, output: Output, perspective: str = "", document: str = "") -> Marks:
    """Marks for one run from its words alone."""
    book = [_words(problem) for problem in key.problems]
    weights = _weights(book)
    barred_for = {
        finding.index: barred(finding, key, document) or _copies(finding, book) for finding in output.findings
    }
    credible = [
        replace(finding, text=without_addresses(finding.text))
        for finding in output.findings
        if not barred_for[finding.index]
    ]
    claims = [claim for finding in credible for claim in _claims(finding, book, weights)]
    claimed = {claim.finding for claim in claims}
    others = [finding for finding in credible if finding.index not in claimed]
    rulings = _bonuses(others, key.bonuses)
    rulings += [Ruling(index, "neither", reason) for index, reason in barred_for.items() if reason]
    ruled = {ruling.finding for ruling in rulings}
    rulings += _out_of_scope([finding for finding in others if finding.index not in ruled], perspective)
    return Marks(tuple(claims), tuple(rulings), flags=tuple(_flags(output, barred_for)))


def _flags(output: Output, barred_for: Mapping[int, str]) -> Iterable[str]:
    for finding in output.findings:
        reason = barred_for[finding.index] or (ADDRESSES if addresses(finding.text) else "")
        if reason:
            yield f"{finding.id} {reason}"


def likeness(one: frozenset[str], other: frozenset[str], weights: Mapping[str, float]) -> float:
    """The weighted cosine of two sets of words, in [0, 1]."""
    sizes = weight(one, weights) * weight(other, weights)
    return weight(one & other, weights) / math.sqrt(sizes) if sizes > 0 else 0.0


def candidates(key: Key, finding: Finding) -> list[tuple[str, float]]:
    """(problem id, likeness), most alike first: the suggestions on a blank sheet."""
    book = [_words(problem) for problem in key.problems]
    weights = _weights(book)
    words = terms(finding.text)
    likely = [(entry.problem.id, likeness(words, entry.core | entry.partial, weights)) for entry in book]
    return sorted(likely, key=lambda pair: (-pair[1], pair[0]))


def _weights(book: Sequence[_ProblemWords]) -> dict[str, float]:
    return rarity([entry.core | entry.partial for entry in book])


def _words(problem: Problem) -> _ProblemWords:
    criteria = problem.criteria
    core = terms(f"{problem.title} {problem.description} {criteria.detected}")
    return _ProblemWords(problem, core, terms(f"{problem.title} {criteria.detected}"), terms(criteria.partial))


def _claims(finding: Finding, book: Sequence[_ProblemWords], weights: Mapping[str, float]) -> Iterable[Claim]:
    words = terms(finding.text)
    close = {entry.problem.id: _closeness(words, entry, weights) for entry in book}
    best = max(close.values(), default=0.0)
    for entry in book:
        near = close[entry.problem.id]
        shared = len(words & (entry.core | entry.partial))
        if near >= PARTIAL and near >= NEARLY * best and shared >= MIN_SHARED:
            yield Claim(entry.problem.id, finding.index, _mark(words, entry, weights), _quote(finding, entry, weights))


def _copies(finding: Finding, book: Sequence[_ProblemWords]) -> str:
    """Why a finding is a copy, or an empty string; an independent description does not reuse nearly all words."""
    words = terms(finding.text)
    for entry in book:
        if len(entry.core) >= COPIED_FROM and len(words & entry.core) / len(entry.core) >= COPIED:
            return f"uses nearly all words of {entry.problem.id} in the answer key"
    return ""


def _closeness(words: frozenset[str], entry: _ProblemWords, weights: Mapping[str, float]) -> float:
    return max(likeness(words, entry.core, weights), likeness(words, entry.partial, weights))


def _mark(words: frozenset[str], entry: _ProblemWords, weights: Mapping[str, float]) -> Literal["detected", "partial"]:
    full, part = likeness(words, entry.full, weights), likeness(words, entry.partial, weights)
    return "detected" if likeness(words, entry.core, weights) >= DETECTED and full >= part else "partial"


def _quote(finding: Finding, entry: _ProblemWords, weights: Mapping[str, float]) -> str:
    """The sentence of the finding that is closest to the problem."""
    sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n", finding.text) if part.strip()]
    return max(sentences, key=lambda part: weight(terms(part) & entry.core, weights), default="")


def _bonuses(findings: Sequence[Finding], entries: Sequence[BonusEntry]) -> list[Ruling]:
    """Rulings that give each listed bonus to the finding most like it."""
    book = [terms(f"{entry.category} {entry.content} {entry.condition}") for entry in entries]
    weights = rarity(book)
    pairs = [
        (likeness(terms(finding.text), words, weights), finding.index, entry.id)
        for finding in findings
        for words, entry in zip(book, entries, strict=True)
    ]
    near = sorted((pair for pair in pairs if pair[0] >= BONUS), key=lambda pair: (-pair[0], pair[1], pair[2]))
    awarded: dict[int, str] = {}
    for _, index, name in near:
        if index not in awarded and name not in awarded.values():
            awarded[index] = name
    bonuses = [Ruling(index, "bonus", f"listed in the key as {name}") for index, name in sorted(awarded.items())]
    # A finding that lost its bonus to a closer one is not out of scope either.
    others = sorted({index for _, index, _ in near} - set(awarded))
    return bonuses + [Ruling(index, "neither", "the listed bonus already went to another finding") for index in others]


def _out_of_scope(findings: Sequence[Finding], perspective: str) -> list[Ruling]:
    entries = out_of_scope(perspective)
    book = [terms(entry) for entry in entries]
    penalties: list[Ruling] = []
    for finding in findings:
        words = terms(finding.text)
        shared = [
            (len(words & listed) / math.sqrt(len(words) * len(listed)), entry)
            for listed, entry in zip(book, entries, strict=True)
            if words and listed
        ]
        near, entry = max(shared, default=(0.0, ""))
        if near >= OUT_OF_SCOPE:
            penalties.append(Ruling(finding.index, "penalty", f"out of scope: {entry}"))
    return penalties


def out_of_scope(perspective: str) -> list[str]:
    """The list items under an "out of scope" heading of a perspective."""
    entries: list[str] = []
    inside = False
    for line in perspective.splitlines():
        if line.lstrip().startswith("#"):
            inside = re.search(r"out[- ]of[- ]scope|not in scope|excluded", line, re.IGNORECASE) is not None
        elif inside and (item := re.match(r"\s*(?:[-*+•]|\d+[.)])\s+(.+)", line)):
            entries.append(item.group(1).strip())
    return entries
