"""The scorer in Inspect: shares, reasons for unreadable answers, and no right values in what it writes."""

from __future__ import annotations

import asyncio

import pytest
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, StopReason
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from steelyard.bench.hard_architecture.dataset import load
from steelyard.bench.hard_architecture.embedded import fenced, reference_answer
from steelyard.bench.hard_architecture.scorer import facts_scorer

ITEM = load()[0]


def grade(reply: str, stop: StopReason = "stop", item: str = ITEM.id) -> Score:
    state = TaskState(
        model=ModelName("mockllm/model"),
        sample_id=item,
        epoch=1,
        input="x",
        messages=[ChatMessageUser(content="x")],
        output=ModelOutput.from_content("mockllm/model", reply, stop),
    )
    score = asyncio.run(facts_scorer()(state, Target("")))
    assert score is not None
    return score


def test_the_reference_scores_one_and_a_wrong_trap_costs_two_tenths() -> None:
    assert grade(reference_answer(ITEM)).value == 1.0
    score = grade(fenced({**ITEM.values, "peak": -1}))
    # ten facts: (9 - 1) / 10
    assert score.value == pytest.approx(0.8)
    assert score.metadata is not None and score.metadata["traps"] == 1
    assert "peak" in (score.explanation or "") and str(ITEM.values["peak"]) not in (score.explanation or "")


@pytest.mark.parametrize(
    ("reply", "stop", "reason"),
    [
        ("", "stop", "no_response"),
        ("hm", "max_tokens", "truncated"),
        ("", "content_filter", "refusal"),
        ("b", "stop", "no_facts"),
    ],
)
def test_an_unreadable_answer_scores_zero_and_says_why(reply: str, stop: StopReason, reason: str) -> None:
    score = grade(reply, stop)
    assert score.value == 0.0
    assert score.metadata is not None and (score.metadata["reason"], score.metadata["fault"]) == (reason, "model")


def test_a_task_that_this_version_does_not_have_is_unscored() -> None:
    assert grade("{}", item="ha-999").value != grade("{}", item="ha-999").value  # NaN
