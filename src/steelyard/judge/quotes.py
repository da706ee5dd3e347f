"""A graded text in which quotes are looked up, and what makes a quote evidence. Pure.

Law: a quote occurs in the text, spaces and typography apart. It is evidence if it says enough (`MIN_QUOTE`, or a whole
line), if no comment hides it, if none of the sentences it is taken from speaks to the judge, so that no clipping hides
an order (of one that reports an order in quotation marks, the words around them count), if they are not in a script or
a language that is neither the text's nor the topic's (the Latin script, in which names are written, fits everywhere),
if they say at least as much about their subject as about their own grading (`talk`), and if it is about its topic
(`topic`): the quote itself, or the whole sentence around a short one.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from steelyard.judge.injection import own_words, speaks_to_reader
from steelyard.judge.talk import outweighed
from steelyard.judge.text import fold
from steelyard.judge.topic import content_words, is_foreign, main_script, on_topic

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
    around: tuple[str, ...] = ()
    """Sentences of other texts by the same author, which show the language that these are in."""

    @classmethod
    def of(cls, text: str, around: tuple[str, ...] = ()) -> GradedText:
        """`text` folded, as a whole, by line and by sentence; `around` are sentences of other texts beside it."""
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
        return cls(" ".join(lines), frozenset(lines), tuple(sorted(starts)), around)

    def contains(self, quote: str) -> bool:
        """Whether `quote` occurs in the text (spaces, typographic quotes and dashes apart)."""
        folded = fold(quote)
        return bool(folded) and folded in self.text

    def supports(self, quote: str, topic: str = "", reading: Callable[[str], str] = str, asked: str = "") -> bool:
        """Whether a contained quote is evidence on `topic` for what is `asked`.

        `reading` is what is compared of a passage.
        """
        folded = fold(quote)
        weight = sum(2 if ord(letter) > 0x2E7F else 1 for letter in folded if letter.isalnum())
        stated = _stated(folded)
        if weight == 0 or (weight < MIN_QUOTE and folded not in self.lines) or not stated:
            return False
        long = len(content_words(stated)) >= SHORT_QUOTE
        scripts = {"LATIN", main_script(self.text), main_script(topic)}
        return any(
            passage != ""
            and not outweighed(passage, f"{asked}\n{topic}")
            and main_script(passage) in scripts
            and not is_foreign(
                passage, [other for other in (*self.sentences(), *self.around) if other not in passage], topic
            )
            and on_topic(reading(stated if long else passage), topic)
            for passage in map(_stated, self._passages(folded))
        )

    def sentences(self) -> Iterator[str]:
        """The sentences and list items of the text."""
        for start, end in itertools.pairwise((*self.starts, len(self.text))):
            yield self.text[start:end].strip()

    def _passages(self, folded: str) -> Iterator[str]:
        """The whole sentences that each occurrence of a quote touches."""
        place, ends = self.text.find(folded), (*self.starts[1:], len(self.text))
        for _ in range(SEVERAL):
            if place < 0:
                return
            first = bisect_right(self.starts, place) - 1
            last = bisect_right(self.starts, place + len(folded) - 1) - 1
            if not self._hidden(place):
                yield self.text[self.starts[first] : ends[last]].strip()
            place = self.text.find(folded, place + 1)

    def _hidden(self, place: int) -> bool:
        """Whether a place is inside an HTML comment, or is one."""
        if self.text.startswith("<!--", place):
            place += 4
        opened = self.text.rfind("<!--", 0, place)
        return opened > self.text.rfind("-->", 0, place) and self.text.find("-->", place) >= 0


def _stated(passage: str) -> str:
    """What a passage says in its own words; empty if that speaks to its reader."""
    if not speaks_to_reader(passage):
        return passage
    rest = own_words(passage)
    return "" if rest == passage or speaks_to_reader(rest) else rest
