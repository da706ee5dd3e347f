"""Which sentences of an answer belong to what it says about its task.

Law, for the sentences that are not off topic:
- A clause after a semicolon and a sentence that begins with a pronoun go with the sentence before; a line that ends in
  a colon goes with the sentence after. What goes with a *bound* sentence (`situation.Points.bound`) is bound.
- Any other sentence is context: it counts between two *firm* ones (`situation.Points.firm`) and only if it occurs once.
  Otherwise it is *loose*.
Loose sentences are read as if they were not there. Hence a sentence that would fit under any task, put before or after
an answer, or again and again into it, changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set

HEADING = 3
"""Words below which a line is a heading, which may occur more than once."""
_PRONOUN = re.compile(r"(?:it|they|this|these|those|both|each)\b(?! is (?:\w+ )?(?:a good|best|\w+ (?:to|that)\b))")


def loose(
    sentences: Sequence[str], words: Sequence[Sequence[str]], bound: Mapping[int, bool], firm: Set[int]
) -> set[int]:
    """The loose ones among the sentences in `bound`, which says of each whether it is bound by itself."""
    times = Counter(tuple(own) for own in words)
    once = [index for index in sorted(bound) if times[tuple(words[index])] == 1 or len(words[index]) < HEADING]
    core = {index for index, by_itself in bound.items() if by_itself}
    for index in once:
        if _continues(sentences, index) and (index - 1 in core or index < min(core, default=len(sentences))):
            core.add(index)
    for index in reversed(once):
        if index + 1 in core and sentences[index].endswith((":", ";")):
            core.add(index)
    ends = firm & core
    context = {index for index in once if ends and min(ends) < index < max(ends)}
    return set(bound) - core - context


def _continues(sentences: Sequence[str], index: int) -> bool:
    """Whether a sentence goes on with the one before."""
    return _PRONOUN.match(sentences[index]) is not None or (index > 0 and sentences[index - 1].endswith(";"))
