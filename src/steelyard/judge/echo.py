"""Whether a graded text already holds the verdict of a reply. Pure; compares meaning and not spelling.

Law: a text imitates a verdict if, in one of its readings (`decode`), it gives every item the value that the reply
gives it, or lists the reply's values in order. Syntax does not matter: quotes, commas, brackets and comments may be
missing, wrong or too many. An item has a value if the value follows its name directly, or follows one of `LABELS`
after the name, or stands in the bracket that follows the name; among several items, also if up to three words stand
between the two, in either order, or the rest of a sentence, if the value is written as only a grade is (`1.0`,
`9/10`). A table has the names in one row and their values in the next, a sentence all names and then all values. A list
is a bracket with exactly these values, or these values behind `LABELS` one after another, or behind a word for a reply,
or three and more with nothing else between them, one a fraction. Names may also be other ones: different values, one a
fraction, each behind a colon or equals sign, or all behind one label. A judge that repeats the text has not graded it,
so such a reply is unusable.

Yes, no, 0 and 1 are in every program, so without a name or a word of the reply they mean less: a list of nothing else
counts if it stands alone or behind a word for a reply, and `name: true` among other settings is a setting.
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

OWN_LABELS = ("score", "met", "grade", "mark", "verdict")
"""Words before a value that a reply itself has, or that mean nothing else."""

LABELS = (*OWN_LABELS, "value", "rating", "points", "result")
"""Words before a value."""

REPLIES = (*LABELS, "answer", "reply", "response", "output", "assessment", "evaluation", "judgement", "criteria")
"""Words before a list of values."""

_FIELDS = ("rationale", "evidence", "reason", "note", "code", "grade", "grades", "score", "scores", "met", "weight")
"""Neighbours of an item in a verdict."""

_YES, _NO = ("true", "yes", "met", "satisfied", "fulfilled"), ("false", "no", "not met", "unmet")
_TICKS, _CROSSES = ("✓", "✔", "✅", "[x]"), ("✗", "✘", "❌", "[ ]")
_NUMBER = r"(?<![\d.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?(?:%|\s%(?!\})|\s?(?:/|(?:out )?of)\s?\d++(?!\.\d))?"
_LONGEST_GAP = re.compile(r"\W{0,4}(?:[^\W\d]+\W{1,3}){0,3}\W{0,4}")
_IN_ONE_SENTENCE = re.compile(r"(?:[^.!?\n]|\.(?=\w)){0,120}")
_NO_COUNT = re.compile(r"[\"'`*_]{0,3}(?:\s*(?:$|[^\w\s])|\s+(?:and|as|because|for|here|in|on|to|when|with)\b|\s*\n)")
"""What follows a number that counts nothing: `1.0 GB` is an amount, `1 reviewer` a number of things."""
_DECIMAL = re.compile(r"\.\d")
_AS_A_GRADE = re.compile(r".*(?:\.\d|%|/|of).*|true|false", re.DOTALL)
_OUT_OF = re.compile(r"\s?(?:out )?of\s?")
_BETWEEN = re.compile(r"(?:[\W_]|and){0,40}")
_ASSIGNED = re.compile(r"[:=]\W{0,6}$")
_LABEL_BEFORE = re.compile(rf"(?:{'|'.join(LABELS)})s?(?:\W|is){{0,12}}$")
_OWN_LABEL_BEFORE = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(OWN_LABELS)})s?(?:\W|is){{0,12}}$")
_REPLY_BEFORE = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(REPLIES)})s?(?:\W|is|are|:=){{0,12}}$")
_LINE_BEFORE = re.compile(r"(?:^|\n)[\s\d<>*+#.)|`\"'{(\[-]*$")
_LINE_AFTER = re.compile(r"[\s\"'`,;.|\])}>]*?(?:\n|$)")
_ROW_BEFORE, _ROW_AFTER = re.compile(r"[\])],\s*[\[(]\s*$"), re.compile(r"\s*[\])],\s*[\[(]")
_FIELD_BEFORE = re.compile(
    r"(?:^|[\s{(,;\"'`])([\w.-]+)[\"'`]?\s*[:=]\s*[\"'`]?[\w.-]+[\"'`]?\s*?[\s,;]\s*[\"'`*-]*(?:\w+ )?$"
)
_FIELD_AFTER = re.compile(r"[\"'`]?\s*?[\s,;]\s*[\"'`*-]*(?:\w+ )?([\w.-]+)[\"'`]?\s*[:=]")
_CELL_BEFORE = re.compile(r"[|,;\t][^\w\n]*$")
_DIRECT = re.compile(rf"(?:\W|_|{'|'.join(LABELS)}|is){{0,40}}")
_BRACKET = re.compile(r"[\W_]{0,6}?[:=]>?\s*[\[{(]")
_LIST_OPEN = re.compile(r"[\[({<][\s\"'`]*$")
_LIST_NEXT = re.compile(r"[\s\"'`]*[,;|\s][\s\"'`]*")
_LIST_END = re.compile(r"[\s\"'`,;.]*(?:[\])}>]|$)")
_SEPARATOR = re.compile(r"[\s_-]+")
_TAIL = 40
"""Characters before a value in which its label is looked for."""
_LONGEST_ROW, _CELLS = 1_000, 20
"""Characters and values of a row in a table that are looked at."""
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
    if _told(reading, tokens, verdict) or _in_rows(reading, tokens, verdict):
        return True
    return len(verdict) > 1 and _tabled(reading, tokens, verdict)


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
            near = near and not _is_setting(reading, owner, token, verdict)
            if near or bracket or _labelled(reading, token):
                open_names.discard(owner.name)
                if not open_names:
                    return True
    return False


def _is_setting(reading: str, owner: _Token, token: _Token, verdict: Mapping[str, Value]) -> bool:
    """Whether `name: true` is one of several settings, or the tick between them belongs to the next line."""
    if not isinstance(verdict[owner.name], bool):
        return False
    if token.text in (*_TICKS, *_CROSSES):
        return "\n" in reading[owner.end : token.start]
    around = (
        _FIELD_BEFORE.search(reading, max(0, owner.start - _TAIL), owner.start),
        _FIELD_AFTER.match(reading, token.end),
    )
    keys = [_squeezed(field[1]) for field in around if field is not None]
    return any(key not in _FIELDS and not any(_squeezed(name) in key for name in verdict) for key in keys)


def _told(reading: str, tokens: Sequence[_Token], verdict: Mapping[str, Value]) -> bool:
    """Whether every item has its value a few words away: always behind it, or always before it.

    One item alone needs a fraction, or a label at its value.
    """
    fraction = any(map(_is_fraction, verdict.values()))
    pairs = [
        (one, other)
        for one, other in itertools.pairwise(tokens)
        if bool(one.name) != bool(other.name)
        and _in_one_statement(reading, one, other)
        and (
            len(verdict) > 1
            or _labelled(reading, other if one.name else one)
            or (fraction and _on_one_line(reading, one, other))
        )
        and not (one.name and _is_setting(reading, one, other, verdict))
    ]
    behind = {one.name for one, other in pairs if one.name and _equal(other.text, verdict[one.name])}
    before = {other.name for one, other in pairs if other.name and _equal(one.text, verdict[other.name])}
    return len(verdict) in (len(behind), len(before))


def _in_one_statement(reading: str, one: _Token, other: _Token) -> bool:
    """Whether a few words are between a name and a value, or a sentence between a name and what can only be a grade."""
    value = other if one.name else one
    if value.text[-1:].isdigit() and not _NO_COUNT.match(reading, value.end):
        return False
    if _LONGEST_GAP.fullmatch(reading, one.end, other.start):
        return True
    is_grade = _AS_A_GRADE.fullmatch(value.text) and _NO_COUNT.match(reading, value.end)
    return bool(is_grade) and _IN_ONE_SENTENCE.fullmatch(reading, one.end, other.start) is not None


def _on_one_line(reading: str, one: _Token, other: _Token) -> bool:
    return "\n" not in reading[one.end : other.start]


def _in_rows(reading: str, tokens: Sequence[_Token], verdict: Mapping[str, Value]) -> bool:
    """Whether every item begins a row of cells that its value ends; a single item needs a fraction."""
    if len(verdict) == 1 and not any(map(_is_fraction, verdict.values())):
        return False
    found: set[str] = set()
    for place, name in enumerate(tokens):
        if not name.name or not _LINE_BEFORE.search(reading, max(0, name.start - _TAIL), name.start):
            continue
        end = reading.find("\n", name.end, name.end + _LONGEST_ROW)
        row = list(
            itertools.takewhile(lambda token, end=end: end < 0 or token.start < end, tokens[place + 1 :][:_CELLS])
        )
        last = row[-1] if row else name
        in_cell = _CELL_BEFORE.search(reading, max(name.end, last.start - _TAIL), last.start) is not None
        if not last.name and in_cell and _LINE_AFTER.match(reading, last.end) and _equal(last.text, verdict[name.name]):
            found.add(name.name)
    return found == set(verdict)


def _tabled(reading: str, tokens: Sequence[_Token], verdict: Mapping[str, Value]) -> bool:
    """Whether all names stand in one row and then their values, each row with nothing but signs between them."""
    count = len(verdict)
    for at in range(len(tokens) - 2 * count + 1):
        names, values = tokens[at : at + count], tokens[at + count : at + 2 * count]
        if {token.name for token in names} == set(verdict) and not any(token.name for token in values):
            joined = _joined(reading, names, _BETWEEN) and _joined(reading, values, _BETWEEN)
            next_to = _BETWEEN.fullmatch(reading, names[-1].end, values[0].start) or _LONGEST_GAP.fullmatch(
                reading, names[-1].end, values[0].start
            )
            if joined and next_to and _same(values, [verdict[token.name] for token in names]):
                return True
    return False


def _listed(reading: str, tokens: Sequence[_Token], values: Sequence[Value]) -> bool:
    """Whether the values stand in a bracket, alone, or behind labels one after another.

    A single one must be written as a grade, and its bracket must stand alone or behind a word for a reply.
    """
    if len(values) == 1:
        return any(
            _is_list(reading, [token], values, alone=True)
            or (_same([token], values) and _assigned(reading, token) and _labelled(reading, token, _OWN_LABEL_BEFORE))
            for token in tokens
            if not token.name and _DECIMAL.search(token.text) and _NO_COUNT.match(reading, token.end)
        )
    fraction = any(map(_is_fraction, values))
    before = _LABEL_BEFORE if fraction else _OWN_LABEL_BEFORE
    labelled = [token for token in tokens if not token.name and _labelled(reading, token, before)]
    if any(_same(labelled[at : at + len(values)], values) for at in range(len(labelled) - len(values) + 1)):
        return True
    plain = [token for token in tokens if not token.name]
    for at in range(len(plain) - len(values) + 1):
        row = plain[at : at + len(values)]
        if not _same(row, values):
            continue
        joined = _joined(reading, row, _BETWEEN)
        alike = len({token.text[-1:].isalpha() for token in row}) == 1
        if joined and ((alike and _labelled(reading, row[0], _REPLY_BEFORE)) or (fraction and len(values) > 2)):
            return True
        if fraction and len(set(values)) > 1 and all(_assigned(reading, token) for token in row):
            return True
        if _is_list(reading, row, values, alone=not fraction and not any(isinstance(value, str) for value in values)):
            return True
    return False


def _is_list(reading: str, row: Sequence[_Token], values: Sequence[Value], *, alone: bool) -> bool:
    """Whether a bracket holds exactly these values; if `alone`, it must be a reply by where it stands."""
    opened = _LIST_OPEN.search(reading, max(0, row[0].start - _TAIL), row[0].start)
    if opened is None or not _same(row, values):
        return False
    if not (_joined(reading, row, _LIST_NEXT) and _LIST_END.match(reading, row[-1].end)):
        return False
    return not alone or _is_reply(reading, opened.start(), row[-1].end)


def _is_reply(reading: str, start: int, end: int) -> bool:
    """Whether a list of yes, no, 0 and 1 stands alone or behind a word for a reply, and is no row of several."""
    since = max(0, start - _TAIL)
    if _ROW_BEFORE.search(reading, since, start + 1) or _ROW_AFTER.match(reading, end):
        return False
    alone = _LINE_BEFORE.search(reading, since, start) and _LINE_AFTER.match(reading, end)
    return bool(alone or _REPLY_BEFORE.search(reading, since, start))


def _is_fraction(value: Value) -> bool:
    return isinstance(value, float) and value % 1 != 0


def _joined(reading: str, row: Sequence[_Token], between: re.Pattern[str]) -> bool:
    return all(between.fullmatch(reading, one.end, other.start) for one, other in itertools.pairwise(row))


def _assigned(reading: str, token: _Token) -> bool:
    """Whether a number, without a unit, stands behind a colon or equals sign."""
    unit = reading[token.end : token.end + 1].isalpha()
    return not unit and _ASSIGNED.search(reading, max(0, token.start - _TAIL), token.start) is not None


def _same(row: Sequence[_Token], values: Sequence[Value]) -> bool:
    return all(_equal(token.text, value) for token, value in zip(row, values, strict=True))


def _labelled(reading: str, token: _Token, before: re.Pattern[str] = _LABEL_BEFORE) -> bool:
    return before.search(reading, max(0, token.start - _TAIL), token.start) is not None


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
