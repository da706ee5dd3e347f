"""Where the transcripts of two sides part in a task that fell: the first step in which they do something else.

A step is one message of the agent. Two steps are the same if they call the same tools with the same arguments; what an
agent says differs from run to run, so words are compared only where all calls are equal, and never those beside a call.

Runs of one configuration differ among themselves, too. Of the runs that held on the baseline's side and those that fell
on the candidate's, the two are compared that go together longest: what is before their parting cannot be the reason.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile, zip_longest
from typing import NamedTuple

from steelyard.errors import LogError
from steelyard.gate.model import Comparison, Side, Weighed
from steelyard.gate.read.views import read_views
from steelyard.gate.steps import Parting, RunView, Step

_MOST_TASKS = 20
"""Tasks whose logs are read, the largest losses first."""

_TEXT = 160
"""Characters of one step that are shown."""

_ENDED = Step("(ended)", "(ended)")


class Pair(NamedTuple):
    """A run of each side that go together longest, and where they part; None if they are the same."""

    baseline: RunView
    candidate: RunView
    parting: Parting | None


def with_partings(weighed: Weighed) -> Weighed:
    """The comparison with the step at which each task that fell went another way, as far as logs tell."""
    outcome = weighed.outcome
    if not isinstance(outcome, Comparison) or outcome.evidence is None:
        return weighed
    losses = {task.task: task.worst_check for task in outcome.evidence.losses[:_MOST_TASKS]}
    before, after = (_views(side, losses) for side in (weighed.baseline, weighed.candidate))
    pairs = {task: closest(before.get(task, ()), after.get(task, ()), check) for task, check in losses.items()}
    found = {task: pair.parting for task, pair in pairs.items() if pair is not None and pair.parting is not None}
    return dataclasses.replace(weighed, partings=found)


def _views(side: Side, tasks: Iterable[str]) -> Mapping[str, tuple[RunView, ...]]:
    try:
        return read_views(side, tasks)
    except LogError:
        return {}  # a log that has gone leaves the verdict as it is


def closest(before: Sequence[RunView], after: Sequence[RunView], check: str | None = None) -> Pair | None:
    """Of the best runs of the baseline and the worst of the candidate, the two that go together longest; the newest of
    several. None if a side has no run."""
    if not before or not after:
        return None
    best, worst = max(run.held(check) for run in before), min(run.held(check) for run in after)
    pairs = [(one, other) for one in before if one.held(check) == best for other in after if other.held(check) == worst]
    # Reversed, because `max` returns the first of equals and the newest is wanted.
    one, other = max(reversed(pairs), key=lambda pair: (bool(pair[0].steps and pair[1].steps), _together(*pair)))
    return Pair(one, other, first_difference(one, other) if one.steps and other.steps else None)


def _together(before: RunView, after: RunView) -> int:
    """How many steps two runs have in common before they part."""
    steps = zip(before.steps, after.steps, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].does == pair[1].does, steps))


def first_difference(before: RunView, after: RunView) -> Parting | None:
    """The first step in which two runs do something else, or, if they do the same, say something else."""
    both = list(enumerate(zip_longest(before.steps, after.steps, fillvalue=_ENDED), 1))
    done = ((number, one, other, one.does, other.does) for number, (one, other) in both)
    said = ((number, one, other, one.says, other.says) for number, (one, other) in both if not one.does)
    for number, one, other, here, there in (*done, *said):
        if here != there:
            return Parting(number, *_shown(one, other, here, there), (before.name, after.name))
    return None


def _shown(one: Step, other: Step, here: str, there: str) -> tuple[str, str]:
    """Both steps in short, from the first line in which they differ; what is only said stands for itself."""
    lines = list(zip_longest(here.splitlines(), there.splitlines(), fillvalue=""))
    place = next((number for number, (left, right) in enumerate(lines) if left != right), 0)
    texts = ("\n".join(text.splitlines()[place:]) or step.says for step, text in ((one, here), (other, there)))
    left, right = (text.strip()[:_TEXT] for text in texts)
    return left, right
