"""The practice exam in Inspect: dataset, solver, scorer (docs/scoring.md §1.3).

    score = C if the set of letters given is exactly the set of right letters, else I

All or nothing; Inspect's `multiple_choice` reads the letters and Inspect's `choice` compares them. Choices are shuffled
with a seed that stands in each sample's metadata. An answer without usable letters is the model's fault and scores I,
never "no answer" and never unscored; `reason` says why: `truncated` (the token limit came first), `refusal` (the
provider's filter stopped it), `no_response` (nothing came) or `invalid_response_format`. A reply that was cut off after
its letters is judged by its letters.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import INCORRECT, Score, Scorer, Target, accuracy, choice, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver

from steelyard.bench.practice_exam.dataset import CANARY, DATASET_VERSION, LETTERS, Question, load

DEFAULT_SEED = 0
"""Order of the choices unless a run asks for another; right letters are balanced under it."""

CONFIG = GenerateConfig(temperature=0.0)
"""Generation settings of the official run."""

SCORER_VERSION = "1"
"""Changes whenever the same reply could get another score."""

_STOPPED = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "refusal"}
_SENTENCES = {
    "truncated": "The reply was cut off by a token limit before it gave its letters.",
    "refusal": "The reply was stopped by the provider's content filter before it gave its letters.",
    "no_response": "The reply is empty.",
    "invalid_response_format": "The reply has no usable line 'ANSWER: …' with letters of the choices.",
}


def exam_dataset(seed: int = DEFAULT_SEED) -> MemoryDataset:
    """All questions, the choices of each shuffled with `seed`."""
    questions = load()
    dataset = MemoryDataset([_sample(question) for question in questions], name="practice_exam")
    dataset.shuffle_choices(seed)
    for sample, question in zip(dataset, questions, strict=True):
        sample.metadata = _metadata(question, sample.choices or [], seed)
    return dataset


def samples(seed: int = DEFAULT_SEED) -> list[Sample]:
    """The samples of `exam_dataset`."""
    return list(exam_dataset(seed))


@solver
def exam_solver() -> Solver:
    """Ask with Inspect's `multiple_choice`, for one letter or for several as the sample needs."""
    single = multiple_choice(template=_prompt("single"), multiple_correct=False)
    several = multiple_choice(template=_prompt("several"), multiple_correct=True)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        chosen = several if len(state.target) > 1 else single
        return await chosen(state, generate)

    return solve


@scorer(name="choice", metrics=[accuracy(), stderr()])
def exam_scorer() -> Scorer:
    """Inspect's `choice`, with the reason wherever a reply gave no usable letters."""
    compare = choice()

    async def score(state: TaskState, target: Target) -> Score:
        verdict = await compare(state, target)
        if verdict is None:
            raise RuntimeError("Inspect's choice scorer returned no score")
        if any(option.correct is True for option in state.choices):
            return verdict
        return _zero(state.output.completion, state.output.stop_reason)

    return score


def missing_letters(completion: str, stop_reason: str) -> str:
    """Why a reply without usable letters has none."""
    if stop_reason in _STOPPED:
        return _STOPPED[stop_reason]
    return "invalid_response_format" if completion.strip() else "no_response"


def _zero(completion: str, stop_reason: str) -> Score:
    reason = missing_letters(completion, stop_reason)
    return Score(
        value=INCORRECT,
        answer="",
        explanation=f"{_SENTENCES[reason]}\n\n{completion}".strip(),
        reason=reason,
        metadata={"reason": reason, "fault": "model", "stop_reason": stop_reason},
    )


def _sample(question: Question) -> Sample:
    return Sample(id=question.id, input=question.input, choices=list(question.choices), target=question.target)


def _metadata(question: Question, shown: list[str], seed: int) -> dict[str, Any]:
    """The question's metadata, its explanations under the letters that are shown."""
    known = question.metadata
    why = {text: known.explanation.choices[letter] for letter, text in zip(LETTERS, question.choices, strict=False)}
    return {
        "difficulty": known.difficulty,
        "domain": known.domain,
        "aws_services": list(known.aws_services),
        "explanation": {
            "correct": known.explanation.correct,
            "choices": {letter: why[text] for letter, text in zip(LETTERS, shown, strict=False)},
        },
        "as_of": known.as_of,
        "canary": CANARY,
        "dataset_version": DATASET_VERSION,
        "choice_seed": seed,
    }


def _prompt(name: str) -> str:
    return files("steelyard.bench.practice_exam").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()
