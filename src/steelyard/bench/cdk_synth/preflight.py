"""Checks that the CDK toolchain and a sandbox work on this machine, and tries the verifiers with the control apps."""

from __future__ import annotations

import anyio
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard import toolchain
from steelyard.artifact import scratch_folder
from steelyard.bench.cdk_synth.control import complaint
from steelyard.bench.cdk_synth.sandboxed import sandbox_spec, verify_in_sandbox
from steelyard.bench.cdk_synth.verify import verify_app
from steelyard.errors import SandboxError, one_line
from steelyard.logs.evaluate import evaluate
from steelyard.sandbox import choose

_STORED = "complaint"


def check(task: Task, *, limit: int | None, scorer: str | None) -> None:
    """Raise an error with the cure if CDK apps cannot be verified."""
    if scorer in ("cdk_verify", "cdk_behaviour"):
        return  # this verifier chose its sandbox when its task was created
    toolchain.require("cdk", "aws_cdk", "constructs", "jsii", "cfnlint")
    toolchain.node()
    trial = choose.try_bubblewrap()
    if not trial.works:
        raise SandboxError(f"CDK apps run in a sandbox, and none works here: {trial.detail}", cure=trial.cure)


def broken_scorers() -> dict[str, str]:
    """Verifiers that get the control apps wrong on this machine → what they get wrong."""
    complaints = {"cdk_verify_local": local_complaint(), "cdk_verify": sandbox_complaint()}
    return {scorer: problem for scorer, problem in complaints.items() if problem is not None}


def local_complaint() -> str | None:
    """What the warm synthesizer gets wrong about the control apps; None if nothing."""
    # Strict: for two apps a warm kernel does not pay off.
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
