"""What is wrong with a folder of items: every problem at once, one line each."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import InputError, one_line
from steelyard.secrets import redact

SHOWN = 50
"""Problems printed one by one."""


class OwnItemsError(InputError):
    """A folder of items cannot be used; `problems` has one line for each reason."""

    def __init__(self, folder: str, problems: Sequence[str]) -> None:
        self.problems = tuple(one_line(redact(problem), 300) for problem in problems)
        """`FILE, line N: sentence`, in the order of the files."""
        self.folder = folder
        super().__init__(f"{folder}: {self._count()}: {'; '.join(self.problems)}")

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return one_line(f"{self.folder}: {self.problems[0]}")
        lines = [f"  {problem}" for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            lines.append(f"  and {len(self.problems) - SHOWN} more")
        return "\n".join([f"{one_line(self.folder, 200)}: {self._count()}", *lines])

    def _count(self) -> str:
        return "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
