"""A cache of its own for every test, a rubric of each kind, and judges that reply as a test tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from steelyard.judge import Rubric, parse_rubric
from steelyard.judge.grade import open_cache

from .told import CRITERIA, DIMENSIONS, REPLIES, Reply


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No test sees verdicts, keys or judges of another."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("STEELYARD_CACHE", str(folder))
    for name in ("STEELYARD_JUDGE", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield folder
    open_cache(str(folder / "judge")).close()


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
        return f"told/{name}"

    yield make
    for name in made:
        REPLIES[name] = lambda _: "gone"
