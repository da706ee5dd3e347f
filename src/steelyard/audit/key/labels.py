"""The labels and signs of an answer key, in the spellings people use."""

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
    "issue description": "description",
    "details": "description",
    "where": "location",
    "カテゴリ": "category",
    "分類": "category",
    "該当箇所": "location",
    "対象箇所": "location",
    "重要度": "severity",
    "問題内容": "description",
    "問題の内容": "description",
    "カテゴリー": "category",
    "重大度": "severity",
    "深刻度": "severity",
    "場所": "location",
    "箇所": "location",
    "問題の説明": "description",
    "説明": "description",
    "問題": "description",
}
"""Field labels in lower case, and the field each one means."""

CRITERIA_LABELS = (
    *("detection criteria", "criteria", "detection criterion", "evaluation criteria", "scoring criteria"),
    *("検出基準", "判定基準", "検出判定基準", "検出条件", "評価基準"),
)

CRITERION_NAMES = ("detected", "partial", "missed")

_SIGNS: dict[Criterion, str] = {"detected": "○◯〇⭕●oO", "partial": "△▲∆Δ⚠", "missed": "×✕✖✗✘❌xX"}
"""`0` is not among them: it looks like ○ but is likely to mean no points."""
_WORDS: dict[str, Criterion] = {
    "not detected": "missed",
    "no detection": "missed",
    "not found": "missed",
    "missed": "missed",
    "undetected": "missed",
    "partial": "partial",
    "partial detection": "partial",
    "partially": "partial",
    "partially detected": "partial",
    "detected": "detected",
    "full detection": "detected",
    "fully detected": "detected",
    "full": "detected",
    "未検出": "missed",
    "部分検出": "partial",
    "部分的に検出": "partial",
    "部分的検出": "partial",
    "検出": "detected",
}

_CRITERION = re.compile(
    r"^\s*(?:(?:[-*+•]|\d{1,2}[.)](?=\s))\s*)?[*_`]*\s*(?P<sign>[○◯〇⭕●✅✔oO0△▲∆Δ⚠×✕✖✗✘❌xX])?\ufe0f?\s*[*_`]*\s*"
    r"(?:\(?\s*(?P<word>not[ _-](?:detected|found)|no detection|undetected|missed|partial(?:ly)?(?: detect(?:ed|ion))?"
    r"|(?:full(?:y)? )?detected|full detection"
    # Japanese has no spaces, so only the next character tells the label `検出` from a sentence starting with it.
    r"|(?:未|部分的?に?)?検出(?=\s*[):]))\s*\)?|\([^()\n]{1,40}\)(?=\s*[*_`]*\s*:))?\s*[*_`]*\s*"
    r"(?P<colon>[:=–—-](?:[*_]{2}(?=\s|$))?)?\s*",
    re.IGNORECASE,
)


def word(label: str) -> str:
    """A label without emphasis, case, underscores or full width: `**Problem_Description**` → `problem description`."""
    return " ".join(re.sub(r"[*_`:]+", " ", narrow(label)).casefold().split())


def criterion_of(label: str) -> Criterion | None:
    """The criterion meant by `○`, `◯`, `O`, `(Detected)`, `not_detected`, `○ (Detected)` …"""
    plain = word(label).strip("() ")
    if plain in _WORDS:
        return _WORDS[plain]
    if len(plain) == 1:
        return mark_of(label)
    stated = criterion_line(f"{label}:")
    return stated[0] if stated and not stated[1] else None


def mark_of(sign: str) -> Criterion | None:
    """The mark meant by one of the three signs in any variant, or by its word."""
    flat = narrow(sign).strip().replace("\ufe0f", "").strip("*_` ")
    for kind, shapes in _SIGNS.items():
        if len(flat) == 1 and flat in shapes:
            return kind
    return _WORDS.get(flat.casefold().replace("_", " "))


def _criterion_sign(sign: str) -> Criterion | None:
    """What a sign before a criterion means; a tick is no mark elsewhere, as people tick many things."""
    return "detected" if sign in "✅✔" else mark_of(sign)


def criterion_line(line: str) -> tuple[Criterion, str] | None:
    """The criterion that a line states, and its text; None for any other line."""
    flat = narrow(line)
    label = _CRITERION.match(flat)
    if label is None:
        return None
    sign, name = label["sign"], label["word"]
    # A symbol needs nothing after it; a letter or word may just start a sentence, so it needs its colon.
    symbol = sign is not None and not sign.isascii()
    if not symbol and label["colon"] not in (":", ":**", ":__"):
        return None
    # The word outranks the sign: in `O (Partial)` the sign is the typing error.
    kind = (criterion_of(name) if name else None) or (_criterion_sign(sign) if sign else None)
    return (kind, line[label.end() :].strip()) if kind else None
