"""`(selection, spec, generated_at, run_id) -> Board`: from the logs that count to a board (docs/scoring.md §1.2).

Pure: an import contract keeps files and Inspect out. A row is complete, incomplete or withheld; only complete and
comparable rows that are not baselines get a rank. The formulas are in `score`, one category of one subject in
`category`, pairs of subjects in `analysis.pairs`; `read.selection` chooses the logs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from steelyard.bench.analysis.pairs import PAIRED, pairwise, ranking
from steelyard.bench.analysis.separation import separation
from steelyard.bench.category import Category
from steelyard.bench.comparable import unlike
from steelyard.bench.model import (
    BASELINES,
    OVERALL,
    Board,
    BoardRow,
    CategoryResult,
    Ignored,
    Pair,
    Spec,
)
from steelyard.bench.score import overall, ranks
from steelyard.bench.subjects import Selection, Subject
from steelyard.bench.suite import Suite
from steelyard.bench.weigh.category import category_result
from steelyard.bench.weigh.facts import Items
from steelyard.outcome import exact
from steelyard.rows import LogRow
from steelyard.stats.interval import Interval, propagate
from steelyard.stats.rank import tie_groups


def board(selection: Selection, spec: Spec, *, generated_at: str, run_id: str) -> Board:
    """The board of the selected logs."""
    rows, empty = _rows(selection, spec)
    placed, pairs = _placed(_incomparable(rows, spec.suite), spec)
    ordered = tuple(sorted(placed, key=lambda row: (row.overall is None, -exact(row.overall or 0.0), row.model)))
    notes = (*selection.notes, *_notes(ordered), *_without_strict(ordered, spec.suite))
    ignored = (*selection.ignored, *empty)
    apart = separation(ordered, pairs, spec.suite)
    return Board(ordered, pairs, ignored, spec, generated_at, run_id, notes, apart)


def _rows(selection: Selection, spec: Spec) -> tuple[list[BoardRow], list[Ignored]]:
    results: dict[str, dict[str, CategoryResult]] = {}
    subjects: dict[str, Subject] = {}
    empty: list[Ignored] = []
    items: defaultdict[str, Items] = defaultdict(Items)
    for (subject, category), candidates in selection.chosen.items():
        result = category_result(candidates, spec, items[category])
        subjects[subject] = candidates[-1].subject
        if result.started:
            results.setdefault(subject, {})[category] = result
        else:
            empty += [_empty(candidate.log) for candidate in candidates]
    rows = [_row(selection.names[key], subjects[key], by_category, spec.suite) for key, by_category in results.items()]
    return rows, empty


def _empty(log: LogRow) -> Ignored:
    return Ignored(log.path, "empty", f"status {log.status}, nothing was scored")


def _row(name: str, subject: Subject, by_category: Mapping[str, CategoryResult], suite: Suite) -> BoardRow:
    results = {key: by_category[key] for key in suite.categories if key in by_category}
    complete = len(results) == len(suite.categories) and all(result.complete for result in results.values())
    return BoardRow(
        model=name,
        results=results,
        overall=overall({key: result.score for key, result in results.items()}, suite),
        strict=overall({key: result.strict for key, result in results.items()}, suite),
        interval=_overall_interval(results, suite) if complete else None,
        baseline=subject.model in BASELINES or subject.model in suite.baselines,
        complete=complete,
        missing=tuple(key for key in suite.categories if key not in results),
        details={"model": subject.model, "label": subject.label, "settings": dict(subject.settings)},
    )


def _incomparable(rows: Sequence[BoardRow], suite: Suite) -> list[BoardRow]:
    """The rows, each with the fields in which it differs from the most common identity of a category."""
    references = {key: _reference(rows, category) for key, category in suite.categories.items()}
    return [replace(row, incomparable=_differing(row, references, suite)) for row in rows]


def _reference(rows: Sequence[BoardRow], category: Category) -> CategoryResult | None:
    """The result that most others are comparable with; baselines do not count."""
    results = [row.results[category.key] for row in rows if category.key in row.results and not row.baseline]
    kinds: list[tuple[CategoryResult, int]] = []
    # A partial run does not show which items a full one has, so it counts only if there is no full run.
    for result in [result for result in results if result.complete] or results:
        same = next((place for place, (kind, _) in enumerate(kinds) if not _unlike(result, kind, category)), None)
        if same is None:
            kinds.append((result, 1))
        else:
            kinds[same] = (kinds[same][0], kinds[same][1] + 1)
    return max(kinds, key=lambda kind: kind[1])[0] if kinds else None


def _differing(row: BoardRow, references: Mapping[str, CategoryResult | None], suite: Suite) -> tuple[str, ...]:
    pairs = ((key, result, references[key]) for key, result in row.results.items())
    return tuple(
        f"{key}: {name}"
        for key, result, reference in pairs
        if reference
        for name in _unlike(result, reference, suite.categories[key])
    )


def _unlike(one: CategoryResult, other: CategoryResult, category: Category) -> tuple[str, ...]:
    """The fields that forbid a comparison of two results of one category."""
    if fields := unlike(one.fingerprint, other.fingerprint, category):
        return fields
    # Only full runs: a partial one does not show which items it would have had.
    if one.complete and other.complete and one.items.keys() != other.items.keys():
        return ("samples",)
    return ()


def _placed(rows: Sequence[BoardRow], spec: Spec) -> tuple[list[BoardRow], tuple[Pair, ...]]:
    """Ranks, rank intervals and tie groups for the rows that may have them."""
    comparable = [row for row in rows if not row.baseline and not row.incomparable]
    ranked = [row for row in comparable if row.complete and row.overall is not None]
    # Rounded, so that rows with equal scores are sorted by name and not by floating-point noise.
    ranked.sort(key=lambda row: (-exact(row.overall or 0.0), row.model))
    pairs = pairwise(comparable, ranked, spec.suite)
    place = {row.model: number for number, row in enumerate(ranked)}
    distinct = [
        (place[pair.first], place[pair.second])
        for pair in pairs
        if pair.category == OVERALL and pair.measured == "distinct"
    ]
    # Rows beyond these are in no pair, so nothing could show them to be distinct.
    groups = tie_groups(range(min(len(ranked), PAIRED)), distinct)
    rank = dict(zip(place, ranks([row.overall or 0.0 for row in ranked]), strict=True))
    chances = dict(zip(place, ranking(ranked, spec.seed, spec.suite), strict=True))
    placed = [
        replace(
            row,
            rank=rank[row.model],
            rank_interval=(chances[row.model].low, chances[row.model].high),
            chance_first=chances[row.model].first,
            tie_group=groups.get(place[row.model]),
        )
        if row.model in place
        else row
        for row in rows
    ]
    return placed, pairs


def _overall_interval(results: Mapping[str, CategoryResult], suite: Suite) -> Interval | None:
    parts = [(suite.categories[key].weight, result.interval) for key, result in results.items()]
    known = [(weight, interval) for weight, interval in parts if interval is not None]
    if len(known) != len(suite.categories):
        return None
    interval = propagate(known)
    # The propagated interval is symmetric and may reach beyond what a score can be.
    return replace(interval, low=max(0.0, interval.low), high=min(1.0, interval.high))


def _notes(rows: Sequence[BoardRow]) -> tuple[str, ...]:
    notes: list[str] = []
    if sum(row.rank is not None for row in rows) > PAIRED:
        notes.append(f"only the best {PAIRED} are compared pair by pair and put into tie groups")
    if stand_ins := [row.model for row in rows if row.stand_in]:
        notes.append(
            f"embedded, not a language model: {', '.join(stand_ins)} (the reference answers with a known share of the "
            "items withheld)"
        )
    for row in rows:
        if row.incomparable:
            notes.append(f"{row.model} is not comparable with the rest: {', '.join(row.incomparable)}")
    return tuple(notes)


def _without_strict(rows: Sequence[BoardRow], suite: Suite) -> list[str]:
    """One note per category whose logs do not say what the strict score needs."""
    lacking: dict[str, list[str]] = {}
    for row in rows:
        for key, result in row.results.items():
            if result.strict is None and result.score is not None:
                lacking.setdefault(key, []).append(row.model)
    return [
        f"no strict score for {', '.join(models)}: the logs of {suite.categories[key].name} were scored by a version "
        "that does not record it; steelyard rescore --all adds it"
        for key, models in lacking.items()
    ]
