"""What a store of arms saves, and what reruns buy: error, power and price, decided by the gate's own code.

    python benchmarks/gate_stored.py [COMPARISONS]

The price of 20 tasks like tau-bench's, side by side and against 60 runs a task on record, with and without a true shift
of the baseline since; ten attempts of a change that does nothing on one ledger, each improvement confirmed by fresh
rounds from the second on; and a true gain of 10 points on the fifth attempt. Question `better`, at most 20 rounds.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from gate_simulation import Verdicts, World, adaptive

from steelyard.gate.evidence.decision import VERDICTS

SEED = 20261118
RECORD = 60
"""Runs a task on record."""
ATTEMPTS = 10


def price(verdicts: Verdicts, tasks: int, arms: int) -> float:
    """Mean number of new runs."""
    return float(verdicts.rounds.mean()) * tasks * arms


def better(world: World, count: int, seed: int, **record: Any) -> Verdicts:
    """Comparisons that ask whether a change is better."""
    return adaptive(world, count, np.random.default_rng(seed), **record)["better"]


def stored(count: int) -> dict[str, dict[str, float]]:
    """Verdicts and price of 20 tasks like tau-bench's."""
    table: dict[str, dict[str, float]] = {}
    for gain in (0.0, 0.1):
        fresh = better(World(20, "tau", checks=1, gain=gain), count, SEED)
        table[f"side by side, {100 * gain:+.0f} points"] = {**fresh.shares, "runs": price(fresh, 20, 2)}
        for allowance in (0.015, 0.03):
            for drift in (0.0, 0.015, 0.03) if not gain else (0.0,):
                world = World(20, "tau", checks=1, gain=gain, drift=drift)
                found = better(world, count, SEED, record=RECORD, allowance=allowance)
                label = f"record of {RECORD}, allowance {allowance:g}, shift {drift:g}, {100 * gain:+.0f} points"
                table[label] = {**found.shares, "runs": price(found, 20, 1)}
    return table


def won(verdicts: Verdicts) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which comparisons say `improved`."""
    return verdicts.codes == VERDICTS.index("improved")


def reruns(count: int) -> dict[str, float]:
    """Ten attempts of a change that does nothing: how often any of them ends as an improvement."""
    same = World(20, checks=1, real="same")
    plain, confirmed = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    for attempt in range(1, ATTEMPTS + 1):
        first = won(better(same, count, SEED + 2 * attempt))
        again = first if attempt == 1 else first & won(better(same, count, SEED + 2 * attempt + 1))
        plain, confirmed = plain | first, confirmed | again
    return {"every attempt at full α": float(plain.mean()), "confirmed from the second on": float(confirmed.mean())}


def fifth(count: int) -> dict[str, float]:
    """A true gain of 10 points at 50 tasks on the fifth attempt: its own rounds, then those of the confirmation."""
    world = World(50, "tau", checks=1, gain=0.1)
    first, again = won(better(world, count, SEED)), won(better(world, count, SEED + 1))
    return {"first rounds": float(first.mean()), "with confirmation": float((first & again).mean())}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for label, shares in stored(count).items():
        parts = " / ".join(f"{100 * shares[name]:.1f} {name}" for name in VERDICTS)
        print(f"{label}: {parts}; {shares['runs']:.0f} runs")
    for label, share in {**reruns(count), **fifth(count)}.items():
        print(f"{label}: {100 * share:.1f}% improved")


if __name__ == "__main__":
    main()
