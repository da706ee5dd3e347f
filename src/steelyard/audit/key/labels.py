"""The words of an answer key, in the shapes people give them."""

from __future__ import annotations

import re
from typing import Literal

from steelyard.text import narrow

Criterion = Literal["detected", "partial", "missed"]

FIELD_NAMES = {
    "category": "category",
    "severity": "severity",
    "location": "location",
    "problem description": "description",
    "description": "description",
    "problem": "description",
    "カテゴリ": "category",
    "カテゴリー": "category",
    "重大度": "severity",
    "深刻度": "severity",
    "場所": "location",
    "箇所": "location",
    "問題の説明": "description",
    "説明": "description",
    "問題": "description",
}
"""Field labels as written, lower case, and the field they mean."""

CRITERIA_LABELS = ("detection criteria", "criteria", "検出基準", "判定基準")

CRITERION_NAMES = ("detected", "partial", "missed")

_SIGNS: dict[Criterion, str] = {"detected": "○◯〇⭕●oO", "partial": "△▲∆Δ⚠", "missed": "×✕✖✗✘❌xX"}
"""`0` is none of them: who types it means no points, and it looks like the sign for all of them."""
_WORDS: dict[str, Criterion] = {
    "not detected": "missed",
    "missed": "missed",
    "undetected": "missed",
    "partial": "partial",
    "partially detected": "partial",
    "detected": "detected",
    "未検出": "missed",
    "部分検出": "partial",
    "検出": "detected",
}

_CRITERION = re.compile(
    r"^\s*(?:[-*+•]\s*)?[*_`]*\s*(?P<sign>[○◯〇⭕●oO0△▲∆Δ⚠×✕✖✗✘❌xX])?\ufe0f?\s*[*_`]*\s*"
    r"(?:\(?\s*(?P<word>not[ _-]detected|undetected|missed|partial(?:ly detected)?|detected"
    # Without spaces between words, only what follows tells the label `検出` from a sentence that begins with it.
    r"|(?:未|部分)?検出(?=\s*[):]))\s*\)?)?\s*[*_`]*\s*"
    r"(?P<colon>[:=–—-](?:[*_]{2}(?=\s|$))?)?\s*",
    re.IGNORECASE,
)


def word(label: str) -> str:
    """A label without emphasis, case, underscores and full width: `**Problem_Description**` → `problem description`."""
    return " ".join(re.sub(r"[*_`:]+", " ", narrow(label)).casefold().split())


def criterion_of(label: str) -> Criterion | None:
    """`○`, `◯`, `O`, `(Detected)`, `not_detected`, `○ (Detected)` … as the criterion they mean."""
    plain = word(label).strip("() ")
    if plain in _WORDS:
        return _WORDS[plain]
    if len(plain) == 1:
        return mark_of(label)
    stated = criterion_line(f"{label}:")
    return stated[0] if stated and not stated[1] else None


def mark_of(sign: str) -> Criterion | None:
    """One of the three signs in any of its shapes, or its word."""
    flat = narrow(sign).strip().replace("\ufe0f", "").strip("*_` ")
    for kind, shapes in _SIGNS.items():
        if len(flat) == 1 and flat in shapes:
            return kind
    return _WORDS.get(flat.casefold().replace("_", " "))


def criterion_line(line: str) -> tuple[Criterion, str] | None:
    """A line that states a criterion, and its text; None when the line is something else."""
    flat = narrow(line)
    found = _CRITERION.match(flat)
    if found is None:
        return None
    sign, spoken = found["sign"], found["word"]
    # A drawn sign needs nothing after it; a letter or a word that begins a sentence is no criterion without its colon.
    drawn = sign is not None and not sign.isascii()
    if not drawn and found["colon"] not in (":", ":**", ":__"):
        return None
    # The word outranks the sign: `O (Partial)` is a slip of the pen, but the sentence is about partial.
    kind = (criterion_of(spoken) if spoken else None) or (mark_of(sign) if sign else None)
    return (kind, line[found.end() :].strip()) if kind else None
