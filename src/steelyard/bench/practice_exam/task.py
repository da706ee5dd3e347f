"""Exams in Inspect: dataset, solver, task (docs/scoring.md §1.3).

`exam_task` makes the task of any exam, `practice_exam` that of this folder. Inspect's `multiple_choice` writes the
prompt; `letters` reads the reply. Choices are shuffled with a seed that is recorded in each sample's metadata.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig

from steelyard.bench.identity import stamp
from steelyard.bench.practice_exam.dataset import EXAM, LETTERS, Exam, Question
from steelyard.bench.practice_exam.scorer import SCORER_VERSION, exam_scorer
from steelyard.bench.practice_exam.solver import exam_solver
from steelyard.click_errors import one_line_errors
from steelyard.logs.identity import samples_hash
from steelyard.stamp import Fingerprint

DEFAULT_SEED = 0
"""Default seed for the order of the choices; it balances the right letters."""

CONFIG = GenerateConfig(temperature=0.0)
"""Generation settings of the official run."""


@task
@one_line_errors
def practice_exam(seed: int = DEFAULT_SEED, label: str | None = None) -> Task:
    """Fifty certification-style questions, all-or-nothing on the set of right letters (docs/scoring.md §1.3).

    Args:
        seed: Shuffles the choices of each question; recorded.
        label: The subject's name on the board, if it differs from the model's.
    """
    return exam_task(EXAM, seed, label)


def exam_task(exam: Exam, seed: int, label: str | None) -> Task:
    """The task of an exam, with its fingerprint."""
    fingerprint = Fingerprint(
        dataset=exam.sha256(),
        samples=samples_hash(question.id for question in exam.questions()),
        scorer=f"choice@{SCORER_VERSION}",
        parameters={"seed": seed},
    )
    return Task(
        dataset=exam_dataset(seed, exam),
        solver=exam_solver(),
        scorer=exam_scorer(),
        config=CONFIG,
        version=exam.version,
        metadata=stamp(exam.category, fingerprint, label, exam.version),
    )


def exam_dataset(seed: int = DEFAULT_SEED, exam: Exam = EXAM) -> MemoryDataset:
    """All questions, the choices of each shuffled with `seed`."""
    questions = exam.questions()
    dataset = MemoryDataset([_sample(question) for question in questions], name=exam.category)
    dataset.shuffle_choices(seed)
    for sample, question in zip(dataset, questions, strict=True):
        sample.metadata = _metadata(exam, question, sample.choices or [], seed)
    return dataset


def _sample(question: Question) -> Sample:
    return Sample(id=question.id, input=question.input, choices=list(question.choices), target=question.target)


def _metadata(exam: Exam, question: Question, shown: list[str], seed: int) -> dict[str, Any]:
    """The question's metadata, with explanations under the letters as shown."""
    metadata = question.metadata
    reasons = metadata.explanation.choices
    # Keyed by the text of the choice, because shuffling has moved the letters.
    why = {text: reasons[letter] for letter, text in zip(LETTERS, question.choices, strict=False)}
    return {
        "difficulty": metadata.difficulty,
        "domain": metadata.domain,
        "aws_services": list(metadata.aws_services),
        "explanation": {
            "correct": metadata.explanation.correct,
            "choices": {letter: why[text] for letter, text in zip(LETTERS, shown, strict=False)},
        },
        "as_of": metadata.as_of,
        "canary": exam.canary,
        "dataset_version": exam.version,
        "choice_seed": seed,
    }
