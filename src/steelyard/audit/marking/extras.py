"""Bonus and penalty by words: bonuses from the key's table only, penalties from the perspective's out-of-scope list."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from steelyard.audit.model import BonusEntry, Finding, Ruling
from steelyard.audit.terms import in_english, is_spaceless, terms

BONUS = 0.25
"""Lowest likeness to an entry of the bonus table."""
OUT_OF_SCOPE = 0.40
"""Lowest likeness to an entry of the out-of-scope list."""
UNSEEN_WEIGHT = 1.0
"""The weight of a word that no entry uses."""


def bonuses(findings: Sequence[Finding], entries: Sequence[BonusEntry]) -> list[Ruling]:
    """Rulings that give each listed bonus to the finding most like it."""
    texts = [f"{entry.category} {entry.content} {entry.condition}" for entry in entries]
    across = is_spaceless(" ".join(texts)) != is_spaceless(" ".join(finding.text for finding in findings))
    render = in_english if across else str
    book = [terms(render(text)) for text in texts]
    weights = _rarity(book)
    pairs = [
        (_likeness(words, listed, weights), finding.index, entry.id)
        for finding, words in ((finding, terms(render(finding.text))) for finding in findings)
        for listed, entry in zip(book, entries, strict=True)
    ]
    near = sorted((pair for pair in pairs if pair[0] >= BONUS), key=lambda pair: (-pair[0], pair[1], pair[2]))
    awarded: dict[int, str] = {}
    for _, index, name in near:
        if index not in awarded and name not in awarded.values():
            awarded[index] = name
    given = [Ruling(index, "bonus", f"listed in the key as {name}") for index, name in sorted(awarded.items())]
    # A finding that lost its bonus to a closer one is not out of scope either.
    others = sorted({index for _, index, _ in near} - set(awarded))
    return given + [Ruling(index, "neither", "the listed bonus already went to another finding") for index in others]


def penalties(findings: Sequence[Finding], perspective: str) -> list[Ruling]:
    """Rulings against the findings that are clearly like an entry of the out-of-scope list."""
    entries = out_of_scope(perspective)
    book = [terms(entry) for entry in entries]
    rulings: list[Ruling] = []
    for finding in findings:
        words = terms(finding.text)
        shared = [
            (len(words & listed) / math.sqrt(len(words) * len(listed)), entry)
            for listed, entry in zip(book, entries, strict=True)
            if words and listed
        ]
        near, entry = max(shared, default=(0.0, ""))
        if near >= OUT_OF_SCOPE:
            rulings.append(Ruling(finding.index, "penalty", f"out of scope: {entry}"))
    return rulings


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


def _rarity(texts: Sequence[frozenset[str]]) -> dict[str, float]:
    """How well each word tells the texts apart: ln(1 + n / df)."""
    counts: dict[str, int] = {}
    for words in texts:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    return {word: math.log1p(len(texts) / count) for word, count in counts.items()}


def _likeness(one: frozenset[str], other: frozenset[str], weights: Mapping[str, float]) -> float:
    """The weighted cosine of two sets of words, in [0, 1]."""
    sizes = _weight(one, weights) * _weight(other, weights)
    return _weight(one & other, weights) / math.sqrt(sizes) if sizes > 0 else 0.0


def _weight(words: frozenset[str], weights: Mapping[str, float]) -> float:
    return math.fsum(weights.get(word, UNSEEN_WEIGHT) for word in words)
