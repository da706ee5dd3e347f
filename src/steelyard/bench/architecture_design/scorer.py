"""The architecture scorers: thin wrappers around the heuristic, the judge and the diagram check (docs/scoring.md §1.4).

`architecture_scorer` needs no model. With `llm_judge_scorer` a judge gives completeness, quality and half of accuracy;
both then apply the same adjustments once (`score.adjusted`). An empty answer scores 0 with either scorer. An answer
without its facts has accuracy 0 and the reason `unread`. A sample is unscored only for reasons the answer cannot cause:
no judge or no usable verdict (`judge`), no parser for a diagram (`harness`, `sandbox`), a task that this version does
not have (`harness`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.bench.architecture_design.dataset import judge_context, load
from steelyard.bench.architecture_design.diagram import Diagram, judged
from steelyard.bench.architecture_design.diagram.mermaid import parser
from steelyard.bench.architecture_design.explain import explanation, metadata
from steelyard.bench.architecture_design.model import DesignItem, Subtype
from steelyard.bench.architecture_design.score import Adjusted, Dimensions, Reading, adjusted, blended, reading
from steelyard.errors import SandboxError, SteelyardError
from steelyard.judge import Rubric, parse_rubric, question
from steelyard.judge.grade import Judgement, grade, mean_verdict
from steelyard.judge.panel import Panel, panel
from steelyard.judge.prompt import rubric_identity
from steelyard.logs.identity import sha256_of
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored
from steelyard.text import normalised

SCORER_VERSION = "10"
"""Version of `architecture_scorer`. Raised whenever the same answer could score differently."""
JUDGE_SCORER_VERSION = "2"
"""Version of `llm_judge_scorer`, likewise; a fingerprint records rubric and judge separately."""
_ANSWER_KEPT = 2_000
"""Characters of the answer kept in the score; the log holds the whole answer."""
_STOPPED = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "refusal"}


@scorer(metrics=[mean(), stderr()])
def architecture_scorer() -> Scorer:
    """Accuracy by facts, completeness and quality by plain matching; deterministic, no model."""

    async def score(state: TaskState, target: Target) -> Score:
        assessment = await _assessed(state)
        if isinstance(assessment, Score):
            return assessment
        _, result, diagram = assessment
        return _score(state, adjusted(result.raw(diagram), result.prose, diagram), result, diagram)

    return score


@scorer(metrics=[mean(), stderr()])
def llm_judge_scorer(judge: str | list[str] | None = None, repeats: int = 1, cache: bool = True) -> Scorer:
    """The same dimensions: completeness and quality by a judge, accuracy half by facts and half by the judge.

    Args:
        judge: A judge, several separated by commas, or a list; by default those in STEELYARD_JUDGE.
        repeats: Verdicts requested from each judge.
        cache: Whether earlier verdicts may be reused.
    """
    names = [judge] if isinstance(judge, str) else list(judge or ())
    judges = panel(names, repeats=repeats, cache=cache)

    async def score(state: TaskState, target: Target) -> Score:
        assessment = await _assessed(state)
        if isinstance(assessment, Score):
            return assessment
        item, result, diagram = assessment
        if judges is None:
            return to_score(Unscored("judge", "no judge is named"), answer=_answer(state))
        return await _judged(state, item, result, diagram, judges)

    return score


def judge_scorer(judges: Panel | None) -> Scorer:
    """`llm_judge_scorer` for an existing panel."""
    if judges is None:
        return llm_judge_scorer("none")
    return llm_judge_scorer(list(judges.judges), judges.repeats, judges.cache)


@cache
def rubric(subtype: Subtype) -> Rubric:
    """The rubric for answers of one subtype."""
    path = files("steelyard.bench.architecture_design").joinpath("rubrics", f"{subtype}.yaml")
    return parse_rubric(path.read_text(encoding="utf-8"), f"rubrics/{subtype}.yaml")


@cache
def rubrics_identity() -> str:
    """Hash of all rubrics with prompts and parser, for a run's fingerprint."""
    subtypes = sorted({item.metadata.subtype for item in load()})
    return sha256_of([rubric_identity(rubric(subtype)) for subtype in subtypes])


async def _judged(state: TaskState, item: DesignItem, result: Reading, diagram: Diagram | None, judges: Panel) -> Score:
    request = question(rubric(item.metadata.subtype), task=judge_context(item), text=result.rest)
    judgement = await grade(request, judges)
    if not isinstance(judgement, Judgement):
        return to_score(judgement, answer=_answer(state), metadata=judgement.metadata())
    scores = mean_verdict(judgement).scores
    verdict = Dimensions(**{name: scores[name] for name in ("accuracy", "completeness", "quality")})
    extra = {"judge": _rounded(verdict), **judgement.metadata()}
    final = adjusted(blended(verdict, result.facts.accuracy), result.prose, diagram)
    return _score(state, final, result, diagram, extra, judgement.verdicts[0].rationale)


async def _assessed(state: TaskState) -> tuple[DesignItem, Reading, Diagram | None] | Score:
    """The task, what the answer holds and its diagram; or the final score of an empty or unscorable answer."""
    item = _items().get(str(state.sample_id))
    if item is None:
        return to_score(Unscored("harness", f"this version has no task {str(state.sample_id)[:40]!r}"))
    answer = state.output.completion
    if not normalised(answer).text.strip():
        return _empty(state)
    result = await anyio.to_thread.run_sync(reading, item, answer, state.input_text)
    if item.metadata.output_format is None:
        return item, result, None
    try:
        return item, result, await anyio.to_thread.run_sync(_diagram, item, result.rest)
    except SteelyardError as error:
        fault = "sandbox" if isinstance(error, SandboxError) else "harness"
        return to_score(Unscored(fault, str(error)), answer=_answer(state))


def _diagram(item: DesignItem, answer: str) -> Diagram:
    assert item.metadata.output_format is not None
    return judged(answer, item.metadata.output_format, item.metadata.expected_components, parser().read)


def _empty(state: TaskState) -> Score:
    reason = _STOPPED.get(str(state.output.stop_reason), "no_response")
    zeros = dict.fromkeys(("accuracy", "completeness", "quality", "accuracy_facts"), 0.0)
    fields: dict[str, Any] = {**zeros, "fault": "model", "reason": reason}
    return to_score(Scored(0.0), answer=_answer(state), explanation=f"The answer is empty ({reason}).", metadata=fields)


def _score(
    state: TaskState,
    final: Adjusted,
    result: Reading,
    diagram: Diagram | None,
    extra: Mapping[str, Any] | None = None,
    rationale: str | None = None,
) -> Score:
    text = explanation(final, result, diagram)
    return to_score(
        Scored(final.score),
        answer=_answer(state),
        explanation=text if rationale is None else f"{text}\nJudge: {rationale}",
        metadata={**metadata(final, result, diagram), **(extra or {})},
    )


def _answer(state: TaskState) -> str:
    return state.output.completion[:_ANSWER_KEPT]


def _rounded(dimensions: Dimensions) -> dict[str, float]:
    return {name: round(getattr(dimensions, name), 4) for name in ("accuracy", "completeness", "quality")}


@cache
def _items() -> Mapping[str, DesignItem]:
    return {item.id: item for item in load()}
