"""What `gate run` adds to the agent's own time, on the shipped example.

    python benchmarks/gate_overhead.py [--epochs 3]

Overhead = wall clock of the whole run (both arms, sandboxes, checks, logs, verdict) minus the part in which agents
worked, per run. The arms run side by side, one task each at a time, so a second of wall clock holds two seconds of
agents. The promise is under 1 s.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
import time
from pathlib import Path

import figures

from steelyard.gate.example import example_spec
from steelyard.gate.run import gate_run
from steelyard.logs.read import read_logs

ARMS = 2
"""Runs at a time: one of each arm."""


def measured(epochs: int) -> dict[str, float]:
    """Seconds of overhead per run."""
    with tempfile.TemporaryDirectory() as name:
        spec = dataclasses.replace(example_spec(Path(name) / "runs", epochs=epochs), max_samples=ARMS)
        gate_run(dataclasses.replace(spec, log_dir=Path(name) / "warm", epochs=1))  # imports and caches
        begun = time.perf_counter()
        gate_run(spec)
        whole = time.perf_counter() - begun
        rows = read_logs([spec.log_dir]).rows
        agents = [float(run.scores["gate"].metadata["agent_seconds"]) for row in rows for run in row.runs]
    runs = len(agents)
    return {
        "runs": runs,
        "whole_s": round(whole, 3),
        "agents_s": round(sum(agents), 3),
        "overhead_per_run_s": round((whole - sum(agents) / ARMS) / runs, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    asked = parser.parse_args()
    found = measured(asked.epochs)
    print(f"{found['runs']} runs in {found['whole_s']} s, of which agents worked {found['agents_s']} s")
    print(f"overhead {found['overhead_per_run_s']} s a run (promised: under 1)")
    figures.record("gate_overhead", found)


if __name__ == "__main__":
    main()
