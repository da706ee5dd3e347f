"""The Inspect scorers of a gate run: `gate` scores the checks, `gate_judge` the judge's view of the same change.

`gate` stops the agent, takes what it left, copies the protected files over it and runs the checks; its value is obj01.
`gate_judge` reads what `gate` put into the sample's store, so a log can be graded again without the agent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard.gate.metadata import JUDGE, STORE
from steelyard.gate.purse import pay
from steelyard.judge import question
from steelyard.judge.grade import grade, mean_verdict
from steelyard.judge.judgement import RATINGS
from steelyard.judge.panel import Panel
from steelyard.judge.rubric import Rubric
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

Work = Callable[[TaskState], Awaitable[None]]
Scoring = Callable[[TaskState], Awaitable[Score]]


@solver
def gate_agent(work: Work) -> Solver:
    """Lets the agent work on the sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await work(state)
        return state

    return solve


@scorer(metrics=[mean()])
def gate(examine: Scoring) -> Scorer:
    """The share of checks passed; the metadata holds everything a comparison needs."""

    async def score(state: TaskState, target: Target) -> Score:
        return await examine(state)

    return score


@scorer(metrics=[mean()], name=JUDGE)
def gate_judge(judges: Sequence[str], repeats: int = 1, cache: bool = True) -> Scorer:
    """The judge's score in [0, 1] of a task with a rubric; a task without one has none."""
    panel = Panel(tuple(judges), repeats, cache)

    async def score(state: TaskState, target: Target) -> Score | None:
        left = cast(dict[str, Any], state.store.get(STORE) or {})
        if left.get("rubric") is None:
            return None
        if left.get("unscored"):
            return to_score(Unscored("judge", "nothing to judge: the run itself is unscored"))
        asking = question(Rubric.model_validate(left["rubric"]), task=str(left["prompt"]), text=str(left["text"]))
        judgement = await grade(asking, panel)
        whole = judgement.metadata()
        pay(whole["judge_cost_usd"])
        # Small fields are also kept at the top level: a log's summaries drop long values.
        kept = {"cost_usd": whole["judge_cost_usd"], "tokens": whole["judge_tokens"], "judgement": whole}
        if isinstance(judgement, Unscored):
            return to_score(judgement, metadata=kept)
        return to_score(Scored(mean_verdict(judgement).score), metadata={**kept, RATINGS: whole[RATINGS]})

    return score
