"""The ceiling finds its letters in any order of the choices; the floor guesses; neither answers foreign prompts."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.dataset import Sample
from inspect_ai.solver import MultipleChoiceTemplate

from steelyard.bench.practice_exam import solver
from steelyard.bench.practice_exam import task as exam
from steelyard.bench.practice_exam.dataset import letter_count, load
from steelyard.bench.practice_exam.embedded import guess, reference

TEMPLATES = {
    True: (
        solver._prompt("several"),
        MultipleChoiceTemplate.MULTIPLE_ANSWER.value,
        MultipleChoiceTemplate.MULTIPLE_ANSWER_COT.value,
    ),
    False: (
        solver._prompt("single"),
        MultipleChoiceTemplate.SINGLE_ANSWER.value,
        MultipleChoiceTemplate.SINGLE_ANSWER_COT.value,
    ),
}


def _prompts(sample: Sample) -> list[str]:
    choices = sample.choices or []
    shown = "\n".join(f"{chr(65 + i)}) {text}" for i, text in enumerate(choices))
    letters = ",".join(chr(65 + i) for i in range(len(choices)))
    return [
        template.format(question=sample.input, choices=shown, letters=letters)
        for template in TEMPLATES[isinstance(sample.target, list)]
    ]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_reference_is_the_target_of_the_shuffled_sample(seed: int) -> None:
    for sample in exam.exam_dataset(seed):
        expected = ",".join(sorted(sample.target))
        assert {reference(prompt) for prompt in _prompts(sample)} == {f"ANSWER: {expected}"}


def test_guess_gives_as_many_letters_as_asked() -> None:
    rng = random.Random(1)
    for sample in exam.exam_dataset():
        for prompt in _prompts(sample):
            answer = guess(prompt, rng)
            assert answer is not None
            letters = answer.removeprefix("ANSWER: ").split(",")
            assert len(set(letters)) == len(letters) == letter_count(str(sample.input))
            assert max(letters) <= chr(64 + len(sample.choices or []))


def test_guess_is_uniform_and_follows_the_generator() -> None:
    prompt = _prompts(exam.exam_dataset()[0])[0]
    counts = Counter(guess(prompt, rng) for rng in [random.Random(5)] for _ in range(4000))
    # 1000 expected each, sd = sqrt(4000 * 0.25 * 0.75) = 27; five sd
    assert set(counts) == {f"ANSWER: {letter}" for letter in "ABCD"}
    assert all(abs(count - 1000) < 137 for count in counts.values())
    assert [guess(prompt, random.Random(9)) for _ in range(3)] == [guess(prompt, random.Random(9))] * 3


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "Write a CDK app with one bucket.",
        "Design it.\nA) web tier\nB) data tier\nC) cache",
        "ANSWER: $LETTER",
        load()[0].input,
        load()[0].input + "\n\nA) something\nB) else\nC) is\nD) shown",
    ],
)
def test_what_is_no_exam_prompt_gets_no_reference(prompt: str) -> None:
    assert reference(prompt) is None


@pytest.mark.parametrize("prompt", ["", "Write a CDK app.", "Design it.\nA) web\nB) data\nC) cache", "ANSWER: $LETTER"])
def test_what_is_no_exam_prompt_gets_no_guess(prompt: str) -> None:
    assert guess(prompt, random.Random(0)) is None
