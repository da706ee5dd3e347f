"""A cache of its own for every test, a rubric of each kind, and judges whose replies a test registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from steelyard.judge import Rubric, parse_rubric

from .stub_judge import CRITERIA, DIMENSIONS, REPLIES, Reply


@pytest.fixture(autouse=True)
def isolated(own_cache: Path) -> None:
    """Use `own_cache` in every test."""


@pytest.fixture
def dimensions() -> Rubric:
    return parse_rubric(DIMENSIONS, "dimensions.yaml")


@pytest.fixture
def criteria() -> Rubric:
    return parse_rubric(CRITERIA, "criteria.yaml")


@pytest.fixture
def judge_named() -> Iterator[Callable[[Reply | list[str]], str]]:
    """Make a judge from a function of the messages, or from a list of replies; gives its name."""
    made: list[str] = []

    def make(reply: Reply | list[str]) -> str:
        name = f"judge{len(REPLIES)}"
        replies = iter(reply) if isinstance(reply, list) else None
        REPLIES[name] = (lambda _: next(replies)) if replies is not None else reply  # type: ignore[assignment]
        made.append(name)
        return f"stub/{name}"

    yield make
    for name in made:
        REPLIES[name] = lambda _: "gone"
