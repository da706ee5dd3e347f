"""Grading many texts at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias, TypeVar

import anyio

AT_ONCE = 8
"""Texts graded concurrently."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) after each text."""

K = TypeVar("K")
Q = TypeVar("Q")
A = TypeVar("A")


async def ask_all(questions: Mapping[K, Q], ask: Callable[[Q], Awaitable[A]], progress: Progress) -> dict[K, A]:
    """The answer to every question, in the order of `questions`."""
    answers: dict[K, A] = {}
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def answer(key: K, question: Q) -> None:
        async with limiter:
            answers[key] = await ask(question)
        progress(len(answers), len(questions))

    async with anyio.create_task_group() as group:
        for key, question in questions.items():
            group.start_soon(answer, key, question)
    return {key: answers[key] for key in questions}
