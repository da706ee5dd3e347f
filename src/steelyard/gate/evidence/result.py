"""How sure a comparison is: the evidence beside its verdict (docs/scoring.md §3.5). Frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Confidence: TypeAlias = Literal["confirmed", "tentative", "contradicted", "not_estimable"]
"""Whether the interval agrees with the verdict, does not say, excludes it, or cannot be computed."""

Status: TypeAlias = Literal["ok", "suspect", "worse", "better"]
"""A task: unchanged as far as one sees, under suspicion (which blocks a good verdict), shown to be worse, or better."""


NOTHING = "nothing: the rounds so far decide"
"""`Evidence.next` of a decided comparison."""


@dataclass(frozen=True, slots=True)
class Design:
    """What was run, and how."""

    tasks: int
    rounds: int
    """Full rounds: every task once on each side."""
    interleaved: bool
    """Both sides ran side by side, as recorded in the logs or stated by the user."""
    baseline: Literal["fresh", "historical"]
    drift: float = 0.0
    """δ, the allowance for a shift since a historical baseline was run, per task; 0 for a fresh one."""
    recorded: int = 0
    """Runs a task on record of a historical baseline, at least."""
    judge_repeats: int | None = None
    seed: int | None = None
    watched: int = 0
    """Runs of watched tasks beside the full rounds, on both sides."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean delta per task with its 95% interval."""

    estimate: float
    low: float
    high: float
    method: str
    """Of the wider standard error, which `error` and `df` are."""
    error: float
    df: float


@dataclass(frozen=True, slots=True)
class TaskEvidence:
    """One task: how far it moved, and whether that can be chance."""

    task: str
    delta: float
    low: float | None
    high: float | None
    p_drop_holm: float | None
    """P of a drop as large by chance, corrected for the number of tasks (Holm)."""
    e_drop: float | None
    """The 2×2 e-value for a lower pass rate; None without named checks."""
    flake_rate: float | None
    """Share of the task's checks, or of its composites without named checks, that vary within a side."""
    status: Status
    worst_check: str | None = None
    """The check that moved most, if the task is not `ok` and its checks are named."""
    fallen: tuple[str, ...] = ()
    """The named checks that are shown to be worse."""


@dataclass(frozen=True, slots=True)
class Look:
    """The e-values after one round."""

    round: int
    e_improve: float
    e_regress: float
    e_safe: float
    """Evidence that the mean is above −margin."""
    shown: float | None
    """The mean delta is shown to be above this; None if nothing is shown yet."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What rounds of both sides show; what cannot be estimated is None."""

    design: Design
    alpha: float
    margin: float
    confidence: Confidence
    decision: str
    """What these rounds say under the policy: `improved`, `mixed`, `neutral`, `regressed`, `undecided`; or
    `not_estimable`."""
    next: str
    """What would decide, or strengthen, the answer."""
    reason: str | None = None
    """Why it cannot be estimated."""
    net_gain: Estimate | None = None
    p_regression: float | None = None
    """P(θ < 0) of the mean delta per task."""
    mde80: float | None = None
    """The smallest mean delta per task that 80% of such comparisons would detect."""
    tasks: tuple[TaskEvidence, ...] = ()
    path: tuple[Look, ...] = ()
    shown: float | None = None
    """The mean delta per task is shown to be no worse than this."""
    chance_left: float | None = None
    """Of still reaching `improved` by the last round; None unless `adaptive` asks `better`."""
    open: bool = False
    """Under `adaptive`: whether further rounds may still change the answer."""
    fooled: str | None = None
    """How often the contract rule calls a change that does nothing regressed on such a suite, if checks vary."""

    @property
    def latest(self) -> Look | None:
        """The e-values after the last round; None before the second."""
        return self.path[-1] if self.path else None

    @property
    def suspects(self) -> tuple[TaskEvidence, ...]:
        """Tasks that look worse, shown or not."""
        return tuple(task for task in self.tasks if task.status in ("suspect", "worse"))

    @property
    def losses(self) -> tuple[TaskEvidence, ...]:
        """Tasks that are shown to be worse, the largest loss first."""
        return tuple(sorted((task for task in self.tasks if task.status == "worse"), key=lambda task: task.delta))

    @property
    def gains(self) -> tuple[TaskEvidence, ...]:
        """Tasks that are shown to be better, the largest gain first."""
        return tuple(sorted((task for task in self.tasks if task.status == "better"), key=lambda task: -task.delta))
