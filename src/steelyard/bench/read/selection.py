"""Which logs count, and why the others do not (docs/scoring.md §1.2).

The category of a log is read from its stamp, or from its registered task name; never from a file name. Of one subject
and category: logs of one task id are one run, the newest complete run counts, `pool` averages all complete runs of
equal fingerprint. Heuristic and judge scores of a category, or two diagram modes, are never mixed: a mix is refused
unless the spec picks one. Whatever does not count is listed with its reason; nothing is fatal but a mix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from steelyard.bench.category import Category
from steelyard.bench.comparable import unlike
from steelyard.bench.model import BASELINES, CATEGORIES, Ignored, Spec
from steelyard.bench.read.duplicates import without_copies
from steelyard.bench.read.subject import Subject, subject_of
from steelyard.errors import IncomparableError, InputError
from steelyard.logs.read import LogRow, Logs, RunRow
from steelyard.outcome import Outcome, Scored, Unscored


@dataclass(frozen=True, slots=True)
class Candidate:
    """A log of ours, with the scorer whose numbers count."""

    log: LogRow
    subject: Subject
    category: Category
    scorer: str

    @property
    def created(self) -> datetime:
        """When the run started; the beginning of time when the log does not say."""
        try:
            found = datetime.fromisoformat(self.log.created)
        except ValueError:
            return datetime.min.replace(tzinfo=UTC)
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    @property
    def diagrams(self) -> str | None:
        """The resolved diagram mode, where the task has one."""
        mode = self.log.stamp.fingerprint.parameters.get("diagrams") if self.log.stamp else None
        return str(mode) if mode is not None else None

    @property
    def expected(self) -> int:
        """Runs of a full evaluation with these epochs."""
        return self.category.sample_count * self.log.epochs

    @property
    def scored(self) -> int:
        """Runs with a number."""
        return sum(isinstance(outcome, Scored) for _, outcome in self.outcomes())

    @property
    def complete(self) -> bool:
        """Never true for a limited, unfinished or partly scored log."""
        return self.log.status == "success" and not self.log.limited and self.scored >= self.expected

    def outcomes(self) -> Iterable[tuple[RunRow, Outcome]]:
        """Every run that was recorded, each (item, epoch) once, with its outcome under the scorer that counts."""
        seen: set[tuple[str, int]] = set()
        for run in self.log.runs:
            if (run.id, run.epoch) not in seen and not self._interrupted(run):
                seen.add((run.id, run.epoch))
                yield run, outcome_of_run(run, self.scorer)

    def _interrupted(self, run: RunRow) -> bool:
        """A person's Ctrl-C: the run was not lost, it was not run."""
        return self.log.status == "cancelled" and (run.error or "").startswith("CancelledError")


class Selection(NamedTuple):
    """What a board is made of."""

    chosen: Mapping[tuple[str, str], tuple[Candidate, ...]]
    """(subject key, category key) → the logs that count; several only when pooled."""
    ignored: tuple[Ignored, ...]


def outcome_of_run(run: RunRow, scorer: str) -> Outcome:
    """A run's outcome; an error, no such score, or a number that no scorer of ours can give was not the subject's."""
    if run.error:
        return Unscored("harness", run.error)
    if scorer not in run.scores:
        return Unscored("harness", f"no score by {scorer}")
    outcome = run.scores[scorer].outcome
    if isinstance(outcome, Scored) and not 0 <= outcome.value <= 1:
        return Unscored("harness", f"the score {outcome.value} is outside 0 to 1")
    return outcome


def category_of(log: LogRow) -> Category | None:
    """The category a log belongs to, or None for logs of other tasks."""
    if log.stamp is not None:
        return CATEGORIES.get(log.stamp.unit) if log.stamp.wing == "bench" else None
    return next((category for category in CATEGORIES.values() if log.task == category.task), None)


def evidence(logs: Logs, spec: Spec) -> Selection:
    """The logs that count; `IncomparableError` when scorers or diagram modes are mixed and the spec picks none."""
    _known_scorer(spec)
    ignored = [Ignored(path, "corrupt", reason) for path, reason in logs.problems]
    candidates = _candidates(logs.rows, spec, ignored)
    _refuse_mix(candidates)
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.subject.key, candidate.category.key), []).append(candidate)
    chosen = {key: _choose(group, spec.pool, ignored) for key, group in groups.items()}
    return Selection(chosen, tuple(sorted(ignored, key=lambda each: each.path)))


def wanted_scorer(spec: Spec, category: Category) -> str | None:
    """The scorer the spec picks for a category; None when it does not concern this one."""
    choice = category.choice(spec.scorer)
    return choice.scorer if choice is not None and len(category.choices) > 1 else None


def _known_scorer(spec: Spec) -> None:
    ways = [(name, choice.scorer) for category in CATEGORIES.values() for name, choice in category.choices.items()]
    known = list(dict.fromkeys(name for way in zip(*ways, strict=True) for name in way))
    if spec.scorer is not None and spec.scorer not in known:
        raise InputError(f"there is no scorer {spec.scorer!r}", cure=f"one of {', '.join(known)}")


def _candidates(rows: Sequence[LogRow], spec: Spec, ignored: list[Ignored]) -> list[Candidate]:
    found: list[Candidate] = []
    for row in without_copies(rows, ignored):
        category = category_of(row)
        if category is None:
            ignored.append(Ignored(row.path, "foreign", f"a log of {row.task}, which is no category of SA Bench"))
            continue
        for scorer in _scorers(row, category, spec) or [None]:
            if scorer is None:
                reason = f"holds no score by {wanted_scorer(spec, category) or ' or '.join(category.scorers)}"
                ignored.append(Ignored(row.path, "other scorer", reason))
                continue
            candidate = Candidate(row, subject_of(row), category, scorer)
            if spec.diagrams and candidate.diagrams not in (None, spec.diagrams):
                ignored.append(Ignored(row.path, "other diagrams", f"made with diagrams={candidate.diagrams}"))
            else:
                found.append(candidate)
    return found


def _scorers(row: LogRow, category: Category, spec: Spec) -> list[str]:
    """The official scorers whose numbers of this log could count."""
    present = {name for run in row.runs for name in run.scores}
    stamped = row.stamp.fingerprint.scorer.partition("@")[0] if row.stamp else None
    wanted = wanted_scorer(spec, category)
    if wanted is not None:
        return [wanted] if wanted in present or (not present and stamped == wanted) else []
    official = [name for name in category.scorers if name in present]
    if stamped in official:
        return [stamped]
    if not present:  # nothing was scored yet: the log still belongs to its category
        return [stamped if stamped in category.scorers else category.scorers[0]]
    return official


def _refuse_mix(candidates: Sequence[Candidate]) -> None:
    for category in CATEGORIES.values():
        scorers = {each.scorer for each in candidates if each.category is category}
        if len(scorers) > 1 and not category.interchangeable:
            raise IncomparableError(
                f"{category.name}: {' and '.join(category.choices)} scores are never mixed on one board",
                cure=f"pick one with --scorer {' or --scorer '.join(category.choices)}",
            )
        ranked = [each for each in candidates if each.category is category and each.subject.model not in BASELINES]
        modes = {each.diagrams for each in ranked if each.diagrams is not None}
        if len(modes) > 1:
            raise IncomparableError(
                f"{category.name}: runs with diagrams as {' and as '.join(sorted(modes))} are never mixed on one board",
                cure="pick one with --diagrams " + " or --diagrams ".join(sorted(modes)),
            )


def _choose(group: Sequence[Candidate], pool: bool, ignored: list[Ignored]) -> tuple[Candidate, ...]:
    by_task: dict[str, list[Candidate]] = {}
    for candidate in group:
        by_task.setdefault(candidate.log.task_id or candidate.log.path, []).append(candidate)
    runs = [_best(attempts, "an earlier attempt of the same run", ignored) for attempts in by_task.values()]
    complete = [run for run in runs if run.complete]
    if pool and len(complete) > 1:
        newest = max(complete, key=_order)
        pooled = [run for run in complete if _same(run, newest)]
        _supersede([run for run in runs if run not in pooled], "not pooled: incomplete or another fingerprint", ignored)
        return tuple(sorted(pooled, key=_order))
    return (_best(runs, "a newer or more complete run of the same subject counts", ignored),)


def _best(runs: Sequence[Candidate], reason: str, ignored: list[Ignored]) -> Candidate:
    best = max(runs, key=_order)
    _supersede([run for run in runs if run is not best], reason, ignored)
    return best


def _supersede(runs: Iterable[Candidate], reason: str, ignored: list[Ignored]) -> None:
    ignored.extend(Ignored(run.log.path, "superseded", f"{reason} (status {run.log.status})") for run in runs)


def _order(run: Candidate) -> tuple[bool, int, bool, datetime, str]:
    """Complete before incomplete, then by what was scored, finished before unfinished, then the newest."""
    scored = 0 if run.complete else run.scored
    return run.complete, scored, run.log.status == "success", run.created, run.log.path


def _same(one: Candidate, other: Candidate) -> bool:
    first, second = (run.log.stamp.fingerprint if run.log.stamp else None for run in (one, other))
    return not unlike(first, second)
