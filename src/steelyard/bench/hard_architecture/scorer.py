"""The scorer of the hard architecture tasks: a thin wrapper around `facts`. Deterministic, no model.

An answer without a readable object is the model's fault and scores 0; `reason` says why: `truncated`, `refusal`,
`no_response` (empty) or `no_facts`. The explanation names fields, never their right values.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.bench.hard_architecture.dataset import load
from steelyard.bench.hard_architecture.facts import Assessment, assess, stated
from steelyard.bench.hard_architecture.model import FactsItem
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

SCORER_VERSION = "1"
"""Raised whenever the same answer could score differently."""
_ANSWER_KEPT = 2_000
"""Characters of the answer kept in the score; the log holds the whole answer."""
_STOPPED = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "refusal"}


@scorer(metrics=[mean(), stderr()])
def facts_scorer() -> Scorer:
    """The share of facts that are right, less the traps that are wrong."""

    async def score(state: TaskState, target: Target) -> Score:
        item = _items().get(str(state.sample_id))
        if item is None:
            return to_score(Unscored("harness", f"this version has no task {str(state.sample_id)[:40]!r}"))
        answer = state.output.completion
        fields = stated(answer, item.facts)
        if fields is None:
            return _unreadable(answer, str(state.output.stop_reason))
        return _score(answer, assess(fields, item.facts))

    return score


def _score(answer: str, assessment: Assessment) -> Score:
    parts = {"right": assessment.right, "wrong": assessment.wrong, "missing": assessment.missing}
    lines = [f"{kind}: {', '.join(names)}" for kind, names in parts.items() if names]
    if assessment.traps:
        lines.append(f"each of these also costs a right one: {', '.join(assessment.traps)}")
    counts = {kind: len(names) for kind, names in parts.items()} | {"traps": len(assessment.traps)}
    return to_score(
        Scored(assessment.score), answer=answer[-_ANSWER_KEPT:], explanation="\n".join(lines), metadata=counts
    )


def _unreadable(answer: str, stop_reason: str) -> Score:
    reason = _STOPPED.get(stop_reason, "no_facts" if answer.strip() else "no_response")
    return to_score(
        Scored(0.0),
        answer=answer[-_ANSWER_KEPT:],
        explanation=f"The answer has no readable JSON object with the requested fields ({reason}).",
        metadata={"fault": "model", "reason": reason},
    )


@cache
def _items() -> Mapping[str, FactsItem]:
    return {item.id: item for item in load()}
