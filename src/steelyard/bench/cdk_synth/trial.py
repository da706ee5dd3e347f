"""Tries both CDK verifiers with the control apps, for `doctor` and `bench check`."""

from __future__ import annotations

import anyio
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard.artifact import scratch_folder
from steelyard.bench.cdk_synth.control import complaint
from steelyard.bench.cdk_synth.sandboxed import sandbox_spec, verify_in_sandbox
from steelyard.bench.cdk_synth.verify import verify_app
from steelyard.errors import one_line
from steelyard.logs.evaluate import evaluate

_STORED = "complaint"


def local_complaint() -> str | None:
    """What the warm synthesizer gets wrong about the control apps; None if nothing."""
    return anyio.run(lambda: complaint(lambda code: verify_app(code, isolation="strict")))


def sandbox_complaint(kind: str = "auto") -> str | None:
    """What the pinned CLI in an Inspect sandbox gets wrong about them; raises if there is no sandbox."""
    task = Task(dataset=[Sample("control")], solver=_control(), sandbox=sandbox_spec(kind), name="control")
    with scratch_folder("steelyard-control-") as scratch:
        [log] = evaluate(task, model="mockllm/model", log_dir=str(scratch), log_level="error")
        [sample] = log.samples or [None]  # read from the file, which goes with the folder
    error = log.error or (sample.error if sample else None)
    if sample is None or error is not None:
        return one_line(error.message if error else "the sandbox did not start", 200)
    return sample.store.get(_STORED, "the trial did not end")


@solver
def _control() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set(_STORED, await complaint(verify_in_sandbox))
        return state

    return solve
