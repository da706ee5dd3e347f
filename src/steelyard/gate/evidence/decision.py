"""The verdict that follows from what rounds of both arms show (docs/scoring.md §3.5). Pure, on arrays.

A gain, a loss and "no worse than by the margin" are shown by the round means (`means`); checks and tasks are suspect,
worse or better by themselves (`checks`). In this order:

    regressed   the mean is a loss
    mixed       a check or task is worse, and there are gains: the mean is a gain, or a check or task is better
    regressed   a check or task is worse
    improved    the mean is a gain, and nothing is suspect
    neutral     the mean is safe, every check is settled, and, for `better`, a chance below 10% is left to show a gain
    undecided   everything else

Under `adaptive` rounds go on as long as they may change that: after a check or task is worse, while a chance of 10% is
left to show a gain; while undecided, if a gain, a loss or safety keeps a chance of 10%, or a check is not settled.
Otherwise the run stops (futility). Under `better` safety is given up sooner, by its chance at the trend seen so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.checks import Marked, Units, marked, moved_units
from steelyard.gate.evidence.means import Means, weigh_means
from steelyard.gate.evidence.observed import Flags, Observed
from steelyard.gate.evidence.policy import Policy, Question

UNDECIDED, IMPROVED, NEUTRAL, REGRESSED, MIXED = range(5)
VERDICTS = ("undecided", "improved", "neutral", "regressed", "mixed")
"""Names of the codes above, in their order."""

LEAST_CHANCE = 0.10
"""Below this chance of still being shown, a verdict is given up."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Codes and what they rest on; every array has the leading axes of what was observed."""

    code: NDArray[np.int_]
    open: Flags
    """Whether further rounds may change the code; False for fixed rounds."""
    means: Means
    worse: Marked
    better: Marked
    worse_units: Units
    better_units: Units


def decide(observed: Observed, policy: Policy) -> Decision:
    """The verdict after the rounds seen so far."""
    shape = observed.deltas.shape[:-2]
    means = weigh_means(observed, policy)
    down, up = moved_units(observed)
    worse, better = marked(down, shape, policy), marked(up, shape, policy)
    code, going = _codes(means, worse, better, policy.question)
    going = going & policy.adaptive & (observed.rounds < policy.max_rounds)
    return Decision(code, np.asarray(going), means, worse, better, down, up)


def other_question(decision: Decision, question: Question) -> tuple[NDArray[np.int_], Flags]:
    """Codes and whether to go on if another question had been asked under the same policy."""
    return _codes(decision.means, decision.worse, decision.better, question)


def _codes(means: Means, worse: Marked, better: Marked, question: Question) -> tuple[NDArray[np.int_], Flags]:
    """The order of the verdicts, and whether further rounds may change them."""
    shown, left = means.shown, means.chances
    fell = worse.confirmed
    gains = shown.gain | better.confirmed
    hopeless = left.gain < LEAST_CHANCE
    # Under `better` a neutral verdict must not end a run that may still show a gain.
    neutral = shown.safe & ~worse.unsettled & (hopeless if question == "better" else np.True_)
    code = np.select(
        [shown.loss, fell & gains, fell, shown.gain & ~worse.suspect, neutral],
        [REGRESSED, MIXED, REGRESSED, IMPROVED, NEUTRAL],
        UNDECIDED,
    )
    # Under `better` nobody asked for safety, and most runs of a change that does nothing would be spent on it.
    safety = left.safe_at_trend if question == "better" else left.safe
    futile = (left.loss < LEAST_CHANCE) & (safety < LEAST_CHANCE) & ~worse.unsettled
    futile &= hopeless if question == "better" else np.True_
    # Beside a gain the loss would be `mixed`, so regressed is not final while a gain keeps a chance.
    waiting = fell & ~gains & ~shown.loss & ~hopeless
    return code, waiting | ((code == UNDECIDED) & ~futile)
