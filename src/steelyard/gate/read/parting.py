"""Where the transcripts of two sides part in a task that fell: the first step in which they do something else.

A step is one message of the agent. Two steps are the same if they call the same tools with the same arguments, or,
where neither calls a tool, say the same words: what an agent says beside a call differs from run to run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from steelyard.errors import LogError
from steelyard.gate.model import Comparison, Parting, Side, Weighed
from steelyard.logs.read import open_log

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

_MOST_TASKS = 20
"""Tasks whose logs are read, the largest losses first."""

_TEXT = 160
"""Characters of one step that are shown."""

_ENDED = "(ended)"


def with_partings(weighed: Weighed) -> Weighed:
    """The comparison with the step at which each task that fell went another way, as far as logs tell."""
    outcome = weighed.outcome
    if not isinstance(outcome, Comparison) or outcome.evidence is None:
        return weighed
    tasks = [task.task for task in outcome.evidence.losses[:_MOST_TASKS]]
    found = ((task, _parting(weighed, task)) for task in tasks)
    return dataclasses.replace(weighed, partings={task: parting for task, parting in found if parting is not None})


def _parting(weighed: Weighed, task: str) -> Parting | None:
    """Of the newest round of both sides in which the transcripts differ."""
    for before, after in zip(_transcripts(weighed.baseline, task), _transcripts(weighed.candidate, task), strict=False):
        parting = first_difference(before, after)
        if parting is not None:
            return parting
    return None


def first_difference(before: Sequence[str], after: Sequence[str]) -> Parting | None:
    """The first step in which two sequences of steps differ; None if they are the same."""
    for number, (one, other) in enumerate(zip_longest(before, after, fillvalue=_ENDED), 1):
        if one != other:
            return Parting(number, one[:_TEXT], other[:_TEXT])
    return None


def _transcripts(side: Side, task: str) -> Iterator[list[str]]:
    """The steps of each run of a task on one side, the newest log first."""
    for source in reversed(side.sources) if side.kind != "results" else ():
        try:
            with open_log(source) as log:
                name = task.removeprefix(f"{log.row.task}:")
                yield from (steps(sample) for sample in log.samples([(name, 1)]))
        except LogError:
            continue  # a log that has gone leaves the verdict as it is


def steps(sample: EvalSample) -> list[str]:
    """What the agent did, message by message."""
    found: list[str] = []
    for message in sample.messages:
        if message.role != "assistant":
            continue
        calls = [f"{call.function} {call.arguments}" for call in message.tool_calls or ()]
        found.append("; ".join(calls) or message.text.strip())
    return found
