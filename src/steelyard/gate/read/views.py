"""What each side did in a task, from the full samples: read only for the tasks that a page shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from steelyard.gate.metadata import SCORER
from steelyard.gate.model import Side, TaskView
from steelyard.logs.read import open_log
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage

_TEXT = 20_000
"""Characters of one transcript or diff."""


def read_views(side: Side, tasks: Iterable[str]) -> dict[str, TaskView]:
    """Task → what this side did in it, from the newest log that has it; tasks without a run are absent."""
    views: dict[str, TaskView] = {}
    missing = list(tasks)
    for source in reversed(side.sources) if side.kind != "results" else ():
        if not missing:
            break
        with open_log(source) as log:
            by_sample = {_sample_id(task, log.row): task for task in missing}
            for sample in log.samples((name, 1) for name in by_sample):
                views[by_sample[str(sample.id)]] = _from_sample(sample)
        missing = [task for task in missing if task not in views]
    return views


def _sample_id(task: str, row: LogRow) -> str:
    """The sample of a task in a log: a comparison of several Inspect tasks writes `TASK:SAMPLE`."""
    return task.removeprefix(f"{row.task}:")


def _from_sample(sample: EvalSample) -> TaskView:
    score = (sample.scores or {}).get(SCORER)
    details: dict[str, Any] = (score.metadata if score else None) or {}
    outputs = cast(Sequence[dict[str, Any]], details.get("outputs") or ())
    return TaskView(
        diff=str(details.get("diff") or "")[:_TEXT],
        transcript="\n\n".join(_message(message) for message in sample.messages)[-_TEXT:],
        outputs=tuple(map(_output, outputs)),
    )


def _message(message: ChatMessage) -> str:
    calls = [f"→ {call.function} {call.arguments}" for call in getattr(message, "tool_calls", None) or ()]
    return "\n".join([f"[{message.role}]", message.text, *calls])


def _output(check: dict[str, Any]) -> tuple[str, bool, str, str]:
    name, passed = str(check.get("name")), bool(check.get("passed"))
    return name, passed, str(check.get("message")), str(check.get("output") or "")
