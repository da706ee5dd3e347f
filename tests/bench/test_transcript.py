"""Published transcripts hold neither answer keys nor API keys."""

from __future__ import annotations

from typing import Any

import pytest
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalError, EvalSample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from steelyard.bench.read.answers import VEILED
from steelyard.bench.read.transcript import public_log, public_sample

KEY, SECRET = "not-a-shape-of-a-key-0123456789", "the-right-answer"


@pytest.fixture
def sample() -> EvalSample:
    return EvalSample(
        id="pe-001",
        epoch=1,
        input="Which?",
        target=SECRET,
        messages=[ChatMessageUser(content="Which?"), ChatMessageAssistant(content=f"Mine. {KEY}")],
        output=ModelOutput.from_content("maker/one", f"Mine. {KEY}"),
        scores={
            "choice": Score(value=0.0, answer="B", explanation="Mine.", metadata={"class": "wrong", "grading": SECRET})
        },
        metadata={"difficulty": "hard", "explanation": {"correct": SECRET}},
        store={"expected": SECRET},
        events=[InfoEvent(data=SECRET)],
        attachments={"a": SECRET},
        error=EvalError(message="it broke", traceback=f"{KEY} {SECRET}", traceback_ansi=f"{KEY} {SECRET}"),
    )


def test_keys_of_both_kinds_stay_out(sample: EvalSample, log_row: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKER_API_KEY", KEY)
    row = log_row("practice_exam", 1.0, model_args={"api_key": KEY}, metadata={"note": SECRET}, task_args={"k": SECRET})
    log = public_log(row, [public_sample(sample, "maker/one", reveal=False)])
    text = log.model_dump_json()
    assert KEY not in text and SECRET not in text
    (published,) = log.samples or []
    assert (
        published.output.completion == "Mine. [MAKER_API_KEY]" and published.messages[1].text == "Mine. [MAKER_API_KEY]"
    )
    assert published.metadata == {"difficulty": "hard"}
    assert (published.scores or {})["choice"].metadata == {"class": "wrong"}
    assert published.error is not None and published.error.message == "it broke"
    assert log.results is not None and log.results.scores[0].metrics["mean"].value == 1.0


def test_references_are_published_only_if_revealed(sample: EvalSample) -> None:
    revealed = public_sample(sample, "maker/one", reveal=True)
    assert revealed.target == SECRET and (revealed.metadata or {})["explanation"] == {"correct": SECRET}
    assert revealed.events == [] and revealed.store == {}


@pytest.mark.parametrize("model", ["steelyard/ceiling", "steelyard/partial-70"])
def test_the_answers_of_embedded_subjects_are_references(sample: EvalSample, model: str) -> None:
    hidden = public_sample(sample, model, reveal=False)
    assert "Mine" not in hidden.model_dump_json()
    assert hidden.output.completion == hidden.messages[-1].text == VEILED
    assert "Mine" in public_sample(sample, model, reveal=True).model_dump_json()
