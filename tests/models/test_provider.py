"""The embedded subjects behave like models: through Inspect's own `get_model`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import anyio
import click
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, get_model

import steelyard._registry  # noqa: F401
from steelyard.bench.practice_exam.dataset import load
from steelyard.errors import ModelError
from steelyard.models import smollm2

EXAM = next(question for question in load() if len(question.target) == 1)


def exam_prompt() -> str:
    """The prompt as the task really shows it, choices in their own order."""
    letters = "\n".join(f"{chr(65 + place)}) {text}" for place, text in enumerate(EXAM.choices))
    template = resources.files("steelyard.bench.practice_exam").joinpath("prompts", "single.txt").read_text("utf-8")
    return template.format(question=EXAM.input, choices=letters, letters="A,B,C,D")


def say(model: str, prompt: str, **settings: object) -> ModelOutput:
    async def generate() -> ModelOutput:
        return await get_model(model).generate(prompt, config=GenerateConfig(**settings))  # type: ignore[arg-type]

    return anyio.run(generate)


def test_the_ceiling_answers_with_the_reference() -> None:
    right = EXAM.target if isinstance(EXAM.target, str) else EXAM.target[0]
    assert say("steelyard/ceiling", exam_prompt()).completion.strip().endswith(f"ANSWER: {right}")


def test_the_floor_repeats_with_a_seed_and_varies_between_seeds() -> None:
    answers = {seed: say("steelyard/floor", exam_prompt(), seed=seed).completion for seed in range(12)}
    assert answers == {seed: say("steelyard/floor", exam_prompt(), seed=seed).completion for seed in range(12)}
    assert len(set(answers.values())) > 1


@pytest.mark.parametrize("model", ["steelyard/ceiling", "steelyard/floor"])
def test_a_prompt_nobody_owns_is_not_answered(model: str) -> None:
    assert "do not know" in say(model, "What is the capital of France?").completion


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ModelError, match="steelyard/ceiling"):
        get_model("steelyard/nobody")


def test_inspect_says_in_one_line_what_is_wrong_with_a_model(tmp_path: Path) -> None:
    """Its command line prints an error of click's kind as one line (`tests/test_click_errors.py` runs it)."""
    with pytest.raises(click.ClickException, match=r"^there is no model steelyard/nosuch") as unknown:
        inspect_eval(
            "steelyard/practice_exam", model="steelyard/nosuch", limit=1, log_dir=str(tmp_path), display="none"
        )
    with pytest.raises(click.ClickException, match="threads is 0") as refused:
        get_model("steelyard/smollm2", memoize=False, threads=0)
    for error in (unknown.value, refused.value):
        assert error.exit_code == 2 and len(error.format_message().splitlines()) == 1


@pytest.mark.parametrize("threads", [0, -1, "x", 1.5, True, 100_000, "many\nlines"])
def test_a_thread_count_that_would_end_the_process_is_refused(threads: object) -> None:
    with pytest.raises(ModelError, match=r"threads is .*number from 1"):
        get_model("steelyard/smollm2", memoize=False, threads=threads)


@pytest.mark.xdist_group("smollm2")
class TestSmolLM2:
    """A real language model, in this process."""

    def test_it_repeats_at_temperature_0(self) -> None:
        first, second = (say("steelyard/smollm2", "Name a colour.", temperature=0, max_tokens=12) for _ in range(2))
        assert first.completion == second.completion != ""

    def test_it_counts_tokens_and_stops_at_the_limit(self) -> None:
        output = say("steelyard/smollm2", "Tell a long story.", temperature=0, max_tokens=9)
        assert output.usage is not None and output.usage.output_tokens == 9
        assert output.usage.input_tokens > 5 and output.stop_reason == "max_tokens"

    def test_it_honours_stop_sequences(self) -> None:
        prompt = "Tell a story about a river."
        whole = say("steelyard/smollm2", prompt, temperature=0, max_tokens=24).completion
        word = whole.split()[3]
        cut = say("steelyard/smollm2", prompt, temperature=0, max_tokens=24, stop_seqs=[word])
        assert word not in cut.completion and whole.startswith(cut.completion.rstrip())

    def test_it_honours_seed_and_temperature(self) -> None:
        warm = [
            say("steelyard/smollm2", "Tell a story.", temperature=1.5, max_tokens=16, seed=seed).completion
            for seed in (1, 1, 2, 3)
        ]
        assert warm[0] == warm[1]
        assert len(set(warm)) > 1

    def test_a_prompt_beyond_its_context_is_an_empty_answer(self) -> None:
        output = say("steelyard/smollm2", "word " * 20_000, max_tokens=4)
        assert output.completion == "" and output.stop_reason == "model_length"

    def test_cancelled_requests_end_and_leave_the_engine_free(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The one that runs stops between two tokens; the others never begin."""
        begun: list[int] = []
        complete = smollm2._Engine.complete

        def counted(self: Any, request: Any, *rest: Any) -> Any:
            begun.append(1)
            return complete(self, request, *rest)

        monkeypatch.setattr(smollm2._Engine, "complete", counted)
        answered: list[str] = []

        async def ask() -> None:
            config = GenerateConfig(temperature=0, max_tokens=4_000, seed=1)
            output = await get_model("steelyard/smollm2").generate("Count upwards without end: 1, 2, 3,", config=config)
            answered.append(output.completion)

        async def impatient() -> None:
            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(ask)
                while not begun:
                    await anyio.sleep(0.01)
                group.cancel_scope.cancel()

        anyio.run(impatient)
        assert len(begun) <= 1 + len(answered) < 20
        assert say("steelyard/smollm2", "Name a colour.", temperature=0, max_tokens=4).completion

    def test_a_long_prompt_can_be_given_up_while_it_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Several pieces to read, small ones for the sake of time; nobody wants the answer after the first."""
        monkeypatch.setattr(smollm2, "BATCH_TOKENS", 64)
        request = smollm2._request([ChatMessageUser(content="word " * 256)], GenerateConfig(max_tokens=1))
        looks: list[int] = []

        def given_up() -> bool:
            looks.append(1)
            return len(looks) > 2  # once before it begins, once after the first sign of life

        with pytest.raises(ModelError, match="stopped in the middle"):
            smollm2._Engine(1).complete(request, given_up)
        assert len(looks) == 3

    @pytest.mark.parametrize("asked", [0, -1])
    def test_fewer_tokens_than_one_are_refused(self, asked: int) -> None:
        with pytest.raises(ModelError, match=f"max_tokens is {asked}"):
            say("steelyard/smollm2", "Name a colour.", max_tokens=asked)
