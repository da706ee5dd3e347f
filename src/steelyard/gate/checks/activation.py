"""`activation`: whether the skill under test was used as expected. `expect_activation` of a task adds it."""

from __future__ import annotations

from typing import Literal, final

from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel


@final
class ActivationCheck(CheckModel):
    """The skill is activated, or is not. An arm without the skill passes: there is nothing to activate."""

    kind: Literal["activation"]
    expected: bool

    def evaluate(self, work: CheckInput) -> Assessment:
        seen = work.activation
        if seen is None:
            return Assessment(True, "there is no skill in this arm")
        words = "the skill was activated" if seen.activated else "the skill was not activated"
        near = f" ({seen.near_miss})" if seen.near_miss else ""
        return Assessment(seen.activated is self.expected, f"{words}{near}")
