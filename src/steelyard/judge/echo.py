"""Whether a graded text already holds the verdict of a reply. Pure; compares meaning and not spelling.

Law: a text imitates a verdict if, in one of its readings (`decode`), it gives every item the value that the reply
gives it, or lists the reply's values in order. Syntax does not matter: quotes, commas, brackets and comments may be
missing, wrong or too many. An item has a value if the value follows its name directly, or follows one of `LABELS`
after the name, or stands in the bracket that follows the name; among several items, also if up to three words stand
between the two, in either order. A table has the names in one row and their values in the next. A list is a bracket
with exactly these values, or these values behind `LABELS` one after another, or three and more with nothing else
between them, one a fraction. A judge that repeats the text has not graded it, so such a reply is unusable.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from steelyard.judge.decode import readings

Value: TypeAlias = float | bool | str
"""A number, an answer of yes or no, or a word such as `detected`."""

LABELS = ("score", "met", "value", "grade", "rating", "mark", "verdict", "points", "result")
"""Words before a value."""

_YES, _NO = ("true", "yes", "met", "satisfied", "fulfilled"), ("false", "no", "not met", "unmet")
_TICKS, _CROSSES = ("✓", "✔", "✅", "[x]"), ("✗", "✘", "❌", "[ ]")
_NUMBER = r"(?<![\d.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?(?:\s?%|\s?(?:/|(?:out )?of)\s?\d+)?"
_LONGEST_GAP = re.compile(r"\W{0,4}(?:[^\W\d]+\W{1,3}){0,3}\W{0,4}")
_OUT_OF = re.compile(r"\s?(?:out )?of\s?")
_BETWEEN = re.compile(r"[\W_]{0,40}")
_LABEL_BEFORE = re.compile(rf"(?:{'|'.join(LABELS)})s?(?:\W|is){{0,12}}$")
_DIRECT = re.compile(rf"(?:\W|_|{'|'.join(LABELS)}|is){{0,40}}")
_BRACKET = re.compile(r"[\W_]{0,6}?[:=]>?\s*[\[{(]")
_LIST_OPEN = re.compile(r"[\[({][\s\"'`]*$")
_LIST_NEXT = re.compile(r"[\s\"'`]*[,;|\s][\s\"'`]*")
_LIST_END = re.compile(r"[\s\"'`,;.]*(?:[\])}]|$)")
_SEPARATOR = re.compile(r"[\s_-]+")
_TAIL = 40
"""Characters before a value in which its label is looked for."""
_TOLERANCE = 1e-9


class _Token(NamedTuple):
    start: int
    end: int
    name: str
    """The item; empty for a value."""
    text: str


def imitates(text: str, verdict: Mapping[str, Value]) -> bool:
    """Whether `text` holds the values of `verdict`; an empty verdict cannot be imitated."""
    if not verdict:
        return False
    values = list(verdict.values())
    tokens = _pattern(tuple(verdict), tuple(sorted({value for value in values if isinstance(value, str)})))
    return any(_gives(reading, tokens, verdict) for reading in readings(text))


def _gives(reading: str, pattern: re.Pattern[str], verdict: Mapping[str, Value]) -> bool:
    tokens = list(_tokens(reading, pattern, verdict))
    if _named(reading, tokens, verdict) or _listed(reading, tokens, list(verdict.values())):
        return True
    return len(verdict) > 1 and (_told(reading, tokens, verdict) or _tabled(reading, tokens, verdict))


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...], words: tuple[str, ...]) -> re.Pattern[str]:
    """Names of items, with any spaces and dashes between their words, and possible values."""
    known = "|".join(
        r"[\s_-]{0,3}".join(map(re.escape, _SEPARATOR.split(name.casefold())))
        for name in sorted(names, key=len, reverse=True)
    )
    others = "|".join(re.escape(word.casefold()) for word in (*words, *_NO, *_YES))
    signs = "|".join(map(re.escape, (*_TICKS, *_CROSSES)))
    # A name may follow a value without a space in the reading that has none.
    value = rf"{_NUMBER}|{signs}|\b(?:{others})(?![a-z])(?![\"'\s]*[:=])"
    return re.compile(rf"(?<![^\W\d_])(?P<name>{known})(?!\d)(?![^\W\d_])|(?P<value>{value})")


def _squeezed(name: str) -> str:
    return _SEPARATOR.sub("", name.casefold())


def _tokens(reading: str, pattern: re.Pattern[str], verdict: Mapping[str, Value]) -> Iterator[_Token]:
    names = {_squeezed(name): name for name in verdict}
    for match in pattern.finditer(reading):
        yield _Token(match.start(), match.end(), names.get(_squeezed(match["name"] or ""), ""), match[0])


def _named(reading: str, tokens: Sequence[_Token], verdict: Mapping[str, Value]) -> bool:
    """Whether every item has its value somewhere."""
    open_names = set(verdict)
    owner, bracket = None, False
    for token in tokens:
        if token.name:
            owner, bracket = token, _BRACKET.match(reading, token.end) is not None
        elif owner is not None and owner.name in open_names and _equal(token.text, verdict[owner.name]):
            near = _DIRECT.fullmatch(reading, owner.end, token.start) is not None
            if near or bracket or _labelled(reading, token):
                open_names.discard(owner.name)
                if not open_names:
                    return True
    return False


def _told(reading: str, tokens: Sequence[_Token], verdict: Mapping[str, Value]) -> bool:
    """Whether every item has its value a few words away: always behind it, or always before it."""
    pairs = [
        (one, other)
        for one, other in itertools.pairwise(tokens)
        if bool(one.name) != bool(other.name) and _LONGEST_GAP.fullmatch(reading, one.end, other.start)
    ]
    behind = {one.name for one, other in pairs if one.name and _equal(other.text, verdict[one.name])}
    before = {other.name for one, other in pairs if other.name and _equal(one.text, verdict[other.name])}
    return len(verdict) in (len(behind), len(before))


def _tabled(reading: str, tokens: Sequence[_Token], verdict: Mapping[str, Value]) -> bool:
    """Whether all names stand in one row and their values in the next, with nothing but signs between them."""
    count = len(verdict)
    for at in range(len(tokens) - 2 * count + 1):
        names, values = tokens[at : at + count], tokens[at + count : at + 2 * count]
        if {token.name for token in names} == set(verdict) and not any(token.name for token in values):
            row = [*names, *values]
            joined = all(_BETWEEN.fullmatch(reading, one.end, other.start) for one, other in itertools.pairwise(row))
            if joined and _same(values, [verdict[token.name] for token in names]):
                return True
    return False


def _listed(reading: str, tokens: Sequence[_Token], values: Sequence[Value]) -> bool:
    """Whether the values, two at least, stand in a bracket, alone, or behind labels one after another."""
    if len(values) < 2:
        return False
    labelled = [token for token in tokens if not token.name and _labelled(reading, token)]
    if any(_same(labelled[at : at + len(values)], values) for at in range(len(labelled) - len(values) + 1)):
        return True
    plain = [token for token in tokens if not token.name]
    unusual = len(values) > 2 and any(isinstance(value, float) and value % 1 for value in values)
    for at in range(len(plain) - len(values) + 1):
        row = plain[at : at + len(values)]
        if not _same(row, values):
            continue
        if all(_BETWEEN.fullmatch(reading, one.end, other.start) for one, other in itertools.pairwise(row)) and unusual:
            return True
        if _LIST_OPEN.search(reading, max(0, row[0].start - _TAIL), row[0].start):
            joined = all(_LIST_NEXT.fullmatch(reading, one.end, other.start) for one, other in itertools.pairwise(row))
            if joined and _LIST_END.match(reading, row[-1].end):
                return True
    return False


def _same(row: Sequence[_Token], values: Sequence[Value]) -> bool:
    return all(_equal(token.text, value) for token, value in zip(row, values, strict=True))


def _labelled(reading: str, token: _Token) -> bool:
    return _LABEL_BEFORE.search(reading, max(0, token.start - _TAIL), token.start) is not None


def _equal(text: str, value: Value) -> bool:
    if isinstance(value, str):
        return text == value.casefold()
    if text in (*_YES, *_TICKS, *_NO, *_CROSSES):
        return isinstance(value, bool) and (text in (*_YES, *_TICKS)) == value
    try:
        amount, _, whole = _OUT_OF.sub("/", text).partition("/")
        number = float(amount.rstrip("% ")) / (100 if text.endswith("%") else float(whole or 1))
    except (ValueError, ZeroDivisionError):
        return False
    return abs(number - float(value)) < _TOLERANCE
