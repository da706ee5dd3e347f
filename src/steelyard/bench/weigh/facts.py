"""What the items of a log are about, how a subject does by domain, difficulty and subtype, and how long items take.

    score of a group = mean of the means of its scored items

An item with several domains counts in each of them. The facts come from the samples and are untrusted text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from statistics import fmean
from typing import Any, cast

from steelyard.bench.model import GroupScore, ItemFacts
from steelyard.rows import RunRow
from steelyard.stats.interval import mean_interval

DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "domain": ("domain", "domains"),
    "difficulty": ("difficulty",),
    "subtype": ("subtype",),
}
"""Dimension of a breakdown → fields of a sample's metadata that name its groups."""

FACTS = ("title", "pattern", *(name for names in DIMENSIONS.values() for name in names))
"""Fields of a sample's metadata that a board reads."""

TITLE_LENGTH = 90
"""Characters of a title."""

_GROUPS, _GROUP_LENGTH = 12, 40
"""Groups of one dimension that an item may be in, and the characters of a group's name."""

_SENTENCE = re.compile(r"(?<=[.?!])\s")


class Items:
    """The items of a category; a hundred subjects are asked the same ones, and their facts are found out once."""

    def __init__(self) -> None:
        self._asked: list[tuple[str, str, Mapping[str, Any]]] = []
        self._facts: dict[str, ItemFacts] = {}

    def facts(self, runs: Iterable[RunRow]) -> dict[str, ItemFacts]:
        """Item id → its facts, from its first run."""
        first: dict[str, RunRow] = {}
        for run in runs:
            first.setdefault(run.id, run)
        asked = [(run.id, run.question, run.metadata) for run in first.values()]
        # Compared by content, because another version of the data may ask something else under the same id.
        if asked != self._asked:
            shared = _shared(first.values())
            facts = {item: ItemFacts(_title(run, shared), _groups(run.metadata)) for item, run in first.items()}
            self._asked, self._facts = asked, facts
        return self._facts


def breakdowns(items: Mapping[str, float], facts: Mapping[str, ItemFacts]) -> dict[str, dict[str, GroupScore]]:
    """Dimension → group → score, the largest groups first."""
    return {
        dimension: {
            group: GroupScore(fmean(values), len(values), mean_interval(values))
            for group, values in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        }
        for dimension in DIMENSIONS
        if (groups := _grouped(dimension, items, facts))
    }


def latency(runs: Iterable[RunRow]) -> dict[str, float]:
    """Item id → mean seconds of its runs; what is not known is left out."""
    seconds: dict[str, list[float]] = {}
    for run in runs:
        known = run.total_time_s if run.working_time_s is None else run.working_time_s
        # A run that broke off early would make the model look fast.
        if known is not None and not run.error:
            seconds.setdefault(run.id, []).append(known)
    return {item: fmean(values) for item, values in seconds.items()}


def _grouped(dimension: str, items: Mapping[str, float], facts: Mapping[str, ItemFacts]) -> dict[str, list[float]]:
    groups: dict[str, list[float]] = {}
    for item, score in items.items():
        for group in facts[item].groups.get(dimension, ()) if item in facts else ():
            groups.setdefault(group, []).append(score)
    return groups


def _shared(runs: Iterable[RunRow]) -> set[str]:
    """Sentences that several questions have in common: instructions, and no title."""
    counts = Counter(sentence for run in runs for sentence in set(_sentences(run.question)))
    return {sentence for sentence, count in counts.items() if count > 1}


@lru_cache(maxsize=4096)
def _sentences(question: str) -> tuple[str, ...]:
    """The sentences of a question; a hundred subjects are asked the same ones."""
    return tuple(_SENTENCE.split(question))


def _title(run: RunRow, shared: Set[str]) -> str:
    """The title that the dataset gives, else the first sentence of the question that is its own."""
    given = next((run.metadata[name] for name in ("title", "pattern") if run.metadata.get(name)), None)
    sentences = _sentences(run.question)
    own = next((sentence for sentence in sentences if sentence not in shared), sentences[0])
    text = " ".join(str(given).split()) if given else own
    return text if len(text) <= TITLE_LENGTH else f"{text[:TITLE_LENGTH].rsplit(' ', 1)[0]} …"


def _groups(metadata: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    groups = {dimension: _values(metadata, names) for dimension, names in DIMENSIONS.items()}
    return {dimension: values for dimension, values in groups.items() if values}


def _values(metadata: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    fields = [metadata[name] for name in names if metadata.get(name)]
    if not fields:
        return ()
    flat = [value for entry in fields for value in (cast(list[Any], entry) if isinstance(entry, list) else [entry])]
    return tuple(dict.fromkeys(" ".join(str(value).replace("_", " ").split())[:_GROUP_LENGTH] for value in flat))[
        :_GROUPS
    ]
