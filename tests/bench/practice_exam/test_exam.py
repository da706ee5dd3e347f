"""Dataset, solver and scorer in Inspect: all or nothing, and a reason wherever there are no letters (§1.3)."""

from __future__ import annotations

import asyncio
import gc
import warnings
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    ModelName,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import Generate, TaskState

from steelyard.bench.practice_exam.dataset import CANARY, load
from steelyard.bench.practice_exam.embedded import reference
from steelyard.bench.practice_exam.letters import read_letters
from steelyard.bench.practice_exam.scorer import exam_scorer
from steelyard.bench.practice_exam.solver import exam_solver
from steelyard.bench.practice_exam.task import CONFIG, exam_dataset


async def _grade(target: list[str], reply: str, stop: StopReason, number: int) -> Score:
    state = TaskState(
        model=ModelName("mockllm/model"),
        sample_id="pe",
        epoch=1,
        input="Which?",
        messages=[ChatMessageUser(content="Which?")],
        target=Target(target),
        choices=[f"choice {i}" for i in range(number)],
    )

    async def generate(state: TaskState, **_: object) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", reply, stop)
        state.messages.append(ChatMessageAssistant(content=reply))
        return state

    solved = await exam_solver()(state, _as_generate(generate))
    verdict = await exam_scorer()(solved, Target(target))
    assert verdict is not None
    return verdict


def _as_generate(function: object) -> Generate:
    return function  # type: ignore[return-value]


def grade(target: list[str], reply: str, stop: StopReason = "stop", number: int = 5) -> Score:
    return asyncio.run(_grade(target, reply, stop, number))


SINGLE = [
    ("ANSWER: B", "C"),
    ("answer: b", "C"),
    ("ANSWER:B.", "C"),
    ("**ANSWER: B**", "C"),
    ("ANSWER: **B**", "C"),
    ("ANSWER: $B$", "C"),
    ("ANSWER: (B)", "C"),
    ("ANSWER: B)", "C"),
    ("ANSWER: B,", "C"),
    ("It could be A.\n\nANSWER: B\n", "C"),
    ("ANSWER: A\nOn reflection:\nANSWER: B", "C"),
    ("ANSWER: B\nOn reflection:\nANSWER: A", "I"),
    ("ANSWER: A", "I"),
    ("**ANSWER:** B", "C"),
    ("**ANSWER**: B", "C"),
    ("__ANSWER:__ B", "C"),
    ('ANSWER: "B"', "C"),
    ("ANSWER: 'B'", "C"),
    ("ANSWER: `B`", "C"),
    ("ANSWER: [B]", "C"),
    (r"ANSWER: $\boxed{\text{B}}$", "C"),
    ("ANSWER: B because it is durable", "C"),
    ("ANSWER: B, because A is not durable", "C"),
    ("ANSWER: B (a queue decouples)", "C"),
    ("ANSWER: B is correct.", "C"),
    ("ANSWER: B) choice 1", "C"),
    ("ANSWER: B. choice 1", "C"),
    ("ANSWER: B — choice 1", "C"),
    ("ANSWER: B choice 1", "C"),
    ("ANSWER: Option B", "C"),
    ("ANSWER:\nB", "C"),
    ("Final Answer: B", "C"),
    ("The correct answer is: B", "C"),
    ("### ANSWER: B", "C"),
    ("### Answer\n\nB", "C"),
    ("> **Answer: B) choice 1**", "C"),
    ("ANSWER: B\n\nA or C would lose messages.", "C"),
    ("**ANSWER:** A", "I"),
    ("ANSWER: A because B is slow", "I"),
    ("A loses messages. ANSWER: B", "C"),
    ("ANSWER: A\n\nOn reflection, ANSWER: B", "C"),
    ("Final Answer: The final answer is $B$. I hope it is correct.", "C"),
    ("<answer>\nB\n</answer>", "C"),
    ("<think>ANSWER: A?</think>\nB", "C"),
    (r"\boxed{B}", "C"),
    (r"Final Answer: \(\boxed{\textbf{B}}\)", "C"),
    (r"\[\boxed{B}\] It is durable.", "C"),
    ("**B**", "C"),
    ("B) choice 1", "C"),
    ("```\nanswer: b\n```\nHope this helps!", "C"),
    ("The correct answer is **B**.", "C"),
    ("A loses messages.\n\nSo the answer is B because it is durable.", "C"),
    ("The answer is not A. The best option is B.", "C"),
    ("Answer - B", "C"),
    ("## Final Answer\n**B**", "C"),
    ("<answer>B</answer>", "C"),
    ('```json\n{"why": "A is slow", "answer": "B"}\n```', "C"),
    ("| ANSWER | B |", "C"),
    ("ANSWER: B ✅", "C"),
    ("ANSWER: B<|eot_id|>", "C"),
    ("ANSWER: <B>", "C"),
    ("ANSWER: B as A or C would fail", "C"),
    ("ANSWER: B. A or C would fail.", "C"),
    ("ANSWER: B (not A or C)", "C"),
    ("ANSWER: B (A is a trap)", "C"),
    ("ANSWER: B rather than A", "C"),
    ("ANSWER: B) A queue decouples both", "C"),
    ("ANSWER: B meets all requirements", "C"),
    ("ANSWER: Only B", "C"),
    ("Die richtige Antwort ist B.", "C"),
    ("La respuesta correcta es: B", "C"),
    ("RÉPONSE : B", "C"),
    ("答案：B", "C"),
    ("正解は B です。", "C"),
    ("ANSWER: B因为它便宜", "C"),
    ("ANSWER: Ｂ", "C"),
    ("ANSWER: \u200bB", "C"),
    ("ANSWER: B\n\nWhy this answer works: A is slow.", "C"),
]
SINGLE_WITHOUT_LETTERS = [
    "ANSWER: A or B",
    "ANSWER: either B or C",
    "ANSWER: B (or C)",
    "ANSWER: B, or possibly D",
    "ANSWER: B?",
    "ANSWER: B/C",
    "ANSWER: not B",
    "ANSWER: A bucket policy",
    "ANSWER: Be careful",
    "ANSWER: I do not know",
    "ANSWER: A, B",
    "ANSWER: AB",
    "ANSWER: A and B",
    "ANSWER: F",
    "ANSWER: Z",
    "ANSWER: 2",
    "ANSWER:",
    "ANSWER: $LETTER",
    "ANSWER: all of them",
    "I think B looks good.",
    "I",
    r"\boxed{A} or \boxed{B}",
    "The answer is A. No, the answer is B.",
    "ANSWER: B is wrong",
    "ANSWER: B is not correct",
    "ANSWER: B\nC",
    "ANSWER: B (and C)",
    "ANSWER: B as well as C",
    "ANSWER: B - C",
    "ANSWER: B: C",
    "ANSWER: B. No wait, C",
    "ANSWER: B if it must be cheap",
    "ANSWER: B, but C also works",
    "ANSWER: B oder C",
    "I cannot help with that.",
]
SEVERAL = [
    ("ANSWER: A,C", "C"),
    ("ANSWER: C, A", "C"),
    ("ANSWER: A C", "C"),
    ("ANSWER: AC", "C"),
    ("ANSWER: A and C", "C"),
    ("ANSWER: A, and C", "C"),
    ("answer: a, c.", "C"),
    ("**ANSWER: A, C**", "C"),
    ("ANSWER: **A, C**", "C"),
    ("ANSWER: (A), (C)", "C"),
    ("ANSWER: A,C,", "C"),
    ("ANSWER: A, A, C", "C"),
    ("ANSWER: A", "I"),
    ("ANSWER: C", "I"),
    ("ANSWER: A,B,C", "I"),
    ("ANSWER: ABCDE", "I"),
    ("ANSWER: B,D", "I"),
    ("ANSWER: [A, C]", "C"),
    ('ANSWER: "A", "C"', "C"),
    ("ANSWER: A & C", "C"),
    ("ANSWER: A/C", "C"),
    ("ANSWER: A; C", "C"),
    ("ANSWER: A, C because both are needed", "C"),
    ("ANSWER: A and C are right", "C"),
    ("ANSWER: both A and C", "C"),
    ("ANSWER: Options A and C", "C"),
    ("ANSWER: A) choice 0, C) choice 2", "C"),
    ("ANSWER:\nA) choice 0\nC) choice 2", "C"),
    ("ANSWER:\n- A\n- C", "C"),
    ("ANSWER: A,C\n\nB is wrong.", "C"),
    (r"ANSWER: \boxed{A, C}", "C"),
    (r"\boxed{A} and \boxed{C}", "C"),
    ("A and C", "C"),
    ("**A**\n**C**", "C"),
    ("The two correct answers are **A** and **C**.", "C"),
    ("ANSWER: a c", "C"),
    ("ANSWER: A | C", "C"),
    ("ANSWER:\nA\nC", "C"),
    ("ANSWER:\n1. A\n2. C", "C"),
    ("ANSWER:\n- A) keep them apart\n- C) keep them short\n\nB is wrong.", "C"),
    ("ANSWER: A (durable), C (cheap)", "C"),
    ("ANSWER: A, C (not B or D)", "C"),
    ("ANSWER: A, C, since B or D would fail", "C"),
    ("ANSWER: A as well as C", "C"),
    ("ANSWER: A、C", "C"),
    ("答案：A和C", "C"),
    ("ANTWORT: A und C", "C"),
    ("RESPUESTA: A y C", "C"),
    ('{"answer": ["A", "C"]}', "C"),
]
SEVERAL_WITHOUT_LETTERS = [
    "ANSWER: A,F",
    "ANSWER: A,C,Z",
    "ANSWER: 1,3",
    "ANSWER: A-C",
    "ANSWER: A and C, but E if it must be cheap",
    "ANSWER: both of A",
    "ANSWER: A) one, C) two",
    "ANSWER: A or C",
    "ANSWER: A, C or D",
    "ANSWER: A and C (or D)",
]


@pytest.mark.parametrize(("reply", "value"), SINGLE)
def test_one_letter(reply: str, value: str) -> None:
    verdict = grade(["B"], reply)
    assert (verdict.value, verdict.reason) == (value, None)


@pytest.mark.parametrize(("reply", "value"), SEVERAL)
def test_several_letters_are_all_or_nothing(reply: str, value: str) -> None:
    verdict = grade(["A", "C"], reply)
    assert (verdict.value, verdict.reason) == (value, None)


@pytest.mark.parametrize(
    ("target", "reply"),
    [(["B"], reply) for reply in SINGLE_WITHOUT_LETTERS] + [(["A", "C"], reply) for reply in SEVERAL_WITHOUT_LETTERS],
)
def test_a_reply_without_usable_letters_is_zero_and_says_so(target: list[str], reply: str) -> None:
    verdict = grade(target, reply)
    assert (verdict.value, verdict.reason) == ("I", "invalid_response_format")
    assert verdict.explanation is not None and "names no letters" in verdict.explanation
    assert verdict.metadata == {"reason": "invalid_response_format", "fault": "model", "stop_reason": "stop"}


@pytest.mark.parametrize(
    ("reply", "stop", "reason"),
    [
        ("", "stop", "no_response"),
        (" \n\t", "stop", "no_response"),
        ("", "max_tokens", "truncated"),
        ("Let us look at each choice. A is", "max_tokens", "truncated"),
        ("… so the last line is ANSWER:", "max_tokens", "truncated"),
        ("Too long", "model_length", "truncated"),
        ("", "content_filter", "refusal"),
        ("Something odd", "unknown", "invalid_response_format"),
        ("Wrong answer: B", "stop", "invalid_response_format"),
        ("<think>A is out.\nANSWER: B</think>\nI cannot decide.", "stop", "invalid_response_format"),
        ("<think>ANSWER: B", "max_tokens", "truncated"),
    ],
)
@pytest.mark.parametrize("target", [["B"], ["A", "C"]])
def test_empty_and_truncated_replies_are_zero(target: list[str], reply: str, stop: StopReason, reason: str) -> None:
    verdict = grade(target, reply, stop)
    assert (verdict.value, verdict.reason, verdict.answer) == ("I", reason, "")
    assert verdict.metadata is not None and verdict.metadata["stop_reason"] == stop
    assert verdict.explanation


def test_a_choice_that_begins_with_an_article_is_read_behind_its_letter() -> None:
    choices = ["Use a queue", "A bucket policy that denies", "A role"]
    assert read_letters("ANSWER: B) A bucket policy that denies", choices, several=False) == {"B"}
    assert read_letters("ANSWER: A bucket policy that denies", choices, several=False) == frozenset()


def test_a_flood_of_letters_is_read_in_linear_time() -> None:
    assert read_letters("ANSWER: " + "a " * 500_000, ["x", "y"], several=False) == {"A"}


def test_a_reply_cut_off_after_its_letters_is_judged_by_them() -> None:
    assert grade(["B"], "ANSWER: B\nBecause the", "max_tokens").value == "C"
    assert grade(["A", "C"], "ANSWER: A", "max_tokens").value == "I"


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    assert [sample.choices for sample in exam_dataset(3)] == [sample.choices for sample in exam_dataset(3)]
    assert [sample.choices for sample in exam_dataset(3)] != [sample.choices for sample in exam_dataset(4)]


@pytest.mark.parametrize("seed", [0, 1, 2024])
def test_shuffling_keeps_the_key_and_its_explanations(seed: int) -> None:
    for sample, question in zip(exam_dataset(seed), load(), strict=True):
        shown = sample.choices or []
        assert {shown[ord(letter) - 65] for letter in sample.target} == question.right
        metadata = sample.metadata or {}
        assert (metadata["choice_seed"], metadata["canary"]) == (seed, CANARY)
        for letter, why in metadata["explanation"]["choices"].items():
            position = question.choices.index(shown[ord(letter) - 65])
            assert why == question.metadata.explanation.choices[chr(65 + position)]


def _run(tmp_path: Path, replies: dict[str, str]) -> EvalLog:
    def answer(messages: list[object], *_: object) -> ModelOutput:
        prompt = str(getattr(messages[-1], "text", ""))
        number = next(str(s.id) for s in exam_dataset(11) if str(s.input) in prompt)
        output = ModelOutput.from_content("mockllm/model", replies.get(number) or reference(prompt) or "")
        output.usage = ModelUsage()  # otherwise mockllm counts tokens with a vocabulary from the network
        return output

    task = Task(dataset=exam_dataset(11), solver=exam_solver(), scorer=exam_scorer(), config=CONFIG, name="exam")
    model = get_model("mockllm/model", custom_outputs=answer)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        # Inspect's own: a deprecated argument of its retry library, and streams it leaves to the garbage collector
        warnings.filterwarnings("ignore", "The 'initial' parameter is deprecated", DeprecationWarning)
        warnings.filterwarnings("ignore", "Unclosed <MemoryObject", ResourceWarning)
        log = eval(task, model=model, log_dir=str(tmp_path), display="none", score_display=False)[0]
        gc.collect()
    return log


def test_a_whole_run_in_inspect_scores_49_of_50_under_the_name_choice(tmp_path: Path) -> None:
    log = _run(tmp_path, {"pe-001": "I would rather not say."})
    assert log.status == "success" and log.results is not None, log.error
    # the reference answers 49 of 50, one reply has no letters: 49 / 50
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(0.98)
    assert log.results.scores[0].name == "choice"
    assert log.eval.model_generate_config.temperature == 0.0 or log.plan.config.temperature == 0.0
    scores = {str(sample.id): (sample.scores or {})["choice"] for sample in log.samples or []}
    assert scores["pe-001"].reason == "invalid_response_format"
    assert sum(score.value == "C" for score in scores.values()) == 49
