"""How often the gate's policies are wrong: simulated comparisons through the real decision code.

    python benchmarks/gate_errors.py [--comparisons 2000] [--no-grid]

*Real agents*: pairs of agents of Terminal-Bench 2, one check a task, question `better`. Then what a few flaky tasks, a
lost round and a stored baseline do. *Effects*: what a known change is called, and what it costs in
rounds, watched tasks included. *Runs saved*: the cost of `adaptive` against the number of fixed rounds that gives the
right verdict at least as often.
*No-ops*: every cell of tasks × rounds or adaptive × question × flake × judge sd × pass rate × check names or totals
only, in which nothing changed: how often it is called improved or regressed, nominally 2.5% each.

A cell of 2,000 comparisons has a standard error of 0.35%, so among thousands of cells some exceed 2.5% by chance. Each
cell above it is simulated again with ten times as many from another seed, and this second figure counts: it must stay
below the quantile of Binomial(20,000, .025) that all of the repeated cells exceed by chance with probability 5%.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import figures
import numpy as np
from gate_simulation import Verdicts, World, adaptive, fixed
from scipy.stats import binom

SEED = 20261115
NOMINAL = 0.025
"""What the law allows of false improvements, and of false regressions."""
BATCH = 2000
"""Comparisons that advance together."""
REPEAT = 10
"""How many times as many comparisons a doubtful cell gets the second time."""
KEYS = {
    "no-op at .9": "no_op_90",
    "no-op, pass rates mixed": "no_op_mixed",
    "no-op at .6": "no_op_60",
    "+5 points at .9": "plus_5",
    "-5 points at .9": "minus_5",
    "one check broken, rest .9": "broken",
    "one check .95 to .5": "half_broken",
    "+.02 per task, judge sd .05": "judge_gain",
    "one check broken, rest .99": "broken_99",
    "the same from passed and total alone": "broken_99_totals",
}
"""What figures.json calls a change."""
EFFECTS: list[tuple[str, dict[str, Any], str]] = [
    ("no-op at .9", {}, "neutral"),
    ("no-op, pass rates mixed", {"rate": "mixed"}, "neutral"),
    ("no-op at .6", {"rate": 0.6}, "neutral"),
    ("+5 points at .9", {"gain": 0.05}, "improved"),
    ("-5 points at .9", {"gain": -0.05}, "regressed"),
    ("one check broken, rest .9", {"first_check": (0.9, 0.0)}, "regressed"),
    ("one check .95 to .5", {"first_check": (0.95, 0.5)}, "regressed"),
    ("+.02 per task, judge sd .05", {"rate": 1.0, "judge_sd": 0.05, "judge_gain": 0.02}, "improved"),
]
"""A change, what the world then is like, and the right verdict."""
FIXED: list[tuple[str, World]] = [
    ("no-op at .9", World(20)),
    ("+5 points at .9", World(20, gain=0.05)),
    ("one check broken, rest .99", World(20, 0.99, first_check=(0.99, 0.0))),
    ("the same from passed and total alone", World(20, 0.99, first_check=(0.99, 0.0), named_checks=False)),
]
"""Worlds that five fixed rounds judge."""
COMPARED = ("+5 points at .9", "-5 points at .9", "one check broken, rest .9", "one check .95 to .5")
"""Effects against which a fixed design has to have the power of the adaptive one."""


def line(label: str, shares: dict[str, float], rounds: float) -> str:
    order = ("improved", "mixed", "neutral", "regressed", "undecided")
    return f"{label:<58}" + " ".join(f"{100 * shares[name]:6.1f}" for name in order) + f"  {rounds:5.1f}"


def entry(verdicts: Verdicts) -> dict[str, float]:
    percents = {name: round(100 * share, 2) for name, share in verdicts.shares.items()}
    return {**percents, "rounds": round(float(verdicts.rounds.mean()), 2)}


def effects(count: int) -> dict[str, dict[str, float]]:
    """The table of known changes."""
    print(f"{'adaptive':<58}{'improv  mixed neutral regress undecid  rounds':>43}")
    table: dict[str, dict[str, float]] = {}
    for tasks, (name, options, _) in itertools.product((20, 50), EFFECTS):
        for question, verdicts in adaptive(World(tasks, **options), count, np.random.default_rng(SEED)).items():
            label = f"{tasks} tasks, {question}: {name}"
            table[label] = entry(verdicts)
            print(line(label, verdicts.shares, float(verdicts.rounds.mean())), flush=True)
    for name, world in FIXED:
        verdicts = fixed(world, 5, count, np.random.default_rng(SEED))
        label = f"20 tasks, 5 fixed rounds: {name}"
        table[label] = entry(verdicts)
        print(line(label, verdicts.shares, 5), flush=True)
    return table


REAL = {"same": "no_op", "8…12": "plus_8_12", "4…6": "plus_4_6", "-6…-4": "minus_4_6", "broken": "one_task_broken"}
"""Truths about pairs of real agents, and what figures.json calls them."""


def real(count: int) -> dict[str, Any]:
    """Pairs of real agents, adaptive."""
    print(f"{'real agents, adaptive, better':<58}{'improv  mixed neutral regress undecid  rounds':>43}")
    table: dict[str, Any] = {}
    for tasks, (kind, key) in itertools.product((20, 50, 88), REAL.items()):
        verdicts = adaptive(World(tasks, real=kind), count, np.random.default_rng(SEED))["better"]
        table.setdefault(f"{tasks}_tasks", {})[key] = entry(verdicts)
        print(line(f"{tasks} tasks: {kind}", verdicts.shares, float(verdicts.rounds.mean())), flush=True)
    return table


def special(count: int) -> dict[str, Any]:
    """Few flaky tasks, a lost round, a stored baseline: worlds that fooled an earlier rule."""
    tau, flaky = World(20, "tau", checks=1), World(20, 1.0, flaky_tasks=3, named_checks=False)
    unlike = World(20, 1.0, judge_sd=0.03, unlike=True, named_checks=False)

    def looked(world: World, record: int = 0, allowance: float = 0.0) -> Verdicts:
        return adaptive(world, count, np.random.default_rng(SEED), record=record, allowance=allowance)["better"]

    def after(world: World, rounds: int) -> Verdicts:
        return fixed(world, rounds, count, np.random.default_rng(SEED))

    cells = {
        "3_of_20_tasks_flaky_2_rounds": after(flaky, 2),
        "3_of_20_tasks_flaky_5_rounds": after(flaky, 5),
        "3_of_20_tasks_flaky_adaptive": looked(flaky),
        "judges_unlike_2_rounds": after(unlike, 2),
        "judges_unlike_5_rounds": after(unlike, 5),
        "8_of_80_checks_flaky_adaptive": looked(World(20, 1.0, flaky_checks=8)),
        "half_a_round_lost_5_rounds": after(World(20, lost=0.5), 5),
        "half_a_round_lost_adaptive": looked(World(20, lost=0.5)),
        "tau_no_op_fresh": looked(tau),
        "tau_plus_10_fresh": looked(replace(tau, gain=0.1)),
    }
    for allowance in (0.015, 0.03):
        name = f"stored_{1000 * allowance:g}"
        cells[f"tau_no_op_{name}"] = looked(tau, 60, allowance)
        cells[f"tau_plus_10_{name}"] = looked(replace(tau, gain=0.1), 60, allowance)
        for drift in (0.015, 0.03):
            cells[f"tau_drift_{1000 * drift:g}_{name}"] = looked(replace(tau, drift=drift), 60, allowance)
    for name, verdicts in cells.items():
        print(line(name, verdicts.shares, float(verdicts.rounds.mean())), flush=True)
    return {name: entry(verdicts) for name, verdicts in cells.items()}


def recorded(table: dict[str, dict[str, float]]) -> dict[str, dict[str, dict[str, float]]]:
    """The table as figures.json holds it: design → change → shares in percent and rounds."""
    designs: dict[str, dict[str, dict[str, float]]] = {}
    for label, row in table.items():
        design, _, name = label.partition(": ")
        designs.setdefault(design.replace(",", "").replace(" ", "_"), {})[KEYS[name]] = row
    return designs


def saved(count: int, table: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Runs of `adaptive` as a share of those of fixed rounds with at least its power (question `better`)."""
    print(f"\n{'adaptive against fixed rounds of equal power':<50}{'power  adaptive  fixed  share':>30}")
    result: dict[str, Any] = {}
    for tasks in (20, 50):
        costs: list[float] = []
        needed: list[int] = []
        for name, options, right in EFFECTS:
            if name not in COMPARED:
                continue
            row = table[f"{tasks} tasks, better: {name}"]
            rounds = rounds_for(World(tasks, **options), right, row[right] / 100, count)
            costs.append(row["rounds"])
            needed.append(rounds)
            share = row["rounds"] / rounds
            print(f"{f'{tasks} tasks: {name}':<50}{row[right]:5.1f}  {row['rounds']:8.1f}  {rounds:5d}  {share:5.2f}")
        share = float(np.mean(costs)) / max(needed)
        print(
            f"{f'{tasks} tasks: all four':<50}{'':5}  {np.mean(costs):8.1f}  {max(needed):5d}  {share:5.2f}", flush=True
        )
        result[f"{tasks}_tasks"] = {
            "adaptive_rounds": round(float(np.mean(costs)), 2),
            "fixed_rounds": max(needed),
            "share": round(share, 3),
            "fixed_rounds_by_effect": dict(zip([KEYS[name] for name in COMPARED], needed, strict=True)),
        }
    return result


def rounds_for(world: World, right: str, power: float, count: int) -> int:
    """The smallest number of fixed rounds that says `right` at least as often, within the error of the simulation."""
    slack = 2 * (power * (1 - power) / count) ** 0.5
    low, high = 1, 80
    while low < high:  # power grows with rounds
        middle = (low + high) // 2
        reached = fixed(world, middle, count, np.random.default_rng(SEED)).shares[right] >= power - slack
        low, high = (low, middle) if reached else (middle + 1, high)
    return low


@dataclass(frozen=True)
class Cell:
    """One world in which nothing changed, and how it is judged."""

    world: World
    rounds: int | None
    """None is adaptive."""
    count: int
    seed: int


class Share(NamedTuple):
    """How often a cell is called improved or regressed."""

    cell: Cell
    question: str
    kind: str
    share: float

    def __str__(self) -> str:
        world, design = self.cell.world, f"{self.cell.rounds} rounds" if self.cell.rounds else "adaptive"
        logs = "check names" if world.named_checks else "totals only"
        return (
            f"{100 * self.share:5.2f}% {self.kind}: {world.tasks} tasks, {design}, {self.question}, pass rate "
            f"{world.rate}, flake {world.flake}, judge sd {world.judge_sd}, {logs} ({self.cell.count:,} comparisons)"
        )


def simulated(cell: Cell) -> list[Share]:
    """The shares of one cell, in batches that fit the memory."""
    rng = np.random.default_rng(cell.seed)
    batches = [judged(cell, min(BATCH, cell.count - begun), rng) for begun in range(0, cell.count, BATCH)]
    sizes = [len(batch["safe"].codes) for batch in batches]
    return [
        Share(
            cell, question, kind, float(np.average([batch[question].shares[kind] for batch in batches], weights=sizes))
        )
        for question in ("better", "safe")
        for kind in ("improved", "regressed")
    ]


def judged(cell: Cell, count: int, rng: np.random.Generator) -> dict[str, Verdicts]:
    if cell.rounds is None:
        return adaptive(cell.world, count, rng)
    return dict.fromkeys(("better", "safe"), fixed(cell.world, cell.rounds, count, rng))


def grid(count: int) -> Iterator[Cell]:
    """Every no-op; one simulation answers both questions. The slowest come first, so that no core is left waiting."""
    worlds = itertools.product(
        (50, 20, 10, 5), (0.3, 0.6, 0.9, 0.99, "mixed"), (0.0, 0.05, 0.2), (0.0, 0.05, 0.1), (True, False)
    )
    for number, (rounds, arguments) in enumerate(itertools.product((None, 5, 3, 1), worlds)):
        tasks, rate, flake, sd, named = arguments
        yield Cell(World(tasks, rate, flake, sd, named_checks=named), rounds, count, SEED + number)


def nulls(count: int) -> dict[str, Any]:
    """The whole grid of changes that do nothing, and again those cells that exceed the nominal error."""
    with ProcessPoolExecutor() as pool:
        first = [share for shares in pool.map(simulated, grid(count), chunksize=4) for share in shares]
        doubtful = {share.cell for share in first if share.share > NOMINAL}
        again = [replace(cell, count=REPEAT * cell.count, seed=cell.seed + 1_000_000) for cell in doubtful]
        second = [share for shares in pool.map(simulated, again) for share in shares]
    cells = len(first) // 2
    allowed = float(binom.ppf(1 - 0.05 / max(len(second), 1), REPEAT * count, NOMINAL)) / (REPEAT * count)
    print(f"\nno-ops: {cells} cells of {count:,} comparisons, {len(doubtful)} again with {REPEAT * count:,}")
    for kind in ("improved", "regressed"):
        shares = [share.share for share in first if share.kind == kind]
        print(f"called {kind}: mean {100 * np.mean(shares):.2f}%; worst of the first pass and of the second:")
        for share in (*worst(first, kind, 1), *worst(second, kind, 5)):
            print(f"  {share}")
    failed = [share for share in second if share.share > allowed]
    print(f"allowed in the second pass: {100 * allowed:.2f}%; exceeded by {len(failed)}")
    counted = [share for share in first if share.cell not in doubtful] + second
    return {
        "cells": cells,
        "comparisons": count,
        "repeated": len(doubtful),
        "allowed_percent": round(100 * allowed, 2),
        "exceeded": len(failed),
        **{f"{kind}_mean_percent": mean_percent(counted, kind) for kind in ("improved", "regressed")},
        **{
            f"{kind}_worst_percent": round(100 * worst(counted, kind, 1)[0].share, 2)
            for kind in ("improved", "regressed")
        },
    }


def worst(shares: list[Share], kind: str, count: int) -> list[Share]:
    return sorted((share for share in shares if share.kind == kind), key=lambda share: -share.share)[:count]


def mean_percent(shares: list[Share], kind: str) -> float:
    return round(100 * float(np.mean([share.share for share in shares if share.kind == kind])), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=2000)
    parser.add_argument("--no-grid", action="store_true", help="leave out the changes that do nothing")
    options = parser.parse_args()
    start = time.perf_counter()
    agents, cells = real(options.comparisons), special(options.comparisons)
    table = effects(options.comparisons)
    measured: dict[str, Any] = {"comparisons": options.comparisons, "real": agents, "special": cells}
    measured["effects"] = recorded(table)
    measured["saved"] = saved(options.comparisons, table)
    measured["nulls"] = figures.known("gate_errors").get("nulls") if options.no_grid else nulls(options.comparisons)
    measured["seconds"] = round(time.perf_counter() - start, 1)
    print(f"\n{measured['seconds']} s")
    figures.record("gate_errors", measured)


if __name__ == "__main__":
    main()
