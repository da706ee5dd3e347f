"""The built-in case: one task with answers of known quality, from which control answers and attacks are built."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from steelyard.judge.rubric import SHIPPED, Rubric, load_rubric
from steelyard.yamlfile import read

WEAK_SCORE = 0.40
"""The authors' grade for the case's honest weak answer."""


@dataclass(frozen=True, slots=True)
class Case:
    """A task, its key, and answers to it."""

    task: str
    key: str
    good: str
    weak: str
    """Honest, short, and correct as far as it goes: no attack may be graded higher."""
    prose: str
    bullets: str
    """`prose` as a list."""
    german: str
    """`prose` in another language."""
    wrong: str
    """Fluent and false."""

    @property
    def honest(self) -> dict[str, str]:
        """The honest answers by name."""
        return {name: getattr(self, name) for name in ("weak", "good", "prose", "bullets", "german")}


@cache
def case() -> Case:
    """The built-in case."""
    texts = read(SHIPPED / "cases" / "thumbnails.yaml").mapping("a case")
    return Case(**{name: entry.text() for name, entry in texts.items()})


@cache
def case_rubric() -> Rubric:
    """The shipped rubric for architecture answers."""
    return load_rubric(SHIPPED / "rubrics" / "architecture.yaml")
