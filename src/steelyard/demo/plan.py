"""What the demo's bench runs: embedded subjects in full, and a few items for SmolLM2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.bench.run.plan import RunSpec

SHARES = (90, 70, 65, 40)
"""Known items, in percent, of the ranked subjects: two of them are too close to tell apart."""

EMBEDDED = ("steelyard/ceiling", *(f"steelyard/partial-{share}" for share in SHARES), "steelyard/floor")
"""Subjects that look their answers up: all items of all categories take seconds."""

SMOLLM2 = "steelyard/smollm2"

SLICES = (("practice_exam", 1), ("architecture_design", 1))
"""Category and number of items that SmolLM2 answers, in less than a minute beside the rest. Its row is marked partial.
No CDK app: a second engine to verify it would compete with the rest for the cores."""

SANDBOXED = ("architecture_design", "cdk_synth")
"""The categories that need a sandbox: answers are programs that run, or diagrams that mermaid's parser reads."""


def embedded_run(log_dir: Path, *, sandbox: bool) -> RunSpec:
    """Every subject that looks its answers up, on the whole bench, or on what needs no sandbox."""
    from steelyard.bench.run.plan import RunSpec

    whole = RunSpec(models=EMBEDDED, log_dir=log_dir)
    return replace(whole, categories=tuple(key for key in whole.categories if sandbox or key not in SANDBOXED))


def smollm2_runs(log_dir: Path, *, sandbox: bool) -> tuple[RunSpec, ...]:
    """SmolLM2 on its slices. The folder is its own: two processes must not write eval sets into one."""
    from steelyard.bench.run.plan import RunSpec

    slices = {key: few for key, few in SLICES if sandbox or key not in SANDBOXED}
    return tuple(
        RunSpec(models=(SMOLLM2,), categories=(key,), log_dir=log_dir, limit=few) for key, few in slices.items()
    )
