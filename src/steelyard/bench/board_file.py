"""A board over any Inspect tasks: `board.yaml` names them, and each becomes a `Category`.

    title: Reasoning
    categories:
      gpqa:
        task: inspect_evals/gpqa_diamond
        weight: 0.6
      drop:
        task: inspect_evals/drop
        weight: 0.4
        scorer: f1

Nothing but what stands here and in the logs is on such a board. What a log does not say (how many samples a full run
has, who scored) is settled by `read.adopt` when the logs are there.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from steelyard.bench.category import Category, listed
from steelyard.bench.suite import TASKS, Suite, reserved
from steelyard.errors import InputError
from steelyard.yamlfile import Strict, read

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\r\n]*$")]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,40}$")]
_SHORT = 12
"""Characters of a column head."""

Margin = Annotated[float, Field(gt=0, le=0.5, allow_inf_nan=False)]


class TaskEntry(Strict):
    """One category of the board: one Inspect task."""

    task: Line
    """Name of the task as its logs have it; without a package (`gpqa_diamond`) the one of any package."""
    title: Line | None = None
    """Column head; the key without it."""
    description: Line | None = None
    weight: Annotated[Decimal, Field(gt=0, le=1)] | None = None
    """Share of the overall score; equal shares if no category has one."""
    margin: Margin | None = None
    """Differences up to this are too small to matter; that of the board without it."""
    scorer: Line | None = None
    """Whose scores count where a log has several: `NAME`, or `NAME.KEY` of one that gives several values."""
    range: tuple[float, float] | None = None
    """Worst and best score where these are not 0 and 1; the worst is the higher one where less is better."""
    samples: Annotated[int, Field(ge=1)] | None = None
    """Samples of a full run; without it, those of the largest log without a limit."""

    @model_validator(mode="after")
    def _spread(self) -> TaskEntry:
        if self.range is not None and self.range[0] == self.range[1]:
            raise ValueError("range: the worst and the best score are the same")
        return self


class BoardFile(Strict):
    """The whole file."""

    title: Line
    question: Line | None = None
    """What the board answers, shown beside the title."""
    margin: Margin = 0.05
    """Differences of the overall score up to this are too small to matter."""
    baselines: tuple[Line, ...] = ()
    """Models that mark a level and take no rank."""
    categories: Annotated[dict[Key, TaskEntry], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> BoardFile:
        weights = [entry.weight for entry in self.categories.values()]
        # The weights are exact decimals, so no tolerance is needed.
        if any(weights) and (not all(weights) or sum(weight or 0 for weight in weights) != 1):
            raise ValueError(f"the weights must sum to 1, or no category has one; now {sum(w or 0 for w in weights)}")
        if taken := sorted(reserved() & self.categories.keys()):
            raise ValueError(f"a leaderboard uses the key {taken[0]} for something else; choose another one")
        for (first, one), (second, other) in combinations(self.categories.items(), 2):
            if names(one.task, other.task) or names(other.task, one.task):
                raise ValueError(
                    f"{first} and {second} have the same task {one.task}; a log counts in one of them only"
                )
        return self


def names(task: str, logged: str) -> bool:
    """Whether a task of the file is the one that a log names."""
    return task == logged or ("/" not in task and logged.rpartition("/")[2] == task)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCategory(Category):
    """A category whose runs are those of an Inspect task, whoever wrote it."""

    board: str
    entry: TaskEntry

    @property
    def task(self) -> str:
        return self.entry.task

    @property
    def unit(self) -> str:
        return f"{self.board}/{self.key}"

    def scaled(self, value: float) -> float:
        worst, best = self.entry.range or (0.0, 1.0)
        return (value - worst) / (best - worst)

    def is_of(self, task: str) -> bool:
        """Whether a log of this task belongs here."""
        return names(self.task, task)


def tasks_suite(path: str | Path) -> Suite:
    """The suite that a file names; raises `InputError` with the line of a mistake."""
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{path} is a folder", cure="give the file that names the tasks (docs/any-tasks.md)")
    file = read(place).validated(BoardFile)
    name = f"{TASKS}{place.stem}"
    categories = listed(*(_category(name, key, entry, file) for key, entry in file.categories.items()))
    return Suite(
        name,
        file.title,
        categories,
        option=f"--categories {path}",
        margin=file.margin,
        declares=False,
        question=file.question or "",
        baselines=frozenset(file.baselines),
    )


def _category(board: str, key: str, entry: TaskEntry, file: BoardFile) -> TaskCategory:
    title = entry.title or key
    return TaskCategory(
        key=key,
        name=title,
        short=title if len(title) <= _SHORT else key[:_SHORT],
        description=entry.description or f"The Inspect task {entry.task}",
        dataset=entry.task,
        sample_count=entry.samples or 0,
        scoring="rubric",
        choices={},
        weight=1 / len(file.categories) if entry.weight is None else float(entry.weight),
        confidence="high",
        margin=entry.margin or file.margin,
        expected_variance="",
        output_tokens=0,
        floor_at_most=1.0,
        board=board,
        entry=entry,
    )
