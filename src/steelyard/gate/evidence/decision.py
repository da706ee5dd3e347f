"""What rounds of both arms show, and the verdict that follows (docs/scoring.md §3.5). Pure, on arrays.

D_r is the mean over tasks of candidate − baseline in round r; e⁺, e⁻ and e⁺ of D + margin are its t e-values
(`stats.sequential`). A check or task is *suspect* or *confirmed* worse by the rule of `stats.failures`.

    regressed   e⁻ ≥ 2/α, or a check or task confirmed worse
    improved    e⁺ ≥ 1/α, and no suspect
    neutral     e⁺ of D + margin ≥ 1/α, no suspect, and, for the question `better`, a chance below 10% left to improve
    undecided   everything else

Fixed rounds decide by intervals of the same error. improved: the lower end of the 97.5% one-sided interval is above 0,
both across tasks (means of tasks, T − 1 df) and within them (spread over rounds, Welch df), and up to 12 tasks an exact
sign-flip test agrees. regressed: the upper end at 98.75% within tasks is below 0. neutral: the lower ends are above
−margin. One round has no spread within tasks; the interval across tasks then speaks for both.

Checks are named where logs name them; else, and where a judge takes part, each task is tested on its own deltas with a
variance that is moderated across tasks: s̃² = (4·mean(s²) + (r−1)·s²)/(4 + r − 1), t with 4 + r − 1 df.
All equal deltas say nothing about chance: nothing is decided from them.

Every array may have leading axes: a batch of comparisons is decided in one call, which is how
`benchmarks/gate_errors.py` simulates error rates through this very code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.policy import Policy, Question
from steelyard.stats.failures import failure_prior, worse_by_chance
from steelyard.stats.paired import Array
from steelyard.stats.sequential import SPREAD_FLOOR, chance_left, mean_evidence

Flags: TypeAlias = NDArray[np.bool_]

UNDECIDED, IMPROVED, NEUTRAL, REGRESSED = range(4)
VERDICTS = ("undecided", "improved", "neutral", "regressed")
"""Names of the codes above, in their order."""

SUSPECT_LEVEL = 0.05
"""A check or task is suspect when fewer than this many would look as bad by chance. Suspects block a good verdict."""

WATCHED_SUSPECT_LEVEL = 0.5
"""The same for checks that are watched: looser than a test, because rounds of their own clear or confirm them."""

WATCHED_TASKS = 3
"""Tasks that are watched at a time."""

WATCH_ROUNDS = 2
"""Rounds of its own that a watched task gets after each full round."""

WATCH_FROM = 3
"""The first round after which tasks are watched: before it, one failure looks like any other."""

WATCH_SHARE = 0.15
"""A task is watched while fewer than this many checks per task of the suite would look as bad as its worst one by
chance. Two rounds of one task cost 2/T of a round, so a larger suite can afford to clear milder suspicions."""

LEAST_CHANCE = 0.10
"""Below this chance of still reaching `improved`, `better` settles for `neutral`."""

_FEW_CHECKS = 30
"""With about this many checks or fewer, the prior of the failure rates is itself a guess: where there is a look after
every round, n·p counts 1 + (30/n)² times, at most four times. Without it, a no-op with 20 checks of unlike pass rates
is called regressed in up to 3.9% of cases."""

_MOST_CAUTION = 4.0

_MODERATION = 4.0
"""Degrees of freedom that the other tasks lend to a task's own variance."""

_SIGN_FLIP_TASKS = 12
"""Up to this many tasks the sign-flip test is exact and cheap; beyond it the t interval holds by itself."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How rounds are turned into a verdict."""

    question: Question = "better"
    alpha: float = 0.05
    margin: float = 0.05
    """The mean loss per task that counts as no worse, above 0."""
    least_rounds: int = 4
    most_rounds: int = 20
    adaptive: bool = True
    """Whether there is a look after every round; else the number of rounds was fixed beforehand."""

    @classmethod
    def of(cls, policy: Policy) -> Rules:
        """The rules of a policy; `contract` is examined like a fixed number of rounds."""
        return cls(
            question=policy.question,
            alpha=policy.alpha,
            margin=policy.margin,
            least_rounds=policy.min_rounds,
            most_rounds=policy.max_rounds,
            adaptive=policy.adaptive,
        )

    @property
    def looks(self) -> int:
        """How often the rule for worse checks is applied."""
        return self.most_rounds - self.least_rounds + 1 if self.adaptive else 1


@dataclass(frozen=True, slots=True)
class Failures:
    """Failed checks; checks run along the last axis. Own rounds include those in which only this task was watched."""

    full: Array
    """Failures of the baseline in full rounds, for the prior."""
    before: Array
    after: Array
    rounds_before: Array
    rounds_after: Array


@dataclass(frozen=True, slots=True)
class Observed:
    """Full rounds of both arms, and what is known of their checks."""

    deltas: Array
    """Composite of the candidate − baseline, tasks × rounds along the last two axes."""
    failures: Failures | None = None
    """None where only counts or composites are known."""
    judged: bool = False
    """Whether a judge's score takes part in the composites, so that a task can get worse without a check."""


class Shown(NamedTuple):
    """What the mean delta is shown to be."""

    loss: Flags
    """Below 0."""
    gain: Flags
    """Above 0."""
    safe: Flags
    """Above −margin."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Codes and what they rest on; every array has the leading axes of what was observed."""

    code: NDArray[np.int_]
    gain: Array
    """e⁺ of the round means; 1 for fixed rounds."""
    loss: Array
    """e⁻."""
    safe: Array
    """e⁺ of round means + margin."""
    chance: Array
    """Of still reaching `improved` by the last round."""
    worse_checks: Array | None
    """Per check: expected number of checks that look as bad by chance; None without check names."""
    worse_tasks: Array | None
    """The same per task, where tasks are tested."""
    suspect: Flags
    confirmed: Flags


def decide(observed: Observed, rules: Rules) -> Decision:
    """The verdict after the rounds seen so far."""
    means = observed.deltas.mean(axis=-2)
    evidence, shifted = mean_evidence(means), mean_evidence(means, rules.margin)
    checks, tasks = worse_units(observed, rules.adaptive)
    worst_check, worst_task = _least(checks, means), _least(tasks, means)
    by_check, by_task = status_levels(rules, watched=True), status_levels(rules, watched=False)
    suspect = (worst_check < by_check.suspect) | (worst_task < by_task.suspect)
    confirmed = (worst_check < by_check.confirmed) | (worst_task < by_task.confirmed)
    if rules.adaptive:
        needed = 1 / rules.alpha
        chance = chance_left(means, rules.most_rounds, needed)
        shown = Shown(evidence.loss >= 2 * needed, evidence.gain >= needed, shifted.gain >= needed)
    else:
        shown = _intervals(observed.deltas, rules)
        chance = np.zeros(means.shape[:-1])
    code = _codes(shown, chance, suspect, confirmed, rules.question)
    return Decision(
        code, evidence.gain, evidence.loss, shifted.gain, chance, checks, tasks, np.asarray(suspect), confirmed
    )


class Levels(NamedTuple):
    """How few units may be expected to look as bad by chance before one of them is called worse."""

    suspect: float
    confirmed: float


def status_levels(rules: Rules, *, watched: bool) -> Levels:
    """The levels for checks, which are watched under `adaptive`, or for tasks."""
    suspect = WATCHED_SUSPECT_LEVEL if watched and rules.adaptive else SUSPECT_LEVEL
    return Levels(suspect, rules.alpha / 4 / math.sqrt(rules.looks))


def other_question(decision: Decision, rules: Rules) -> NDArray[np.int_]:
    """The codes of an adaptive decision if another question had been asked; the other rules must be the same."""
    needed = 1 / rules.alpha
    shown = Shown(decision.loss >= 2 * needed, decision.gain >= needed, decision.safe >= needed)
    return _codes(shown, decision.chance, decision.suspect, decision.confirmed, rules.question)


def _codes(shown: Shown, chance: Array, suspect: Flags, confirmed: Flags, question: Question) -> NDArray[np.int_]:
    """The order of the verdicts: a loss comes before a gain, and suspects block everything good."""
    settled = chance < LEAST_CHANCE if question == "better" else np.True_
    regressed, improved, neutral = shown.loss | confirmed, shown.gain & ~suspect, shown.safe & ~suspect & settled
    return np.select([regressed, improved, neutral], [REGRESSED, IMPROVED, NEUTRAL], UNDECIDED)


def worse_units(observed: Observed, adaptive: bool = True) -> tuple[Array | None, Array | None]:
    """Per check and per task, how many units are expected to look as bad by chance: n·p over all units tested.

    Where there is a look after every round, a small number of checks counts for more: see `_FEW_CHECKS`.
    """
    rounds, tasks = observed.deltas.shape[-1], observed.deltas.shape[-2]
    failures = observed.failures
    checks = None if failures is None or not failures.full.shape[-1] else failures.full.shape[-1]
    by_task = checks is None or observed.judged
    units = (checks or 0) + (tasks if by_task else 0)
    worse_checks = None
    if checks is not None and failures is not None:
        prior = failure_prior(failures.full, rounds)
        chances = worse_by_chance(prior, failures.before, failures.rounds_before, failures.after, failures.rounds_after)
        caution = min(1 + (_FEW_CHECKS / checks) ** 2, _MOST_CAUTION) if adaptive else 1.0
        worse_checks = chances * units * caution
    return worse_checks, _task_chances(observed.deltas) * units if by_task and rounds > 1 else None


def _task_chances(deltas: Array) -> Array:
    """P that a task's mean delta is as low by chance, with a variance moderated across tasks."""
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    se, df = moderated(deltas)
    spread = se > 0
    return np.where(spread, stdtr(df, deltas.mean(axis=-1) / np.where(spread, se, 1.0)), 1.0)


def moderated(deltas: Array) -> tuple[Array, float]:
    """The standard error of each task's mean delta, moderated across tasks, and its df; 0 where nothing varies."""
    rounds = deltas.shape[-1]
    own = deltas.var(axis=-1, ddof=1)
    df = _MODERATION + rounds - 1
    variance = (_MODERATION * own.mean(axis=-1, keepdims=True) + (rounds - 1) * own) / df
    return np.where(variance > SPREAD_FLOOR**2, np.sqrt(variance / rounds), 0.0), df


def _least(units: Array | None, means: Array) -> Array:
    return np.full(means.shape[:-1], np.inf) if units is None else units.min(axis=-1)


def _intervals(deltas: Array, rules: Rules) -> Shown:
    """What the intervals of a fixed number of rounds show."""
    from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

    tasks, rounds = deltas.shape[-2:]
    by_task = deltas.mean(axis=-1)
    mean = by_task.mean(axis=-1)
    if tasks < 2:
        nothing = np.zeros(mean.shape, dtype=bool)
        return Shown(nothing, nothing, nothing)
    across = by_task.std(axis=-1, ddof=1) / math.sqrt(tasks)
    within, df = within_tasks(deltas) if rounds > 1 else (across, np.full(mean.shape, tasks - 1.0))
    estimable = (across > SPREAD_FLOOR) & (within > SPREAD_FLOOR)
    one_sided = 1 - rules.alpha / 2
    low = np.minimum(mean - stdtrit(tasks - 1, one_sided) * across, mean - stdtrit(df, one_sided) * within)
    high = mean + stdtrit(df, 1 - rules.alpha / 4) * within
    gained = estimable & (low > 0)
    if tasks <= _SIGN_FLIP_TASKS:
        gained &= _sign_flips(by_task) <= rules.alpha / 2
    return Shown(estimable & (high < 0), gained, estimable & (low > -rules.margin))


def within_tasks(deltas: Array) -> tuple[Array, Array]:
    """The standard error of the mean within this suite, from the spread over rounds, and its Welch df."""
    tasks, rounds = deltas.shape[-2:]
    parts = deltas.var(axis=-1, ddof=1) / rounds
    total, squares = parts.sum(axis=-1), (parts**2).sum(axis=-1) / (rounds - 1)
    df = np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0), 1.0)
    return np.sqrt(total) / tasks, df


def _sign_flips(by_task: Array) -> Array:
    """The exact one-sided p of the mean under exchangeable arms: all 2^T signs of the task means."""
    signs: Array = np.array(list(product((1.0, -1.0), repeat=by_task.shape[-1])))
    sums: Array = by_task @ signs.T
    return np.mean(sums >= by_task.sum(axis=-1, keepdims=True) - 1e-12, axis=-1, dtype=float)


def watch_list(worse: Array, task_of: NDArray[np.intp], tasks: int) -> NDArray[np.bool_]:
    """Which tasks get rounds of their own next: the three with the worst check, as long as it looks worse at all.

    Args:
        worse: Expected number of checks that look as bad by chance, per check.
        task_of: Number of the task that each check belongs to.
        tasks: Number of tasks.

    Returns:
        A flag per task.
    """
    worst = np.full((*worse.shape[:-1], tasks), np.inf)
    index: Any = (..., task_of)
    np.minimum.at(worst, index, worse)
    place = np.argsort(np.argsort(worst, axis=-1, kind="stable"), axis=-1, kind="stable")
    return (place < WATCHED_TASKS) & (worst < WATCH_SHARE * tasks)
