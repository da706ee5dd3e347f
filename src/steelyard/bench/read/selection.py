"""Which logs count, and why the others do not (docs/scoring.md §1.2).

The category of a log comes from its stamp or its registered task name, never from a file name. Of one subject and
category, logs with the same task id are one run and the newest complete run counts; `pool` averages all complete runs
with equal fingerprints. Heuristic and judge scores of a category, or two diagram modes, are never mixed: a mix raises
unless the spec picks one. Where scorers are interchangeable, the default one counts before the others. Every log that
does not count is listed with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from steelyard.bench.category import Category
from steelyard.bench.comparable import unlike
from steelyard.bench.model import BASELINES, Ignored, Spec
from steelyard.bench.read.adopt import offered
from steelyard.bench.read.duplicates import without_copies
from steelyard.bench.read.subject import shown_names, subject_of
from steelyard.bench.subjects import Candidate, Selection, Subject, scorers_of
from steelyard.bench.suite import OWN, Suite, shipped, suite_with, title_of, way_to
from steelyard.errors import IncomparableError, InputError, one_line
from steelyard.outcome import Scored
from steelyard.report import numbers
from steelyard.rows import LogRow, Logs

_NAMED = 5
"""Items named one by one where two scorers differ."""


def category_of(log: LogRow, suite: Suite | None = None) -> Category | None:
    """The category of a log in `suite`, or in any shipped one; None for logs of other tasks."""
    categories = shipped() if suite is None else suite.categories.values()
    stamp = log.stamp
    if stamp is None:
        return next((category for category in categories if category.task == log.task), None)
    return next((each for each in categories if stamp.wing == "bench" and each.unit == stamp.unit), None)


def select(logs: Logs, spec: Spec) -> Selection:
    """The logs that count; raises `IncomparableError` if scorers or diagram modes are mixed and the spec picks none."""
    _known_scorer(spec)
    ignored = [Ignored(path, "corrupt", reason) for path, reason in logs.problems]
    kind_of = _kinds(spec)
    candidates = _candidates(logs.rows, spec, kind_of, ignored)
    _refuse_mix(candidates, spec.suite)
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.subject.key, candidate.category.key), []).append(candidate)
    notes = _other_suites(row for row in logs.rows if kind_of(row).category is None)
    chosen = {
        key: tuple(map(_unpacked, _choose(_one_scorer(group, ignored, notes), spec.pool, ignored)))
        for key, group in groups.items()
    }
    names = shown_names(run.subject for runs in chosen.values() for run in runs)
    return Selection(chosen, names, tuple(sorted(ignored, key=lambda entry: entry.path)), tuple(notes))


def _unpacked(run: Candidate) -> Candidate:
    """The candidate with its runs in memory, because weighing goes through them more than once."""
    return replace(run, log=replace(run.log, runs=tuple(run.log.runs)))


def _picked_scorer(spec: Spec, category: Category) -> str | None:
    """The scorer that the spec picks for a category, if it picks one."""
    choice = category.choice(spec.scorer)
    return choice.scorer if choice is not None and len(category.choices) > 1 else None


def _known_scorer(spec: Spec) -> None:
    choices = [
        (name, choice.scorer)
        for category in spec.suite.categories.values()
        for name, choice in category.choices.items()
    ]
    known = list(dict.fromkeys(name for names in zip(*choices, strict=True) for name in names))
    if spec.scorer is not None and spec.scorer not in known:
        raise InputError(f"unknown scorer {spec.scorer!r}", cure=f"one of {', '.join(known)}")


class _Kind(NamedTuple):
    """What the head of a log and its scorers decide: rows from the index share their heads, so it is asked once."""

    subject: Subject
    category: Category | None
    refusal: str | None
    """Why logs of this kind do not belong to the category."""
    scorers: tuple[str, ...]
    """Whose numbers may count."""


def _kinds(spec: Spec) -> Callable[[LogRow], _Kind]:
    known: dict[tuple[object, ...], _Kind] = {}

    def kind_of(row: LogRow) -> _Kind:
        scorers = None if row.tally is None else tuple(row.tally)
        # By identity, which is valid as long as the rows live; without a tally the runs decide, which are their own.
        parts = (row.stamp, row.model_args, row.generate_config, row.runs if scorers is None else None)
        key = (*map(id, parts), row.model, row.task, scorers)
        if key not in known:
            category = category_of(row, spec.suite)
            refusal = category.refuses(row.stamp) if category else None
            names = tuple(_scorers(row, category, spec)) if category and refusal is None else ()
            known[key] = _Kind(subject_of(row), category, refusal, names)
        return known[key]

    return kind_of


def _candidates(
    rows: Sequence[LogRow], spec: Spec, kind_of: Callable[[LogRow], _Kind], ignored: list[Ignored]
) -> list[Candidate]:
    candidates: list[Candidate] = []
    for row in without_copies(rows, ignored):
        subject, category, refusal, scorers = kind_of(row)
        if category is None:
            ignored.append(_outside(row, spec.suite))
            continue
        if refusal is not None:
            ignored.append(Ignored(row.path, "other items", refusal))
        elif not scorers:
            reason = f"holds no score by {_picked_scorer(spec, category) or ' or '.join(category.scorers)}"
            reason += f", only by {', '.join(present)}" if (present := offered(row)) else ""
            ignored.append(Ignored(row.path, "other scorer", reason))
        # A log without a stamp may hold scores of two scorers. Each becomes a candidate, so that a mix is noticed.
        for scorer in scorers:
            candidate = Candidate(row, subject, category, scorer)
            if spec.diagrams and candidate.diagrams not in (None, spec.diagrams):
                ignored.append(Ignored(row.path, "other diagrams", f"made with diagrams={candidate.diagrams}"))
            else:
                candidates.append(candidate)
    return candidates


def _outside(row: LogRow, suite: Suite) -> Ignored:
    """A log of another suite, or of no suite."""
    if (name := _suite_name(row)) is not None:
        reason = f"a log of {title_of(name)}, which has a board of its own: {way_to(name)}"
        return Ignored(row.path, "other suite", reason)
    return Ignored(row.path, "foreign", f"a log of {row.task}, which is not a category of {suite.title}")


def _other_suites(rows: Iterable[LogRow]) -> list[str]:
    """One note per other suite that these logs are of."""
    others = Counter(map(_suite_name, rows))
    return [
        f"{numbers.things(count, 'log')} of {title_of(name)}, which has a board of its own: {way_to(name)}"
        for name, count in others.items()
        if name is not None
    ]


def _suite_name(row: LogRow) -> str | None:
    """The name of a log's suite, shipped or not; None for logs of other tasks."""
    if row.stamp is not None and row.stamp.wing == "bench" and row.stamp.unit.startswith(OWN):
        return one_line(row.stamp.unit.partition("/")[0], 60)
    category = category_of(row)
    return None if category is None else suite_with(category.key).name


def _scorers(row: LogRow, category: Category, spec: Spec) -> list[str]:
    """The official scorers of this log whose numbers may count."""
    present = scorers_of(row)
    stamped = row.stamp.fingerprint.scorer.partition("@")[0] if row.stamp else None
    picked = _picked_scorer(spec, category)
    if picked is not None:
        return [picked] if picked in present or (not present and stamped == picked) else []
    official = [name for name in category.scorers if name in present]
    # The log may hold other scorers' scores too, but the run was made for the one in its stamp.
    if stamped in official:
        return [stamped]
    if not present:  # nothing is scored yet, but the log still belongs to its category
        return [stamped if stamped in category.scorers else category.scorers[0]]
    return official


def _refuse_mix(candidates: Sequence[Candidate], suite: Suite) -> None:
    for category in suite.categories.values():
        scorers = {candidate.scorer for candidate in candidates if candidate.category is category}
        if len(scorers) > 1 and not category.interchangeable:
            raise IncomparableError(
                f"{category.name}: {' and '.join(category.choices)} scores are never mixed on one board",
                cure=f"pick one with --scorer {' or --scorer '.join(category.choices)}",
            )
        # Baselines look up their answers, so their diagram mode does not matter.
        ranked = [run for run in candidates if run.category is category and run.subject.model not in BASELINES]
        modes = {run.diagrams for run in ranked if run.diagrams is not None}
        if len(modes) > 1:
            raise IncomparableError(
                f"{category.name}: runs with diagrams as {' and as '.join(sorted(modes))} are never mixed on one board",
                cure="pick one with --diagrams " + " or --diagrams ".join(sorted(modes)),
            )


def _one_scorer(group: Sequence[Candidate], ignored: list[Ignored], notes: list[str]) -> list[Candidate]:
    """The runs of one subject and category by a single scorer: the default if it has a complete run, else the other.

    Interchangeable scorers may share a board, but one must not displace the other without a word.
    """
    scorers = group[0].category.scorers
    present = [name for name in scorers if any(run.scorer == name for run in group)]
    complete = [name for name in present if any(run.scorer == name and run.complete for run in group)]
    counts = (complete or present)[0]
    kept, others = ([run for run in group if (run.scorer == counts) is wanted] for wanted in (True, False))
    for run in others:
        reason = f"scored by {run.scorer}, and the log by {counts} counts; pick it with --scorer {run.scorer}"
        ignored.append(Ignored(run.log.path, "other scorer", reason))
    if others:
        subject = others[0].subject.label or others[0].subject.model
        names = " and ".join(dict.fromkeys(run.scorer for run in others))
        notes.append(
            f"{subject}, {group[0].category.name}: logs by {counts} and by {names}; {counts} counts"
            + _disagreement(max(kept, key=_order), max(others, key=_order))
        )
    return kept


def _disagreement(one: Candidate, other: Candidate) -> str:
    first, second = (
        {(run.id, run.epoch): outcome.value for run, outcome in candidate.outcomes() if isinstance(outcome, Scored)}
        for candidate in (one, other)
    )
    differing = sorted(
        {item for item, epoch in first.keys() & second.keys() if first[item, epoch] != second[item, epoch]}
    )
    return f"; they differ on {len(differing)} items: {numbers.few(differing, _NAMED)}" if differing else ""


def _choose(group: Sequence[Candidate], pool: bool, ignored: list[Ignored]) -> tuple[Candidate, ...]:
    by_task: dict[str, list[Candidate]] = {}
    for candidate in group:
        # Attempts of an interrupted eval set share a task id and count as one run.
        by_task.setdefault(candidate.log.task_id or candidate.log.path, []).append(candidate)
    runs = [_best(attempts, "an earlier attempt of the same run", ignored) for attempts in by_task.values()]
    complete = [run for run in runs if run.complete] if pool else []
    if len(complete) > 1:
        newest = max(complete, key=_order)
        pooled = [run for run in complete if _same(run, newest)]
        _supersede([run for run in runs if run not in pooled], "not pooled: incomplete or another fingerprint", ignored)
        return tuple(sorted(pooled, key=_order))
    return (_best(runs, "a newer or more complete run of the same subject counts", ignored),)


def _best(runs: Sequence[Candidate], reason: str, ignored: list[Ignored]) -> Candidate:
    best = runs[0] if len(runs) == 1 else max(runs, key=_order)
    _supersede([run for run in runs if run is not best], reason, ignored)
    return best


def _supersede(runs: Iterable[Candidate], reason: str, ignored: list[Ignored]) -> None:
    ignored.extend(Ignored(run.log.path, "superseded", f"{reason} (status {run.log.status})") for run in runs)


def _order(run: Candidate) -> tuple[bool, int, bool, datetime, str]:
    """Complete before incomplete, then by runs scored, finished before unfinished, newest."""
    complete = run.complete
    # 0 for complete runs: among these the newest counts, not the one with more epochs.
    return complete, 0 if complete else run.scored, run.log.status == "success", run.created, run.log.path


def _same(one: Candidate, other: Candidate) -> bool:
    first, second = (run.log.stamp.fingerprint if run.log.stamp else None for run in (one, other))
    return not unlike(first, second)
