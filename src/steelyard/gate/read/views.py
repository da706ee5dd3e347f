"""What each side did in a task, run by run, from the full samples: read only for the tasks that somebody looks at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from steelyard.gate.metadata import SCORER, position_of
from steelyard.gate.model import Side
from steelyard.gate.steps import RunView, Step
from steelyard.logs.read import open_log
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolCall

_TEXT = 20_000
"""Characters of one diff, or of a transcript in one piece."""

_PART = 2_000
"""Characters of what one message says, calls for, or is answered."""

_REMARKS = frozenset({"description", "justification", "explanation"})
"""Arguments by which clients let the model tell a reader why it makes a call: what is done does not depend on them."""


def read_views(side: Side, tasks: Iterable[str]) -> dict[str, tuple[RunView, ...]]:
    """Task → its runs on this side, in the order of the logs; tasks without a run are absent."""
    views: dict[str, tuple[RunView, ...]] = {}
    wanted = list(tasks)
    for source in side.sources if side.kind != "results" and wanted else ():
        with open_log(source) as log:
            # A comparison of several Inspect tasks writes `TASK:SAMPLE`.
            by_sample = {task.removeprefix(f"{log.row.task}:"): task for task in wanted}
            chosen = [(run.id, run.epoch) for run in log.row.runs if run.id in by_sample]
            for sample in log.samples(chosen):
                task = by_sample[str(sample.id)]
                views[task] = (*views.get(task, ()), _view(sample, log.row))
    return views


def _view(sample: EvalSample, row: LogRow) -> RunView:
    scores = sample.scores or {}
    own = scores.get(SCORER)
    details: dict[str, Any] = (own.metadata if own else None) or {}
    outputs = cast(Sequence[dict[str, Any]], details.get("outputs") or ())
    return RunView(
        name=_name(sample, row),
        score=_mean([score.value for score in ([own] if own else scores.values())]),
        steps=tuple(steps(sample.messages)) or _answer(sample),
        diff=str(details.get("diff") or "")[:_TEXT],
        outputs=tuple(map(_output, outputs)),
    )


def _name(sample: EvalSample, row: LogRow) -> str:
    if row.stamp is None or row.stamp.wing != SCORER:
        return f"epoch {sample.epoch}"
    position = position_of(row)
    return f"round {position.round}" + (f", extra run {position.watch}" if position.watch else "")


def _mean(values: Iterable[Any]) -> float | None:
    """The mean of the scores that are numbers or marks."""
    from inspect_ai.scorer import value_to_float

    known = [value for value in values if not isinstance(value, (dict, list))]
    return sum(map(value_to_float(), known)) / len(known) if known else None


def steps(messages: Sequence[ChatMessage]) -> Iterator[Step]:
    """What the agent did, message by message."""
    spoken = [place for place, message in enumerate(messages) if message.role == "assistant"]
    # An agent whose calls nobody saw has one message, which is all that its client printed.
    most = _PART if len(spoken) > 1 else _TEXT
    for place in spoken:
        message = messages[place]
        calls = "; ".join(map(_call, getattr(message, "tool_calls", None) or ()))
        yield Step(calls[:_PART], message.text.strip()[:most], "\n".join(_answers(messages[place + 1 :]))[:_PART])


def _answer(sample: EvalSample) -> tuple[Step, ...]:
    """The answer as the only step, where a solver wrote it without a message."""
    text = sample.output.completion.strip()[:_TEXT]
    return (Step("", text),) if text else ()


def _answers(messages: Sequence[ChatMessage]) -> Iterator[str]:
    """What tools printed until the agent spoke again."""
    for message in messages:
        if message.role == "assistant":
            return
        if message.role == "tool":
            yield message.text.strip()


def _call(call: ToolCall) -> str:
    """A call in one line; a single argument needs no name."""
    # If there are only remarks, they are shown.
    given = {name: value for name, value in call.arguments.items() if name not in _REMARKS} or call.arguments
    only = next(iter(given.values())) if len(given) == 1 else None
    return f"{call.function} {only if isinstance(only, str) else json.dumps(given, ensure_ascii=False, default=str)}"


def _output(check: dict[str, Any]) -> tuple[str, bool, str, str]:
    name, passed = str(check.get("name")), bool(check.get("passed"))
    return name, passed, str(check.get("message")), str(check.get("output") or "")
