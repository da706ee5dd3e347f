"""Suspicious findings: they copy the key or the document, list bare words, or give themselves marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from steelyard.audit.marking.copies import copies_of
from steelyard.audit.model import Claim, Finding, Key, Output
from steelyard.audit.terms import is_spaceless

LIST_WORDS = 25
"""Shorter texts are never called word lists: table cells have few small words by nature."""
SMALL_SHARE = 0.02
"""Share of small words below which a text has no sentences."""

LIST_PARTS, LIST_PART_WORDS = 8, 1.5
"""At least this many parts between commas, with fewer words each on average, make a list of words."""

FEW_HIRAGANA = 3
"""Letters of Japanese grammar from which on a text is not English alone."""
_VERDICT = re.compile(r'"candidates"\s*:|"mark"\s*:\s*"(?:detected|partial)"', re.IGNORECASE)
"""A verdict in our own format."""
_USUAL_ID = r"P-?\d{1,3}"
"""Ids of most keys, which a subject that has not seen the key can guess."""
_MARK = (
    r"(?:[○◯△]|(?:fully |partially )?detected\b(?! (?:in|by|at|on|during|via|with|when)\b)"
    r"|partial(?:ly)?(?: met)?(?=\s*(?:[.,;|(){}\[\]\"'*]|$)))"
)
_BETWEEN = r"(?:[\s:=|,*_`(){}\[\]\"'→>–-]|\b(?:is|are|was|were|all|marked?|as|has been|been)\b){0,12}"
"""What may stand between an id and a mark; `P03: anomalies are not detected` is a finding."""
_WORD = re.compile(r"\w+")
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
"""Code in a text, which has no grammar."""
_SMALL = frozenset(
    _WORD.findall(
        """a an and any are as at be been but by can cannot could do does for from has have if in into is it its may
        must no not of on only or others should so some than that the their them then there these this to was were when
        which while who will with would"""
    )
)


ADDRESSES = "gives itself marks"
_COPIES = {
    "key": "repeats the answer key nearly word for word",
    "document": "repeats the document without saying what is wrong",
}
LISTS = "lists words without saying anything about them"


def flags_of(output: Output, key: Key, document: str = "") -> tuple[str, ...]:
    """The suspicious findings of a run; reported to the reader, without effect on marks by a judge or a person."""
    reasons = ((finding, suspicion(finding, key, document)) for finding in output.findings)
    return tuple(f"{finding.id} {reason}" for finding, reason in reasons if reason)


def suspicion(finding: Finding, key: Key, document: str = "") -> str:
    """Why a finding is suspicious, or an empty string; `document` is the text the agent read, if it is known."""
    return barred(finding, key, document) or (ADDRESSES if addresses(finding.text, key) else "")


def barred(finding: Finding, key: Key, document: str = "") -> str:
    """Why a finding earns nothing from the lexical marker, or an empty string."""
    copied = copies_of(finding.text, key, document)
    return _COPIES[copied] if copied else LISTS if _is_word_list(finding.text) else ""


def addresses(text: str, key: Key) -> bool:
    """Whether a text gives itself marks for problems of the key: a hint for the reader, without effect."""
    return _VERDICT.search(text) is not None or _own_mark(key).search(text) is not None


@lru_cache(maxsize=8)
def _own_mark(key: Key) -> re.Pattern[str]:
    """The id of a problem and a mark for it."""
    ids = "|".join([_USUAL_ID, *(re.escape(problem.id) for problem in key.problems)])
    return re.compile(rf"(?<![\w-])(?:{ids})(?!\w){_BETWEEN}(?<!\w){_MARK}", re.IGNORECASE | re.MULTILINE)


def credible_claims(claims: Iterable[Claim], output: Output, key: Key) -> tuple[Claim, ...]:
    """Claims of a judge without those that rest on a copy of the key."""
    copies = {finding.index for finding in output.findings if copies_of(finding.text, key) == "key"}
    return tuple(claim for claim in claims if claim.finding not in copies)


def _is_word_list(text: str) -> bool:
    if is_spaceless(text) or sum("\u3041" <= letter <= "\u3096" for letter in text) >= FEW_HIRAGANA:
        return False  # its small words do not stand between spaces
    text = CODE.sub(" ", text)
    words = [word.casefold() for word in _WORD.findall(text)]
    pieces = [piece for piece in re.split(r"[,;\n]+", text) if piece.strip()]
    if len(pieces) >= LIST_PARTS and len(words) / len(pieces) < LIST_PART_WORDS:
        return True
    return len(words) >= LIST_WORDS and sum(word in _SMALL for word in words) / len(words) < SMALL_SHARE
