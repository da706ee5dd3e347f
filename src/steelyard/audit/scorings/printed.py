"""The numbers that a scoring file prints: totals of runs with their parts, mean, sd and stability."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from steelyard.audit.scorings.amounts import Amount, Shown, amount_of, result_of, sum_of, without_remarks
from steelyard.audit.scorings.labels import Kind, Label, Quantity, joined, label_of, named_run, quantity, title_label
from steelyard.audit.scorings.marks import problem_of
from steelyard.audit.scorings.outline import Entry

# A label never holds `≤` or `<`: `SD ≤ 0.5` states a threshold, not a number of this file.
_STATED = re.compile(r"^(?P<label>[^:=≤≥<>]{1,90}?)\s*(?P<sign>[:=])(?P<value>.+)$")
_INLINE = re.compile(
    r"(?:^|[\s(,;、。:])(?P<name>mean|average|平均(?:スコア)?|sd|標準偏差)\s?[=:]\s?\**(?P<value>\d{1,3}(?:\.\d{1,4})?)(?![\d%])",
    re.IGNORECASE,
)
_COUNTS = re.compile(r"\(\s*\+?(?P<bonus>\d{1,3})\s*B\s*[,;/]?\s*[-−]?(?P<penalty>\d{1,3})\s*P\s*\)", re.IGNORECASE)
_LEVEL = re.compile(r"^[\s*_`→]*(?:(?P<word>high|medium|low)\b|(?P<sign>[高中低])(?:い|安定|程度|$|\W))", re.IGNORECASE)
_SAID_LEVEL = re.compile(r"(?P<sign>[高中低])安定|\b(?P<word>high|medium|low)\s+stability", re.IGNORECASE)
_LEVELS = {"高": "high", "中": "medium", "低": "low"}
_PLAIN = str.maketrans("", "", "*`")
_ONE_PROBLEM = re.compile(r"^\W*(?!run)[A-Za-z]{1,4}-?\d{1,3}(?!\d)", re.IGNORECASE)
"""A title about one problem or bonus entry: the numbers below it are not those of a run."""
_RUN_START = re.compile(r"\brun\s*[-_#]?\s*\d{1,2}(?:\s?(?:score|スコア))?\s*[:=]", re.IGNORECASE)
_PARTS: frozenset[Kind] = frozenset({"detection", "bonus", "penalty"})
_TALLY = re.compile(r"^[\s*]*\d{1,3}\s?/\s?\d{1,3}(?![.\d])")
"""`9/10`: problems, not points."""


@dataclass(slots=True)
class PrintedRun:
    """What a file prints about one run."""

    totals: list[Shown] = field(default_factory=list[Shown])
    """Every total, in the order of the file."""
    detection: Shown | None = None
    bonus: Amount | None = None
    penalty: Amount | None = None

    @property
    def total(self) -> Shown | None:
        """The last total: later lines correct earlier ones."""
        return self.totals[-1] if self.totals else None


@dataclass(slots=True)
class Printed:
    """Printed numbers; None where the file has none."""

    runs: dict[int, PrintedRun] = field(default_factory=dict[int, PrintedRun])
    mean: Shown | None = None
    sd: Shown | None = None
    stability: str = ""

    def run(self, number: int) -> PrintedRun:
        """What it prints about a run."""
        return self.runs.setdefault(number, PrintedRun())


class _Statement(NamedTuple):
    label: Label
    section: Label | None
    value: str
    heading_run: int = 0
    """The run that the headings above it name."""


def printed_numbers(found: Sequence[Entry], count: int) -> Printed:
    """The numbers of a file with `count` runs; the last one counts, as later lines correct earlier ones."""
    printed = Printed()
    marked = {entry.table for entry in found if entry.cells and problem_of(entry.cells[0])}
    for entry, statement in _statements(found, marked):
        _take(printed, statement._replace(heading_run=named_run(entry.headings)), count)
    for entry in found:
        _take_inline(printed, entry.text)
    return printed


def _statements(found: Sequence[Entry], marked: set[int]) -> Iterator[tuple[Entry, _Statement]]:
    """Every number with a label: on a line, in a heading, in a cell; `marked` are the tables of marks."""
    above: Label | None = None
    listed: tuple[tuple[str, ...], set[Kind]] = ((), set())
    for entry in found:
        if any(map(_ONE_PROBLEM.match, entry.titles[-2:])):
            continue
        section = _section(entry.titles)
        if entry.cells:
            yield from ((entry, cell) for cell in _of_row(entry, section, in_marks=entry.table in marked))
            continue
        if listed[0] != entry.titles:
            listed = (entry.titles, set())
        for text in _split(entry.text.translate(_PLAIN)):
            stated, (before, _, continued) = _STATED.match(text), text.partition("=")
            # `= 8.5` on a line of its own goes on with the calculation above.
            if continued and not before.strip() and above is not None:
                yield entry, _Statement(above, section, continued)
                continue
            above = label_of(stated["label"]) if stated else None
            if stated and above is None:
                above = _of_sum(stated["value"], section)
            elif not stated and sum_of(text) is not None and section is not None and section.run:
                yield entry, _Statement(_run_total(section.run), section, text)
            if stated and above is not None:
                listed[1].update(above.kinds & _PARTS)
                # A complete sum, or a total after its parts, is the total of the run in any section.
                if above.part and (len(listed[1]) > 1 or _is_complete(stated["value"])):
                    above = above._replace(whole=True, part=False)
                yield entry, _Statement(above, section, stated["value"])


def _split(text: str) -> list[str]:
    """A line that states several runs (`Detection: Run1 = 8.0, Run2 = 8.5`) as one text per run."""
    starts = [match.start() for match in _RUN_START.finditer(text)]
    if len(starts) < 2 or (starts[0] and label_of(text[: starts[0]]) is None):
        return [text]
    named = text[: starts[0]].rstrip(" :=-")
    return [f"{named} {text[start:end]}" for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _run_total(run: int) -> Label:
    return Label(frozenset(), run, True, False, False)


def _of_sum(value: str, section: Label | None) -> Label | None:
    """A complete sum is a run's total, whatever it is called, below a title that names one run."""
    return _run_total(section.run) if section is not None and section.run and _is_complete(value) else None


def _is_complete(value: str) -> bool:
    """Whether a value adds up all parts of a run."""
    parts = sum_of(value)
    return parts is not None and parts.total is not None


def _of_row(entry: Entry, section: Label | None, *, in_marks: bool) -> Iterator[_Statement]:
    row = label_of(entry.cells[0])
    if row is None:
        return
    heads = [label_of(head) for head in entry.heads]
    columns = frozenset[Kind]().union(*(head.kinds for head in heads if head is not None)) & _PARTS
    for head, cell in zip(heads[1:], entry.cells[1:], strict=False):
        if head is None or not cell.strip(" *-–—"):
            continue
        label = joined(row, head)
        if in_marks and label.part:
            label = label._replace(kinds=frozenset({"detection"}), part=False)
        elif label.part and len(columns) > 1:
            # A `Total` beside columns of the parts.
            label = label._replace(whole=True, part=False)
        if label.run or label.kinds or row.whole:
            yield _Statement(label, section, cell.translate(_PLAIN))


def _section(titles: Sequence[str]) -> Label | None:
    """What the titles above say: the run that the innermost one names, and the kind of numbers of the last title."""
    if not titles:
        return None
    last = next((label for title in reversed(titles[-2:]) if (label := title_label(title)).kinds or label.whole), None)
    label = last or title_label(titles[-1])
    return label._replace(run=named_run(titles))


def _take(printed: Printed, statement: _Statement, count: int) -> None:
    label, section, value, _ = statement
    what = quantity(label, section)
    # With a single run, its numbers need not name it.
    run = label.run or (section.run if section else 0) or (1 if count == 1 else 0)
    if what is None or (statement.heading_run and label.run and statement.heading_run != label.run):
        # `Run1 Total` below a heading `Run2`: one of them is a slip, and nobody can say which.
        return
    if what in ("mean", "sd", "stability"):
        _take_pooled(printed, what, value)
    elif 1 <= run <= count:
        _take_run(printed.run(run), what, value, counted=label.counted)


def _take_pooled(printed: Printed, what: Quantity, value: str) -> None:
    # A threshold says nothing about these runs.
    shown = None if re.match(r"[\s*]*[≤≥<>]", value) else result_of(value)
    if what == "mean":
        printed.mean = shown or printed.mean
    elif what == "sd":
        printed.sd = shown or printed.sd
        printed.stability = _level(_SAID_LEVEL.search(value)) or printed.stability
    else:
        printed.stability = _level(_LEVEL.match(value)) or printed.stability


def _level(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    return _LEVELS[match["sign"]] if match["sign"] else match["word"].casefold()


def _take_run(run: PrintedRun, what: Quantity, value: str, *, counted: bool) -> None:
    parts = sum_of(value)
    if what == "total":
        total = parts.total if parts is not None and parts.total is not None else _total(value)
        if total is not None:
            run.totals.append(total)
        if parts is not None:
            run.detection, run.bonus, run.penalty = parts.detection, parts.bonus, parts.penalty
        elif extras := _COUNTS.search(value):
            run.bonus, run.penalty = Amount(entries=int(extras["bonus"])), Amount(entries=int(extras["penalty"]))
    elif what == "detection":
        shown = None if _TALLY.match(value) or value.strip().startswith("+") else result_of(value)
        run.detection = shown or run.detection
    elif what == "bonus":
        run.bonus = amount_of(value, counted=counted) or run.bonus
    elif what == "penalty":
        run.penalty = amount_of(value, counted=counted) or run.penalty


def _total(value: str) -> Shown | None:
    """The total on a line without a complete sum; the first term of a sum without a result is none."""
    return None if _TALLY.match(value) or sum_of(without_remarks(value)) is not None else result_of(value)


def _take_inline(printed: Printed, text: str) -> None:
    """Mean and sd inside a line (`Mean=5.25, SD=0.75`) count where the file has no line for them."""
    for match in _INLINE.finditer(text.translate(_PLAIN)):
        name, shown = match["name"].casefold(), result_of(match["value"])
        if name in ("sd", "標準偏差"):
            printed.sd = printed.sd or shown
        else:
            printed.mean = printed.mean or shown
