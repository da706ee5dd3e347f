"""Signs of prompt injection in a graded text: orders, false turns, imitated verdicts, hidden messages.

Signs are recorded beside a verdict and never change it; a passage with one of the first two cannot serve as evidence.
The search is in lower case, first for a plain word and then for the pattern around it, because most texts have none
and thousands of texts are searched.
"""

from __future__ import annotations

import re
import unicodedata

_TARGET = r"\b[^.\n]{0,60}\b(?:rubric|instructions?|prompt|criteria|grading|everything above)\b"
_PRIZE = (
    r"\b[^.\n]{0,60}\b(?:full|perfect|maximum|max|highest|top|best) (?:possible )?"
    r"(?:marks?|scores?|credit|grades?|points|band)"
)
_NUMBER = r"s?\b[^.\n]{0,30}(?<![\d.])(?:1\.0+|100\s?%|10\s?/\s?10|5\s?/\s?5)"
_READER = r"\b[^.\n]{0,12}\b(?:grader|judge|evaluator|marker)s?\b"
_AFTER = {
    **dict.fromkeys(("ignore", "disregard", "forget", "override"), _TARGET),
    **dict.fromkeys(("give", "award", "assign", "grant", "return", "output", "reply with", "respond with"), _PRIZE),
    "score": _NUMBER,
    "grade": f"(?:{_NUMBER}|{_PRIZE})",
    **dict.fromkeys(("note", "message", "attention", "dear", "instruction"), f"s?{_READER}"),
    "graded text ends": r"\b",
    "new": r" (?:rubric|instructions?|rules)\s*:",
    "end of": r" (?:the )?(?:graded text|answer|data|submission|response)\b",
}
_ORDERS = {word: re.compile(rf"(?<!\w){word}{after}") for word, after in _AFTER.items()}
_TURNS = {
    word: re.compile(rf"{word}\s*(?::|message\b|prompt\b|override\b)")
    for word in ("system", "assistant", "developer", "human")
}
_VERDICT = re.compile(r"""["'](?:grades|scores?|verdict|met)["']\s*:""")
_ENCODED = re.compile(r"[a-z0-9+/]{120,}")
_LOOK_ALIKES = re.compile("[\u0370-\u052f]")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_BEFORE_TURN = 8
"""Characters allowed between the start of a line and the name of a turn (`### System:`)."""


def injection_signs(text: str) -> set[str]:
    """The names of the signs in a cleaned text."""
    low = text.lower()
    signs = {
        "instruction": _orders(low),
        "verdict_object": _VERDICT.search(low) is not None,
        "html_comment": "<!--" in low,
        "encoded": max(map(len, low.split()), default=0) >= 120 and _ENCODED.search(low) is not None,
        "mixed_script": _LOOK_ALIKES.search(low) is not None and any(map(_mixed, _LETTERS.findall(low))),
    }
    return {name for name, present in signs.items() if present}


def speaks_to_judge(text: str) -> bool:
    """Whether `text` instructs a judge or imitates a verdict: such a passage is not evidence of quality."""
    low = text.lower()
    return _VERDICT.search(low) is not None or _orders(low)


def _orders(low: str) -> bool:
    return any(_follows(low, word, pattern) for word, pattern in _ORDERS.items()) or any(
        _follows(low, word, pattern, line_start=True) for word, pattern in _TURNS.items()
    )


def _follows(low: str, word: str, pattern: re.Pattern[str], *, line_start: bool = False) -> bool:
    """Whether `pattern` matches at an occurrence of `word` (with `line_start`, at the start of a line)."""
    place = low.find(word)
    while place >= 0:
        if pattern.match(low, place) and (not line_start or _opens_line(low, place)):
            return True
        place = low.find(word, place + 1)
    return False


def _opens_line(low: str, place: int) -> bool:
    before = low[low.rfind("\n", 0, place) + 1 : place]
    return len(before) <= _BEFORE_TURN and not any(mark.isalnum() for mark in before)


def _mixed(word: str) -> bool:
    """Whether one word mixes Latin letters with their Greek or Cyrillic look-alikes."""
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in word}
    return "LATIN" in scripts and bool(scripts & {"CYRILLIC", "GREEK"})
