"""The logs that count, as frozen data: `read.selection` chooses them, `weigh` turns them into a board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from steelyard.bench.category import Category
from steelyard.bench.model import Ignored
from steelyard.outcome import Outcome, Scored, Unscored, outcome_of_error
from steelyard.rows import LogRow, RunRow


@dataclass(frozen=True, slots=True)
class Subject:
    """What tells one subject from another."""

    key: str
    """Equal for the logs of one subject."""
    model: str
    label: str | None
    """The name that a person gave, if one did."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Model arguments and generation config, flat."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A log of SA Bench that may count, and the scorer whose numbers count."""

    log: LogRow
    subject: Subject
    category: Category
    scorer: str

    @property
    def created(self) -> datetime:
        """When the run started; `datetime.min` if the log does not say."""
        try:
            created = datetime.fromisoformat(self.log.created)
        except ValueError:
            return datetime.min.replace(tzinfo=UTC)
        return created if created.tzinfo else created.replace(tzinfo=UTC)

    @property
    def diagrams(self) -> str | None:
        """The resolved diagram mode, if the task has one."""
        mode = self.log.stamp.fingerprint.parameters.get("diagrams") if self.log.stamp else None
        return str(mode) if mode is not None else None

    @property
    def expected(self) -> int:
        """Runs of a full evaluation with these epochs."""
        return self.category.sample_count * self.log.epochs

    @property
    def scored(self) -> int:
        """Runs with a number."""
        return scored_runs(self.log, self.scorer)

    @property
    def complete(self) -> bool:
        """Never true for a limited, unfinished or partly scored log."""
        return self.log.status == "success" and not self.log.limited and self.scored >= self.expected

    def outcomes(self) -> Iterable[tuple[RunRow, Outcome]]:
        """Every recorded run with its outcome under the scorer that counts; each (item, epoch) once."""
        return _outcomes(self.log, self.scorer)


class Selection(NamedTuple):
    """The logs that a board is made of."""

    chosen: Mapping[tuple[str, str], tuple[Candidate, ...]]
    """(subject key, category key) → the logs that count; several only when pooled."""
    names: Mapping[str, str]
    """Subject key → name on the board."""
    ignored: tuple[Ignored, ...]
    """The other logs, sorted by path."""
    notes: tuple[str, ...] = ()
    """What a reader of the board must know about the choice."""


def tally(log: LogRow) -> dict[str, int]:
    """Scorer → runs with a number by it, for every scorer that left a score in the log."""
    names = {name for run in log.runs for name in run.scores}
    return {name: _scored(log, name) for name in sorted(names)}


def scorers_of(log: LogRow) -> frozenset[str]:
    """Every scorer that left a score in the log."""
    return frozenset(tally(log) if log.tally is None else log.tally)


def scored_runs(log: LogRow, scorer: str) -> int:
    """Runs with a number by `scorer`; each (item, epoch) once."""
    return _scored(log, scorer) if log.tally is None else log.tally.get(scorer, 0)


def _scored(log: LogRow, scorer: str) -> int:
    return sum(isinstance(outcome, Scored) for _, outcome in _outcomes(log, scorer))


def _outcomes(log: LogRow, scorer: str) -> Iterable[tuple[RunRow, Outcome]]:
    seen: set[tuple[str, int]] = set()
    for run in log.runs:
        # A log that repeats easy samples, also under further epochs, must not pass for a full run.
        if 1 <= run.epoch <= log.epochs and (run.id, run.epoch) not in seen and not _interrupted(log, run):
            seen.add((run.id, run.epoch))
            yield run, outcome_of_run(run, scorer)


def _interrupted(log: LogRow, run: RunRow) -> bool:
    """Whether Ctrl-C ended the run: it counts as not run, not as lost."""
    return log.status == "cancelled" and (run.error or "").startswith("CancelledError")


def outcome_of_run(run: RunRow, scorer: str) -> Outcome:
    """The outcome of a run; an error, a missing score or a number outside 0 to 1 is not the subject's failure."""
    if run.error:
        return outcome_of_error(run.error)
    if scorer not in run.scores:
        return Unscored("harness", f"no score by {scorer}")
    outcome = run.scores[scorer].outcome
    # Such a number means a damaged or forged log, and it could shift a mean without bound.
    if isinstance(outcome, Scored) and not 0 <= outcome.value <= 1:
        return Unscored("harness", f"the score {outcome.value} is outside 0 to 1")
    return outcome
