"""Numbers as scoring files print them: a result at the end of a calculation, points or counts, a sum of parts."""

from __future__ import annotations

import re
from typing import NamedTuple

from steelyard.audit.model import BONUS_POINTS
from steelyard.outcome import exact

_NUMBER = r"[-+−±]?\d{1,3}(?:\.\d{1,4})?"
# Neither a share in percent nor the 3 of `3 × 0.5` is a score.
_LEADING = re.compile(rf"^[\s*_`≈~約:]*(?P<number>{_NUMBER})(?!\d|\.\d|\s*%|\s*[×√^²])")
_ENDS = re.compile(r"\s*(?:points?\b|pts?\b|点|[-–—/(),;:→=|。、*\]]|$)", re.IGNORECASE)
"""What may follow a score; in `10 valid bonuses` the number is none."""
_REMARK = re.compile(r"\([^()]{0,200}\)")
_CALCULATION = re.compile(
    r"(?:[\d\s.,+−*/×÷√^²³()\[\]=→|○◯〇△▲✕~≈±'`-]|[A-Za-z]{1,3}-?\d{1,3}|sqrt|sum|mean|avg|points?|pts?|点|件|検出|ボーナス|ペナルティ"
    r"|スコア|detection|bonus|penalty|score|base|max|min)*",
    re.IGNORECASE,
)
"""What may precede the result of a calculation."""
_COUNT = re.compile(
    r"(?:^|[(=→+])[\s*_`]*(?P<limit>(?:上限|最大|\bmax(?:imum)?|\bcap(?:ped)?(?: at)?|\blimit(?:ed to)?)\s*)?"
    # `5件上限` is a limit, not a count.
    r"(?P<count>\d{1,3})\s*(?:件|個|items?|bonus|penalt|findings?)(?!\s?上限)",
    re.IGNORECASE,
)
_NONE = re.compile(r"^[\s*_`-]*(?:none|no\b|nil|n/a|なし|無し|該当なし|[-–—]?\s*$)", re.IGNORECASE)
_BETWEEN = r"[^-+−=\d()]{0,30}(?:\([^-+=()]{0,40}\)[^-+−=\d()]{0,20})?"
_TERM = r"\(?\s*[-+−]?\s*(?P<{name}>\d{{1,3}}(?:\.\d{{1,4}})?)(?P<{name}_unit>\s*(?:件|個|点|pts?|B\b|P\b)?)\)?"
_SUM = re.compile(
    _TERM.format(name="detection")
    + rf"{_BETWEEN}\+[^-+−=\d]{{0,30}}"
    + _TERM.format(name="bonus")
    + rf"{_BETWEEN}[-−][^-+−=\d]{{0,30}}"
    + _TERM.format(name="penalty")
    + rf"(?:{_BETWEEN}=[\s*_`]*(?P<total>{_NUMBER}))?"
)
"""`6.5 + 2.5 - 0.5 = 8.5`, `Detection (6.5) + Bonus (2.5) - Penalty (0.5)`, `検出6.5 + bonus5件 - penalty1件`."""
_LISTED = re.compile(
    r"(?:detection|検出)[^\d,;+-]{0,20}"
    + _TERM.format(name="detection")
    + r"[^\d]{0,20}(?:bonus|ボーナス)[^\d,;+-]{0,20}"
    + _TERM.format(name="bonus")
    + r"[^\d]{0,20}(?:penalty|penalties|ペナルティ)[^\d,;+−-]{0,20}"
    + _TERM.format(name="penalty")
    # Never matches; the group is there because `_SUM` has it.
    + r"(?P<total>$^)?",
    re.IGNORECASE,
)
"""`Detection: 6.5, Bonus: +2.5, Penalty: -0.5`."""
# Of a longer line, patterns see no more than this, so that it takes linear time.
_LONGEST = 400


class Shown(NamedTuple):
    """A printed number."""

    value: float
    decimals: int

    def follows(self, computed: float) -> bool:
        """Whether printing `computed` could have given it; anything less than two decimals is rounded more."""
        # A whole number is read with one decimal: `8` stands for 8.0, not for anything from 7.5 to 8.5.
        return exact(abs(self.value - computed)) <= 0.5 * 10 ** -min(max(self.decimals, 1), 2) + 0.0001


class Amount(NamedTuple):
    """A bonus or a penalty: points, a number of entries, or a number that may be either."""

    points: float | None = None
    entries: int | None = None
    bare: float | None = None

    def counts(self) -> tuple[int, ...]:
        """How many entries it can mean, the likelier number first."""
        if self.points is not None:
            worth = self.points / BONUS_POINTS
            return (round(worth),) if abs(worth - round(worth)) < 0.01 else ()
        if self.entries is not None:
            return (self.entries,)
        if not self.bare:
            return (0,) if self.bare == 0 else ()
        return (int(self.bare), round(self.bare / BONUS_POINTS))


class Sum(NamedTuple):
    """A total as the file adds it up."""

    detection: Shown
    bonus: Amount
    penalty: Amount
    total: Shown | None


def result_of(text: str) -> Shown | None:
    """The score that a value ends up with: `9.0`, `(10.5 + 9.0) / 2 = 9.75`, `4.5 → 5.0`; `5 items` is none."""
    flat = without_remarks(text)
    parts = re.split(r"[=→]", flat)
    # From the end, because the result follows its calculation.
    for place in reversed(range(len(parts))):
        match = _LEADING.match(parts[place])
        ends = match is not None and _ENDS.match(parts[place], match.end())
        if match and ends and _CALCULATION.fullmatch("=".join(parts[:place])):
            return _shown(match["number"])
    return None


def without_remarks(text: str) -> str:
    """A value without what is in parentheses."""
    return _REMARK.sub(" ", text[:_LONGEST])


def amount_of(text: str, *, counted: bool = False) -> Amount | None:
    """A bonus or penalty: `+2.5 (5件)`, `5 items`, `3件 × 0.5 = +1.5`, `none`; `counted` says that the label counts."""
    if _NONE.match(text):
        return Amount(0.0, 0)
    entries = next((int(match["count"]) for match in _COUNT.finditer(text[:_LONGEST]) if not match["limit"]), None)
    # In `3件 × 0.5 = +1.5`, the count is no part of the calculation.
    points = result_of(re.sub(r"\d{1,3}\s*(?:件|個)", " ", text))
    if points is None or counted:
        number = entries if entries is not None else None if points is None else round(points.value)
        return None if number is None else Amount(entries=number)
    signed = points.decimals > 0 or re.match(r"[\s*_`]*[-+−]", text) is not None
    return Amount(abs(points.value), entries) if signed else Amount(None, entries, abs(points.value))


def sum_of(text: str) -> Sum | None:
    """The sum of detection, bonus and penalty in a text, if it has one."""
    match = _SUM.search(text[:_LONGEST]) or _LISTED.search(text[:_LONGEST])
    if match is None:
        return None
    total = _shown(match["total"]) if match["total"] else None
    return Sum(_shown(match["detection"]), _part(match, "bonus"), _part(match, "penalty"), total)


def _part(match: re.Match[str], name: str) -> Amount:
    number, unit = float(match[name]), match[f"{name}_unit"].strip().casefold()
    if unit in ("件", "個", "b", "p"):
        return Amount(entries=int(number))
    return Amount(number) if "." in match[name] or unit else Amount(bare=number)


def _shown(number: str) -> Shown:
    plain = number.replace("−", "-").replace("±", "")
    return Shown(float(plain), len(plain.partition(".")[2]))
