"""The logs that count, as frozen data: `read.selection` chooses them, `weigh` turns them into a board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from steelyard.bench.category import Category
from steelyard.bench.model import Ignored
from steelyard.outcome import Outcome, Scored, Unscored
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
        return sum(isinstance(outcome, Scored) for _, outcome in self.outcomes())

    @property
    def complete(self) -> bool:
        """Never true for a limited, unfinished or partly scored log."""
        return self.log.status == "success" and not self.log.limited and self.scored >= self.expected

    def outcomes(self) -> Iterable[tuple[RunRow, Outcome]]:
        """Every recorded run with its outcome under the scorer that counts; each (item, epoch) once."""
        seen: set[tuple[str, int]] = set()
        for run in self.log.runs:
            if (run.id, run.epoch) not in seen and not self._interrupted(run):
                seen.add((run.id, run.epoch))
                yield run, outcome_of_run(run, self.scorer)

    def _interrupted(self, run: RunRow) -> bool:
        """Whether Ctrl-C ended the run: it counts as not run, not as lost."""
        return self.log.status == "cancelled" and (run.error or "").startswith("CancelledError")


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


def outcome_of_run(run: RunRow, scorer: str) -> Outcome:
    """The outcome of a run; an error, a missing score or a number outside 0 to 1 is not the subject's failure."""
    if run.error:
        return Unscored("harness", run.error)
    if scorer not in run.scores:
        return Unscored("harness", f"no score by {scorer}")
    outcome = run.scores[scorer].outcome
    if isinstance(outcome, Scored) and not 0 <= outcome.value <= 1:
        return Unscored("harness", f"the score {outcome.value} is outside 0 to 1")
    return outcome
