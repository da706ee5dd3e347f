"""No guesser that ignores the questions reaches 35% on the single-answer questions (docs/scoring.md §1.3)."""

from __future__ import annotations

import pytest

from steelyard.bench.practice_exam.dataset import Question, load
from steelyard.bench.practice_exam.task import DEFAULT_SEED, exam_dataset

from .giveaways import LIMIT, bag_of_words, figures, service_names, specificity

QUESTIONS = load()


def test_every_guesser_stays_below_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    found = figures(QUESTIONS)
    with capsys.disabled():
        print(f"\npractice exam, {found.questions} single-answer questions, chance {found.chance:.3f}:")
        for name, share in found.guessers().items():
            print(f"  {name:<28}{share:.3f}")
    assert found.questions == 30
    assert found.chance == 0.25
    assert {name: share for name, share in found.guessers().items() if share >= LIMIT} == {}


def test_letters_stay_balanced_under_the_default_seed() -> None:
    targets = [sample.target for sample in exam_dataset(DEFAULT_SEED) if isinstance(sample.target, str)]
    # 30 / 4 = 7.5; no letter is right in 35% (10.5) of them
    assert all(targets.count(letter) < LIMIT * len(targets) for letter in "ABCD")


def _question(number: int, choices: list[str], target: str) -> Question:
    known = QUESTIONS[0].metadata
    return QUESTIONS[0].model_copy(
        update={
            "id": f"pe-{number:03d}",
            "choices": choices,
            "target": target,
            "metadata": known.model_copy(update={"aws_services": ["Amazon S3", "AWS Lambda"]}),
        }
    )


def test_the_guessers_find_what_is_given_away() -> None:
    # the right choice is the longest, the only one with a service, always A, and always says "properly"
    easy = [
        _question(number, [f"properly use Amazon S3 for {noun}", noun, f"a {noun}", f"{noun} x"], "A")
        for number, noun in enumerate(["tape", "disk", "drum", "card"], start=1)
    ]
    found = figures(easy)
    assert (found.longest, found.most_specific, found.letters["A"], found.bag_of_words) == (1, 1, 1, 1)
    assert (found.shortest, found.letters["B"]) == (0, 0)


def test_ties_count_as_the_share_of_right_ones() -> None:
    # four choices of four letters: every one is longest, one of four is right
    assert figures([_question(1, ["aaaa", "bbbb", "cccc", "dddd"], "C")]).longest == 0.25


def test_the_bag_of_words_never_sees_the_tested_question() -> None:
    # with one question there is nothing to learn from: all choices tie
    alone = [_question(1, ["alpha", "beta", "gamma", "delta"], "B")]
    assert bag_of_words(alone, alone) == 0.25


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Use Amazon S3.", 1),
        ("Use S3 and AWS Lambda for 30 days", 3),
        ("Use SageMaker with 1,000 GB", 1),
        ("nothing here", 0),
        ("S3 S3", 2),
    ],
)
def test_specificity_counts_services_and_numbers(text: str, value: int) -> None:
    names = service_names([_question(1, ["a", "b", "c", "d"], "A")])
    assert specificity(text, names) == value
