"""Turns an answer into the words the heuristic searches: visible lower-case prose, copied and repeated words blanked.

Law:
- Only what a reader sees is read: NFKC, without invisible characters, HTML comments, diagrams or markup. Hidden text
  that was removed is flagged.
- Copied and repeated words are not evidence and are blanked: a run of words that occurs in the prompt (`PROMPT_RUN` or
  more) or in the item's key (`KEY_RUN` or more, or a whole entry of the key), a run that occurs earlier in the answer
  (`REPEAT_RUN` or more), and a sentence with nearly the same words as an earlier one.
- Blanked words keep their position, so copying brings no other words closer together.
Formatting does not matter: a list and running text with the same words read the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from steelyard.bench.architecture_design.diagram.blocks import Block, parts
from steelyard.bench.architecture_design.heuristic.language import FUNCTION_WORDS
from steelyard.judge.text import clean
from steelyard.text import STRAIGHT

PROMPT_RUN = 6
"""Words in a row that make a quotation of the prompt."""
KEY_RUN = 5
"""Words in a row that make a quotation of the key, which an honest answer cannot know."""
REPEAT_RUN = 6
"""Words in a row that make a repetition."""
NEAR = 0.85
"""Share of content words in common from which a sentence counts as a repetition of an earlier one."""
NEAR_WORDS = 6
"""Distinct content words a sentence needs to be compared with earlier ones."""
NOTICED = 0.1
"""Share of copied or repeated words from which an answer is flagged."""
LIMIT = 60_000
"""Characters of an answer that are read; the rest is flagged and ignored."""
BLANK = "¤"
"""Replaces every character of a blanked word."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# Repetitions are bounded because answers may be hostile: unbounded ones could take quadratic time.
_LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)")
_ARROW = re.compile(r"-{1,4}>|={1,4}>|[→⇒➜➔⟶↦►▶]|(?<=\S) > (?=\S)")
_MARKUP = re.compile(
    r"[*`#|>~\"“”„«»]|(?<!\w)_{1,3}|_{1,3}(?!\w)|^[ \t]*[-+•–][ \t]|(?<!\S)\d{1,2}[.)](?=\s)", re.MULTILINE
)
_WORD = re.compile(r"→|\w+(?:[.,:/'-]\w+)*%?")
_STOP = re.compile(r"[.!?;](?=\s|$)|\n")


@dataclass(frozen=True, slots=True)
class Reading:
    """The prose of one answer, ready to search."""

    text: str
    """In lower case; copied and repeated words are blanked."""
    starts: tuple[int, ...]
    """Where each word begins in `text`."""
    words: tuple[str, ...]
    """All visible words, including copied ones."""
    blank: tuple[bool, ...]
    """Per word: whether it was copied or repeated."""
    sentences: tuple[tuple[int, int], ...]
    """Per sentence or line: index of its first word, and of the word after its last."""
    blocks: tuple[Block, ...]
    """Diagrams and code, in order."""
    repeated: float
    """Share of the words that repeat earlier ones."""
    copied: float
    """Share of the words that are copied from the prompt or the key."""
    flags: tuple[str, ...]
    """Names of suspicious features, sorted."""

    def at(self, position: int) -> int:
        """The index of the word at a position in `text`."""
        return max(bisect_right(self.starts, position) - 1, 0)


def read(answer: str, prompt: str = "", key: Sequence[str] = ()) -> Reading:
    """Read an answer, blanking what it copied from the prompt or from the key, which the subject has not seen."""
    shown, flags = visible(answer)
    answer_parts = parts(shown)
    text = normal(answer_parts.prose)
    spans = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end] for start, end in spans]
    sentences = _sentences(text, spans)
    repeated = _repeated(words, sentences)
    copied = _copied(words, prompt, key)
    blank = [any(marks) for marks in zip(repeated, copied, strict=True)]
    if _share(repeated) > NOTICED:
        flags |= {"repetition"}
    if _share(copied) > NOTICED:
        flags |= {"echo"}
    return Reading(
        text=_blanked(text, spans, blank),
        starts=tuple(start for start, _ in spans),
        words=tuple(words),
        blank=tuple(blank),
        sentences=tuple(sentences),
        blocks=answer_parts.blocks,
        repeated=_share(repeated),
        copied=_share(copied),
        flags=tuple(sorted(flags)),
    )


def visible(answer: str) -> tuple[str, set[str]]:
    """The part of an answer that a reader sees, and flags for what was hidden in it."""
    cleaned = clean(answer[:LIMIT])
    flags = set(cleaned.flags) - {"cut"}
    return _COMMENT.sub(" ", cleaned.text), flags | ({"cut"} if len(answer) > LIMIT else set())


def normal(text: str) -> str:
    """Text without markup, in lower case, arrows as words."""
    plain = _LINK.sub(r"\1", text.translate(STRAIGHT))
    return _MARKUP.sub(" ", _ARROW.sub(" → ", plain)).lower()


def words_of(text: str) -> list[str]:
    """The words of a text, as `read` counts them."""
    return _WORD.findall(normal(text))


def _sentences(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    bounds = [match.end() for match in _STOP.finditer(text)] + [len(text)]
    starts = [start for start, _ in spans]
    sentences: list[tuple[int, int]] = []
    first = 0
    for bound in bounds:
        last = bisect_right(starts, bound - 1)
        if last > first:
            sentences.append((first, last))
            first = last
    return sentences


def _repeated(words: Sequence[str], sentences: Sequence[tuple[int, int]]) -> list[bool]:
    marks = [False] * len(words)
    seen: set[tuple[str, ...]] = set()
    for index in range(len(words) - REPEAT_RUN + 1):
        run = tuple(words[index : index + REPEAT_RUN])
        if run in seen:
            marks[index : index + REPEAT_RUN] = [True] * REPEAT_RUN
        seen.add(run)
    _mark_near(words, sentences, marks)
    return marks


def _mark_near(words: Sequence[str], sentences: Sequence[tuple[int, int]], marks: list[bool]) -> None:
    """Mark sentences with nearly the same words as an earlier one; candidates share one of the rarest words."""
    bags = [frozenset(word for word in words[first:last] if word not in FUNCTION_WORDS) for first, last in sentences]
    holders: dict[str, list[int]] = {}
    for index, bag in enumerate(bags):
        if len(bag) < NEAR_WORDS:
            continue
        rare = sorted(bag, key=lambda word: (len(holders.get(word, ())), word))[: len(bag) // 3 + 1]
        earlier = {other for word in rare for other in holders.get(word, ())[:50]}
        if any(len(bag & bags[other]) >= NEAR * min(len(bag), len(bags[other])) for other in earlier):
            first, last = sentences[index]
            marks[first:last] = [True] * (last - first)
            continue
        for word in bag:
            holders.setdefault(word, []).append(index)


def _copied(words: Sequence[str], prompt: str, key: Sequence[str]) -> list[bool]:
    marks = [False] * len(words)
    _mark_runs(words, marks, [words_of(prompt)], PROMPT_RUN)
    entries = _entries(tuple(key))
    _mark_runs(words, marks, entries, KEY_RUN)
    for size in {len(entry) for entry in entries if 3 <= len(entry) < KEY_RUN}:
        _mark_runs(words, marks, [entry for entry in entries if len(entry) == size], size)
    return marks


@lru_cache(maxsize=64)
def _entries(key: tuple[str, ...]) -> tuple[list[str], ...]:
    return tuple(words_of(entry) for entry in key)


def _mark_runs(words: Sequence[str], marks: list[bool], sources: Iterable[Sequence[str]], run: int) -> None:
    # A chain of names and arrows is not a quotation: describing an architecture means naming its parts in that order.
    known = {
        tuple(piece)
        for source in sources
        for i in range(len(source) - run + 1)
        if "→" not in (piece := source[i : i + run])
    }
    for index in range(len(words) - run + 1):
        if tuple(words[index : index + run]) in known:
            marks[index : index + run] = [True] * run


def _blanked(text: str, spans: Sequence[tuple[int, int]], blank: Sequence[bool]) -> str:
    pieces: list[str] = []
    position = 0
    for (start, end), hidden in zip(spans, blank, strict=True):
        pieces += [text[position:start], BLANK * (end - start) if hidden else text[start:end]]
        position = end
    return "".join([*pieces, text[position:]])


def _share(marks: Sequence[bool]) -> float:
    return sum(marks) / len(marks) if marks else 0.0
