"""The wording of a sentence or line: does it state a fault, deny one, label a part of a finding, frame the review?"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

Test: TypeAlias = Callable[[str], bool]
"""Answers yes or no about a title, a line or a sentence."""


def _any(*groups: str) -> str:
    return "(?:" + "|".join(groups) + ")"


_ADJECTIVES = "further|other|more|significant|major|critical|real|obvious|security|serious|blocking|additional"
_NOUNS = (
    r"problems?|issues?|findings?|defects?|bugs?|vulnerabilit\w+|concerns?|errors?|flaws?|to report|found|identified"
)
_AFTER = (
    r"(?: (?:were|was|are|is|have|has|to|found|identified|detected|seen|here|at all|in|with|within|of note|that|or)"
    r"\b[^.!?\n]{0,80})?"
)
"""What may follow the noun of a denial: `no errors in the parser`, but not `no error handling`."""
_DENIAL = re.compile(
    r"^\W*(?:overall,? |in (?:short|summary),? |i |we |the review |this review |after (?:a )?(?:careful )?\w+,? ?)*"
    r"(?:found |see |saw |there (?:are|is|were|was) |have |had |could find |did not find |didn't find |identified )?"
    rf"(?:no|none|nothing|any|zero)\b(?: (?:{_ADJECTIVES}))* ?(?:{_NOUNS})\b{_AFTER}[.!]?\W*$"
    r"|^\W*(?:lgtm|looks good(?: to me)?|n/?a|none|nothing|clean)\W*$",
    re.IGNORECASE,
)
_LONGEST_DENIAL = 600
_PRAISES = (
    r"good|solid|sound|fine|clean|clear|well|strong|robust|reasonable|decent|careful(?:ly)?|tidy|correct(?:ly)?|safe(?:ly)?"
    r"|ok(?:ay)?|ready|consistent(?:ly)?|thorough|nice|properly|approved?|as (?:expected|intended|documented)"
)
_PRAISE = re.compile(rf"\b(?:{_PRAISES})\b", re.IGNORECASE)
_OPENING = re.compile(
    r"^\W*(?:(?:i|we)(?:'ve| have)? "
    r"(?:checked|reviewed|read|looked|went|followed|examined|compared|walked|analy[sz]ed)\b"
    r"|(?:this|my|the) (?:review|report|audit|analysis) (?:covers|is|was|looks|focuses|lists)\b"
    r"|(?:below|here) (?:are|is)\b|review (?:done|complete)|in total\b"
    rf"|the following (?:(?:\w+ ){{0,3}}(?:{_NOUNS}|points|items|list|sections?|table|risks?)|are|is|was|were)\b"
    rf"|(?:overall|in (?:short|summary)),? (?=[^\n]{{0,300}}\b(?:{_NOUNS}|{_PRAISES}|quality|shape|impression)\b)"
    rf"|(?:these|all of these|fix(?:ing)? (?:these|the)) (?:{_NOUNS}|points|items)\b|all of (?:these|the above)\b"
    r"|(?:i|we)(?:'d| would)? (?:recommend|suggest) (?:fixing|addressing|starting)\b"
    r"|let me know|happy to|hope this|please )",
    re.IGNORECASE,
)
"""How a sentence begins that is about the review, not about what was reviewed: `The audit log is open` is a claim."""
_REPORTED = re.compile(
    r"\b(?:found|noticed|discovered|saw|see|noted|observed|concluded?|believe) that\b", re.IGNORECASE
)
"""How such a sentence goes on to a claim: `I reviewed it all and found that …`."""
_FAULT = re.compile(
    r"\b(?:no|not|never|nobody|nothing|without|missing|lacks?|lacking|but|however|except|although|though|cannot|can|could|"
    r"may|might|fails?|wrong|only|too|risk\w*|leaks?|twice|still|instead|unless|until|un\w{3,}|in(?:secure|valid|correct))\b"
    r"|n't\b"
    "|ない|なく|なし|ません|欠如|欠落|不足|不備|不明|不十分|不適切|未(?:設計|定義|記載|実装|対応|検討|考慮|指定|規定)|リスク|脆弱|漏洩|危険|懸念"
    "|恐れ|おそれ|可能性|問題|過大|過剰|肥大|遅延|競合|枯渇|平文",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:however|but|except|although|though|still|apart from|only|nevertheless)\b"
    "|ただし|しかし|一方で?、|ものの|とはいえ",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\b(?:in|with|within|for|around|regarding)\s+"
    r"(?!(?:(?:this|the|that|your|its)\s+(?:whole\s+|entire\s+)?"
    r"(?:document|definition|code|design|file|text|service|review|system|agent|spec\w*|diff|change)s?\b|it\b|here\b|total\b))",
    re.IGNORECASE,
)
"""A denial about one part of the reviewed text only."""
_LABELS = _any(
    "severity|priority|location|where|file|files|lines?|section|impact|risk|likelihood|recommendation|recommended fix",
    "suggested fix|suggestion|fix|remediation|mitigation|description|details?|evidence|category|type|class",
    "why(?: it matters)?|problem|issue|what|cause|root cause|consequence|example|exploit|attack|scenario|confidence",
    "effort|status|cwe|owasp|reference|references|refs?|proof|rationale|reason|observation|expected|actual|title",
    "summary|note|how|quote|trigger|result|rule|component|owner",
)
_FIELD = re.compile(
    rf"^\s*(?:[-*+•]\s+)?(?:\*\*|__)?{_LABELS}(?: (?:level|rating|score|area|path|number|id))?"
    r"(?:\s*\([^)\n]{0,25}\))?(?:\*\*|__)?\s*:",
    re.IGNORECASE,
)
_LABEL_ALONE = re.compile(rf"^\W*{_LABELS}s?(?: (?:analysis|details|level|rating|steps))?\W*$", re.IGNORECASE)
_STEPS = _any(
    "First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Firstly|Secondly|Thirdly|Finally|Lastly",
    "Also|Additionally|Another|Next|Furthermore|Moreover|Separately|One more",
)
_STEP = re.compile(rf"(?<=[.!?])\s+(?={_STEPS}\b)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")


def _begins_with(pattern: re.Pattern[str]) -> Test:
    return lambda text: pattern.match(text) is not None


is_field: Test = _begins_with(_FIELD)
"""Whether a line is a labelled part of a finding (`Severity: high`), not a finding of its own."""

is_label: Test = _begins_with(_LABEL_ALONE)
"""Whether a heading only labels a part of a finding: `Impact`, `Recommended fix`."""


def states_fault(text: str) -> bool:
    """Whether a text says that something is wrong, missing or risky."""
    return _FAULT.search(text) is not None


def takes_back(praise: str) -> bool:
    """Whether praise goes on to what is wrong: `Passwords are hashed, but without a salt.`"""
    contrast = _CONTRAST.search(praise)
    return contrast is not None and states_fault(praise[contrast.end() :])


def long_enough(text: str, words: int = 5) -> bool:
    """Whether a text has enough words to claim anything; scripts without spaces count by character."""
    wide = sum(ord(mark) > 0x2E7F for mark in text)
    return len(text.split()) >= words or wide >= 2 * words


def split_steps(paragraph: str) -> list[str]:
    """A paragraph of prose, cut where it counts: `First, … Second, … Finally, …`."""
    return _STEP.split(paragraph)


def without_opening(text: str) -> str:
    """Prose from the first sentence that does not frame the report; empty if there is none."""
    return _after_first(text, _is_weightless) if _is_opening(_first_sentence(text)) else text


def without_denial(text: str) -> str:
    """A text without the sentence that says there is nothing to report.

    After `No problems found.` the rest explains why, unless it takes the denial back; after `No problems in the log.`
    it goes on to other things.
    """
    flat = text.strip()
    first = _first_sentence(flat)
    if len(first) >= _LONGEST_DENIAL or not _DENIAL.match(first):
        return text
    rest = _after_first(flat, lambda sentence: bool(_DENIAL.match(sentence)) or _is_weightless(sentence))
    return rest if _PARTLY.search(first) or _CONTRAST.search(rest) else ""


def _is_opening(sentence: str) -> bool:
    """Whether a sentence only introduces or closes a report: `Overall, the API has no authentication.` is a finding."""
    return _OPENING.match(sentence) is not None and not (states_fault(sentence) or _REPORTED.search(sentence))


def _is_weightless(sentence: str) -> bool:
    """Whether a sentence beside an opening or a denial says no more than these."""
    return _is_opening(sentence) or (_PRAISE.search(sentence) is not None and not states_fault(sentence))


def _first_sentence(text: str) -> str:
    end = _SENTENCE.search(text)
    return text[: end.start()] if end else text


def _after_first(text: str, dropped: Test) -> str:
    """The text after the first sentence and any dropped ones that follow it; empty if too short to claim anything."""
    starts = [end.end() for end in _SENTENCE.finditer(text)]
    spans = pairwise([*starts, len(text)])
    start = next((start for start, end in spans if not dropped(text[start:end].strip())), None)
    rest = "" if start is None else text[start:]
    return rest if long_enough(rest) else ""
