"""The marks of a scoring file: ○ △ × per problem and run.

They are in a table with a column per run, a table per run, a table with a row per run and a column per problem, or in
lines below a heading per problem (`Run1: ○ (1.0)`). What is listed as bonus or penalty has no marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from steelyard.audit.key.check import natural, problem_name
from steelyard.audit.key.labels import mark_of
from steelyard.audit.model import SYMBOLS, Mark
from steelyard.audit.scorings.labels import label_of, named_run, title_label, title_runs
from steelyard.audit.scorings.outline import Entry

_ID = re.compile(r"^\W*(?P<id>[A-Za-z][A-Za-z0-9]{0,11}?\s?[-_]?\d{1,4})(?![A-Za-z0-9])")
_RUN_COLUMN = re.compile(r"^\W*run\s*[-_#]?\s*(\d{1,2})(?!\d)", re.IGNORECASE)
_MARK_COLUMN = ("mark", "judg", "detect", "result", "verdict", "判定", "検出", "結果")
_MARK_LINE = re.compile(r"^[\s*_`•-]*(?P<label>[^:=]{1,40}?)[\s*_`]*[:=][\s*_`]*(?P<mark>\S+)")
Found = tuple[str, int, Mark]
"""Problem, run, mark."""


def mark_rows(lines: Sequence[Entry]) -> dict[str, dict[int, Mark]]:
    """Problem → run → mark; empty if the file has none. Where a mark is stated again, the last one counts."""
    return _gathered(_stated(lines))


def _stated(lines: Sequence[Entry]) -> list[Found]:
    """Every mark in the order of the file."""
    found = [entry for entry in lines if not _lists_extras(entry)]
    rows = [entry for entry in found if entry.cells]
    return list(_by_row(rows)) or list(_by_column(rows)) or list(_by_line(found))


def _gathered(marks: Sequence[Found]) -> dict[str, dict[int, Mark]]:
    """The last mark per problem and run; ids of another kind than most (`I-1` among `P01` …) are other things."""
    if not marks:
        return {}
    kinds = Counter(natural(name)[0] for name, _, _ in marks)
    # Ids such as P01 are those of the problems, however many others there are.
    usual = max(kinds, key=lambda kind: (kind == "p", kinds[kind]))
    by_problem: dict[str, dict[int, Mark]] = {}
    for name, run, mark in marks:
        if natural(name)[0] == usual:
            by_problem.setdefault(name, {})[run] = mark
    return by_problem


def revisions(lines: Sequence[Entry]) -> list[str]:
    """Marks that the file states again and otherwise, in words: the last one counts."""
    first: dict[tuple[str, int], Mark] = {}
    last: dict[tuple[str, int], Mark] = {}
    for name, run, mark in _stated(lines):
        first.setdefault((name, run), mark)
        last[name, run] = mark
    changed = [cell for cell, mark in last.items() if first[cell] != mark]
    return [f"{name} in run {run}: {SYMBOLS[first[name, run]]} → {SYMBOLS[last[name, run]]}" for name, run in changed]


def _lists_extras(entry: Entry) -> bool:
    kinds = title_label(entry.titles[-1]).kinds if entry.titles else frozenset[str]()
    return bool(kinds & {"bonus", "penalty"}) and "detection" not in kinds


def _by_row(rows: Sequence[Entry]) -> Iterator[Found]:
    """A row per problem."""
    for row in rows:
        name = problem_of(row.cells[0])
        if name is None:
            continue
        columns = [(int(match[1]), at) for at, head in enumerate(row.heads) if (match := _RUN_COLUMN.match(head))]
        signs: list[tuple[int, Mark]] = [
            (run, sign) for run, at in columns if at < len(row.cells) and (sign := _sign(row.cells[at]))
        ]
        run = named_run(row.titles)
        if run and not columns and (sign := _only_sign(row)):
            signs = [(run, sign)]
        for number, mark in signs:
            yield name, number, mark


def _only_sign(row: Entry) -> Mark | None:
    """The mark of a row that is about one run: in the column for it, else the first."""
    signs: list[tuple[bool, Mark]] = []
    for head, cell in zip(row.heads[1:], row.cells[1:], strict=False):
        if sign := _sign(cell):
            signs.append((not any(word in head.lower() for word in _MARK_COLUMN), sign))
    return min(signs, key=lambda sign: sign[0])[1] if signs else None


def _by_column(rows: Sequence[Entry]) -> Iterator[Found]:
    """A row per run, a column per problem."""
    for row in rows:
        label = label_of(row.cells[0])
        for head, cell in zip(row.heads[1:], row.cells[1:], strict=False):
            name, sign = problem_of(head), _sign(cell)
            if label is not None and label.run and name and sign:
                yield name, label.run, sign


def _by_line(found: Sequence[Entry]) -> Iterator[Found]:
    """Lines below a heading per problem, in a chapter per run or with the run in front."""
    for entry in found:
        name = next((name for title in reversed(entry.titles) if (name := problem_of(title))), None)
        line = _MARK_LINE.match(entry.text)
        sign = _sign(line["mark"]) if line else None
        # Signs alone: a word such as `detected` may begin a sentence.
        if name and line and sign and len(line["mark"].strip(" *_`,;.")) <= 2:
            run = next(iter(title_runs(line["label"])), None) or named_run(entry.titles)
            if run:
                yield name, run, sign


def _sign(cell: str) -> Mark | None:
    """The mark that a cell begins with: `○`, `△ (0.5)`."""
    first = cell.strip(" *_`").split("(")[0].split()
    return mark_of(first[0]) if first else None


def problem_of(text: str) -> str | None:
    """The problem whose id a text begins with; bonus entries and runs have none."""
    match = _ID.match(text)
    name = problem_name(match["id"]) if match else None
    return None if name is None or name.casefold().startswith(("b", "run")) else name
