"""The Inspect tasks of SA Bench: `inspect eval steelyard/practice_exam --model …` works as well as `steelyard bench run`.

Each task writes the identity of its run into the log: category, fingerprint, versions, seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task

from steelyard.bench.model import CATEGORIES
from steelyard.bench.practice_exam import dataset as exam_items
from steelyard.bench.practice_exam import exam
from steelyard.logs.identity import Fingerprint, Stamp, environment, samples_hash


@task
def practice_exam(seed: int = exam.DEFAULT_SEED, label: str | None = None) -> Task:
    """Fifty certification-style questions, all-or-nothing on the set of right letters (docs/scoring.md §1.3).

    Args:
        seed: Shuffles the choices of each question; recorded.
        label: The subject's name on the board, when it is not the model's.
    """
    dataset = exam.exam_dataset(seed)
    fingerprint = Fingerprint(
        dataset=exam_items.sha256(),
        samples=samples_hash(question.id for question in exam_items.load()),
        scorer=f"choice@{exam.SCORER_VERSION}",
        parameters={"seed": seed},
    )
    return Task(
        dataset=dataset,
        solver=exam.exam_solver(),
        scorer=exam.exam_scorer(),
        config=exam.CONFIG,
        version=exam_items.DATASET_VERSION,
        metadata=_stamp("practice_exam", fingerprint, label, {"dataset_version": exam_items.DATASET_VERSION}),
    )


def _stamp(category: str, fingerprint: Fingerprint, label: str | None, extra: Mapping[str, Any]) -> dict[str, Any]:
    assert category in CATEGORIES
    return Stamp("bench", category, fingerprint, label, environment(), extra).as_metadata()
