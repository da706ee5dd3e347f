"""What full rounds show about the mean delta per task, and how sure a verdict is (docs/scoring.md §3.5). Pure.

interval    the mean delta ± t·SE at 95%; the lower end is the lower one of two intervals, across tasks (T − 1 df)
            and within them (spread over rounds, Welch df); the upper end is within tasks, or across after one round.
            A historical baseline adds its own error and the allowance for drift δ to each SE²
P(θ < 0)    F_t(−mean/SE);  MDE = (t_.975 + t_.80)·SE, both with the wider SE
shown       adaptive: mean − t*·s/√R, where e⁺ reaches 1/α at t* (against a stored baseline: the line of `means`);
            else the lower end of the interval

confirmed       improved and low > 0; regressed and (high < 0 or a task shown to be worse); mixed; neutral and
                low > −margin; undecided and 0 within the interval
contradicted    the interval excludes the direction of the verdict
not_estimable   one round of fewer than 5 tasks, or no task that varies and none that is shown to be worse
tentative       everything else
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.gate.evidence.decision import VERDICTS, Decision, decide
from steelyard.gate.evidence.means import boundary, spreads
from steelyard.gate.evidence.observed import Observed
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.evidence.result import NOTHING, Confidence, Design, Estimate, Evidence, Look, TaskEvidence
from steelyard.gate.evidence.rounds import Rounds
from steelyard.gate.evidence.tasks import task_evidence
from steelyard.stats.power import minimum_detectable, rounds_needed
from steelyard.stats.sequential import SPREAD_FLOOR, evidence_path, needed_t

LEAST_TASKS = 5
"""Fewer tasks than this in one round are too few to estimate a spread."""

_SMALLEST_EFFECT = 0.01
"""The smallest mean delta per task that advice on further rounds aims at."""


def examine(rounds: Rounds | None, design: Design, policy: Policy, contract: str) -> Evidence:
    """The evidence of a comparison.

    Args:
        rounds: Full rounds of both arms; None if there are none.
        design: What was run, and how.
        policy: The policy that decides, or that would.
        contract: What the rule of §3.2 says; the verdict to confirm under `contract`.
    """
    reason = _obstacle(rounds, design)
    if rounds is None or reason is not None:
        return _not_estimable(design, policy, reason or "no round is complete on both sides")
    gain = _estimate(rounds.observed)
    if gain is None:
        return _steady(rounds, design, policy)
    decision = decide(rounds.observed, policy)
    tasks = task_evidence(rounds, decision, policy)
    path = _path(rounds.observed, policy)
    decided = _decided(decision, rounds.count, policy)
    confidence = _confidence(contract if policy.name == "contract" else decided, gain, tasks, policy)
    return Evidence(
        design=design,
        alpha=policy.alpha,
        margin=policy.margin,
        confidence=confidence,
        decision=decided,
        next=_next(rounds, gain.estimate, _in_the_way(rounds, tasks, decision), policy, decided, confidence),
        net_gain=gain,
        p_regression=_share_below_zero(gain),
        mde80=minimum_detectable(gain.error, gain.df),
        tasks=tasks,
        path=path,
        shown=path[-1].shown if policy.adaptive and path else gain.low,
        chance_left=float(decision.means.chances.gain) if policy.adaptive and policy.question == "better" else None,
        open=policy.adaptive and (rounds.count < policy.min_rounds or bool(decision.open)),
    )


def _steady(rounds: Rounds, design: Design, policy: Policy) -> Evidence:
    """Where no run varies, the mean has no error; a check that always passed and never does now is still a loss."""
    alike = "every delta is the same" if np.ptp(rounds.observed.deltas) == 0 else "every round has the same mean delta"
    without = _not_estimable(design, policy, f"{alike}, which says nothing about chance")
    if rounds.count < 2 or policy.name == "contract":
        return without
    decision = decide(rounds.observed, policy)
    tasks = task_evidence(rounds, decision, policy)
    if not any(task.status == "worse" for task in tasks):
        return without
    decided = _decided(decision, rounds.count, policy)
    return replace(without, tasks=tasks, confidence="confirmed", decision=decided, next=NOTHING, reason=None)


def _obstacle(rounds: Rounds | None, design: Design) -> str | None:
    if rounds is not None and rounds.count == 1 and len(rounds.tasks) < LEAST_TASKS:
        tasks = "1 task" if len(rounds.tasks) == 1 else f"{len(rounds.tasks)} tasks"
        return f"one round of {tasks}: at least {LEAST_TASKS} tasks or two rounds are needed"
    return None


def _not_estimable(design: Design, policy: Policy, reason: str) -> Evidence:
    return Evidence(
        design,
        policy.alpha,
        policy.margin,
        confidence="not_estimable",
        decision="not_estimable",
        next=_cure(design, policy),
        reason=reason,
    )


def _cure(design: Design, policy: Policy) -> str:
    if policy.name == "contract":
        return f"run more rounds: --rounds {max(5, design.rounds + 1)}"
    return "run more rounds; for an agent that always does the same, --policy contract decides"


def _estimate(observed: Observed) -> Estimate | None:
    """The mean delta with its interval; None where nothing varies."""
    from scipy.special import stdtrit

    mean = float(observed.deltas.mean())
    # Not the third, over round means: it only guards a gain after fixed rounds against one bad round.
    errors = [(float(spread.error), float(spread.df), spread.method) for spread in spreads(observed)[:2]]
    if not errors or any(error <= SPREAD_FLOOR for error, _, _ in errors):
        return None
    reaches = [float(stdtrit(df, 0.975)) * error for error, df, _ in errors]
    error, df, method = errors[int(np.argmax(reaches))]
    return Estimate(mean, mean - max(reaches), mean + reaches[-1], method, error, df)


def _share_below_zero(gain: Estimate) -> float:
    from scipy.special import stdtr

    return float(stdtr(gain.df, -gain.estimate / gain.error))


def _path(observed: Observed, policy: Policy) -> tuple[Look, ...]:
    """The e-values after every round from the second on."""
    means = observed.deltas.mean(axis=0)
    shared = 0.0 if observed.stored is None else float(observed.stored.shared)
    own = evidence_path(means.tolist(), shared=shared)
    shifted = evidence_path(means.tolist(), policy.margin, shared=shared)
    looks: list[Look] = []
    for count in range(2, len(means) + 1):
        gain, loss = (float(value) for value in own[count - 1])
        # As of that round: what came later must not change what was shown then.
        shown = _shown(replace(observed, deltas=observed.deltas[:, :count]), policy)
        looks.append(Look(count, gain, loss, float(shifted[count - 1].gain), shown))
    return tuple(looks)


def _shown(observed: Observed, policy: Policy) -> float | None:
    """The mean delta is shown to be above this by what decides under `adaptive`; None if nothing is shown yet."""
    means = observed.deltas.mean(axis=0)
    if observed.stored is not None:
        now = boundary(observed, policy)
        return float(now.mean - now.reach) if now.error > SPREAD_FLOOR else None
    sd, count = float(means.std(ddof=1)), len(means)
    shown = float(means.mean()) - needed_t(count, 1 / policy.alpha) * sd / math.sqrt(count)
    return shown if sd > SPREAD_FLOOR and math.isfinite(shown) else None


def _decided(decision: Decision, rounds: int, policy: Policy) -> str:
    if policy.adaptive and rounds < policy.min_rounds:
        return "undecided"
    return VERDICTS[int(decision.code)]


def _confidence(verdict: str, gain: Estimate, tasks: tuple[TaskEvidence, ...], policy: Policy) -> Confidence:
    worse = any(task.status == "worse" for task in tasks)
    agrees = {
        "improved": gain.low > 0,
        "mixed": worse,
        "regressed": gain.high < 0 or worse,
        "neutral": gain.low > -policy.margin and not worse,
        "undecided": gain.low <= 0 <= gain.high and not worse,
    }
    excludes = {
        "improved": gain.high <= 0 or worse,
        "regressed": gain.low >= 0 and not worse,
        "neutral": gain.high < -policy.margin or worse,
    }
    if agrees.get(verdict, False):
        return "confirmed"
    return "contradicted" if excludes.get(verdict, False) else "tentative"


def _next(
    rounds: Rounds,
    mean: float,
    suspects: Sequence[str],
    policy: Policy,
    decided: str,
    confidence: Confidence,
) -> str:
    """What would decide, in one sentence; `suspects` are tasks that stand in the way of a good verdict."""
    if confidence == "confirmed" and (policy.name == "contract" or decided != "undecided"):
        return NOTHING
    if suspects and decided == "undecided":
        names = ", ".join(suspects[:3]) + ("" if len(suspects) <= 3 else f" and {len(suspects) - 3} more")
        return f"more rounds of {names}, which may have become worse"
    target = _target(mean, policy)
    if rounds.count < 2:
        return (
            f"at least {max(policy.min_rounds if policy.adaptive else 5, 2)} rounds: one round has no spread of its own"
        )
    sd = float(rounds.observed.deltas.mean(axis=0).std(ddof=1))
    if sd <= SPREAD_FLOOR:
        return f"more rounds: the means of these {rounds.count} are all the same"
    needed = rounds_needed(target, sd)
    if needed is None:
        return f"more tasks: no number of rounds resolves {target:.3f} per task"
    more = needed - rounds.count
    if more <= 0:
        return "one more round" if decided == "undecided" else NOTHING
    text = f"run {more} more rounds to resolve {target:.3f} per task"
    if policy.adaptive and needed > policy.max_rounds:
        return f"{text}; that is beyond the limit of {policy.max_rounds} rounds, so add tasks or widen the margin"
    return text


def _in_the_way(rounds: Rounds, tasks: tuple[TaskEvidence, ...], decision: Decision) -> list[str]:
    """Suspect tasks; if there are none, the one whose check is not settled."""
    units, suspects = decision.worse_units.checks, [task.task for task in tasks if task.status == "suspect"]
    if suspects or units is None or not decision.worse.unsettled:
        return suspects
    return [rounds.tasks[rounds.checks[int(units.argmin())][0]]]


def _target(mean: float, policy: Policy) -> float:
    """The mean delta that further rounds would have to tell from nothing."""
    distance = abs(mean + policy.margin) if policy.question == "safe" else abs(mean)
    return max(distance, _SMALLEST_EFFECT)
