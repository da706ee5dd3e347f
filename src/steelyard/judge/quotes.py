"""A graded text in which quotes are looked up, and what makes a quote evidence. Pure.

Law: a quote occurs in the text, spaces and typography apart. It is evidence if it says enough (`MIN_QUOTE`, or a whole
line), if none of the sentences it is taken from speaks to the judge, so that no clipping hides an order, if
they are not in a script that is neither the text's nor the topic's (Latin, in which names are written, fits
everywhere), and if it is about its topic (`topic`): the quote itself, or the whole sentence around a short one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from steelyard.judge.injection import speaks_to_reader
from steelyard.judge.text import fold
from steelyard.judge.topic import content_words, main_script, on_topic

MIN_QUOTE = 8
"""Letters and digits a quote needs (a wide character counts double) before it can support a grade."""

SHORT_QUOTE = 4
"""Content words below which the sentence around a quote says what it is about."""

SEVERAL = 20
"""Places of one quote that are looked at."""

_STOP = re.compile(r"[.!?…]+[\"')\]]*(?= |$)|[。！？]")
_OPENS_LINE = re.compile(r"\s*(?:[-*+#>|•]|\d+[.)]|[^\W\d_a-z]|$)")
"""The beginning of a line that does not continue the sentence of the line before."""


@dataclass(frozen=True, slots=True)
class GradedText:
    """The graded text, prepared for looking up quotes."""

    text: str
    """Folded, on one line."""
    lines: frozenset[str]
    """Its lines, folded."""
    starts: tuple[int, ...]
    """Where the sentences of `text` begin."""

    @classmethod
    def of(cls, text: str) -> GradedText:
        """`text` folded, as a whole, by line and by sentence."""
        lines: list[str] = []
        starts, length = {0}, 0
        for line in text.splitlines():
            folded = fold(line)
            if _OPENS_LINE.match(line):
                starts.add(length)
            if folded:
                lines.append(folded)
                starts.update(length + stop.end() for stop in _STOP.finditer(folded))
                length += len(folded) + 1
        return cls(" ".join(lines), frozenset(lines), tuple(sorted(starts)))

    def contains(self, quote: str) -> bool:
        """Whether `quote` occurs in the text (spaces, typographic quotes and dashes apart)."""
        folded = fold(quote)
        return bool(folded) and folded in self.text

    def supports(self, quote: str, topic: str = "", reading: Callable[[str], str] = str) -> bool:
        """Whether a contained quote is evidence on `topic`; `reading` is what is compared of a passage."""
        folded = fold(quote)
        weight = sum(2 if ord(letter) > 0x2E7F else 1 for letter in folded if letter.isalnum())
        if weight == 0 or (weight < MIN_QUOTE and folded not in self.lines) or speaks_to_reader(folded):
            return False
        long = len(content_words(folded)) >= SHORT_QUOTE
        scripts = {"LATIN", main_script(self.text), main_script(topic)}
        return any(
            not speaks_to_reader(passage)
            and main_script(passage) in scripts
            and on_topic(reading(folded if long else passage), topic)
            for passage in self._passages(folded)
        )

    def _passages(self, folded: str) -> Iterator[str]:
        """The whole sentences that each occurrence of a quote touches."""
        place, ends = self.text.find(folded), (*self.starts[1:], len(self.text))
        for _ in range(SEVERAL):
            if place < 0:
                return
            first = bisect_right(self.starts, place) - 1
            last = bisect_right(self.starts, place + len(folded) - 1) - 1
            yield self.text[self.starts[first] : ends[last]].strip()
            place = self.text.find(folded, place + 1)
