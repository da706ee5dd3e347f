"""`answer_contains` and `answer_matches`: checks on the agent's final answer."""

from __future__ import annotations

from typing import Literal, final

from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel
from steelyard.gate.checks.pattern import Pattern, as_bytes, search
from steelyard.gate.settings import Name


@final
class AnswerContains(CheckModel):
    """The final answer contains a text, or must not."""

    kind: Literal["answer_contains"]
    text: Name
    ignore_case: bool = False
    absent: bool = False
    """Whether the text must not be there."""

    @property
    def subject(self) -> str:
        return self.text[:60]

    def evaluate(self, work: CheckInput) -> Assessment:
        fold = str.casefold if self.ignore_case else str
        return _assessed(fold(self.text) in fold(work.answer), self.absent, repr(self.text[:80]))


@final
class AnswerMatches(CheckModel):
    """The final answer matches a pattern somewhere, or must not."""

    kind: Literal["answer_matches"]
    pattern: Pattern
    absent: bool = False
    """Whether the pattern must not match."""

    @property
    def subject(self) -> str:
        return self.pattern[:60]

    def evaluate(self, work: CheckInput) -> Assessment:
        there = search(self.pattern, as_bytes(work.answer), "the answer")
        return there if isinstance(there, Assessment) else _assessed(there, self.absent, f"/{self.pattern[:80]}/")


def _assessed(there: bool, absent: bool, what: str) -> Assessment:
    return Assessment(there is not absent, f"the answer {'contains' if there else 'does not contain'} {what}")
