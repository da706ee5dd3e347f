"""The policy `adaptive`: rounds with a look after each, until they decide (docs/scoring.md §3.5).

After each round from `WATCH_FROM` the tasks with the worst checks run again on both arms, then comes the look. A start
that continues earlier logs goes through the same rounds again without running them, each look seeing only what was
there at that time, so it continues on the same path and watches the same tasks.

Nothing is started that can no longer change the verdict: a hard fact ends the run at once, a loss that full rounds have
shown ends it before any task is watched, an unscored run ends it because there is no verdict without it, and so does
the look after which no verdict keeps a 10% chance (futility).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from steelyard.gate.evidence.checks import WATCH_FROM, WATCH_ROUNDS, watch_list, worse_units
from steelyard.gate.evidence.policy import Policy
from steelyard.gate.evidence.rounds import Rounds, observe
from steelyard.gate.evidence.verdict import HARD_FACTS
from steelyard.gate.model import Comparison, NoVerdict, Weighed
from steelyard.gate.quarantine import set_aside
from steelyard.gate.read import Arms
from steelyard.gate.report.path import e_value
from steelyard.gate.run.session import Session, upto
from steelyard.report.numbers import things
from steelyard.stats.sequential import t_evidence, t_statistic

Weigh = Callable[[Arms], Weighed]
"""Compares two arms as the run's settings say."""


class Interim(NamedTuple):
    """What a look after a round says."""

    comparison: Comparison
    rounds: Rounds | None


def run_adaptive(session: Session, weigh: Weigh) -> str | None:
    """Run rounds until they decide; why it stopped before that, or None."""
    policy = session.planned.spec.policy
    for number in range(1, policy.max_rounds + 1):
        if (reason := _refused(session, number)) is not None:
            return reason
        ran = session.complete(number)
        before = _look(session, weigh, number, watched=False)
        if before is None:
            return None
        if _settled(before, number >= policy.min_rounds, policy.alpha):
            if ran:
                session.notify(progress_line(before, policy.max_rounds))
            return None
        if number >= WATCH_FROM:
            ran |= _watch(session, before, number)
        look = _look(session, weigh, number, watched=True)
        if look is None:
            return None
        # Rounds of an earlier start have already been announced and looked at.
        if ran:
            session.notify(progress_line(look, policy.max_rounds))
            session.look(look.comparison.verdict, number)
        if not _going(look, number, policy):
            return None
    return None


def _refused(session: Session, number: int) -> str | None:
    """Why a round that is not complete may not start."""
    # A complete round has nothing left to pay for.
    if session.left(number) is None:
        return None
    return session.budget.exhausted()


def _look(session: Session, weigh: Weigh, number: int, *, watched: bool) -> Interim | None:
    """The comparison after a round; None if there is no verdict until something else is done."""
    arms = upto(session.arms(), number, watched=watched)
    outcome = weigh(arms).outcome
    counted = set_aside(*arms, session.planned.spec.quarantine, datetime.now(UTC).date())
    if isinstance(outcome, NoVerdict) or isinstance(counted, NoVerdict):
        return None
    before, after = counted.baseline, counted.candidate
    drift = outcome.evidence.design.drift if outcome.evidence and not outcome.evidence.design.interleaved else None
    extra, costed = (before.extra, after.extra), session.planned.spec.thresholds.cost_counts
    return Interim(outcome, observe(before.runs, after.runs, outcome.tasks, extra, drift, cost_counts=costed))


def _going(look: Interim, number: int, policy: Policy) -> bool:
    """Whether further rounds may change the answer; one that cannot be estimated yet may become one that can."""
    evidence = look.comparison.evidence
    if number < policy.min_rounds or evidence is None or evidence.confidence == "not_estimable":
        return True
    return evidence.open


def _settled(look: Interim, may_stop: bool, alpha: float) -> bool:
    """Whether watching tasks can no longer change the verdict."""
    if any(regression.kind in HARD_FACTS for regression in look.comparison.regressions):
        return True
    latest = look.comparison.evidence.latest if look.comparison.evidence else None
    return may_stop and latest is not None and latest.e_regress >= 2 / alpha


def _watch(session: Session, look: Interim, number: int) -> bool:
    """Run the tasks that look worse again, on both arms; False if nothing was left of that."""
    tasks = watched_tasks(look)
    if not tasks:
        return False
    left = (session.left(number, watch, tasks) for watch in range(1, WATCH_ROUNDS + 1))
    return session.run([unit for unit in left if unit is not None])


def watched_tasks(look: Interim) -> tuple[str, ...]:
    """The tasks that get rounds of their own next."""
    rounds = look.rounds
    if rounds is None or not rounds.checks:
        return ()
    worse = worse_units(rounds.observed).checks
    if worse is None:
        return ()
    chosen = watch_list(worse, np.array([task for task, _ in rounds.checks]), len(rounds.tasks))
    return tuple(task for task, flag in zip(rounds.tasks, chosen.tolist(), strict=True) if flag)


def progress_line(look: Interim, last: int) -> str:
    """The e-values after a round, what is shown so far, and how many rounds may be left."""
    evidence, policy = look.comparison.evidence, look.comparison.policy
    number = look.rounds.count if look.rounds else 0
    now = None if evidence is None else evidence.latest
    if evidence is None or now is None:
        return f"round {number} of at most {last}: nothing can be estimated yet"
    level = 1 / policy.alpha
    values = f"better {e_value(now.e_improve)}/{level:.4g}, worse {e_value(now.e_regress)}/{2 * level:.4g}"
    values += f", no worse than {-policy.margin:g} {e_value(now.e_safe)}/{level:.4g}"
    shown = "nothing shown yet" if now.shown is None else f"shown: no worse than {now.shown:+.3f}"
    suspects = f"; {things(len(evidence.suspects), 'suspect task')}" if evidence.suspects else ""
    return f"round {number} of at most {last}: evidence for {values}; {shown}{suspects}; {_rest(look, last)}"


def _rest(look: Interim, last: int) -> str:
    number = look.rounds.count if look.rounds else 0
    if not _going(look, number, look.comparison.policy):
        if look.comparison.verdict != "undecided":
            return f"decided: {look.comparison.verdict}"
        return "stopped: no verdict keeps a 10% chance" if number < last else "undecided after the last round"
    left = rounds_left(look, last)
    return f"at most {things(last - number, 'round')} left" if left is None else f"about {things(left, 'round')} left"


def rounds_left(look: Interim, last: int) -> int | None:
    """Rounds until an e-value reaches its level if mean and spread stay as they are; None if none will by the last."""
    if look.rounds is None or look.rounds.count < 2:
        return None
    policy, seen = look.comparison.policy, look.rounds.count
    means = look.rounds.observed.deltas.mean(axis=-2)
    level = 1 / policy.alpha
    first = max(seen + 1, policy.min_rounds)
    sides = [(means, level), (-means, 2 * level)]
    sides += [(means + policy.margin, level)] if policy.question == "safe" else []
    needed: list[int] = []
    for values, enough in sides:
        n, t = t_statistic(values)
        ahead = np.arange(first, last + 1)
        if n < 2 or not len(ahead):
            continue
        reached = t_evidence(ahead, t * np.sqrt(ahead / n)).gain >= enough
        needed += [int(ahead[reached.argmax()])] if reached.any() else []
    return min(needed) - seen if needed else None
