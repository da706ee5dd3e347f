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

from steelyard.judge.injection import injection_signs

TEXT_LIMIT = 200_000
"""Characters of graded text a judge is shown; the rest is cut and flagged."""

_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that render as nothing."""
_UNSEEN_CATEGORIES = frozenset({"Cf", "Cc", "Cs", "Co", "Cn"})
_KEPT = frozenset("\n\t")
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
_TURN_MARKERS = re.compile(r"([<\[])(?=\|\w|/?(?:INST|inst)\]|</?(?:SYS|sys)>>|/?[sS]>|(?:start|end)_of_turn>)")

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
    if ("<" in shown or "[" in shown) and _TURN_MARKERS.search(shown):
        shown = _TURN_MARKERS.sub(r"\1 ", shown)
        flags.add("turn_marker")
    if len(shown) > TEXT_LIMIT:  # one character can unfold into eighteen
        shown = shown[:TEXT_LIMIT]
        flags.add("cut")
    return Cleaned(shown, tuple(sorted(flags | injection_signs(shown))))


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
