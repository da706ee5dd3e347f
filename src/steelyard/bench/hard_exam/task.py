"""The hard exam in Inspect."""

from __future__ import annotations

from inspect_ai import Task, task

from steelyard.bench.hard_exam.dataset import EXAM
from steelyard.bench.practice_exam.task import DEFAULT_SEED, exam_task
from steelyard.click_errors import one_line_errors


@task
@one_line_errors
def hard_exam(seed: int = DEFAULT_SEED, label: str | None = None) -> Task:
    """Long questions with computed answers, all-or-nothing on the set of right letters (docs/hard.md).

    Args:
        seed: Shuffles the choices of each question; recorded.
        label: The subject's name on the board, if it differs from the model's.
    """
    return exam_task(EXAM, seed, label)
