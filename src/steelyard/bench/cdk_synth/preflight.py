"""Checks that the CDK toolchain and a sandbox work on this machine."""

from __future__ import annotations

from inspect_ai import Task

from steelyard import toolchain
from steelyard.errors import SandboxError
from steelyard.sandbox import choose


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
    from steelyard.bench.cdk_synth.trial import local_complaint, sandbox_complaint

    complaints = {"cdk_verify_local": local_complaint(), "cdk_verify": sandbox_complaint()}
    return {scorer: problem for scorer, problem in complaints.items() if problem is not None}
