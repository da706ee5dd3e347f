"""`(logs, spec) -> Board`: from samples to a board (docs/scoring.md §1.2).

Nothing here reads a file or a clock. Rows are complete, incomplete or withheld; only complete, comparable rows that are
no baseline take a rank. The law itself stands in `score`, the choice of logs in `evidence`, readings in `pairs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from steelyard.bench.analysis.pairs import PAIRED, pairwise, ranking
from steelyard.bench.comparable import unlike
from steelyard.bench.model import (
    BASELINES,
    CATEGORIES,
    OVERALL,
    Board,
    BoardRow,
    CategoryResult,
    Ignored,
    Pair,
    Spec,
    Usage,
)
from steelyard.bench.read.selection import Candidate, Selection, evidence
from steelyard.bench.read.subject import Subject, shown_names
from steelyard.bench.score import category_score, item_means, overall, ranks, withheld
from steelyard.logs.read import Logs, RunRow
from steelyard.outcome import Scored, Unscored, exact
from steelyard.stats.interval import Interval, mean_interval, propagate
from steelyard.stats.rank import tie_groups


def board(logs: Logs, spec: Spec, *, generated_at: str, run_id: str) -> Board:
    """The board of these logs; only a refused mix of scorers or diagram modes raises."""
    found = evidence(logs, spec)
    rows, empty = _rows(found, spec)
    placed, pairs = _placed(_incomparable(rows), spec)
    ordered = tuple(sorted(placed, key=lambda row: (row.overall is None, -(row.overall or 0.0), row.model)))
    return Board(ordered, pairs, (*found.ignored, *empty), spec, generated_at, run_id, _notes(ordered))


def result(runs: Sequence[Candidate], spec: Spec) -> CategoryResult:
    """One subject in one category: several logs only when they are pooled."""
    first = runs[-1]
    outcomes = [pair for run in runs for pair in run.outcomes()]
    items = item_means((run.id, outcome.value) for run, outcome in outcomes if isinstance(outcome, Scored))
    unscored = Counter(outcome.fault for _, outcome in outcomes if isinstance(outcome, Unscored))
    attempted, lost = (
        sum(_attempted(run) for run in runs),
        sum(unscored.values()) + sum(_never_ran(run) for run in runs),
    )
    hidden = withheld(attempted, lost, spec.min_coverage)
    stamp = first.log.stamp
    return CategoryResult(
        category=first.category.key,
        score=None if hidden else category_score(items),
        scored=sum(run.scored for run in runs),
        expected=sum(run.expected for run in runs),
        complete=all(run.complete for run in runs),
        scorer=_scorer_name(first),
        judge=stamp.fingerprint.judge if stamp else None,
        judge_agreement=_agreement(runs) if stamp and stamp.fingerprint.judge else None,
        items=items,
        interval=None if hidden else mean_interval(list(items.values())),
        epochs=sum(run.log.epochs for run in runs),
        lost=lost,
        unscored=dict(unscored),
        failures=dict(Counter(name for run in runs for name in _failures(run))),
        usage=_usage(runs),
        logs=tuple(run.log.path for run in runs),
        fingerprint=stamp.fingerprint if stamp else None,
        remarks=tuple(remark for run in runs for remark in _remarks(run, lost)),
    )


def failure_class(run: RunRow, scorer: str) -> str | None:
    """The class a scorer gave to a run that lost points, where it names one."""
    score = run.scores.get(scorer)
    if score is None or not isinstance(score.outcome, Scored) or exact(score.outcome.value) >= 1:
        return None
    named = score.metadata.get("class") or score.metadata.get("reason")
    return str(named) if named else None


def _rows(found: Selection, spec: Spec) -> tuple[list[BoardRow], list[Ignored]]:
    names = shown_names(run.subject for runs in found.chosen.values() for run in runs)
    results: dict[str, dict[str, CategoryResult]] = {}
    subjects: dict[str, Subject] = {}
    empty: list[Ignored] = []
    for (subject, category), runs in found.chosen.items():
        weighed = result(runs, spec)
        subjects[subject] = runs[-1].subject
        if weighed.started:
            results.setdefault(subject, {})[category] = weighed
        else:
            empty += [Ignored(run.log.path, "empty", f"status {run.log.status}, nothing was scored") for run in runs]
    return [_row(names[key], subjects[key], found) for key, found in results.items()], empty


def _row(name: str, subject: Subject, found: Mapping[str, CategoryResult]) -> BoardRow:
    results = {key: found[key] for key in CATEGORIES if key in found}
    complete = len(results) == len(CATEGORIES) and all(each.complete for each in results.values())
    return BoardRow(
        model=name,
        results=results,
        overall=overall({key: each.score for key, each in results.items()}),
        interval=_overall_interval(results) if complete else None,
        baseline=subject.model in BASELINES,
        complete=complete,
        missing=tuple(key for key in CATEGORIES if key not in results),
        details={"model": subject.model, "label": subject.label, "settings": dict(subject.settings)},
    )


def _incomparable(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Rows with the fields in which each differs from the most common identity of a category named."""
    reference = {key: _reference(rows, key) for key in CATEGORIES}
    return [replace(row, incomparable=_differing(row, reference)) for row in rows]


def _reference(rows: Sequence[BoardRow], key: str) -> CategoryResult | None:
    """The result that most of the others may be compared with; baselines have no say."""
    ranked = [row.results[key] for row in rows if key in row.results and not row.baseline]
    kinds: list[tuple[CategoryResult, int]] = []
    # A partial run cannot show which items it would have had: it has a say only where there is no full one.
    for each in [each for each in ranked if each.complete] or ranked:
        same = next((place for place, (kind, _) in enumerate(kinds) if not _unlike(each, kind)), None)
        if same is None:
            kinds.append((each, 1))
        else:
            kinds[same] = (kinds[same][0], kinds[same][1] + 1)
    return max(kinds, key=lambda kind: kind[1])[0] if kinds else None


def _differing(row: BoardRow, reference: Mapping[str, CategoryResult | None]) -> tuple[str, ...]:
    found = ((key, each, reference[key]) for key, each in row.results.items())
    return tuple(f"{key}: {name}" for key, each, wanted in found if wanted for name in _unlike(each, wanted))


def _unlike(one: CategoryResult, other: CategoryResult) -> tuple[str, ...]:
    """The fields that forbid a comparison of two results of one category."""
    if fields := unlike(one.fingerprint, other.fingerprint, CATEGORIES[one.category]):
        return fields
    if one.complete and other.complete and one.items.keys() != other.items.keys():
        return ("samples",)
    return ()


def _placed(rows: Sequence[BoardRow], spec: Spec) -> tuple[list[BoardRow], tuple[Pair, ...]]:
    """Ranks, rank intervals and tie groups for the rows that may have them."""
    able = [
        row for row in rows if row.complete and not row.baseline and not row.incomparable and row.overall is not None
    ]
    able.sort(key=lambda row: (-exact(row.overall or 0.0), row.model))
    pairs = pairwise([row for row in rows if not row.baseline and not row.incomparable], able)
    place = {row.model: number for number, row in enumerate(able)}
    distinct = [
        (place[pair.first], place[pair.second])
        for pair in pairs
        if pair.category == OVERALL and pair.measured == "distinct"
    ]
    groups = tie_groups(range(min(len(able), PAIRED)), distinct)
    ranked = dict(zip(place, ranks([row.overall or 0.0 for row in able]), strict=True))
    chances = dict(zip(place, ranking(able, spec.seed), strict=True))
    placed = [
        replace(
            row,
            rank=ranked[row.model],
            rank_interval=(chances[row.model].low, chances[row.model].high),
            chance_first=chances[row.model].first,
            tie_group=groups.get(place[row.model]),
        )
        if row.model in place
        else row
        for row in rows
    ]
    return placed, pairs


def _overall_interval(results: Mapping[str, CategoryResult]) -> Interval | None:
    parts = [(CATEGORIES[key].weight, each.interval) for key, each in results.items()]
    known = [(weight, interval) for weight, interval in parts if interval is not None]
    if len(known) != len(CATEGORIES):
        return None
    found = propagate(known)
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def _attempted(run: Candidate) -> int:
    return max(len(run.log.sample_ids) * run.log.epochs, len(run.log.runs))


def _never_ran(run: Candidate) -> int:
    """Runs an eval that ended in an error never got to: our loss. A person's Ctrl-C or limit is nobody's."""
    return max(0, _attempted(run) - len(run.log.runs)) if run.log.status == "error" else 0


def _remarks(run: Candidate, lost: int) -> list[str]:
    named: list[str] = []
    if run.log.limited:
        named.append("made with a sample limit")
    if run.log.status != "success":
        named.append(f"status {run.log.status}" + (f": {run.log.error}" if run.log.error else ""))
    if lost:
        named.append(f"{lost} of {_attempted(run)} runs unscored through our fault")
    return named


def _agreement(runs: Sequence[Candidate]) -> Mapping[str, Any] | None:
    from steelyard.judge.judgement import RATINGS, concord  # only where somebody judged

    scores = (each.scores[run.scorer] for run in runs for each, _ in run.outcomes() if run.scorer in each.scores)
    return concord(score.metadata.get(RATINGS) or {} for score in scores)


def _failures(run: Candidate) -> list[str]:
    return [name for each in run.log.runs if (name := failure_class(each, run.scorer))]


def _scorer_name(run: Candidate) -> str:
    stamped = run.log.stamp.fingerprint.scorer if run.log.stamp else ""
    return stamped if stamped.partition("@")[0] == run.scorer else run.scorer


def _usage(runs: Sequence[Candidate]) -> Usage:
    """What the subject itself used; a judge's tokens are not the subject's."""
    rows = [(run.log.model, each) for run in runs for each in run.log.runs]
    used = [each.usage[model] for model, each in rows if model in each.usage]
    costs = [each.get("total_cost") for each in used]
    return Usage(
        input_tokens=_total([each.get("input_tokens") for each in used]),
        output_tokens=_total([each.get("output_tokens") for each in used]),
        cost_usd=float(sum(cast(list[float], costs))) if costs and None not in costs else None,
        seconds=busy_seconds([each.span for _, each in rows if each.span is not None]),
    )


def busy_seconds(spans: Sequence[tuple[datetime, datetime]]) -> float | None:
    """How long at least one of these was under way: side by side counts once, a pause counts nothing."""
    if not spans:
        return None
    total, until = 0.0, min(begin for begin, _ in spans)
    for begin, end in sorted(spans):
        total += max(0.0, (end - max(begin, until)).total_seconds())
        until = max(until, end)
    return total


def _total(values: Sequence[Any]) -> int | None:
    known = [int(value) for value in values if value is not None]
    return sum(known) if known else None


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
