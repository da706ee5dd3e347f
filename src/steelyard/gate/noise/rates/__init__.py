"""Pass rates of real agents: Terminal-Bench 2, 37 agents × 88 tasks × about 5 trials (MIT, licence beside the data).

Five trials say little about one rate, so rates are partially pooled: two more trials at the rate that the agent and the
task have on average,

    p = (successes + 2·q)/(trials + 2),   logit q = logit(agent) + logit(task) − logit(all)

Rates are what real suites are like: many tasks always pass or always fail, and the others are everything between.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from steelyard.stats.paired import Array

_STRENGTH = 2.0
"""Trials that the averages of agent and task are worth."""

_EDGE = 0.01
"""Averages are kept this far from 0 and 1: nothing is certain after a few hundred trials."""


@dataclass(frozen=True, slots=True)
class RealRates:
    """Trials of real agents, agents × tasks."""

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    successes: Array
    trials: Array

    @property
    def pooled(self) -> Array:
        """Partially pooled pass rates, agents × tasks."""
        agent = self.successes.sum(axis=1, keepdims=True) / self.trials.sum(axis=1, keepdims=True)
        task = self.successes.sum(axis=0, keepdims=True) / self.trials.sum(axis=0, keepdims=True)
        whole = self.successes.sum() / self.trials.sum()
        usual = 1 / (1 + np.exp(-(_logit(agent) + _logit(task) - _logit(whole))))
        return (self.successes + _STRENGTH * usual) / (self.trials + _STRENGTH)


@cache
def terminal_bench() -> RealRates:
    """The shipped trials."""
    text = files(__name__).joinpath("terminal_bench_2.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    cells = [[cell.split("/") for cell in row[1:]] for row in rows]
    successes, trials = (np.array([[float(cell[place]) for cell in row] for row in cells]) for place in (0, 1))
    return RealRates(tuple(row[0] for row in rows), tuple(header[1:]), successes, trials)


def _logit(share: Array | float) -> Array:
    inside = np.clip(share, _EDGE, 1 - _EDGE)
    return np.log(inside / (1 - inside))
