"""Do two people mark alike? From their sheets, or from two scoring files (docs/scoring.md §2.2).

    κ          = Cohen's κ of ○ △ × over the cells that both have marked
    weighted κ = the same with quadratic weights: ○ against △ is a quarter of ○ against ×

A cell is one problem in one run. Runs of sheets are the same if their texts are, or by name where a sheet has no hash;
runs of scoring files go by their number. Bonuses and penalties are listed where they differ and are not part of κ: a
finding without a ruling has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from steelyard.audit.key.check import problem_name
from steelyard.audit.key.labels import mark_of
from steelyard.audit.marking.sheet import OPEN, Sheet, finding_index
from steelyard.audit.model import MARKS, SYMBOLS, Mark
from steelyard.audit.scorings import Scoring
from steelyard.errors import IncomparableError
from steelyard.rows import Tabular
from steelyard.stats.agreement import Kappa, table_kappa
from steelyard.yamlfile import Entry

_NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one person said."""

    who: str
    source: str
    names: Mapping[str, str]
    """Name of each run, by what identifies it."""
    marks: Mapping[tuple[str, str], Mark]
    """By run and problem."""
    rulings: Mapping[tuple[str, str], str]
    """By run and finding."""


class Difference(NamedTuple):
    """One place where two people differ."""

    run: str
    what: str
    """Problem or finding."""
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class TwoOpinions(Tabular):
    """How far two people agree, and where they differ."""

    LINES = "differences"

    one: str
    other: str
    counts: tuple[tuple[int, ...], ...]
    """Cells by mark (○ △ ×): rows the first person, columns the second."""
    kappa: Kappa | None
    """None if both gave one and the same mark throughout."""
    weighted: Kappa | None
    differences: tuple[Difference, ...]
    rulings: tuple[Difference, ...]
    alone: tuple[int, int]
    """Cells that only the first, or only the second, has marked."""

    @property
    def cells(self) -> int:
        """Cells that both have marked."""
        return sum(map(sum, self.counts))

    @property
    def alike(self) -> int:
        """Cells with the same mark."""
        return sum(row[place] for place, row in enumerate(self.counts))


def two_opinions(one: Opinion, other: Opinion) -> TwoOpinions:
    """Compares two people's marks; `IncomparableError` if no cell was marked by both."""
    both = [cell for cell in one.marks if cell in other.marks]
    if not both:
        raise IncomparableError(
            f"no cell is marked in both {one.source} and {other.source}",
            cure="two sheets of the same runs, or two scoring files of the same problems",
        )
    counts = [[0] * len(MARKS) for _ in MARKS]
    for cell in both:
        counts[MARKS.index(one.marks[cell])][MARKS.index(other.marks[cell])] += 1
    return TwoOpinions(
        # One person may have marked twice; then the files tell the two sheets apart.
        one=one.who if one.who != other.who else one.source,
        other=other.who if one.who != other.who else other.source,
        counts=tuple(map(tuple, counts)),
        kappa=table_kappa(counts),
        weighted=table_kappa(counts, weights="quadratic"),
        differences=tuple(
            Difference(one.names[run], what, SYMBOLS[one.marks[run, what]], SYMBOLS[other.marks[run, what]])
            for run, what in both
            if one.marks[run, what] != other.marks[run, what]
        ),
        rulings=tuple(_ruled_otherwise(one, other, {run for run, _ in both})),
        alone=(len(one.marks) - len(both), len(other.marks) - len(both)),
    )


def _ruled_otherwise(one: Opinion, other: Opinion, runs: set[str]) -> Iterator[Difference]:
    for run, what in sorted({*one.rulings, *other.rulings}):
        said, answered = (side.rulings.get((run, what), _NEITHER) for side in (one, other))
        if run in runs and said != answered:
            yield Difference(one.names[run], what, said, answered)


def opinion_of_scoring(scoring: Scoring) -> Opinion:
    """The marks of a scoring file."""
    marks: dict[tuple[str, str], Mark] = {
        (str(number), name): mark for name, row in scoring.marks.items() for number, mark in enumerate(row, start=1)
    }
    return Opinion(scoring.source, scoring.source, {run: f"run {run}" for run, _ in marks}, marks, {})


def opinion_of_sheet(sheet: Sheet) -> Opinion:
    """The marks of a sheet; open ones are left out."""
    names: dict[str, str] = {}
    marks: dict[tuple[str, str], Mark] = {}
    rulings: dict[tuple[str, str], str] = {}
    tables = [entry.mapping("a run") for entry in sheet.runs]
    texts = Counter(fields["text"].text() for fields in tables if "text" in fields)
    for place, (entry, fields) in enumerate(zip(sheet.runs, tables, strict=True), start=1):
        name = PurePath(fields["run"].text()).name if "run" in fields else f"run {place}"
        run = (fields["text"].text() if "text" in fields else "") or name
        if texts[run] > 1:
            run = f"{run} {name}"  # an agent may give one answer twice; then the names tell the runs apart
        if run in names:
            raise entry.fail(f"{name} is in the sheet twice")
        names[run] = name
        for problem, value in _entries(fields, "problems"):
            if (mark := _mark(value)) is not None:
                # `p1` in one sheet and `P01` in the other are one problem.
                marks[run, problem_name(problem) or problem] = mark
        for finding, value in _entries(fields, "findings"):
            # Likewise `F7` and `F07`.
            index = finding_index(finding)
            rulings[run, f"F{index:02d}" if index else finding] = _said(value, "verdict")
    who = sheet.marked_by if sheet.marked_by != "unnamed" else PurePath(sheet.source).name
    return Opinion(who, sheet.source, names, marks, rulings)


def _entries(fields: Mapping[str, Entry], name: str) -> Iterator[tuple[str, Entry]]:
    if name in fields and fields[name].value:
        yield from fields[name].mapping(name).items()


def _mark(value: Entry) -> Mark | None:
    sign = _said(value, "mark")
    mark = mark_of(sign)
    if mark is None and sign not in (OPEN, ""):
        raise value.fail(f"unknown mark {sign!r}")
    return mark


def _said(value: Entry, field: str) -> str:
    """A field of an entry, or the entry itself where it is a bare word."""
    if not isinstance(value.value, dict):
        return value.text()
    fields = value.mapping(field)
    return fields[field].text() if field in fields else ""
