"""Who gets which half (docs/scoring.md §3.7). Pure; the generator is an argument.

Runs come in pairs of one task. A fair coin per part decides whether the first run has it; the second run has exactly
the other parts. Coins are independent of each other and of everything seen before, so whatever the other parts do, the
contrast of a part without effect is symmetric around 0. A balanced block (Plackett-Burman) is not used: its last rows
follow from the first ones, and evidence that may be looked at any time needs coins that nobody can foresee
(design/0063-random-halves.md).

Half of the pairs go to all tasks alike, the other half where results vary: a task that always passes says little.

    q_t = ½·1/T + ½·σ_t/Σσ,   σ_t² = (Σd² + ½)/(n_t + 2),   weight of a pair of task t = (1/T)/q_t ≤ 2

so that the weighted mean stays the mean over tasks. Every function takes arrays with any leading axes.
"""

from __future__ import annotations

import numpy as np

from steelyard.stats.paired import Array

PAIRS = 20
"""Pairs between two looks: 40 runs."""

EVEN = 0.5
"""Share of the pairs that all tasks share alike."""

HEAVIEST = 1 / EVEN
"""The largest weight of a pair."""

_PRIOR_PAIRS = 2.0
_PRIOR_SQUARE = 0.25
"""Before anything is seen, a difference has this mean square, worth two pairs."""


def task_shares(squares: Array, counts: Array) -> Array:
    """The share of the next pairs that each task gets, from Σd² and the number of its pairs so far; tasks last."""
    spread = np.sqrt((squares + _PRIOR_PAIRS * _PRIOR_SQUARE) / (counts + _PRIOR_PAIRS))
    return EVEN / spread.shape[-1] + (1 - EVEN) * spread / spread.sum(axis=-1, keepdims=True)


def drawn_tasks(shares: Array, rng: np.random.Generator, pairs: int = PAIRS) -> np.ndarray:
    """The task of each pair, in random order; each task comes as often as its share says, give or take one."""
    lead = shares.shape[:-1]
    marks = (rng.random((*lead, 1)) + np.arange(pairs)) / pairs
    found = (marks[..., None] > np.cumsum(shares, axis=-1)[..., None, :]).sum(axis=-1)
    # Rounding can leave the last cumulative share just below the last mark.
    return rng.permuted(np.minimum(found, shares.shape[-1] - 1), axis=-1)


def weights(shares: Array, tasks: np.ndarray) -> Array:
    """What each pair counts, so that all tasks count alike."""
    return 1 / shares.shape[-1] / np.take_along_axis(shares, tasks, axis=-1)


def drawn_halves(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """+1 where the first run of a pair has the part, −1 where the second has it; parts last."""
    return rng.choice(np.array([-1.0, 1.0]), shape)
