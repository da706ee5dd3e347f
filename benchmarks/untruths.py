"""A second way to make architecture answers false, written apart from `falsehood.py` and from the heuristic's rules.

Negations in other forms (`fails to`, `lacks`, `there is no`, `without`, at the start of a sentence), numbers scaled,
shifted, with other units or written out, and answers in which every sentence is false by opposites, by exchanged
services, or by a plain denial of what it says.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable

from steelyard.bench.architecture_design.heuristic.services import vocabulary

_FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z*`])")
_VERB = re.compile(r"(?<= )(\w{3,}?)(s|es)(?= (?:the|a|an|its|it|each|every|all|one|from|to|by|in|on)\b)")
_AUXILIARY = re.compile(r"\b(is|are|can|should|must|will|has|have|needs?|allows?|may)\b")
_ARTICLE = re.compile(r"\b(?:with|a|an|every|each)\b(?= \w)")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?:\s?(?:s|ms|min|minutes?|seconds?|hours?|days?|GB|TB|MB|KB|%)\b)?")
_UNITS = {
    "s": "minutes", "ms": "s", "min": "hours", "minute": "hour", "minutes": "hours", "second": "minute",
    "seconds": "minutes", "hour": "day", "hours": "days", "day": "week", "days": "weeks", "GB": "TB", "TB": "MB",
    "MB": "GB", "KB": "GB",
}  # fmt: skip
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_OPENINGS = (
    "It is not true that {}", "There is no sense in which {}", "At no point is it the case that {}",
    "One cannot say that {}", "It isn't so that {}", "Nowhere does it hold that {}",
)  # fmt: skip
_CLOSINGS = ("{}, which is not the case here", "{} is what many believe, wrongly", "{} - none of this applies")
_OPPOSITES = {
    "public": "private", "private": "public", "encrypted": "in clear text", "unencrypted": "encrypted",
    "synchronous": "asynchronous", "asynchronous": "synchronous", "more": "fewer", "fewer": "more", "slow": "fast",
    "first": "last", "before": "after", "after": "before", "always": "hardly ever", "never": "always",
    "cheaper": "dearer", "small": "huge", "large": "tiny", "single": "redundant", "stores": "discards",
    "keeps": "drops", "reads": "overwrites", "writes": "erases", "sends": "withholds", "open": "closed",
    "close": "open", "delete": "keep", "add": "remove", "remove": "add", "use": "avoid", "put": "leave out",
    "turn on": "turn off", "enable": "disable", "disable": "enable", "allow": "forbid", "allows": "forbids",
    "must": "need not", "should": "should hardly", "can": "is unable to", "only": "hardly", "every": "no", "all": "no",
    "without": "with", "with": "without", "and": "but not", "because": "although", "so": "yet not",
}  # fmt: skip


def negated(text: str, rng: random.Random, number: int = 20) -> str:
    """The text with up to so many negations of mixed forms."""
    forms: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
        (_VERB, lambda verb: rng.choice(["fails to {}", "does not {}", "never {}", "is unable to {}"]).format(verb[1])),
        (_AUXILIARY, lambda verb: f"{verb[1]} {rng.choice(['not', 'never', 'in no way', 'hardly'])}"),
        (_ARTICLE, lambda word: rng.choice(["without any", "lacking a", "with no", "no"])),
    ]
    pieces = _pieces(text)
    places = [
        (index, match, change)
        for index in range(0, len(pieces), 2)
        for pattern, change in forms
        for match in pattern.finditer(pieces[index])
    ]
    rng.shuffle(places)
    chosen: list[tuple[int, re.Match[str], Callable[[re.Match[str]], str]]] = []
    for place in places:
        if len(chosen) < number and not any(_overlap(place[:2], other[:2]) for other in chosen):
            chosen.append(place)
    for index, match, change in sorted(chosen, key=lambda place: -place[1].start()):
        piece = pieces[index]
        pieces[index] = piece[: match.start()] + change(match) + piece[match.end() :]
    return "".join(pieces)


def denied(text: str, rng: random.Random) -> str:
    """The text with 20 of its sentences denied as a whole, at their start or end."""
    sentences = sum(len(line) for line in _lines(text))
    chosen = set(rng.sample(range(sentences), min(20, sentences)))
    counter = iter(range(sentences))
    return _each_sentence(text, lambda sentence: _denial(sentence, rng) if next(counter) in chosen else sentence)


def misnumbered(text: str, rng: random.Random) -> str:
    """The text with every number scaled, shifted, given another unit, or replaced by a written one."""

    def other(match: re.Match[str]) -> str:
        number, unit = re.fullmatch(r"([\d.,]+)(.*)", match.group()).groups()  # type: ignore[union-attr]
        digits = re.sub(r"\D", "", number)
        way = rng.randrange(4)
        if way == 0 and unit.strip() in _UNITS:
            return f"{number} {_UNITS[unit.strip()]}"
        if way == 1:
            return f"{int(digits) * 10}{unit}"
        if way == 2 and int(digits) < 12:
            return f"{rng.choice([word for value, word in enumerate(_WORDS) if value != int(digits)])}{unit}"
        return f"{int(digits) + rng.choice([1, 2, 3])}{unit}"

    pieces = _pieces(text)
    pieces[::2] = [_NUMBER.sub(other, piece) for piece in pieces[::2]]
    return "".join(pieces)


def opposites(text: str, rng: random.Random) -> str:
    """Every sentence false: its words replaced by opposites; denied where it has none."""
    pattern = re.compile(r"\b(?:" + "|".join(sorted(_OPPOSITES, key=len, reverse=True)) + r")\b", re.IGNORECASE)

    def false(sentence: str) -> str:
        if not pattern.search(sentence):
            return _denial(sentence, rng)
        return pattern.sub(lambda word: _OPPOSITES[word.group().lower()], sentence, count=rng.choice([2, 3]))

    return _each_sentence(text, false)


def exchanged(text: str, rng: random.Random) -> str:
    """Every sentence false: each service is replaced by another one of the text; sentences without one are denied."""
    names = list(dict.fromkeys(text[one.start : one.end] for one in vocabulary().mentions(text.lower())))
    others = names[1:] + names[:1]
    rng.shuffle(others)
    swapped = {name: other if other != name else names[0] for name, other in zip(names, others, strict=True)}
    pattern = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))

    def false(sentence: str) -> str:
        if pattern.search(sentence) and len(names) > 1:
            return pattern.sub(lambda name: swapped[name.group()], sentence)
        return _denial(sentence, rng)

    return _each_sentence(text, false)


def all_denied(text: str, rng: random.Random) -> str:
    """Every sentence denied, at its start or end."""
    return _each_sentence(text, lambda sentence: _denial(sentence, rng))


def _denial(sentence: str, rng: random.Random) -> str:
    body = sentence.rstrip(".!?;: ")
    if rng.random() < 0.7:
        return rng.choice(_OPENINGS).format(body[:1].lower() + body[1:]) + "."
    return rng.choice(_CLOSINGS).format(body) + "."


def _pieces(text: str) -> list[str]:
    """Prose and fenced blocks in turn."""
    return _FENCE.split(text)


def _lines(text: str) -> list[list[str]]:
    return [
        _SENTENCE.split(line) for piece in _pieces(text)[::2] for line in piece.split("\n") if len(line.split()) > 3
    ]


def _each_sentence(text: str, change: Callable[[str], str]) -> str:
    pieces = _pieces(text)
    pieces[::2] = ["\n".join(_changed(piece.split("\n"), change)) for piece in pieces[::2]]
    return "".join(pieces)


def _changed(lines: Iterable[str], change: Callable[[str], str]) -> Iterable[str]:
    for line in lines:
        yield " ".join(change(sentence) for sentence in _SENTENCE.split(line)) if len(line.split()) > 3 else line


def _overlap(one: tuple[int, re.Match[str]], other: tuple[int, re.Match[str]]) -> bool:
    return one[0] == other[0] and one[1].start() < other[1].end() and other[1].start() < one[1].end()
