"""`only_changed`: the agent touched nothing outside the named paths."""

from __future__ import annotations

from typing import Literal, final

from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside
from steelyard.tree import matches

_SHOWN = 10
"""Changes named one by one; the rest is counted."""


@final
class OnlyChanged(CheckModel):
    """Nothing outside these paths was added, removed or changed."""

    kind: Literal["only_changed"]
    paths: tuple[Inside, ...]

    @property
    def subject(self) -> str:
        return ", ".join(self.paths)

    def evaluate(self, work: CheckInput) -> Assessment:
        outside = [f"{path} {change}" for path, change in work.changed.items() if not matches(path, self.paths)]
        if not outside:
            return Assessment(True, "nothing else changed")
        rest = f"; and {len(outside) - _SHOWN} more" if len(outside) > _SHOWN else ""
        return Assessment(False, "; ".join(outside[:_SHOWN]) + rest)
