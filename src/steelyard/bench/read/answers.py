"""What a subject was asked and what it answered, as a person reads it; `store` keeps it for the logs of a board.

References (targets, and explanations of the right answer in the sample's metadata) are left out unless `reveal`. The
embedded subjects answer with references, so their answers are hidden as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from steelyard.bench.model import CEILING, STAND_INS
from steelyard.errors import one_line
from steelyard.logs.scores import outcome_of
from steelyard.outcome import Outcome, Unscored, outcome_of_error

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

VEILED = "(not shown: this embedded subject answers with references)"
"""In place of an answer that is a reference."""

NOTES = ("accuracy", "completeness", "quality", "cdk_intent")
"""Figures in a score's metadata that a reader sees."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One run, as a person reads it."""

    id: str
    epoch: int
    question: str
    choices: tuple[str, ...]
    answer: str
    """The whole reply."""
    outcome: Outcome
    explanation: str
    failure: str | None
    """The class the scorer gave it."""
    notes: tuple[tuple[str, str], ...]
    """Small figures of the scorer: dimensions, intent, time."""
    reference: str | None
    """Only with `reveal`."""
    output_tokens: int | None
    seconds: float | None = None
    """Of the run, scoring included and waiting excluded."""
    transcript: str = ""
    """Where a page links to the whole run; empty if it does not."""


def answers_with_references(model: str) -> bool:
    """Whether the answers of a model are references: the ceiling's all, those of partial subjects a share."""
    return model == CEILING or model.startswith(STAND_INS)


def redacted(answer: Answer, model: str, *, reveal: bool) -> Answer:
    """The answer as it may be shown: the words of embedded subjects give references away."""
    if reveal or not answers_with_references(model):
        return answer
    return replace(answer, answer=VEILED, explanation="")


def answer_of(sample: EvalSample, scorer: str, *, reveal: bool = False) -> Answer:
    """The answer in a full sample, as `scorer` scored it."""
    score = _score(sample, scorer)
    metadata: dict[str, Any] = (score.metadata or {}) if score else {}
    # CDK scorers name a class, the others a reason.
    failure = metadata.get("class") or metadata.get("reason")
    usage = list(sample.model_usage.values())
    return Answer(
        id=str(sample.id),
        epoch=sample.epoch,
        question=_question(sample),
        choices=tuple(sample.choices or ()),
        answer=sample.output.completion if sample.output.choices else "",
        outcome=_outcome(sample, scorer),
        explanation=(score.explanation or "") if score else "",
        failure=str(failure) if failure and failure != "passed" else None,
        notes=_notes(metadata),
        reference=_reference(sample) if reveal else None,
        output_tokens=usage[0].output_tokens if usage else None,
        seconds=sample.total_time if sample.working_time is None else sample.working_time,
    )


def _outcome(sample: EvalSample, scorer: str) -> Outcome:
    if sample.error is not None:
        return outcome_of_error(one_line(sample.error.message))
    score = _score(sample, scorer)
    if score is None:
        return Unscored("harness", f"no score by {scorer}")
    fault = (score.metadata or {}).get("fault")
    value: Any = score.value
    if isinstance(value, dict):
        value = cast(dict[str, Any], value).get(scorer.partition(".")[2])
    return outcome_of(value, reason=score.reason, explanation=score.explanation, fault=fault)


def _score(sample: EvalSample, scorer: str) -> Score | None:
    """The score of a scorer, or of `SCORER.KEY`."""
    scores = sample.scores or {}
    return scores.get(scorer) or scores.get(scorer.partition(".")[0])


def _question(sample: EvalSample) -> str:
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(message.text for message in sample.input if message.text)


def _reference(sample: EvalSample) -> str:
    target = sample.target if isinstance(sample.target, str) else ", ".join(sample.target)
    why: Any = (sample.metadata or {}).get("explanation")
    right: Any = cast(dict[str, Any], why).get("correct") if isinstance(why, dict) else why
    return "\n\n".join(str(part) for part in (target, right) if part)


def _notes(metadata: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, f"{metadata[name]:.2f}") for name in NOTES if isinstance(metadata.get(name), (int, float)))
