"""Does blame find the parts that matter? Simulated agents at real pass rates, decided by the gate's own code.

    python benchmarks/gate_blame.py [--experiments 400] [--seed 1]

Each experiment draws an agent of Terminal-Bench 2 and 20 of its tasks. A part of +15 points moves the pass rate of
every task by 7.5 points up where it is present and down where it is not, as far as 0 and 1 allow: near these the same
part does less, so the mean effect is smaller than its name. *Found exactly*: the parts that matter are named with the
right sign and nothing else is. *False blame*: some part is named that does nothing, or with the wrong sign.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from steelyard.gate.blame.design import PAIRS, drawn_halves, drawn_tasks, task_shares, weights
from steelyard.gate.blame.weigh import advance, start
from steelyard.gate.noise.rates import terminal_bench

TASKS = 20
MOST_RUNS = 2400


@dataclass(frozen=True)
class World:
    """What the parts do."""

    name: str
    effects: tuple[float, ...]
    margin: float
    runs: int
    """The bar."""
    exact: float | None
    """The bar; None where nothing is to be found."""
    parts: int = 30


@dataclass(frozen=True)
class Figures:
    """What came of it."""

    runs: float
    exact: float
    false: float
    open: float
    """Experiments that were not answered after `MOST_RUNS`."""


WORLDS = (
    World("-15 and +15 points", (-0.15, 0.15), 0.10, 1050, 0.93),
    World("-20 and +20 points", (-0.20, 0.20), 0.15, 600, 0.90),
    World("-30 and -30 points", (-0.30, -0.30), 0.20, 400, 0.80),
    World("nothing matters", (), 0.10, 850, None),
)
SIZES = tuple(World(f"{parts} parts, -15 and +15", (-0.15, 0.15), 0.10, 1050, 0.93, parts) for parts in (12, 60))


def simulated(world: World, experiments: int, seed: int) -> Figures:
    """Many experiments side by side, each until all its parts are answered."""
    rng = np.random.default_rng(seed)
    real = terminal_bench().pooled
    agents = rng.integers(0, len(real), experiments)
    chosen = np.argsort(rng.random((experiments, real.shape[1])), axis=1)[:, :TASKS]
    rates = real[agents[:, None], chosen]
    squares, counts = np.zeros(rates.shape), np.zeros(rates.shape)
    standing = start((experiments, world.parts), world.margin)
    ended, runs = np.zeros(experiments, bool), np.full(experiments, MOST_RUNS)
    final = np.zeros((experiments, world.parts), int)
    for done in range(PAIRS, MOST_RUNS // 2 + 1, PAIRS):
        signs, tasks, weighted, seen = _look(world, rates, task_shares(squares, counts), rng)
        for pair in range(PAIRS):
            places = np.arange(experiments), tasks[:, pair]
            squares[places] += seen[:, pair] ** 2
            counts[places] += 1
        standing = advance(standing, signs, weighted)
        answered = standing.answered.all(axis=1) & ~ended
        runs[answered] = 2 * done
        final[~ended] = standing.direction[~ended]
        ended |= answered
        if ended.all():
            break
    return _figures(world, final, runs, ended)


def _look(world: World, rates: np.ndarray, shares: np.ndarray, rng: np.random.Generator):
    tasks = drawn_tasks(shares, rng)
    signs = drawn_halves((*tasks.shape, world.parts), rng)
    shift = sum((effect / 2 * signs[..., part] for part, effect in enumerate(world.effects)), np.zeros(tasks.shape))
    rate = np.take_along_axis(rates, tasks, axis=1)
    first, second = (rng.random(rate.shape) < np.clip(rate + side * shift, 0, 1) for side in (1, -1))
    seen = first.astype(float) - second
    return signs, tasks, weights(shares, tasks) * seen, seen


def _figures(world: World, final: np.ndarray, runs: np.ndarray, ended: np.ndarray) -> Figures:
    truth = np.zeros(world.parts, int)
    truth[: len(world.effects)] = np.sign(world.effects)
    exact = (final == truth).all(axis=1).mean()
    false = ((final != 0) & (final != truth)).any(axis=1).mean()
    return Figures(float(runs.mean()), float(exact), float(false), float(1 - ended.mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'30 parts unless said':28}{'margin':>7}{'runs':>7}{'bar':>6}{'exact':>8}{'bar':>6}{'false':>8}{'open':>7}")
    for world in (*WORLDS, *SIZES):
        found = simulated(world, options.experiments, options.seed)
        bar = "-" if world.exact is None else f"{world.exact:.0%}"
        print(
            f"{world.name:28}{world.margin:7.2f}{found.runs:7.0f}{world.runs:6}{found.exact:8.1%}{bar:>6}"
            f"{found.false:8.1%}{found.open:7.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
