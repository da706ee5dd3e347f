"""Eval logs as frozen data: the rows that `logs.read` makes and that each wing weighs. Nothing here touches a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, TypeVar

from steelyard.errors import InputError
from steelyard.outcome import Outcome
from steelyard.stamp import Stamp

T = TypeVar("T")


class Tabular:
    """A result that is a table: a data frame of its lines, which notebooks also show."""

    __slots__ = ()

    LINES: ClassVar[str] = ""
    """The field that holds the lines of the table."""

    def records(self) -> list[dict[str, Any]]:
        """The lines of the table, as plain data; None where there is no value."""
        return [_flat(line) for line in getattr(self, self.LINES)]

    def to_frame(self) -> Any:
        """The lines as a pandas DataFrame; raises `InputError` if pandas is not installed."""
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise InputError("a data frame needs pandas", cure="pip install 'steelyard[frame]'") from error
        return pandas.DataFrame.from_records(self.records())

    def _repr_html_(self) -> str | None:
        try:
            return self.to_frame()._repr_html_()
        except InputError:
            return None  # the notebook shows the text then


class Table(tuple[T, ...], Tabular):
    """Lines of one kind that are a result by themselves."""

    __slots__ = ()

    def records(self) -> list[dict[str, Any]]:
        """The lines, as plain data."""
        return [_flat(line) for line in self]


def _flat(line: Any) -> dict[str, Any]:
    """The fields of a line; those of a field in it get its name in front."""
    names = [each.name for each in fields(line)] if is_dataclass(line) else line._fields
    values: dict[str, Any] = {name: getattr(line, name) for name in names}
    return {
        key: value
        for name, field in values.items()
        for key, value in (
            {f"{name}_{inner}": value for inner, value in _flat(field).items()}
            if is_dataclass(field) or hasattr(field, "_fields")
            else {name: field}
        ).items()
    }


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score of one run."""

    value: Any
    """As recorded in the log; NaN if unscored."""
    outcome: Outcome
    answer: str | None = None
    explanation: str | None = None
    """Cut to 1,000 characters by Inspect in summaries."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Only what is small: Inspect drops fields over 1 kB from summaries."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One sample × epoch."""

    id: str
    epoch: int
    scores: Mapping[str, ScoreRow]
    error: str | None
    """Why the sample ended without a result, if it did."""
    limit: str | None
    """Which of Inspect's limits ended it, if one did."""
    total_time_s: float | None
    working_time_s: float | None
    usage: Mapping[str, Mapping[str, Any]]
    """Token usage by model name, as Inspect records it."""
    metadata: Mapping[str, Any]
    span: tuple[datetime, datetime] | None = None
    """Start and end, if the log has them."""
    question: str = ""
    """How the text of the sample's input begins, on one line."""
    content: str = ""
    """Hashes of the sample's input (with its choices) and of its target, `INPUT-TARGET`; after a `~` if the summaries
    of the log have only a part of the input."""


@dataclass(frozen=True, slots=True)
class LogRow:
    """One eval log without its samples."""

    path: str
    status: str
    """`success`, `error`, `cancelled` or `started`."""
    task: str
    """The registered name if there is one (`steelyard/practice_exam`), else the task's own."""
    task_id: str
    run_id: str
    eval_id: str
    created: str
    """ISO 8601."""
    model: str
    model_args: Mapping[str, Any]
    generate_config: Mapping[str, Any]
    """The generation settings in effect: those of the task, overridden by those of the command line."""
    task_args: Mapping[str, Any]
    limited: bool
    """Run with a sample limit or a selection of samples."""
    epochs: int
    sample_ids: tuple[str, ...]
    """The samples that this eval was to run."""
    stamp: Stamp | None
    runs: Sequence[RunRow]
    """In the order of the log; those of a log from a large folder are decoded on every iteration."""
    usage: Mapping[str, Mapping[str, Any]]
    versions: Mapping[str, str]
    error: str | None
    metadata: Mapping[str, Any]
    dataset: str | None = None
    """Name of the dataset, or of its file or repository."""
    scorers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Scorer → its options, as far as the log names them."""
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    """Role of a model, such as `grader` → the model that has it, unless the log says that it was never called."""
    task_version: str = "0"
    """The version that the task's author gave it; 0 if none."""
    means: Mapping[str, float] = field(default_factory=dict[str, float])
    """Score, or `SCORER.KEY` of one with several values → the mean that the log's own results give."""
    completed: int | None = None
    """How many runs completed, as its results say."""
    shards: Mapping[str, int] = field(default_factory=dict[str, int])
    """Shard that was merged into this log → the runs it brought, as the log's own ledger says."""
    solvers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """`1 system_message` and so on → its parameters: what was done with each sample, in order."""
    limits: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Limits of a sample that were set: messages, tokens, time and so on."""
    tally: Mapping[str, Any] | None = None
    """What a wing counted in `runs` when it read them, so that choosing among thousands of logs decodes none."""

    @property
    def began(self) -> datetime:
        """`created` to compare with: Inspect writes local times, whose texts do not sort where the offset changes."""
        found = datetime.fromisoformat(self.created)
        return found if found.tzinfo else found.replace(tzinfo=UTC)


class Problem(NamedTuple):
    """A log or a folder that could not be read, and why."""

    path: str
    reason: str


class Logs(NamedTuple):
    """The logs that were read, and those that could not be."""

    rows: tuple[LogRow, ...]
    problems: tuple[Problem, ...]
