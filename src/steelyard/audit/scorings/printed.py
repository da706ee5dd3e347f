"""The numbers that a scoring file prints: run totals with their parts, mean, sd and stability."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from steelyard.text import narrow, unix

_VALUE = r"[\s*_]*(?:\([^)]{0,30}\))?[\s*_]*[:=]\s*(?P<rest>.+)$"
_NUMBER = r"[-+−]?\d{1,3}(?:\.\d{1,4})?"
_EQUATION = re.compile(
    rf"(?P<detection>{_NUMBER})[^+=\d]{{0,30}}\+\s*(?P<bonus>{_NUMBER})[^-−=\d]{{0,30}}[-−]\s*(?P<penalty>{_NUMBER})"
    rf"[^=\d]{{0,30}}=[\s*_]*(?P<total>{_NUMBER})"
)
"""`6.5 + 2.5 - 0.5 = 8.5`, with remarks between the numbers."""
_PART = re.compile(r"detect|bonus|penalt|検出|ボーナス|ペナルティ|減点|加点", re.IGNORECASE)
_TOTAL_WORDS = r"(?:(?:final |overall )?(?:total|score)(?: score)?|総合スコア|合計(?:スコア)?|スコア)"
_RUN = re.compile(rf"^\W*run\s*[-_#]?\s*(?P<run>\d{{1,2}})\W*(?P<word>{_TOTAL_WORDS})?{_VALUE}", re.IGNORECASE)
_TOTAL = re.compile(rf"^\W*{_TOTAL_WORDS}{_VALUE}", re.IGNORECASE)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_RUN_NAME = re.compile(r"\brun\s*(\d{1,2})(?!\d)", re.IGNORECASE)
_MEAN = re.compile(rf"^\W*(?:mean(?: score)?|平均(?:スコア)?|average(?: score)?){_VALUE}", re.IGNORECASE)
_SD = re.compile(rf"^\W*(?:(?:sample )?(?:sd|standard deviation)|標準偏差){_VALUE}", re.IGNORECASE)
_STABILITY = re.compile(r"^\W*(?:stability|安定性)[^:\n]{0,30}[:=][\s*_]*(high|medium|low|高|中|低)", re.IGNORECASE)
_LEVELS = {"高": "high", "中": "medium", "低": "low"}


class Parts(NamedTuple):
    """The parts of a run's total as the file adds them up."""

    detection: float
    bonus: float
    penalty: float
    total: float


@dataclass(frozen=True, slots=True)
class Printed:
    """Printed numbers; None where the file has none."""

    runs: dict[int, float] = field(default_factory=dict[int, float])
    parts: dict[int, Parts] = field(default_factory=dict[int, Parts])
    mean: float | None = None
    sd: float | None = None
    stability: str = ""


def printed_numbers(text: str, count: int) -> Printed:
    """The numbers on lines of their own; the last one counts, as later lines correct earlier ones."""
    runs: dict[int, float] = {}
    parts: dict[int, Parts] = {}
    pooled: dict[str, float] = {}
    steadiness, section, aside = "", 0, False
    for line in narrow(unix(text)).split("\n"):
        if _HEADING.match(line):
            named = _RUN_NAME.search(line)
            section, aside = int(named[1]) if named else 0, bool(_PART.search(line))
            continue
        run = 0 if aside else _run_of(line, section)
        if 1 <= run <= count and (equation := _EQUATION.search(line)):
            parts[run] = Parts(*map(_float, equation.groups()))
            runs[run] = parts[run].total
        elif 1 <= run <= count and (value := _total(line)) is not None:
            runs[run] = value
        for name, pattern in (("mean", _MEAN), ("sd", _SD)):
            match = pattern.match(line)
            value = None if match is None else _result(match["rest"])
            pooled |= {} if value is None else {name: value}
        if match := _STABILITY.match(line):
            steadiness = _LEVELS.get(match[1], match[1].casefold())
    return Printed(runs, parts, pooled.get("mean"), pooled.get("sd"), steadiness)


def _run_of(line: str, section: int) -> int:
    """The run whose total a line may print; 0 for none."""
    if match := _RUN.match(line):
        return 0 if _PART.search(line.split(":")[0]) else int(match["run"])
    return section if _TOTAL.match(line) else 0


def _total(line: str) -> float | None:
    """The total on a line; `Run 1: 3 items` is none, so a bare number needs its decimals."""
    match = _RUN.match(line)
    if match is not None and match["word"] is None and not re.match(rf"[\s*_]*{_NUMBER}(?<=\d\.\d)\d*", match["rest"]):
        return None
    total = match or _TOTAL.match(line)
    return None if total is None else _result(total["rest"])


def _result(rest: str) -> float | None:
    """The number that a line ends up with: after its last `=`, else its first; a threshold (`≤ 0.5`) is none."""
    said = rest.split("(")[0] if "=" not in rest else rest.rpartition("=")[2]
    number = None if re.match(r"[\s*]*[≤≥<>]", said) else re.match(rf"[\s*_]*({_NUMBER})", said)
    return _float(number[1]) if number else None


def _float(number: str) -> float:
    return float(number.replace("−", "-"))
