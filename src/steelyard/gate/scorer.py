"""The Inspect scorers of a gate run: `gate` scores the checks, `gate_judge` the judge's view of the same change.

`gate` stops the agent, takes what it left, copies the protected files over it and runs the checks; its value is obj01.
`gate_judge` reads what `gate` put into the sample's store, so a log can be graded again without the agent. Where the
task asks for a comparison in pairs, the baseline has 0.5, and a candidate's run waits until the baseline's is known.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, cast

import anyio
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard.gate.metadata import JUDGE, PAIRWISE, STORE
from steelyard.gate.purse import BudgetSpent, pay, require_money
from steelyard.judge import Verdict, question
from steelyard.judge.grade import Judgement, NoVerdict, grade, mean_verdict
from steelyard.judge.judgement import RATINGS, UNUSABLE
from steelyard.judge.pairwise import TwoResults, compare
from steelyard.judge.panel import Panel
from steelyard.judge.parse import TIE
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


WAITS = "not compared yet with the baseline's result"
"""How the reason begins why a run that is to be compared in pairs has no verdict yet."""


AT_ONCE = 4
"""Comparisons in pairs that run at a time: no more than these can exceed a budget."""


class Around(NamedTuple):
    """What a judge needs to know besides the run."""

    others: tuple[Rubric, ...] = ()
    """Rubrics of other tasks, from which decoys may be drawn."""
    baseline: bool = False
    """Whether the run is one of the baseline's."""
    rival: str | None = None
    """The baseline's result of the same task and round; None while it is not known."""


def _alone(task: str) -> Around:
    return Around()


@scorer(metrics=[mean()], name=JUDGE)
def gate_judge(
    judges: Sequence[str], repeats: int = 1, cache: bool = True, around: Callable[[str], Around] = _alone
) -> Scorer:
    """The judge's score in [0, 1] of a task with a rubric; a task without one has none. `around` is asked by task."""
    panel = Panel(tuple(judges), repeats, cache)
    at_once = anyio.CapacityLimiter(AT_ONCE)

    async def score(state: TaskState, target: Target) -> Score | None:
        left = cast(dict[str, Any], state.store.get(STORE) or {})
        if left.get("rubric") is None:
            return None
        if left.get("unscored"):
            return to_score(Unscored("judge", "nothing to judge: the run itself is unscored"))
        seen = around(str(state.sample_id))
        rubric, task, text = Rubric.model_validate(left["rubric"]), str(left["prompt"]), str(left["text"])
        # An item of the same rubric would not be a decoy.
        others = tuple(other for other in seen.others if other.sha != rubric.sha)
        if not left.get("pairwise"):
            return _scored(await grade(question(rubric, task=task, text=text, others=others), panel))
        if seen.baseline:
            return to_score(Scored(TIE), explanation="What candidates are compared with.")
        if seen.rival is None:
            return to_score(Unscored("judge", WAITS))
        async with at_once:
            try:
                require_money()
            except BudgetSpent as error:
                return to_score(Unscored("judge", f"{WAITS}: {error}"))
            return _scored(await compare(TwoResults(rubric, task, seen.rival, text, others), panel), **{PAIRWISE: True})

    return score


def _scored(judgement: Judgement[Verdict] | NoVerdict, **fields: Any) -> Score:
    """A judgement as a score, with further fields for its metadata, and paid for."""
    whole = judgement.metadata()
    pay(whole["judge_cost_usd"])
    # Small fields are also kept at the top level: a log's summaries drop long values.
    kept = {"cost_usd": whole["judge_cost_usd"], "tokens": whole["judge_tokens"], "judgement": whole, **fields}
    if isinstance(judgement, Unscored):
        return to_score(judgement, metadata=kept)
    return to_score(
        Scored(mean_verdict(judgement).score), metadata={**kept, **{name: whole[name] for name in (RATINGS, UNUSABLE)}}
    )
