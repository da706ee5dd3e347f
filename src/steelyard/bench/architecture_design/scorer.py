"""The architecture scorers: thin wrappers around the heuristic, the judge and the diagram check (docs/scoring.md §1.4).

`architecture_scorer` needs no model. With `llm_judge_scorer` a judge gives completeness, quality and half of accuracy;
both then apply the same adjustments once (`score.adjusted`). An empty answer scores 0 with either scorer. An answer
without its facts has accuracy 0 and the reason `unread`. A sample is unscored only for reasons the answer cannot cause:
no judge or no usable verdict (`judge`), no parser for a diagram (`harness`, `sandbox`), a task that this version does
not have (`harness`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.bench.architecture_design.dataset import PACKAGE, judge_context, load
from steelyard.bench.architecture_design.diagram import Diagram, judged
from steelyard.bench.architecture_design.diagram.mermaid import parser
from steelyard.bench.architecture_design.elements import Elements
from steelyard.bench.architecture_design.facts import Assessment
from steelyard.bench.architecture_design.model import Asked, DesignItem, Subtype
from steelyard.bench.architecture_design.score import Adjusted, Dimensions, Reading, adjusted, blended, reading
from steelyard.bench.jsonl import read_text
from steelyard.errors import SandboxError, SteelyardError
from steelyard.judge import Rubric, parse_rubric, question
from steelyard.judge.grade import Judgement, grade, mean_verdict
from steelyard.judge.panel import panel
from steelyard.judge.protocol import rubric_identity
from steelyard.logs.identity import sha256_of
from steelyard.logs.scores import empty, to_score
from steelyard.outcome import Scored, Unscored
from steelyard.text import normalised

SCORER_VERSION = "10"
"""Version of `architecture_scorer`. Raised whenever the same answer could score differently."""
JUDGE_SCORER_VERSION = "2"
"""Version of `llm_judge_scorer`, likewise; a fingerprint records rubric and judge separately."""
_ANSWER_KEPT = 2_000
"""Characters of the answer kept in the score; the log holds the whole answer."""
_ERROR_KEPT = 600
"""Characters of a diagram's error in the metadata; log summaries drop fields longer than a thousand."""


@scorer(metrics=[mean(), stderr()])
def architecture_scorer() -> Scorer:
    """Accuracy by facts, completeness and quality by plain matching; deterministic, no model."""

    async def graded(item: DesignItem, result: Reading, diagram: Diagram | None, answer: str) -> Score:
        return scored(result, diagram, answer)

    return _scorer(graded)


@scorer(metrics=[mean(), stderr()])
def llm_judge_scorer(judge: str | list[str] | None = None, repeats: int = 1, cache: bool = True) -> Scorer:
    """The same dimensions: completeness and quality by a judge, accuracy half by facts and half by the judge.

    Args:
        judge: A judge, several separated by commas, or a list; by default those in STEELYARD_JUDGE.
        repeats: Verdicts requested from each judge.
        cache: Whether earlier verdicts may be reused.
    """
    judges = panel(judge, repeats=repeats, cache=cache)

    async def graded(item: DesignItem, result: Reading, diagram: Diagram | None, answer: str) -> Score:
        if judges is None:
            return to_score(Unscored("judge", "no judge is named"), answer=answer)
        # The judge does not see the facts: a program has graded those.
        request = question(rubric(item.metadata.subtype), task=judge_context(item), text=result.rest)
        judgement = await grade(request, judges)
        if not isinstance(judgement, Judgement):
            return to_score(judgement, answer=answer, metadata=judgement.metadata())
        shares = mean_verdict(judgement).scores
        verdict = Dimensions(**{name: shares[name] for name in Dimensions._fields})
        made = scored(result, diagram, answer, blended(verdict, result.facts.accuracy))
        made.metadata = {**(made.metadata or {}), "judge": _rounded(verdict), **judgement.metadata()}
        made.explanation = f"{made.explanation}\nJudge: {judgement.verdicts[0].rationale}"
        return made

    return _scorer(graded)


@cache
def rubric(subtype: Subtype) -> Rubric:
    return parse_rubric(read_text(PACKAGE, f"rubrics/{subtype}.yaml"), f"rubrics/{subtype}.yaml")


@cache
def rubrics_identity() -> str:
    """Hash of all rubrics with prompts and parser, for a run's fingerprint."""
    subtypes = sorted({item.metadata.subtype for item in load()})
    return sha256_of([rubric_identity(rubric(subtype)) for subtype in subtypes])


async def read_answer(item: Asked, answer: str, prompt: str) -> tuple[Reading, Diagram | None] | Unscored:
    """What an answer holds, and its diagram if one is asked for; unscored if there is no parser for it."""
    # In a thread, so that other samples can go on meanwhile.
    result = await anyio.to_thread.run_sync(reading, item, answer, prompt)
    wanted = item.output_format
    if wanted is None:
        return result, None
    try:
        return result, await anyio.to_thread.run_sync(
            judged, result.rest, wanted, item.expected_components, parser().read
        )
    except SteelyardError as error:
        return Unscored("sandbox" if isinstance(error, SandboxError) else "harness", str(error))


def scored(result: Reading, diagram: Diagram | None, answer: str, raw: Dimensions | None = None) -> Score:
    """The score of an answer, by what a program finds in it unless a judge gave the `raw` dimensions."""
    final = adjusted(raw or result.raw(diagram), result.prose, diagram)
    return to_score(
        Scored(final.score),
        answer=answer,
        explanation=_explanation(final, result, diagram),
        metadata=_metadata(final, result, diagram),
    )


def _scorer(graded: Callable[[DesignItem, Reading, Diagram | None, str], Awaitable[Score]]) -> Scorer:
    """Reads an answer and lets `graded` score what it holds; an empty or unreadable one needs no grading."""

    async def score(state: TaskState, target: Target) -> Score:
        item = next((item for item in load() if item.id == str(state.sample_id)), None)
        if item is None:
            return to_score(Unscored("harness", f"this version has no task {str(state.sample_id)[:40]!r}"))
        completion = state.output.completion
        kept = completion[:_ANSWER_KEPT]
        if not normalised(completion).text.strip():
            zeros = dict.fromkeys((*Dimensions._fields, "accuracy_facts"), 0.0)
            return empty(state.output.stop_reason, answer=kept, metadata=zeros)
        found = await read_answer(item, completion, state.input_text)
        return to_score(found, answer=kept) if isinstance(found, Unscored) else await graded(item, *found, kept)

    return score


def _metadata(final: Adjusted, reading: Reading, diagram: Diagram | None) -> dict[str, Any]:
    facts = reading.facts
    fields: dict[str, Any] = {
        **_rounded(final.dimensions),
        "accuracy_facts": round(facts.accuracy, 4),
        "facts_wrong": list(facts.wrong),
        "facts_missing": list(facts.missing),
        "facts_trapped": list(facts.trapped),
        "elements": round(reading.elements.share, 4),
        "adjustments": {name: round(value, 4) for name, value in final.factors.items()},
        "flags": _flags(reading, diagram),
        "words": reading.prose.words,
    }
    if facts.unread:
        fields["reason"] = "unread"
    if diagram is not None:
        fields |= {
            "structured": diagram.status,
            "structured_error": None if diagram.error is None else diagram.error[:_ERROR_KEPT],
            "missing_components": _short(diagram.missing),
        }
    return fields


def _rounded(dimensions: Dimensions) -> dict[str, float]:
    """Each dimension as logs hold it."""
    return {name: round(value, 4) for name, value in dimensions._asdict().items()}


def _flags(reading: Reading, diagram: Diagram | None) -> list[str]:
    """What a reader may want to look at, sorted; flags change no score."""
    names = {
        "invisible": reading.prose.hidden,
        "wrong_fence": diagram is not None and diagram.wrong_fence,
        "several_diagrams": diagram is not None and diagram.candidates > 1,
    }
    return sorted(name for name, raised in names.items() if raised)


def _explanation(final: Adjusted, reading: Reading, diagram: Diagram | None) -> str:
    dimensions = ", ".join(f"{name} {value:.2f}" for name, value in final.dimensions._asdict().items())
    lines = [dimensions, _facts(reading.facts), _elements(reading.elements)]
    if diagram is not None:
        lines.append(_diagram(diagram))
    if final.factors:
        lines.append("Adjusted: " + ", ".join(f"{name} {value:.2f}" for name, value in final.factors.items()))
    if names := _flags(reading, diagram):
        lines.append("Flags: " + ", ".join(names))
    return "\n".join(lines)


def _facts(facts: Assessment) -> str:
    if facts.unread:
        return "Facts: no JSON object with the fields that were asked for"
    kinds = (("wrong", facts.wrong), ("missing", facts.missing), ("costing a right one", facts.trapped))
    named = "".join(f"; {kind}: {', '.join(names)}" for kind, names in kinds if names)
    return f"Facts: {len(facts.right)} right{named}"


def _elements(elements: Elements) -> str:
    kinds = {kind: getattr(elements, kind) for kind in ("components", "flows", "findings", "remedies")}
    counts = [f"{sum(shares):.1f} of {len(shares)} {kind}" for kind, shares in kinds.items() if shares]
    return "Stated: " + ", ".join(counts)


def _diagram(diagram: Diagram) -> str:
    text = f"Diagram ({diagram.format}): {diagram.status}"
    if diagram.error is not None:
        text += f": {diagram.error[:_ERROR_KEPT]}"
    if diagram.missing and diagram.status != "absent":
        text += f"; missing: {', '.join(_short(diagram.missing))}"
    return text


def _short(names: tuple[str, ...]) -> list[str]:
    # Kept short: log summaries drop fields of more than a thousand characters.
    return [name[:60] for name in names[:10]]
