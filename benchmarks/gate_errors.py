"""How often the gate's policies are wrong: simulated comparisons through the real decision code.

Each cell simulates comparisons of two arms whose checks pass at random and whose judge scatters, decides them with
`gate.evidence.decision.decide`, and counts the verdicts. Adaptive cells run rounds until decided, with the watch list;
their cost is in rounds, watched tasks included.

Usage: python benchmarks/gate_errors.py [--comparisons 2000] [--grid]

`--grid` adds the 1,800 cells of changes that do nothing, which takes far longer than the table of effects.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import figures
import numpy as np
from numpy.typing import NDArray

from steelyard.gate.evidence.decision import (
    UNDECIDED,
    VERDICTS,
    WATCH_FROM,
    WATCH_ROUNDS,
    Failures,
    Observed,
    Rules,
    decide,
    watch_list,
)

Array = NDArray[np.float64]
CHECKS = 4
"""Checks of each task."""
SEED = 20261115


@dataclass(frozen=True)
class World:
    """What the two arms are like."""

    tasks: int
    rate: float | str = 0.9
    """Pass rate of every check, or `mixed`: Beta(1.6, .4), drawn per check."""
    flake: float = 0.0
    """Chance that a check fails whatever the agent did."""
    judge_sd: float = 0.0
    gain: float = 0.0
    """Added to the candidate's pass rates."""
    judge_gain: float = 0.0
    """Added to the candidate's composite through the judge."""
    first_check: tuple[float, float] | None = None
    """Pass rates of one check under baseline and candidate."""
    named_checks: bool = True
    """Whether the logs say which check failed."""

    @property
    def judged(self) -> bool:
        return bool(self.judge_sd or self.judge_gain)

    def rates(self, rng: np.random.Generator, count: int) -> tuple[Array, Array]:
        shape = (count, self.tasks * CHECKS)
        before = rng.beta(1.6, 0.4, shape) if self.rate == "mixed" else np.full(shape, float(self.rate))
        before = before * (1 - self.flake)
        after = np.clip(before + self.gain, 0.0, 1.0)
        if self.first_check is not None:
            before[:, 0], after[:, 0] = self.first_check
        return before, after

    def deltas(self, rng: np.random.Generator, passed: NDArray[np.bool_], passed_after: NDArray[np.bool_]) -> Array:
        """Composite differences per task of one round."""
        by_task = (len(passed), self.tasks, CHECKS)
        objective = (passed_after.reshape(by_task).sum(2) - passed.reshape(by_task).sum(2)) / CHECKS
        if not self.judged:
            return objective
        noise = rng.normal(0, self.judge_sd, (2, len(passed), self.tasks))
        return 0.6 * objective + 0.4 * (noise[0] - noise[1]) + self.judge_gain


def adaptive(world: World, rules: Rules, count: int, rng: np.random.Generator) -> tuple[NDArray[np.int_], float]:
    """Verdicts, and the mean cost in rounds."""
    before, after = world.rates(rng, count)
    checks = before.shape[1]
    task_of = np.repeat(np.arange(world.tasks), CHECKS)
    full, own, own_after, rounds = (np.zeros((count, checks)) for _ in range(4))
    deltas = np.zeros((count, world.tasks, rules.most_rounds))
    codes, cost = np.full(count, UNDECIDED), np.zeros(count)
    active = np.arange(count)
    for done in range(1, rules.most_rounds + 1):
        passed, passed_after = (
            rng.random((len(active), checks)) < before[active],
            rng.random((len(active), checks)) < after[active],
        )
        deltas[active, :, done - 1] = world.deltas(rng, passed, passed_after)
        full[active] += ~passed
        own[active] += ~passed
        own_after[active] += ~passed_after
        rounds[active] += 1
        cost[active] += 1

        def observed(rows: NDArray[np.intp], done: int = done) -> Observed:
            failures = Failures(full[rows], own[rows], own_after[rows], rounds[rows], rounds[rows])
            return Observed(deltas[rows, :, :done], failures if world.named_checks else None, world.judged)

        if done >= WATCH_FROM and world.named_checks:
            worse = decide(observed(active), rules).worse_checks
            watched = watch_list(worse, task_of, world.tasks)
            mask = np.repeat(watched, CHECKS, axis=1)
            for _ in range(WATCH_ROUNDS):
                draws = rng.random((2, len(active), checks))
                own[active] += (draws[0] >= before[active]) & mask
                own_after[active] += (draws[1] >= after[active]) & mask
                rounds[active] += mask
            cost[active] += WATCH_ROUNDS * watched.sum(1) / world.tasks
        if done < rules.least_rounds:
            continue
        codes[active] = decide(observed(active), rules).code
        active = active[codes[active] == UNDECIDED]
        if not len(active):
            break
    return codes, float(cost.mean())


def fixed(world: World, rules: Rules, rounds: int, count: int, rng: np.random.Generator) -> NDArray[np.int_]:
    """Verdicts after a fixed number of rounds."""
    before, after = world.rates(rng, count)
    passed = rng.random((rounds, *before.shape)) < before
    passed_after = rng.random((rounds, *after.shape)) < after
    deltas = np.stack([world.deltas(rng, one, other) for one, other in zip(passed, passed_after, strict=True)], axis=-1)
    own, own_after = (~passed).sum(0).astype(float), (~passed_after).sum(0).astype(float)
    full = np.full(own.shape, float(rounds))
    failures = Failures(own, own, own_after, full, full) if world.named_checks else None
    return decide(Observed(deltas, failures, world.judged), rules).code


def shares(codes: NDArray[np.int_]) -> dict[str, float]:
    return {name: float((codes == code).mean()) for code, name in enumerate(VERDICTS)}


def row(label: str, result: dict[str, float], cost: float) -> str:
    order = ("improved", "neutral", "regressed", "undecided")
    return f"{label:<58}" + " ".join(f"{100 * result[name]:6.1f}" for name in order) + f"  {cost:5.1f}"


EFFECTS: list[tuple[str, World, str]] = [
    (f"{tasks} tasks, {question}: {name}", World(tasks, **options), question)
    for tasks in (20, 50)
    for question in ("safe", "better")
    for name, options in [
        ("no-op at .9", {}),
        ("no-op, pass rates mixed", {"rate": "mixed"}),
        ("no-op at .6", {"rate": 0.6}),
        ("+5 points at .9", {"gain": 0.05}),
        ("-5 points at .9", {"gain": -0.05}),
        ("one check broken, rest .9", {"first_check": (0.9, 0.0)}),
        ("one check .95 -> .5", {"first_check": (0.95, 0.5)}),
        ("+.02 per task, judge sd .05", {"rate": 1.0, "judge_sd": 0.05, "judge_gain": 0.02}),
    ]
]


def effects(count: int) -> dict[str, Any]:
    print(f"{'adaptive':<58}{'improv neutral regress undecid  rounds':>36}")
    table: dict[str, Any] = {}
    for label, world, question in EFFECTS:
        codes, cost = adaptive(world, Rules(question=question), count, np.random.default_rng(SEED))
        table[label] = {**shares(codes), "rounds": round(cost, 2)}
        print(row(label, shares(codes), cost), flush=True)
    for label, world in [
        ("20 tasks, 5 fixed rounds: one check broken, rest .99", World(20, 0.99, first_check=(0.99, 0.0))),
        ("  the same from passed and total alone", World(20, 0.99, first_check=(0.99, 0.0), named_checks=False)),
        ("20 tasks, 5 fixed rounds: +5 points at .9", World(20, gain=0.05)),
        ("20 tasks, 5 fixed rounds: no-op at .9", World(20)),
    ]:
        codes = fixed(world, Rules(adaptive=False), 5, count, np.random.default_rng(SEED))
        table[label.strip()] = shares(codes)
        print(row(label, shares(codes), 5), flush=True)
    return table


def null_cell(cell: tuple[World, int | None, str, int, int]) -> dict[str, float]:
    """The verdicts of one cell of the grid in which nothing changed; `rounds` None is adaptive."""
    world, rounds, question, count, seed = cell
    rng = np.random.default_rng(seed)
    if rounds is None:
        return shares(adaptive(world, Rules(question=question), count, rng)[0])
    return shares(fixed(world, Rules(adaptive=False), rounds, count, rng))


def grid() -> Iterator[tuple[World, int | None, str]]:
    """Every no-op: tasks × rounds or adaptive × question × flake × judge sd × pass rate × what the logs name."""
    designs = [(1, "better"), (3, "better"), (5, "better"), (None, "better"), (None, "safe")]
    for tasks, (rounds, question), flake, sd, rate, named in itertools.product(
        (5, 10, 20, 50), designs, (0.0, 0.05, 0.2), (0.0, 0.05, 0.1), (0.3, 0.6, 0.9, 0.99, "mixed"), (True, False)
    ):
        yield World(tasks, rate, flake, sd, named_checks=named), rounds, question


def nulls(count: int) -> dict[str, Any]:
    """The whole grid of changes that do nothing; prints the worst cells."""
    cells = [(world, rounds, question, count, SEED + number) for number, (world, rounds, question) in enumerate(grid())]
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(null_cell, cells, chunksize=8))
    print(f"\nno-op: {len(cells)} cells of {count} comparisons; the worst:")
    for kind in ("improved", "regressed"):
        for cell, result in sorted(zip(cells, results, strict=True), key=lambda pair: -pair[1][kind])[:5]:
            world, rounds, question = cell[:3]
            print(f"  called {kind} {100 * result[kind]:.2f}%: {rounds or 'adaptive'} {question}, {world}")
    return {
        "cells": len(cells),
        **{kind: max(result[kind] for result in results) for kind in ("improved", "regressed")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comparisons", type=int, default=2000)
    parser.add_argument("--grid", action="store_true", help="also simulate every change that does nothing")
    options = parser.parse_args()
    start = time.perf_counter()
    measured: dict[str, Any] = {"comparisons": options.comparisons, "effects": effects(options.comparisons)}
    if options.grid:
        measured["nulls"] = nulls(options.comparisons)
    measured["seconds"] = round(time.perf_counter() - start, 1)
    print(f"\n{measured['seconds']} s")
    figures.record("gate_errors", measured)


if __name__ == "__main__":
    main()
