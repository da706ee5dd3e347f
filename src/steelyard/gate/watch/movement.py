"""A sequential test for a shift of the baseline (docs/scoring.md §3.5). Pure.

Night i gives d_i, the mean over its k_i tasks of score − mean on record. With v_t = q_t(1 − q_t) and n_t runs of task t
on record, cov(d_i, d_j) = Σ_t v_t/(n_t·k_i·k_j) over the tasks of both, and Σ_t v_t/k_i² more where i = j: the record's
own error is the same on every night that runs the task. With C this matrix, I = 1ᵀC⁻¹1 and S = 1ᵀC⁻¹d, the likelihood
ratio of a shift of variance τ² against none is

    e = (1 + τ²I)^{−1/2} · exp( τ²S² / (2·(1 + τ²I)) ),   τ = 0.1

It exceeds 1/α on any night with probability α at most if nothing has moved.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from steelyard.gate.store.drift import run_variance
from steelyard.stats.paired import Array

TAU = 0.1
"""Standard deviation of the shifts, per task, that the test looks for."""


class Movement(NamedTuple):
    """What the nights say so far."""

    shift: float
    """Mean shift per task."""
    error: float
    """Its standard error, that of the record included."""
    e_value: float
    nights: int
    runs: int


def movement(record: Mapping[str, Sequence[float]], nights: Sequence[Mapping[str, float]]) -> Movement | None:
    """The shift of the nights from the record; None if no night has a task of the record."""
    known = sorted(task for task, scores in record.items() if scores)
    used = [night for night in nights if any(task in night for task in known)]
    if not used:
        return None
    ran: Array = np.array([[float(task in night) for task in known] for night in used])
    shares: Array = ran / ran.sum(axis=1, keepdims=True)
    means: Array = np.array([math.fsum(record[task]) / len(record[task]) for task in known])
    # The 0 of a task that did not run counts for nothing, since its share of the night is 0.
    scores: Array = np.array([[night.get(task, 0.0) for task in known] for night in used])
    deltas: Array = (shares * (scores - means)).sum(axis=1)
    own = np.array([run_variance(record[task]) for task in known])
    counts = np.array([len(record[task]) for task in known], dtype=float)
    spread: Array = (shares * (own / counts)) @ shares.T + np.diag((shares**2 * own).sum(axis=1))
    precision: Array = np.asarray(np.linalg.solve(spread, np.ones(len(used))), dtype=np.float64)
    information, score = float(precision.sum()), float(precision @ deltas)
    wider = 1 + TAU**2 * information
    # exp overflows above 709, and e⁷⁰⁰ decides as infinity would.
    e_value = math.exp(min(TAU**2 * score**2 / (2 * wider), 700.0)) / math.sqrt(wider)
    return Movement(score / information, 1 / math.sqrt(information), e_value, len(used), int(ran.sum()))
