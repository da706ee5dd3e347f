"""`steelyard/partial-N`: how much it knows, that it is repeatable, and that its rows are labelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, get_model

import steelyard._registry  # noqa: F401  (fills the table of answers)
from steelyard.bench.model import BoardRow
from steelyard.bench.practice_exam.dataset import load
from steelyard.bench.practice_exam.task import exam_dataset
from steelyard.bench.report.page.marks import badges
from steelyard.bench.run.budget import priced
from steelyard.errors import ModelError
from steelyard.models.baseline import UNKNOWN
from steelyard.models.partial import Partial, known_items

ITEMS = [f"item-{number}" for number in range(40)]


def asked(model: str, prompt: str, **more: Any) -> ModelOutput:
    return asyncio.run(get_model(model, memoize=False, **more).generate([ChatMessageUser(content=prompt)]))


def answer(model: str, number: int, **more: Any) -> ModelOutput:
    sample = exam_dataset()[number]
    choices = "\n".join(f"{letter}) {text}" for letter, text in zip("ABCDEF", sample.choices or (), strict=False))
    prompt = f"{sample.input}\n\n{choices}\n\nANSWER: $LETTER"
    return asked(model, prompt, **more)


@given(share=st.integers(1, 99), seed=st.integers(0, 1000))
def test_it_knows_exactly_its_share_in_any_order(share: int, seed: int) -> None:
    known = known_items(ITEMS, share, seed)
    assert len(known) == round(40 * share / 100)
    assert known == known_items(ITEMS[::-1], share, seed)


def test_each_share_and_each_seed_draws_its_own_items() -> None:
    """Not nested: two subjects of nearly equal skill disagree in both directions, as real ones do."""
    assert known_items(ITEMS, 65, 0) - known_items(ITEMS, 70, 0)
    assert known_items(ITEMS, 70, 0) != known_items(ITEMS, 70, 1)


def test_it_answers_with_the_reference_or_says_that_it_does_not_know() -> None:
    known = known_items([question.id for question in load()], 70, 0)
    for number in range(10):
        sample = exam_dataset()[number]
        output = answer("steelyard/partial-70", number)
        target = ",".join(sorted(sample.target))
        assert output.completion == (f"ANSWER: {target}" if sample.id in known else UNKNOWN)
        assert output.metadata == {"partial": {"share": 70, "seed": 0, "known": sample.id in known}}


def test_another_seed_is_recorded() -> None:
    output = answer("steelyard/partial-70", 0, seed=7)
    assert (output.metadata or {})["partial"]["seed"] == 7


def test_a_prompt_of_no_item_is_not_answered() -> None:
    output = asked("steelyard/partial-99", "How are you?")
    assert output.completion == UNKNOWN


@pytest.mark.parametrize("name", ["partial-0", "partial-100", "partial-", "partial-07", "partial-x", "partial-7.5"])
def test_a_share_is_a_whole_number_from_1_to_99(name: str) -> None:
    with pytest.raises(ModelError, match="names no share"):
        Partial(name, GenerateConfig())


@pytest.mark.parametrize("seed", ["-1", "x", True, 0.5])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(ModelError, match="seed is"):
        Partial("partial-70", GenerateConfig(), seed=seed)


def test_it_costs_nothing_and_its_row_says_what_it_is() -> None:
    assert priced("steelyard/partial-70")
    row = BoardRow("mine", {}, 0.7, None, None, False, True, (), details={"model": "steelyard/partial-70"})
    assert row.stand_in and "embedded, not a language model" in badges(row)
    real = BoardRow("real", {}, 0.7, None, None, False, True, (), details={"model": "openai/gpt-5"})
    assert not real.stand_in and badges(real) == ""
