"""Texts as they are compared: words, trigrams, names, and pairs of neighbouring words, in any script.

Letters of scripts without spaces (Chinese, Japanese, Korean) count by twos and threes; pairs of hiragana alone are
grammar and are dropped. Words of other scripts lose their endings, identifiers are split, filler is dropped.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import resources

_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af々ー"
"""Letters of scripts that write no spaces, for a character class."""

_TOKEN = re.compile(rf"(?P<spaceless>[{_SPACELESS}]+)|[^\W_{_SPACELESS}]+")
_LETTER = re.compile(f"([{_SPACELESS}])|[A-Za-z]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+./-]{2,}")
_ENDINGS = (
    *("isation", "ization", "ations", "ation", "ically", "ments", "ment", "ingly", "ings", "edly", "fully", "ness"),
    *("ful", "ing", "ers", "ely", "ed", "es", "er", "ly", "or", "al", "e", "s"),
)
_PLURALS = ("ies", "ied")
"""Endings of words in -y."""

_SHORTEST_STEM = 3
_FILLER = frozenset(
    re.findall(
        r"\w+",
        """a an and any are as at be because been before being but by can cannot could do does for from had has have how
        i if in into is it its may might must no nor not of on once one only or other our out over same shall should
        since so some such than that the their them then there these they this those through to too two under until up
        use used using very was we were what when where which while who whoever why will with within without would you
        your also although says say said names name mention mentions general nothing word detected partial section
        problem issue finding severity critical high medium low minor title location detail fix category id""",
    )
)
_GENERAL = """
    problem issue concern fault defect bug risk weakness vulnerability flaw gap finding observation point matter thing
    serious severe critical major minor important significant high low medium big real clear clearly dangerous risky bad
    wrong poor harmful problematic insufficient inadequate unacceptable unsafe fix fixed solve resolve address handle
    improve improved improvement correct corrected change reconsider consider review reviewed check checked look needs
    need required requires require recommend recommended recommendation suggest team reviewer author design document
    system here there immediately urgently soon possible possibly lead leads cause causes impact affect affects see seen
    attention noticed noticeable noted note find found exist exists present detected identified describe described
    """
"""Words that any finding may use, whatever it is about."""
_GENERAL_JAPANESE = """
    問題 課題 懸念 重大 重要 深刻 危険 必要 修正 改善 対応 対策 検討 見直 指摘 設計 該当 箇所 影響 理由 推奨 発生 存在
    """
_LETTERS_PER_WORD = 3
"""Latin letters that weigh as much as one letter of a spaceless script when the language of a text is decided."""
_SPACELESS_SHARE = 0.3


def is_spaceless(text: str) -> bool:
    """Whether a text is written mainly in a script without spaces."""
    letters = _LETTER.findall(text)
    spaceless = sum(map(bool, letters))
    latin = len(letters) - spaceless
    return spaceless > _SPACELESS_SHARE * (spaceless + latin / _LETTERS_PER_WORD + 1)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without its most common ending."""
    if word.endswith(_PLURALS) and len(word) > _SHORTEST_STEM + 1:
        return f"{word[:-3]}y"
    # The first one that fits is cut, so longer endings come first.
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            cut = word[: -len(ending)]
            # `stopped` is `stop`, not `stopp`.
            return cut[:-1] if len(cut) > _SHORTEST_STEM and cut[-1] == cut[-2] else cut
    return word


def is_general(word: str) -> bool:
    """Whether a stem says nothing about a finding's subject; in a script without spaces also what holds grammar."""
    return word in _general() or any(map(_is_hiragana, word))


@cache
def _general() -> frozenset[str]:
    english = (stem(word) for word in re.findall(r"\w+", _GENERAL))
    return frozenset([*english, *re.findall(r"\w\w", _GENERAL_JAPANESE)])


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[str, ...]:
    """The stems of the content words of a text, in order; spaceless letters by twos."""
    stems: list[str] = []
    for token in _TOKEN.finditer(text):
        if token["spaceless"]:
            stems += _rows(token[0], 2)
        else:
            parts = (part.casefold() for part in _CAMEL.split(token[0]))
            stems += [stem(part) for part in parts if part not in _FILLER and (len(part) > 1 or part.isdigit())]
    return tuple(stems)


def terms(text: str) -> frozenset[str]:
    """The distinct stems of a text."""
    return frozenset(words(text))


def trigrams(text: str) -> list[str]:
    """Rows of three letters inside words, with a space at both ends; spaceless letters by twos and threes."""
    rows: list[str] = []
    for token in _TOKEN.finditer(text):
        if token["spaceless"]:
            rows += [*_rows(token[0], 2), *_rows(token[0], 3)]
        elif (word := token[0].casefold()) not in _FILLER:
            padded = f" {word} "
            rows += [padded[start : start + 3] for start in range(len(padded) - 2)]
    return rows


def names(text: str) -> list[str]:
    """Latin words as they are written: identifiers, products and abbreviations are the same in every language."""
    lowered = (name.casefold().strip("./-") for name in _NAME.findall(text))
    return [name for name in lowered if name not in _FILLER]


def pairs(text: str) -> list[str]:
    """Neighbouring content words, in order: what is lost when words are shuffled."""
    stems = words(text)
    return [f"{one} {other}" for one, other in itertools.pairwise(stems)]


def _rows(token: str, length: int) -> Iterator[str]:
    for start in range(len(token) - length + 1):
        row = token[start : start + length]
        if not all(map(_is_hiragana, row)):
            yield row


def _is_hiragana(letter: str) -> bool:
    return "\u3040" <= letter <= "\u309f"


def in_english(text: str) -> str:
    """The Latin words of a text, and the English of the terms that the glossary knows, longest term first.

    So a key and a run in two languages can be compared; everything else in a spaceless script is dropped.
    """
    glosses, pattern = _glossary()
    return re.sub(f"[{_SPACELESS}]+", " ", pattern.sub(lambda match: f" {glosses[match.group()]} ", text))


@cache
def _glossary() -> tuple[dict[str, str], re.Pattern[str]]:
    listed = resources.files("steelyard.audit.marking").joinpath("glossary.tsv").read_text("utf-8")
    glosses = dict(line.split("\t") for line in listed.splitlines() if line)
    longest_first = sorted(glosses, key=lambda term: (-len(term), term))
    return glosses, re.compile("|".join(map(re.escape, longest_first)))
