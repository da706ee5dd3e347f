"""Which sentences of an answer belong to what it says about its task.

Law, for the sentences that are not off topic:
- A clause after a semicolon and a sentence that begins with a pronoun go with the sentence before; a line that ends in
  a colon goes with the sentence after. What goes with a *bound* sentence (`situation.Sorter`) is bound.
- Any other sentence is context: it counts between two *ends*, which the caller names. Otherwise it is *loose*.
- A sentence that stood before neither begins nor ends such a stretch, and it is no context again; one that comes
  `REFRAIN` times or more is none at all.
- `APART` off-topic words or more part a stretch of an answer from the rest. What counts is the stretch with the most
  words in bound sentences, and going outwards from it each that has at least as many of them as there are words between
  (`together`): a sentence about the task by chance, in the middle of text about something else, is part of that text.
Loose sentences are read as if they were not there. Hence a sentence that would fit under any task, put before or after
an answer, or again and again into it, changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

HEADING = 3
"""Words below which a line is a heading, which may occur more than once."""
REFRAIN = 3
"""Times from which a sentence that comes again and again is context nowhere."""
APART = 20
"""Off-topic words that part a stretch of an answer from the rest."""
_PRONOUN = re.compile(r"(?:it|they|this|these|those|both|each)\b(?! is (?:\w+ )?(?:a good|best|\w+ (?:to|that)\b))")


def loose(
    sentences: Sequence[str], words: Sequence[Sequence[str]], bound: Mapping[int, bool], ends: Set[int]
) -> set[int]:
    """The loose ones among the sentences in `bound`, which says of each whether it is bound by itself.

    `ends` are those between which others are context.
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for index, own in enumerate(words):
        places.setdefault(tuple(own), []).append(index)
    new = [
        index
        for index in sorted(bound)
        if len(words[index]) < HEADING
        or (places[tuple(words[index])][0] == index and len(places[tuple(words[index])]) < REFRAIN)
    ]
    core = {index for index, by_itself in bound.items() if by_itself}
    for index in new:
        if continues(sentences, index) and (index - 1 in core or index < min(core, default=len(sentences))):
            core.add(index)
    for index in reversed(new):
        if index + 1 in core and sentences[index].endswith((":", ";")):
            core.add(index)
    ends = ends & core & set(new)
    context = {index for index in new if ends and min(ends) < index < max(ends)}
    return set(bound) - core - context


def together(lengths: Sequence[int], bound: Set[int], off_topic: Set[int]) -> set[int]:
    """The bound sentences that are not lost among others that are off topic.

    `lengths` are those of all sentences, in words.
    """
    stretches: list[list[int]] = []
    gaps: list[int] = []
    gap = 0
    for index, length in enumerate(lengths):
        gap += length if index in off_topic else 0
        if index not in bound:
            continue
        if not stretches or gap >= APART:
            stretches.append([])
            gaps.append(gap)
        stretches[-1].append(index)
        gap = 0
    own = [sum(lengths[index] for index in stretch) for stretch in stretches]
    longest = own.index(max(own)) if own else 0
    before = _reached(own[:longest][::-1], gaps[1 : longest + 1][::-1])[::-1]
    after = _reached(own[longest + 1 :], gaps[longest + 1 :])
    kept = zip(stretches, [*before, True, *after], strict=True) if stretches else ()
    return {index for stretch, near in kept if near for index in stretch}


def _reached(own: Sequence[int], gaps: Sequence[int]) -> list[bool]:
    """Per stretch, going outwards: whether it has as many words of its own as part it from what counts."""
    near: list[bool] = []
    between = 0
    for words, gap in zip(own, gaps, strict=True):
        between += gap
        near.append(words >= between)
        between = 0 if near[-1] else between + words
    return near


def continues(sentences: Sequence[str], index: int) -> bool:
    """Whether a sentence goes on with the one before."""
    return _PRONOUN.match(sentences[index]) is not None or (index > 0 and sentences[index - 1].endswith(";"))
