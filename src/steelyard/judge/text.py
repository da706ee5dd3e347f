"""Graded text before it is judged: normalised, stripped of what no reader sees, and flagged.

Law: `clean` is NFKC without invisible characters (format, control, private-use and unassigned characters, variation
selectors, blank fillers), with one kind of line end, at most `TEXT_LIMIT` characters, and with the turn markers of
chat templates broken up so that no backend can take them for its own. It is idempotent. Nothing visible is removed.
`flags` name what looked like an attempt on the judge; they are recorded beside the verdict and never change it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

TEXT_LIMIT = 200_000
"""Characters of graded text a judge is shown; the rest is cut and flagged."""

_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that render as nothing."""
_UNSEEN_CATEGORIES = frozenset({"Cf", "Cc", "Cs", "Co", "Cn"})
_KEPT = frozenset("\n\t")
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
_TURN_MARKERS = re.compile(r"(<|\[)(?=\|\w|/?INST\]|<SYS>>|</?SYS>>|/?s>|(?:start|end)_of_turn>)", re.IGNORECASE)

_INSTRUCTION = re.compile(
    r"""\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}
            \b(?:rubric|instructions?|prompt|criteria|grading|everything\ above)\b
      | \b(?:give|award|assign|grant|grade|return|output|reply\ with|respond\ with)\b[^.\n]{0,60}
            \b(?:full|perfect|maximum|max|highest|top|best)\ (?:possible\ )?
            (?:marks?|scores?|credit|grades?|points|band)
      | \b(?:scores?|grades?)\b[^.\n]{0,30}(?<![\d.])(?:1\.0+|100\s?%|10\s?/\s?10|5\s?/\s?5)
      | \b(?:note|message|attention|dear|instructions?)\b[^.\n]{0,12}\b(?:grader|judge|evaluator|marker)s?\b
      | ^\W{0,8}(?:system|assistant|developer|human)\s*(?::|message\b|prompt\b|override\b)
      | \bgraded\ text\ ends\b | \bnew\ (?:rubric|instructions?|rules)\s*:
      | \bend\ of\ (?:the\ )?(?:graded\ text|answer|data|submission|response)\b
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_VERDICT = re.compile(r"""["'](?:grades|score|scores|verdict|met)["']\s*:""", re.IGNORECASE)
_ENCODED = re.compile(r"[A-Za-z0-9+/]{120,}={0,2}")
_WORD = re.compile(r"\w{3,}")
_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"})


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Graded text as the judge sees it."""

    text: str
    flags: tuple[str, ...]
    """Sorted names: `cut`, `encoded`, `html_comment`, `instruction`, `invisible`, `mixed_script`, `turn_marker`,
    `verdict_object`."""


def clean(text: str) -> Cleaned:
    """`text` as a judge may see it, and what was suspicious about it."""
    shown, flags = text[:TEXT_LIMIT], set[str]()
    if len(text) > TEXT_LIMIT:
        flags.add("cut")
    if not _PLAIN.fullmatch(shown):
        shown, removed = _visible(shown)
        flags |= {"invisible"} if removed else set()
        flags |= {"mixed_script"} if any(map(_mixed, _WORD.findall(shown))) else set()
    if _TURN_MARKERS.search(shown):
        shown = _TURN_MARKERS.sub(r"\1 ", shown)
        flags.add("turn_marker")
    if len(shown) > TEXT_LIMIT:  # one character can unfold into eighteen
        shown = shown[:TEXT_LIMIT]
        flags.add("cut")
    marks = {"instruction": _INSTRUCTION, "verdict_object": _VERDICT, "encoded": _ENCODED}
    flags |= {name for name, pattern in marks.items() if pattern.search(shown)}
    flags |= {"html_comment"} if "<!--" in shown else set()
    return Cleaned(shown, tuple(sorted(flags)))


def speaks_to_judge(text: str) -> bool:
    """Whether `text` instructs a judge or imitates a verdict: such a passage is no evidence of quality."""
    return bool(_INSTRUCTION.search(text) or _VERDICT.search(text))


def fold(text: str) -> str:
    """`text` for finding a quote in it: cleaned, straight quotes and dashes, single spaces."""
    plain = text if _PLAIN.fullmatch(text) else _visible(text)[0]
    return " ".join(_TURN_MARKERS.sub(r"\1 ", plain).translate(_STRAIGHT).split())


def _visible(text: str) -> tuple[str, bool]:
    """NFKC without invisible characters, and whether any was removed."""
    shown = _LINE_ENDS.sub("\n", text)
    removed = False
    while True:
        unseen = [character for character in set(shown) if _unseen(character)]
        removed = removed or bool(unseen)
        kept = shown.translate({ord(character): None for character in unseen}) if unseen else shown
        settled = unicodedata.normalize("NFKC", kept)[: TEXT_LIMIT + 1]
        # Removing a mark can let its neighbours compose, and composing never adds length for ever.
        if settled == shown:
            return shown, removed
        shown = settled


def _unseen(character: str) -> bool:
    if character in _KEPT:
        return False
    if character in _BLANKS or unicodedata.category(character) in _UNSEEN_CATEGORIES:
        return True
    return (
        "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
        or character in "\u180b\u180c\u180d"
    )


def _mixed(word: str) -> bool:
    """Whether one word mixes Latin letters with their Greek or Cyrillic look-alikes."""
    if word.isascii():
        return False
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in word if letter.isalpha()}
    return "LATIN" in scripts and bool(scripts & {"CYRILLIC", "GREEK"})
