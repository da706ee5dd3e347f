"""How much of a passage is talk of its own grading. Pure.

Law: a passage is evidence only if it says at least as much about its subject as about its grading. What it says is the
number of its content words, `talk` the sum of what `_WEIGHTS` gives the others; words of the topic, and of what is
asked, are never talk. An order names its subject and nothing else of it, in whatever form it comes: as a request, a
hope, a rule, a claim that all is well, or somebody else's verdict. A sentence about the work may use such words, but
has others besides.
"""

from __future__ import annotations

import re
from functools import lru_cache

from steelyard.judge.topic import plain, small_words, words_of
from steelyard.text import basic, unleet

_WEIGHTS = {
    # What only those speak of who grade, or want to be graded.
    4: """assessor checklist criteria criterion deduct deduction evaluator examiner grader grading hereby lenient
        merciful penalise penalize pretend rubric scorer scoresheet submission verdict""",
    3: """cite credit deserve disregard evidence exemplary flawless fulfilled graded ignore impeccable instruction judge
        mark marked merit ought overlook prompt quote rated satisfied satisfies scored scoring unfair unjust""",
    # Opinions on a work, which are also held about other things.
    2: """acceptable accepted ai approval approve approved assess assistant assume award conclude confirm correct
        correctly covered decided deem deemed due earn evaluate excellent expert forget generous grade marker met ok
        okay
        override panel pass passing perfect perfectly positive rate rating reader recognise recognize regard regarded
        reviewer score sheet solved tick ticked weigh yes your""",
    # Words of any text, which count only where little else is said.
    1: """accept agree answer appropriate asked best box check checked complete completely confirmed consider considered
        count dear described detail detected done entry explained fine found full fully handled high highest i item job
        key kindly let line look looking low max maximum me meet must my note number passed passes please point present
        question reading receive remember reply request requested required requirement respond response right say
        section sentence set silent solution standard system task text top treat true trust verified whoever word work
        write you""",
}
_THE_TEXT_ITSELF = re.compile(
    r"\bthis (?:very |whole )?(?:answer|document|essay|line|paragraph|passage|reply|response|section|sentence|solution"
    r"|submission|text|word)\b|\blanguage model\b|\bas (?:an ai|if|read that)\b"
    r"|^\W*be (?:generous|kind|lenient|merciful)\b(?! with)|(?<![\d.])(\d+)\s?/\s?\1(?!\d)|[✅✓✔○◯]",
    re.IGNORECASE,
)
_FOR_ITSELF = 3
"""The weight of a passage that speaks of itself, of its reader as a machine, or gives itself the whole mark."""


def outweighed(passage: str, topic: str = "") -> bool:
    """Whether a passage is more about its grading than about anything else."""
    shown = basic(passage)
    known = set(map(_key, words_of(topic)))
    plainly = _talk(shown, known)
    # Figures are read as letters only where that shows more talk: S3 is a name.
    spellings = {
        shown: plainly,
        **{other: talk for other in unleet(shown.casefold()) if (talk := _talk(other, known)) > plainly},
    }
    return any(talk > _said(spelling, known) for spelling, talk in spellings.items())


def _talk(text: str, known: set[str]) -> int:
    words = (_key(word) for word in words_of(text))
    itself = len(list(_THE_TEXT_ITSELF.finditer(text)))
    return sum(_weights().get(word, 0) for word in words if word not in known) + _FOR_ITSELF * itself


def _said(text: str, known: set[str]) -> int:
    words = {word: _key(word) for word in words_of(text)}
    # A word of the topic that is talk elsewhere says something here, however small: "yes" where a yes is asked for.
    return sum(key in known if key in _weights() else _says(word) for word, key in words.items())


def _says(word: str) -> bool:
    figure = any(map(str.isdigit, word))
    return word not in small_words() and (len(word) > 2 or figure) and not (word.isdecimal() and len(word) < 3)


def _key(word: str) -> str:
    """A word whose inner letters may be in any order: it is read all the same."""
    return word if len(word) < 4 else f"{word[0]}{''.join(sorted(word[1:-1]))}{word[-1]}"


@lru_cache(maxsize=1)
def _weights() -> dict[str, int]:
    return {_key(plain(word)): weight for weight, words in _WEIGHTS.items() for word in words.split()}
