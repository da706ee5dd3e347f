"""What a number in a scoring file is called: `Run1 Bonus Total`, `検出スコア合計`, `Mean Score`, `標準偏差 (SD)`.

A label counts only if all of its words are known; in a sentence that happens to mention a score some are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

Kind = Literal["detection", "bonus", "penalty", "mean", "sd", "stability"]
Quantity = Literal["detection", "bonus", "penalty", "mean", "sd", "stability", "total"]

_KINDS = re.compile(
    r"(?P<detection>\b(?:detections?|detected|base|raw|core)\b|検出|基礎|基本|素点)"
    r"|(?P<bonus>\bbonus(?:es)?\b|ボーナス|加点)"
    r"|(?P<penalty>\b(?:penalt(?:y|ies)|deductions?)\b|ペナルティ|減点)"
    r"|(?P<mean>\b(?:mean|average|avg)\b|平均)"
    r"|(?P<sd>\b(?:sd|std(?:ev)?|standard deviation)\b|標準偏差)"
    r"|(?P<stability>\bstability\b|安定性|安定度)"
)
_WHOLE = re.compile(r"\b(?:total scores?|final|overall)\b|総合|最終")
"""Words of a run's total; `total` alone may be the total of a part."""
_SUM = re.compile(r"\b(?:sub-?)?total\b|\bsum\b|合計|小計")
_COUNT = re.compile(r"\bcounts?\b|件数")
_FILLERS = re.compile(
    r"\b(?:scores?|points?|pts?|results?|values?|calculations?|assessment|level|sample|runs?|of|for|the|per|all|both|across|total"
    r"|metric|n)\b|スコア|得点|点数?|結果|数値|値|計算|評価|判定|数|の|別|指標|項目"
)
_RUN = re.compile(r"(?:\brun|実行)[\s_#-]{0,3}(\d{1,2})(?!\d)")
_MARKS = {ord(mark): " " for mark in "*_`>|"}
_BULLET = re.compile(r"^\s*(?:[-•+]|\d{1,2}[.)])\s+")
_REMARK = re.compile(r"\([^()]{0,60}\)")
_LONGEST = 80


class Label(NamedTuple):
    """What a label says."""

    kinds: frozenset[Kind]
    run: int
    """0 if it names none."""
    whole: bool
    """Whether it names the total of a run."""
    part: bool
    """Whether it says no more than `total`, `score` or the run: what it is the total of depends on where it is."""
    counted: bool
    """Whether it counts entries rather than points."""


def label_of(text: str) -> Label | None:
    """What a label says; None if it is anything else than a label, or names several runs."""
    flat = _BULLET.sub("", text).translate(_MARKS).casefold()
    runs = set(_RUN.findall(flat))
    if len(flat) > _LONGEST or len(runs) > 1:
        return None
    words = _REMARK.sub(" ", _RUN.sub(" ", flat))
    kinds = _kinds(words)
    rest = words
    for pattern in (_KINDS, _WHOLE, _SUM, _COUNT, _FILLERS):
        rest = pattern.sub(" ", rest)
    if re.search(r"\w", rest):
        return None
    whole = _WHOLE.search(words) is not None
    return Label(kinds, int(runs.pop()) if runs else 0, whole, not kinds and not whole, bool(_COUNT.search(words)))


def _kinds(words: str) -> frozenset[Kind]:
    return frozenset(cast(Kind, match.lastgroup) for match in _KINDS.finditer(words))


def joined(first: Label, second: Label) -> Label:
    """The label of a cell: that of its row with that of its column."""
    whole, part = first.whole or second.whole, first.part and second.part
    return Label(first.kinds | second.kinds, first.run or second.run, whole, part, first.counted or second.counted)


def quantity(label: Label, section: Label | None) -> Quantity | None:
    """What a number with this label is; `section` is what the title above it says."""
    parts = label.kinds & {"detection", "bonus", "penalty"}
    pooled = label.kinds - parts
    if pooled:
        # The mean of the bonuses is no mean of the runs.
        return next(iter(pooled)) if len(pooled) == 1 and not parts else None
    if len(parts) == 1:
        return next(iter(parts))
    if parts:
        return None
    other_run = section is not None and section.run and label.run and section.run != label.run
    if label.part and section is not None and not section.whole and not other_run:
        above = section.kinds & {"detection", "bonus", "penalty"}
        return next(iter(above)) if len(above) == 1 else "total" if not section.kinds else None
    return "total"


def title_runs(title: str) -> set[int]:
    """The runs that a title names."""
    return {int(number) for number in _RUN.findall(title.casefold())}


def named_run(titles: Sequence[str]) -> int:
    """The run that the innermost title with one names; 0 for none, or for several."""
    named = next((runs for title in reversed(titles) if (runs := title_runs(title))), set[int]())
    return named.pop() if len(named) == 1 else 0


def title_label(title: str) -> Label:
    """What a title says about the numbers below it; other words than those of labels do not matter."""
    flat = title.translate(_MARKS).casefold()
    kinds = _kinds(flat)
    runs = title_runs(title)
    whole = _WHOLE.search(flat) is not None or (not kinds and _SUM.search(flat) is not None)
    return Label(kinds, runs.pop() if len(runs) == 1 else 0, whole, not kinds, False)
