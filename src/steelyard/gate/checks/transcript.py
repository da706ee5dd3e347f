"""`tool_called`, `tool_not_called` and `file_read`: checks on the tool calls in the transcript.

An agent that does not report its tool calls cannot be checked: the run is unscored, and not failed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal, Self, final

from pydantic import Field, model_validator

from steelyard.errors import SteelyardError
from steelyard.gate.agents.tool_call import ToolCall, reads
from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside
from steelyard.gate.checks.pattern import Pattern, as_bytes, count_matches
from steelyard.gate.settings import Name

Count = Annotated[int, Field(ge=1, le=100_000)]


class UnknownCalls(SteelyardError):
    """The agent does not report its tool calls."""


def _calls(work: CheckInput) -> Sequence[ToolCall]:
    if work.calls is None:
        raise UnknownCalls(
            "the agent does not report its tool calls",
            cure="a `command` agent writes them to $STEELYARD_TOOL_CALLS and runs with --trust-telemetry",
        )
    return work.calls


def _counted(work: CheckInput, tool: str, arguments: str | None, holds: Callable[[int], bool]) -> Assessment:
    """Whether the number of calls of a tool is right; with a pattern, only calls with matching arguments count."""
    calls = [call for call in _calls(work) if fnmatchcase(call.tool, tool)]
    count: int | Assessment = len(calls)
    # Without a call, the pattern would be searched in one empty text, and might occur in it.
    if arguments is not None and calls:
        count = count_matches(arguments, [as_bytes(call.text) for call in calls], f"the arguments of {tool}")
    if isinstance(count, Assessment):
        return count
    return Assessment(holds(count), f"{tool} was called {count} times")


@final
class ToolCalled(CheckModel):
    """A tool was called, as often as stated."""

    kind: Literal["tool_called"]
    tool: Name
    """Its name; `*` stands for anything."""
    arguments: Pattern | None = None
    """Pattern that must occur in the arguments, written as one line of JSON."""
    min: Count = 1
    max: Count | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max is not None and self.max < self.min:
            raise ValueError(f"`max` {self.max} is below `min` {self.min}")
        return self

    @property
    def subject(self) -> str:
        return self.tool

    def evaluate(self, work: CheckInput) -> Assessment:
        most = math.inf if self.max is None else self.max
        return _counted(work, self.tool, self.arguments, lambda count: self.min <= count <= most)


@final
class ToolNotCalled(CheckModel):
    """A tool was never called."""

    kind: Literal["tool_not_called"]
    tool: Name
    """Its name; `*` stands for anything."""
    arguments: Pattern | None = None
    """Pattern of arguments with which it must not be called, written as one line of JSON."""

    @property
    def subject(self) -> str:
        return self.tool

    def evaluate(self, work: CheckInput) -> Assessment:
        return _counted(work, self.tool, self.arguments, lambda count: count == 0)


@final
class FileRead(CheckModel):
    """A file was read by a tool."""

    kind: Literal["file_read"]
    path: Inside

    def evaluate(self, work: CheckInput) -> Assessment:
        count = sum(reads(call, self.path) for call in _calls(work))
        return Assessment(count > 0, f"{self.path} was read {count} times" if count else f"{self.path} was not read")


TRANSCRIPT_CHECKS = (ToolCalled, ToolNotCalled, FileRead)
"""Kinds that need the tool calls of the agent."""
