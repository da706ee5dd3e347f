"""Replies without a label: a conclusion is read by the form of its sentence (docs/scoring.md §1.3)."""

from __future__ import annotations

import pytest

from steelyard.bench.practice_exam.letters import read_letters

CHOICES = ["Use S3 lifecycle rules", "Use an EBS volume", "Use EFS", "Use Glacier Vault Lock", "Use FSx"]

READ = [
    "My choice: B",
    "Therefore B is the correct answer",
    "It's B.",
    "It’s **B**",
    "Selected answer: B",
    "So the answer must be B",
    "So, the answer must be **B**.",
    "Final choice - B",
    "I'd go with B",
    "I select option B.",
    "The correct choice would be B.",
    "Option B is correct.",
    "B is the best option because it is cheap.",
    "Correct option: B) Use an EBS volume",
    "My selection: (B)",
    "Hence (B) is right.",
    "I believe B is correct.",
    "The answer to this question is B.",
    "The best choice here is B.",
    "I'm going with B.",
    "We should choose B.",
    "I'll answer B.",
    "Conclusion: B",
    "My vote: B",
    "Correct: B",
    "B, because A is too slow.",
    "**B** since it is cheap",
    "Therefore, B.",
    "A is slow. C costs more. So B.",
    "A is slow since it copies. C is wrong, and D is too expensive.\n\nIt's B. Hope this helps!",
]
"""Each means B."""

NOT_READ = [
    "B because of the price, or C",
    "A (but B is also right)",
    "ANSWER: A (but B is also right)",
    "My choice: A (but B is also right)",
    "It's A (but B is also right)",
    "The answer is A, but B is also correct",
    "It's A, B is also right",
    "B is the correct answer and so is C.",
    "It's B or C",
    "It might be B",
    "It's not B.",
    "B is not the correct answer",
    "B is the incorrect choice",
    "The wrong answer is B",
    "Rejected choices: A",
    "The other options are A and C",
    "The option I'd rule out is B.",
    "If cost matters, it's B.",
    "It's B if cost matters.",
    "Is it B?",
    "Neither A nor B is the correct answer",
    "A bucket policy is the correct answer",
    "It's A bucket policy.",
    "B is correct.\nC is correct.",
    "A is cheap but slow. B is too expensive",  # cut off in the middle of its reasons
    "I'd rule out B.",
    "I would not choose B.",
    "I eliminated B.",
    "Eliminate B.",
    "Cheapest: B",
    "Incorrect: B",
    "So B fails.",
    "Therefore B or C.",
    "The answer could be B.",
    "The choice between B and C is hard.",
    "The option I eliminated is B.",
    "Everything but B.",
    "The answer to the other question is B.",
]
"""They leave the choice open, take it back, or conclude nothing."""


@pytest.mark.parametrize("reply", READ)
def test_a_conclusion_is_read(reply: str) -> None:
    assert read_letters(reply, CHOICES, several=False) == {"B"}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("reply", NOT_READ)
def test_what_concludes_nothing_or_leaves_it_open_is_not_read(reply: str, several: bool) -> None:
    assert not read_letters(reply, CHOICES, several=several)


@pytest.mark.parametrize(
    "reply",
    [
        "My choices: B and D",
        "Therefore B and D are the correct answers",
        "It's B and D.",
        "Selected answers: B, D",
        "So the answers must be B and D",
        "B and D are correct.",
        "BD",
    ],
)
def test_several_letters_are_read_from_one_sentence(reply: str) -> None:
    assert read_letters(reply, CHOICES, several=True) == {"B", "D"}


def test_a_sentence_about_one_is_no_answer_where_several_are_asked_for() -> None:
    assert not read_letters("B stores it. D is the correct answer.", CHOICES, several=True)


def test_a_long_reply_is_read_in_linear_time() -> None:
    assert not read_letters("the answer option " * 50_000 + "is it B", CHOICES, several=False)
