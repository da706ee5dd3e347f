"""What agents did in their runs: step by step for a reader, and what they used of their configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Step:
    """One message of an agent, with what the tools it called printed."""

    does: str
    """The tools it calls with their arguments; empty if it only speaks."""
    says: str = ""
    printed: str = ""


@dataclass(frozen=True, slots=True)
class RunView:
    """What one side did in one run of a task, for a reader."""

    name: str
    """`round 3`, or `epoch 2` of a log of any task."""
    score: float | None
    steps: tuple[Step, ...]
    diff: str = ""
    outputs: tuple[tuple[str, bool, str, str], ...] = ()
    """(check, passed, message, output)"""

    def held(self, check: str | None) -> float:
        """How well the run ended: by one check where it is named and known, else by its score."""
        own = next((passed for name, passed, *_ in self.outputs if name == check), None)
        return float(own) if own is not None else 0.0 if self.score is None else self.score


@dataclass(frozen=True, slots=True)
class Parting:
    """The first step in which the transcripts of two runs of a task differ."""

    step: int
    """Number of the agent's message, from 1."""
    baseline: str
    """What the baseline did there; `(ended)` if it was over."""
    candidate: str
    runs: tuple[str, str] = ("", "")
    """Which run of each side."""


@dataclass(frozen=True, slots=True)
class Activation:
    """What an agent did with the skill under test in one run."""

    expected: bool | None
    """What the task expects; None if both are fine."""
    activated: bool
    near_miss: str | None = None
    """How close it came, if it was not activated."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Expected against real activations of a skill, in runs."""

    expected_activated: int
    expected_silent: int
    unexpected_activated: int
    unexpected_silent: int
    """Not expected, and not activated."""
    free_activated: int
    """Activated where both are fine."""
    free_silent: int
    mistakes: tuple[str, ...] = ()
    """Tasks in which the expectation was not met."""
    near_misses: tuple[str, ...] = ()


class PartUse(NamedTuple):
    """How often a part of the configurations was used: (runs that used it, runs of which it is known)."""

    part: str
    """Its kind and its name: `MCP server tides`."""
    baseline: tuple[int, int] | None
    """None if this side does not have it, or nobody knows."""
    candidate: tuple[int, int] | None
