"""Turns an answer into the words the heuristic searches: visible lower-case prose, copied and repeated words blanked.

Law:
- Only what a reader sees is read: NFKC, without invisible characters, HTML comments, diagrams or markup. Hidden text
  that was removed is flagged.
- Copied and repeated words are not evidence and are blanked: a run of words that occurs in the prompt (`PROMPT_RUN` or
  more) or in the item's key (`KEY_RUN` or more, or a whole entry of the key), a run that occurs earlier in the answer
  (`REPEAT_RUN` or more), and a sentence with nearly the same words as an earlier one.
- Sentences that are off topic are left out and counted; loose ones are left out as if they were not there; those that
  contradict the task's facts are blanked. The caller sorts the sentences (`Kind`).
- Blanked words keep their position, so copying brings no other words closer together.
- A sentence that begins after a colon or after a label without a full stop is one of its own.
Formatting does not matter: a list and running text with the same words read the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, compress, pairwise, repeat
from typing import Literal

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
PIECE, PATCHED = 3, 0.6
"""Words in a row of an earlier sentence, and the share of a sentence's words in such pieces from which it repeats."""
NOTICED = 0.1
"""Share of copied or repeated words from which an answer is flagged."""
LIMIT = 60_000
"""Characters of an answer that are read; the rest is flagged and ignored."""
BLANK = "¤"
"""Replaces every character of a blanked word."""

Kind = Literal["off_topic", "loose", "tied", "false"]
"""What a sentence is to a task: nothing in particular, nothing in this place, about it, or contrary to its facts."""
LEFT_OUT = frozenset[Kind]({"off_topic", "loose"})

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# Repetitions are bounded because answers may be hostile: unbounded ones could take quadratic time.
_LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)")
_ARROW = re.compile(r"-{1,4}>|={1,4}>|[→⇒➜➔⟶↦►▶]|(?<=\S) > (?=\S)")
_MARKUP = re.compile(
    r"[*`#|>~\"“”„«»]|(?<!\w)_{1,3}|_{1,3}(?!\w)|^[ \t]*[-+•–][ \t]|^[ \t]*\d{1,2}[.)](?=\s)"
    r"|(?<=[.!?:;] )\d{1,2}[.)](?=\s)",
    re.MULTILINE,
)
_WORD = re.compile(r"→|\w+(?:[.,:/'-]\w+)*%?")
_RUN_ON = re.compile(
    r"(?<=[a-z0-9):]) (?=(?:After|All|Also|An|As|At|Because|Before|Both|By|Each|For|From|If|In|It|On|Since|So|The|Then"
    r"|There|These|They|This|Those|To|We|When|With|You) )"
)
_STOP = re.compile(r"[.!?;](?=\s|$)|\n")


@dataclass(frozen=True, slots=True)
class Reading:
    """The prose of one answer, ready to search."""

    text: str
    """In lower case; copied, repeated and false words are blanked."""
    whole: str
    """The same text with nothing blanked."""
    starts: tuple[int, ...]
    """Where each word begins in `text`."""
    words: tuple[str, ...]
    """All visible words, including copied ones."""
    blank: tuple[bool, ...]
    """Per word: whether it was copied, repeated or part of a false sentence."""
    sentences: tuple[tuple[int, int], ...]
    """Per sentence or line: index of its first word, and of the word after its last."""
    kinds: tuple[Kind, ...]
    """What each sentence is to the task."""
    numbers: tuple[int, ...]
    """Which of the answer's sentences each is, counted from 0 with those that were left out."""
    blocks: tuple[Block, ...]
    """Diagrams and code, in order."""
    repeated: float
    """Share of the words that repeat earlier ones."""
    copied: float
    """Share of the words that are copied from the prompt or the key."""
    flags: tuple[str, ...]
    """Names of suspicious features, sorted."""
    left_out: str = ""
    """Sentences that were left out because they are off topic, in lower case."""
    left_out_own: int = 0
    """Words among those that are neither copied nor repeated."""

    @property
    def padding(self) -> int:
        """The number of words that were left out."""
        return len(_WORD.findall(self.left_out))

    def at(self, position: int) -> int:
        """The index of the word at a position in `text`."""
        return max(bisect_right(self.starts, position) - 1, 0)


def read(
    answer: str,
    prompt: str = "",
    key: Sequence[str] = (),
    sort: Callable[[Sequence[str]], Sequence[Kind]] | None = None,
) -> Reading:
    """Read an answer, blanking what it copied from the prompt or from the key, which the subject has not seen.

    `sort` gets the sentences in lower case; by default all are tied to the task.
    """
    shown, flags = visible(answer)
    answer_parts = parts(shown)
    pieces = _split(normal(answer_parts.prose))
    all_kinds = _kinds(pieces, sort)
    kept = [kind not in LEFT_OUT for kind in all_kinds]
    off_topic = [kind == "off_topic" for kind in all_kinds]
    text = _joined(compress(pieces, kept))
    spans = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end] for start, end in spans]
    sentences = _sentences(text, spans)
    repeated, repeated_left_out = _repeated_in_whole(pieces, kept, off_topic)
    copied = _copied(words, prompt, key)
    left_out = _joined(compress(pieces, off_topic))
    copied_left_out = _copied(_WORD.findall(left_out), prompt, key)
    told: list[Kind] = [kind for piece, kind in zip(pieces, all_kinds, strict=True) if _WORD.search(piece)]
    numbers = [number for number, kind in enumerate(told) if kind not in LEFT_OUT]
    kinds: list[Kind] = [told[number] for number in numbers]
    false = _false(len(words), sentences, kinds)
    blank = [any(marks) for marks in zip(repeated, copied, false, strict=True)]
    if _share(repeated) > NOTICED:
        flags |= {"repetition"}
    if _share(copied) > NOTICED:
        flags |= {"echo"}
    if any(false):
        flags |= {"contradiction"}
    return Reading(
        text=_blanked(text, spans, blank),
        whole=text,
        starts=tuple(start for start, _ in spans),
        words=tuple(words),
        blank=tuple(blank),
        sentences=tuple(sentences),
        kinds=tuple(kinds),
        numbers=tuple(numbers),
        blocks=answer_parts.blocks,
        repeated=_share(repeated),
        copied=_share(copied),
        flags=tuple(sorted(flags)),
        left_out=left_out,
        left_out_own=sum(not any(marks) for marks in zip(repeated_left_out, copied_left_out, strict=True)),
    )


def visible(answer: str) -> tuple[str, set[str]]:
    """The part of an answer that a reader sees, and flags for what was hidden in it."""
    cleaned = clean(answer[:LIMIT])
    flags = set(cleaned.flags) - {"cut"}
    return _COMMENT.sub(" ", cleaned.text), flags | ({"cut"} if len(answer) > LIMIT else set())


@lru_cache(maxsize=512)  # several rules ask for the words of the same sentence
def normal(text: str) -> str:
    """Text without markup, in lower case, arrows as words."""
    plain = _LINK.sub(r"\1", text.translate(STRAIGHT))
    return _MARKUP.sub(" ", _ARROW.sub(" → ", _RUN_ON.sub("\n", plain))).lower()


def _kinds(pieces: Sequence[str], sort: Callable[[Sequence[str]], Sequence[Kind]] | None) -> list[Kind]:
    """What each piece is; one without words is tied, so that the text keeps its lines."""
    with_words = [piece.strip() for piece in pieces if _WORD.search(piece)]
    kinds: Iterator[Kind] = repeat("tied") if sort is None else iter(sort(with_words))
    return [next(kinds) if _WORD.search(piece) else "tied" for piece in pieces]


def _joined(pieces: Iterable[str]) -> str:
    """The pieces as one text, with white space between any two."""
    text = ""
    for piece in pieces:
        apart = not text or not piece or text[-1].isspace() or piece[0].isspace()
        text += piece if apart else f" {piece}"
    return text


def _split(text: str) -> list[str]:
    bounds = [0, *(match.end() for match in _STOP.finditer(text)), len(text)]
    return [text[first:last] for first, last in pairwise(bounds)]


def sentences_of(text: str) -> list[str]:
    """The sentences and lines of a text's prose, in lower case and without markup."""
    return [stripped for sentence in _split(normal(parts(text).prose)) if (stripped := sentence.strip())]


def _false(count: int, sentences: Sequence[tuple[int, int]], kinds: Sequence[Kind]) -> list[bool]:
    marks = [False] * count
    for (first, last), kind in zip(sentences, kinds, strict=True):
        if kind == "false":
            marks[first:last] = [True] * (last - first)
    return marks


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


def _repeated_in_whole(pieces: Sequence[str], *selections: Sequence[bool]) -> Iterator[list[bool]]:
    """Per selection of the pieces, and per word of it: whether the word repeats earlier ones, of whatever piece.

    No run of words that repeat goes from the first selection to what is beside it.
    """
    lengths = [len(_WORD.findall(piece)) for piece in pieces]
    ends = list(accumulate(lengths))
    words = [word for piece in pieces for word in _WORD.findall(piece)]
    kept = [keep for keep, length in zip(selections[0], lengths, strict=True) for _ in range(length)]
    spans = [(end - length, end) for end, length in zip(ends, lengths, strict=True) if length]
    marks = _repeated(words, spans, kept)
    for selection in selections:
        selected = [keep for keep, length in zip(selection, lengths, strict=True) for _ in range(length)]
        yield list(compress(marks, selected))


def _repeated(words: Sequence[str], sentences: Sequence[tuple[int, int]], kept: Sequence[bool]) -> list[bool]:
    marks = [False] * len(words)
    seen: set[tuple[str, ...]] = set()
    for index in range(len(words) - REPEAT_RUN + 1):
        run = tuple(words[index : index + REPEAT_RUN])
        if run in seen and len(set(kept[index : index + REPEAT_RUN])) == 1:
            marks[index : index + REPEAT_RUN] = [True] * REPEAT_RUN
        seen.add(run)
    _mark_near(words, sentences, marks)
    _mark_patched(words, sentences, marks)
    return marks


def _mark_patched(words: Sequence[str], sentences: Sequence[tuple[int, int]], marks: list[bool]) -> None:
    """Mark sentences that are mostly pieces of earlier ones, with some words exchanged."""
    seen: set[tuple[str, ...]] = set()
    for first, last in sentences:
        pieces = [tuple(words[index : index + PIECE]) for index in range(first, last - PIECE + 1)]
        known = {first + index + step for index, piece in enumerate(pieces) if piece in seen for step in range(PIECE)}
        if len(known) >= PATCHED * (last - first) and last - first > PIECE:
            marks[first:last] = [True] * (last - first)
        seen.update(pieces)


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
