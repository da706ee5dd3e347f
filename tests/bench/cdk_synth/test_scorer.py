"""The CDK scorers: 1.0, 0.0 with a class, or unscored when the synthesizer is to blame; diagnostics stay beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from steelyard.bench.cdk_synth import control, scorer
from steelyard.bench.cdk_synth.dataset import load
from steelyard.bench.cdk_synth.lint import Lint, lint
from steelyard.bench.cdk_synth.verify import Verdict

TEMPLATE = {"S": {"Resources": {"B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": 5, "Nope": 1}}}}}
ANSWER = "```python\nimport aws_cdk\n```\n"
RESOURCES = {str(number): {"Type": kind} for number, kind in enumerate(sorted(control.RESOURCES))}
CONTROLS = {
    control.KNOWN_GOOD: Verdict(True, None, "", {"Control": {"Resources": RESOURCES}}),
    control.KNOWN_BAD: Verdict(False, "runtime_error", "ValueError"),
}
"""What a sound synthesizer says about the control apps."""


def state(answer: str, sample_id: str = "cdk-001") -> TaskState:
    output = ModelOutput.from_content("mockllm/model", answer)
    messages: list[ChatMessage] = [ChatMessageUser(content="prompt")]
    return TaskState(ModelName("mockllm/model"), sample_id, 1, "prompt", messages, output=output)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Score]:
    """Score an answer as if the synthesizer had said `verdict`."""

    def run(verdict: Verdict, answer: str = ANSWER, sample_id: str = "cdk-001", linted: Lint | None = None) -> Score:
        async def synthesizer(code: str, **options: Any) -> Verdict:
            return CONTROLS.get(code, verdict)

        monkeypatch.setattr(scorer, "verify_app", synthesizer)
        monkeypatch.setattr(scorer, "lint", lambda templates: linted)
        score = anyio.run(scorer.cdk_verify_local(), state(answer, sample_id), Target(""))
        assert score is not None
        return score

    return run


def test_a_pass_is_one_with_its_diagnostics(scored: Callable[..., Score]) -> None:
    score = scored(Verdict(True, None, "", TEMPLATE), linted=Lint(2, 1, ("E3002 no",)))
    assert score.value == 1.0 and score.metadata is not None
    assert score.metadata["class"] == "passed"
    # A bucket with none of what cdk-001 asks for: the score stays 1.0, the intent says so.
    assert 0 <= score.metadata["cdk_intent"] < 1 and score.metadata["intent_failed"]
    assert score.metadata["cfn_lint"] == {"errors": 2, "warnings": 1, "first": ["E3002 no"]}


def test_a_failure_is_zero_with_its_class(scored: Callable[..., Score]) -> None:
    score = scored(Verdict(False, "construct_error", "app.py line 3\nTypeError: x"))
    assert score.value == 0.0 and score.metadata is not None
    assert score.metadata["class"] == "construct_error" and score.metadata["cdk_intent"] == 0.0
    assert score.explanation == "construct_error: app.py line 3\nTypeError: x"


def test_nothing_to_run_is_a_zero_without_asking_the_synthesizer(scored: Callable[..., Score]) -> None:
    score = scored(Verdict(True, None, ""), answer="I cannot help with that.")
    assert score.value == 0.0 and score.metadata is not None and score.metadata["class"] == "no_code"


def test_our_own_failure_is_unscored(scored: Callable[..., Score]) -> None:
    score = scored(Verdict(False, "engine_error", "no kernel"))
    assert isinstance(score.value, float) and math.isnan(score.value)
    assert score.metadata is not None and score.metadata["fault"] == "sandbox"


def test_metadata_stays_small(scored: Callable[..., Score]) -> None:
    worst = Lint(500, 500, tuple("E" * 120 for _ in range(3)))
    for item in load():
        score = scored(Verdict(True, None, "", TEMPLATE), sample_id=item.id, linted=worst)
        assert len(json.dumps(score.metadata)) < 1_000


def test_an_unknown_item_has_no_intent(scored: Callable[..., Score]) -> None:
    score = scored(Verdict(True, None, "", TEMPLATE), sample_id="somebody-elses")
    assert score.value == 1.0 and score.metadata is not None and "cdk_intent" not in score.metadata


@pytest.mark.usefixtures("sandboxed")
def test_cfn_lint_really_looks() -> None:
    # `Nope` is no property of a bucket (E3002), and a name must be a string (E3012).
    found = lint(TEMPLATE)
    assert found is not None and found.errors >= 1
    assert any("Nope" in line for line in found.first)
    assert lint({}) is None


@pytest.mark.usefixtures("sandboxed")
def test_templates_that_make_no_sense_do_not_break_the_linter() -> None:
    assert lint({"S": {"Resources": [1, None, {"x": float(10**300)}]}}) is not None


def test_an_empty_answer_and_one_that_a_filter_stopped_are_classes_of_their_own() -> None:
    filtered = ModelOutput.from_content("none/x", "I cannot", stop_reason="content_filter")
    empty, prose = (ModelOutput.from_content("none/x", text) for text in ("  ", "I would use S3."))
    assert [scorer.no_code(output).klass for output in (empty, filtered, prose)] == [
        "no_response",
        "refusal",
        "no_code",
    ]
