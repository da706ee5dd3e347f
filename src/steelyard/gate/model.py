"""The gate's data: runs of tasks, the standing of a task in an arm, and the comparison of two arms.

Everything here is frozen. An *arm* is one side of a comparison (baseline or candidate); a *run* is one attempt at one
task in one arm; several runs of one task are its epochs (docs/scoring.md §3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from steelyard.gate.evidence.policy import AUTO, AcceptedLoss, Policy, QuarantineEntry
from steelyard.gate.evidence.result import Evidence
from steelyard.gate.steps import Activation, Confusion, Parting, PartUse
from steelyard.rows import Tabular

if TYPE_CHECKING:
    from steelyard.gate.evidence.corrected import JudgeCorrection
    from steelyard.gate.ledger.confirmation import CountedAttempt

Verdict: TypeAlias = Literal["improved", "mixed", "neutral", "regressed", "undecided"]
"""The answer of a comparison (docs/scoring.md §3.2); `mixed` (gains and losses are both shown) and `undecided` only
where evidence decides (§3.5)."""

RegressionKind: TypeAlias = Literal["missing", "non_finite", "fewer_checks", "objective", "composite", "confirmed"]
"""Why a task is a hard regression; `confirmed`: shown to be worse by the evidence."""

JudgeUse: TypeAlias = Literal["none", "used", "dropped"]
"""Whether the judge's score entered a task's composite: there is none, it did, or it was dropped from both arms."""

METRICS = ("tokens", "tool_calls", "steps", "wall_clock_ms")
"""The cost metrics that move a composite. USD is shown, not counted: it follows the tokens."""
COST_FIELDS = (*METRICS, "cost_usd")
"""All that is known of a cost."""

JUDGE_WEIGHT = 0.4
"""Weight of the judge, unless the task sets its own; the objective checks weigh 0.6."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run cost. None is unknown, never 0."""

    tokens: float | None = None
    tool_calls: float | None = None
    steps: float | None = None
    wall_clock_ms: float | None = None
    cost_usd: float | None = None

    def values(self) -> list[float]:
        """The metrics that are known."""
        metrics = (self.tokens, self.tool_calls, self.steps, self.wall_clock_ms, self.cost_usd)
        return [value for value in metrics if value is not None]

    def or_claimed(self, claims: Cost) -> Cost:
        """What was measured, and for the rest what was claimed."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(claims, **known)


UNKNOWN_COST = Cost()
"""Nothing was measured."""


@dataclass(frozen=True, slots=True)
class Run:
    """One scored attempt of one arm at one task."""

    task: str
    passed: float
    """Checks passed, in [0, total]."""
    total: float
    """Checks of the task; 0 when it has none."""
    judge: float | None = None
    """The judge's score in [0, 1]; None when there is none."""
    judge_missing: str | None = None
    """Why a judge that was configured gave no verdict; None when it did, or when there is no judge."""
    judge_weight: float = JUDGE_WEIGHT
    """The task's weight of the judge, in [0, 1]."""
    cost: Cost = UNKNOWN_COST
    claims: Cost = UNKNOWN_COST
    """Costs that only the agent itself reported: shown, not counted."""
    composite: float | None = None
    """A composite computed elsewhere, used as it is."""
    checks: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Check name → passed, if the names are known."""
    note: str | None = None
    """Why the run failed as a whole, for a person; None if it did not."""
    idle: str | None = None
    """What the agent never did in this run, for a person: it called no model, or changed nothing."""
    parts: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Part of the configuration → whether it was used; without those of which nobody knows."""
    activation: Activation | None = None
    """What it did with the skill under test; None if there is none, or nobody saw it."""
    round: int = 1
    """The round it belongs to, or the epoch of a foreign log."""
    watch: int = 0
    """Number of the extra round in which only watched tasks ran after that round; 0 for a full round."""

    def sound(self) -> bool:
        """Whether every number of the run is finite, and none of its costs negative."""
        return (
            isfinite(self.passed)
            and isfinite(self.total)
            and (self.judge is None or isfinite(self.judge))
            and (self.composite is None or isfinite(self.composite))
            and (self.cost is UNKNOWN_COST or all(0 <= value < inf for value in self.cost.values()))
        )


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a difference counts. Each number is in [0, 1]; anything else is bad input."""

    min_composite_gain: float = 0.01
    """The net gain must exceed this to be `improved`."""
    regression_composite_drop: float = 0.05
    """A composite that drops by more than this is a hard regression."""
    objective_drop_is_regression: bool = True
    """Whether fewer passed checks, or a lower pass rate, are a hard regression."""
    cost_counts: bool = True
    """Whether cost moves the composite; it is shown in any case."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One task in one arm, as means over its epochs. A number that is not finite becomes None."""

    epochs: int
    passed: float | None
    total: float | None
    pass_rate: float | None
    """Mean over epochs of passed / total; 1.0 for a task without checks."""
    judge: float | None
    """The judge's mean score, where every epoch has one."""
    composite: float | None
    cost: Cost
    claims: Cost = UNKNOWN_COST
    """Shown, not counted: what the agent claimed, and a wall clock too short to compare."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A hard regression."""

    task: str
    kind: RegressionKind
    detail: str


@dataclass(frozen=True, slots=True)
class Flip:
    """A check whose share of passes differs between the arms."""

    check: str
    baseline: float
    candidate: float


@dataclass(frozen=True, slots=True)
class TaskDelta:
    """One task of the baseline, compared in both arms."""

    task: str
    baseline: Standing
    candidate: Standing | None
    """None if the candidate has no run of the task."""
    delta: float | None
    """round(candidate − baseline, 6); None if it is undefined."""
    adjustment: float
    """The cost adjustment of the candidate, in [−0.1, 0.1]."""
    metrics: tuple[str, ...]
    """The cost metrics that entered the adjustment."""
    judge: JudgeUse
    regressions: tuple[Regression, ...]
    flips: tuple[Flip, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison(Tabular):
    """The comparison of two arms."""

    verdict: Verdict
    net_gain: float
    """Σ of the tasks' deltas, rounded to 6 decimals."""
    tasks: tuple[TaskDelta, ...]
    regressions: tuple[Regression, ...]
    ambiguities: tuple[str, ...]
    """Reasons to doubt the verdict; any of them forbids a promotion."""
    only_in_candidate: tuple[str, ...]
    """Tasks the baseline lacks: shown, not counted."""
    thresholds: Thresholds
    policy: Policy = AUTO
    """The policy that was asked for; `by_contract` says what `auto` came to."""
    contract: Verdict | None = None
    """What §3.2 says, where evidence decided; None where §3.2 decided."""
    evidence: Evidence | None = None
    """How sure it is; None if there is nothing to estimate."""
    exploratory: tuple[str, ...] = ()
    """How the settings differ from the registered ones; any difference forbids a promotion."""
    under_test: tuple[str, ...] = ()
    """How the subjects differ, in words (`prompt: OLD → NEW`), where the logs say it."""
    quarantined: tuple[QuarantineEntry, ...] = ()
    """What was shown and not counted."""
    quarantined_tasks: tuple[TaskDelta, ...] = ()
    """The tasks those entries touch, with everything in them: shown, not counted."""
    accepted: tuple[AcceptedLoss, ...] = ()
    """Losses of this comparison that the baseline's settings accept."""

    def records(self) -> list[dict[str, Any]]:
        """One line per task of the baseline."""
        return [
            {
                "task": task.task,
                "baseline": task.baseline.composite,
                "candidate": task.candidate.composite if task.candidate else None,
                "delta": task.delta,
                "judge_baseline": task.baseline.judge,
                "judge_candidate": task.candidate.judge if task.candidate else None,
                "regressions": ", ".join(regression.kind for regression in task.regressions),
            }
            for task in self.tasks
        ]

    @property
    def by_contract(self) -> bool:
        """Whether §3.2 decided."""
        return self.contract is None


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """Why two arms could not be compared, and what to do about it."""

    reasons: tuple[str, ...]
    cures: tuple[str, ...] = ()
    unchanged: bool = False
    """Whether both sides are the same configuration: nothing ran because nothing had to, which is no failure."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A run that should have a score and has none."""

    task: str
    epoch: int
    fault: str
    """`judge`, `sandbox`, `harness`, `provider`, or `missing` if the log has no trace of the run."""
    reason: str
    source: str = ""
    """The log it belongs to."""
    watch: int = 0
    """Number of the extra round for watched tasks that it belongs to; 0 for a full round."""


@dataclass(frozen=True, slots=True)
class Side:
    """Where one arm comes from, for reports and for promotion."""

    label: str
    kind: Literal["gate", "log", "results"]
    """Gate runs, Inspect logs of any other task, or a plain results file."""
    sources: tuple[str, ...]
    runs: int = 0
    rounds: int = 1
    attempts: int | None = None
    """Runs that were started, those without a score and repeated ones included, for gate runs."""
    model: str | None = None
    agent: str | None = None
    config: str | None = None
    """Hash of the configuration under test."""
    artifacts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Artifact path → hash of its bytes, of the configuration under test."""
    source: str | None = None
    """Where that configuration came from: a folder, or `git:REF`."""
    folder: str | None = None
    """Where that configuration is in its repository; empty at its root, None if the log does not say."""
    judge: str | None = None
    judge_standing: str | None = None
    """`calibrated (κ …)` or `uncalibrated`; None without a judge."""
    judge_agreement: Mapping[str, Any] | None = None
    """How far several verdicts on a run agree (`judge.judgement.concord`); None without several."""
    judge_unusable: Mapping[str, int] | None = None
    """How many gradings had no usable reply (`judge.judgement.unusable`); None if none of them."""
    historical: bool = False
    """Run earlier than the other side, not interleaved with it."""
    created: str | None = None
    """When its first log was begun, ISO 8601; None for results files."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison, as read from its logs or results file."""

    side: Side
    runs: tuple[Run, ...]
    gaps: tuple[Gap, ...] = ()
    identity: Mapping[str, object] = field(default_factory=dict[str, object])
    """Field → value that must be equal on both sides."""
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path of a log → the arm it was run as, for gate runs."""
    labels: Mapping[str, Sequence[tuple[float, float]]] = field(
        default_factory=dict[str, Sequence[tuple[float, float]]]
    )
    """Task → (judge, people) per labelled response, where the judge's calibration on its rubric is on record."""
    seed: int | None = None
    """The seed that shuffled the order of the arms, for gate runs."""
    interleaved: bool = False
    """Whether the logs say that both sides ran side by side."""
    registration: Mapping[str, Any] | None = None
    """The settings registered in the log of the first round (`Registration.as_metadata`), for gate runs."""
    extra: tuple[Run, ...] = ()
    """Runs of watched tasks beside the full rounds."""
    repeated: tuple[str, ...] = ()
    """Runs that were scored and then run again, in words."""
    questions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Sample of a foreign log → hashes of its input and its target; equal for a sample that both sides have."""
    origins: Mapping[str, str] = field(default_factory=dict[str, str])
    """Id or content of a log or results file → its path: whatever its name, a copy or a link has the same."""
    subject: frozenset[str] = frozenset()
    """Fields of the identity that belong to what is under test, so that they may differ."""
    framed: bool = False
    """Whether the words around the questions of a foreign log were cut off in `questions`."""
    breaks: tuple[str, ...] = ()
    """Where the chain of its rounds is broken, in words."""
    attempt: CountedAttempt | None = None
    """Which attempt of a ledger its logs belong to."""


def by_task(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Task → its runs, in their order."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.task, []).append(run)
    return found


def each_side(baseline: Arm, candidate: Arm) -> tuple[tuple[str, Arm], ...]:
    """Both arms, with what the reports call them."""
    return ("baseline", baseline), ("candidate", candidate)


@dataclass(frozen=True, slots=True)
class Attempts:
    """How often a candidate was tried against this baseline, suite and branch (docs/scoring.md §3.5)."""

    number: int
    """Which attempt this is."""
    ledger: str
    """Where attempts are counted."""
    confirmation: Literal["none", "owed", "made"]
    """From the second attempt on, an improvement is owed fresh rounds; made: these are the fresh rounds."""


@dataclass(frozen=True, slots=True)
class Weighed(Tabular):
    """A comparison, or why there is none, with everything a report needs."""

    outcome: Comparison | NoVerdict
    baseline: Side
    candidate: Side
    warnings: tuple[str, ...] = ()
    """Worth knowing, but without influence on the verdict."""
    generated_at: str = ""
    """ISO 8601, UTC."""
    differing: tuple[str, ...] = ()
    """Settings that differ from the defaults or from the base, in words: the first thing in every report."""
    activations: Confusion | None = None
    """How the candidate's skill was activated; None if no task runs with one."""
    parts: tuple[PartUse, ...] = ()
    """Which parts of the configurations were used, as far as their client shows it."""
    attempts: Attempts | None = None
    """How often this was tried; None for logs that no ledger counts."""
    judge_correction: JudgeCorrection | None = None
    """The judge's means corrected for its errors, and the verdict under them; None without labels on record."""
    partings: Mapping[str, Parting] = field(default_factory=dict[str, Parting])
    """Task that is shown to be worse → where its transcripts part, as far as logs tell."""
    changed: str = ""
    """The unified diff of the two configurations; empty where their files are not at hand."""

    def records(self) -> list[dict[str, Any]]:
        """The lines of the comparison; none without a verdict."""
        return self.outcome.records() if isinstance(self.outcome, Comparison) else []
