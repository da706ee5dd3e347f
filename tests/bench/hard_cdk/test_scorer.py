"""The scorers of the hard CDK items: behaviour decides, our own failures leave a run unscored."""

from __future__ import annotations

import math

import anyio
import pytest
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from steelyard.bench.cdk_synth.verify import Verdict
from steelyard.bench.hard_cdk import scorer
from steelyard.bench.hard_cdk.dataset import load, original, reference
from steelyard.bench.hard_cdk.scorer import behaviour_score

ITEM = next(item for item in load() if item.id == "hcdk-033")
REPAIR = next(item for item in load() if item.id == "hcdk-024")


def state(answer: str, sample_id: str) -> TaskState:
    messages: list[ChatMessage] = [ChatMessageUser(content="prompt")]
    output = ModelOutput.from_content("mockllm/model", answer)
    return TaskState(ModelName("mockllm/model"), sample_id, 1, "prompt", messages, output=output)


@pytest.mark.usefixtures("shared_synthesizer")
@pytest.mark.slow
def test_answers_are_really_synthesized() -> None:
    async def scores() -> list[Score | None]:
        score = scorer.cdk_behaviour_local()
        answers = [
            (ITEM.id, f"Here.\n```python\n{reference(ITEM.id)}```\n"),
            (ITEM.id, f"```python\n{reference(ITEM.id).replace('7:04:00', '1:04:00')}```\n"),
            (ITEM.id, "I would use DynamoDB."),
            (REPAIR.id, f"```python\n{reference(REPAIR.id)}```\n"),
            (REPAIR.id, f"```python\n{original(REPAIR)}```\n"),
        ]
        return [await score(state(answer, item), Target("")) for item, answer in answers]

    right, wrong, prose, repaired, unchanged = anyio.run(scores)
    for good in (right, repaired):
        assert good is not None and good.metadata is not None
        assert (good.value, good.metadata["class"], good.metadata["cdk_behaviour"]) == (1.0, "passed", 1.0)
    assert wrong is not None and wrong.metadata is not None and wrong.value == 0.0
    assert (wrong.metadata["class"], wrong.metadata["assertions_failed"]) == ("wrong_behaviour", ["upkeep"])
    assert wrong.metadata["cdk_behaviour"] == round(11 / 12, 4)  # one of eleven assertions and `deploys`
    assert prose is not None and prose.metadata is not None and prose.metadata["class"] == "no_code"
    assert unchanged is not None and unchanged.metadata is not None and unchanged.value == 0.0
    wrongs = ["reads", "refused", "nothing-else", "other-buckets", "trust", "plain"]
    assert unchanged.metadata["assertions_failed"] == wrongs


def test_a_failed_synthesis_is_zero_with_its_class() -> None:
    score = behaviour_score(ITEM, "x", Verdict(False, "construct_error", "app.py line 3"), None)
    assert score.value == 0.0 and score.metadata is not None
    assert (score.metadata["class"], score.metadata["cdk_behaviour"]) == ("construct_error", 0.0)


@pytest.mark.parametrize(
    ("verdict", "given"),
    [
        (Verdict(False, "engine_error", "no kernel"), None),
        (Verdict(True, None, ""), Verdict(False, "engine_error", "no kernel")),
        (Verdict(True, None, ""), Verdict(False, "timeout", "too slow")),
    ],
)
def test_our_own_failure_is_unscored(verdict: Verdict, given: Verdict | None) -> None:
    score = behaviour_score(REPAIR, "x", verdict, given)
    assert isinstance(score.value, float) and math.isnan(score.value)
    assert score.metadata is not None and score.metadata["fault"] == "sandbox"


def test_an_assembly_without_stacks_meets_nothing() -> None:
    score = behaviour_score(ITEM, "x", Verdict(True, None, ""), None)
    assert score.value == 0.0 and score.explanation is not None and "the app has no stack Files" in score.explanation
