"""A judge asked from inside an Inspect eval: the log keeps what it took, apart from the subject."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from steelyard.judge import parse_rubric, question
from steelyard.judge.grade import ROLE, Judgement, grade, mean_verdict
from steelyard.judge.panel import Panel
from steelyard.logs.read import read_log
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

from .stub_judge import DIMENSIONS, REPLIES, TEXT, graded

Make = Callable[[Any], str]


@scorer(metrics=[mean()])
def inside_judge(judge: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        asked = question(parse_rubric(DIMENSIONS, "d"), task=state.input_text, text=state.output.completion)
        found = await grade(asked, Panel((judge,)))
        if isinstance(found, Judgement):
            return to_score(Scored(mean_verdict(found).score), metadata=found.metadata())
        return to_score(found, metadata=found.metadata())

    return score


def priced(text: str, tokens: int) -> ModelOutput:
    output = ModelOutput.from_content("m", text)
    output.usage = ModelUsage(input_tokens=tokens, total_tokens=tokens, total_cost=tokens / 1000)
    return output


def run(folder: Path, judge: str) -> Any:
    REPLIES["answering"] = lambda _: priced(TEXT, 5)
    task = Task(dataset=[Sample(id="s", input="explain the queue")], scorer=inside_judge(judge), name="inside")
    [log] = eval(task, model="stub/answering", log_dir=str(folder), display="none")
    assert log.status == "success"
    return log


def test_tokens_and_cost_stand_in_the_log_apart_from_the_subjects(tmp_path: Path, judge_named: Make) -> None:
    judge = judge_named(lambda _: priced(graded(), 40))
    log = run(tmp_path, judge)
    [row] = read_log(log.location).runs
    assert row.scores["inside_judge"].value == pytest.approx(0.7)
    assert row.scores["inside_judge"].metadata["judge_tokens"] == 40
    assert row.scores["inside_judge"].metadata["judge_cost_usd"] == 0.04
    assert log.samples[0].model_usage["stub/answering"].total_tokens == 5
    assert log.samples[0].role_usage[ROLE].total_tokens == 40


def test_a_judge_that_breaks_leaves_the_run_unscored_and_the_eval_a_success(tmp_path: Path, judge_named: Make) -> None:
    def broken(_: Any) -> str:
        raise RuntimeError("boom")

    [row] = read_log(run(tmp_path, judge_named(broken)).location).runs
    found = row.scores["inside_judge"].outcome
    assert isinstance(found, Unscored)
    assert found.fault == "judge"
    assert row.error is None
