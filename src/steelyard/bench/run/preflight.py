"""Before the first call: does this machine have what the chosen categories and models need?

A missing tool found after the last answer has cost every call before it. Each part is really tried, through the same
code that will use it, and the first that does not work is raised with its cure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspect_ai import Task

from steelyard import toolchain
from steelyard.bench.run.plan import RunSpec
from steelyard.errors import SandboxError

EMBEDDED = "steelyard/smollm2"
"""The model that lives in a file of ours."""


def preflight(spec: RunSpec, tasks: Mapping[str, Task]) -> None:
    """Raise with the cure when something that these tasks and models need does not work here."""
    if EMBEDDED in _models(spec):
        toolchain.require("local", "xllamacpp")
        toolchain.check_model()
    if (design := tasks.get("architecture_design")) is not None and _wants_mermaid(design, spec.limit):
        _try_mermaid()
    if "cdk_synth" in tasks and spec.scorer != "cdk_verify":  # the boxed verifier chose its sandbox with its task
        _try_engine()


def _models(spec: RunSpec) -> Iterable[str]:
    return (*spec.models, *spec.judges, *spec.model_roles.values())


def _wants_mermaid(task: Task, limit: int | None) -> bool:
    asked = ((sample.metadata or {}).get("output_format") for sample in list(task.dataset)[:limit])
    return "mermaid" in asked


def _try_mermaid() -> None:
    from steelyard.bench.architecture_design.diagram.mermaid import CANARY, parser

    parser().complaint(CANARY)  # the process it starts is the one that answers later


def _try_engine() -> None:
    from steelyard.sandbox.choose import try_bubblewrap

    toolchain.require("cdk", "aws_cdk", "constructs", "jsii", "cfnlint")
    toolchain.node()
    trial = try_bubblewrap()
    if not trial.works:
        raise SandboxError(f"CDK apps run in a sandbox, and none works here: {trial.detail}", cure=trial.cure)
