"""The architecture tasks in Inspect: dataset, solver, and how a diagram is shown.

A task about a given architecture shows it as a picture (`image`) or as text (`text`) with the same nodes; `mode`
decides which. Then follow the facts that the answer must state at its end. Samples do not contain right values,
expected elements, references or labels, so logs can be shared without revealing them.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, ContentImage, ContentText, GenerateConfig, get_model
from inspect_ai.solver import generate

from steelyard.bench.architecture_design import scorer as scorers
from steelyard.bench.architecture_design.dataset import DATASET_VERSION, PACKAGE, diagram_png, diagram_text, load
from steelyard.bench.architecture_design.facts import Fact, asked
from steelyard.bench.architecture_design.mode import Diagrams, resolve_diagrams
from steelyard.bench.architecture_design.model import DesignItem
from steelyard.bench.identity import stamp
from steelyard.bench.jsonl import read_text
from steelyard.click_errors import one_line_errors
from steelyard.errors import InputError
from steelyard.judge.panel import panel
from steelyard.logs.identity import samples_hash, sha256_of
from steelyard.stamp import Fingerprint

CONFIG = GenerateConfig(temperature=0.0)
"""Generation settings of the official run."""
_LOGGED = {"subtype", "difficulty", "domain", "output_format", "diagram", "as_of", "canary"}
"""Fields of a task's metadata that its log shows."""


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
        diagrams: `image`, `text`, or `auto` (depends on the model); the log records how `auto` was resolved.
        scorer: `heuristic` (deterministic, no model), or `judge` (completeness, quality and half of accuracy).
        judge: Names of the judges; a judge is used only if it is named here or in STEELYARD_JUDGE.
        judge_repeats: Verdicts requested from each judge.
        judge_cache: Whether earlier verdicts may be reused.
        label: The subject's name on the board, if it differs from the model's.
        images: Whether the model reads images, `yes` or `no`; overrides what `auto` would look up.
    """
    if scorer not in ("heuristic", "judge"):
        raise InputError(f"unknown scorer {scorer!r}", cure="heuristic or judge")
    # Resolved before it enters the fingerprint: with `auto`, runs that showed different things would look alike.
    mode = resolve_diagrams(diagrams, (_active_model(),), images)
    judged = scorer == "judge"
    judges = panel(judge, require=True, repeats=judge_repeats, cache=judge_cache) if judged else None
    version = f"architecture_scorer@{scorers.SCORER_VERSION}"
    fingerprint = Fingerprint(
        dataset=sha256(),
        samples=samples_hash(item.id for item in load()),
        # A judged score also depends on the facts and the diagram, and so on the version of the other scorer.
        scorer=version if judges is None else f"llm_judge_scorer@{scorers.JUDGE_SCORER_VERSION}+{version}",
        judge=None if judges is None else judges.identity,
        rubric=None if judges is None else scorers.rubrics_identity(),
        parameters={"diagrams": mode},
    )
    return Task(
        dataset=design_dataset(mode),
        solver=generate(),
        scorer=scorers.architecture_scorer()
        if judges is None
        else scorers.llm_judge_scorer(list(judges.judges), judges.repeats, judges.cache),
        config=CONFIG,
        version=DATASET_VERSION,
        metadata=stamp("architecture_design", fingerprint, label, DATASET_VERSION),
    )


def design_dataset(diagrams: str) -> MemoryDataset:
    """All tasks, with diagrams shown as `diagrams` says."""
    mode = resolve_diagrams(diagrams, ())
    return MemoryDataset([_sample(item, mode) for item in load()], name="architecture_design")


def prompt(item: DesignItem, diagrams: Diagrams) -> str:
    task = item.input.strip()
    if diagrams == "text" and item.metadata.diagram is not None:
        words = diagram_text(item.metadata.diagram).strip()
        task = _template("architecture").replace("{architecture}", words).replace("{task}", task)
    return f"{_template('task').replace('{task}', task)}\n\n{fact_questions(item.facts)}"


def fact_questions(facts: Sequence[Fact]) -> str:
    """The facts that are asked for, after everything else."""
    return _template("facts").replace("{facts}", asked(facts))


@cache
def sha256() -> str:
    """Hash of everything a subject can be shown, of the facts and of the expected elements."""
    pictures = {
        name: [hashlib.sha256(diagram_png(name)).hexdigest(), diagram_text(name)]
        for item in load()
        if (name := item.metadata.diagram) is not None
    }
    rows = [item.model_dump(mode="json") for item in load()]
    return sha256_of([rows, pictures, _template("task"), _template("architecture"), _template("facts")])


def _sample(item: DesignItem, diagrams: Diagrams) -> Sample:
    known, shown = item.metadata, prompt(item, diagrams)
    pictured: list[ChatMessage] = []
    if diagrams == "image" and known.diagram is not None:
        image = ContentImage(image=f"data:image/png;base64,{base64.b64encode(diagram_png(known.diagram)).decode()}")
        pictured.append(ChatMessageUser(content=[ContentText(text=shown), image]))
    fields = {
        **known.model_dump(include=_LOGGED),
        "diagrams": diagrams if known.diagram is not None else None,
        "dataset_version": DATASET_VERSION,
    }
    return Sample(id=item.id, input=pictured or shown, metadata=fields)


@cache
def _template(name: str) -> str:
    return read_text(PACKAGE, f"prompts/{name}.txt").strip()


def _active_model() -> str | None:
    """The model this task is created for, if Inspect has one."""
    try:
        return str(get_model())
    except ValueError:
        return None
