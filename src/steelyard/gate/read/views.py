"""What each side did in a task, from the full samples: read only for the tasks that a page shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import LogError, boundary
from steelyard.gate.metadata import SCORER
from steelyard.gate.model import Side, TaskView

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage

_TEXT = 20_000
"""Characters of one transcript or diff."""


def read_views(side: Side, tasks: Iterable[str]) -> dict[str, TaskView]:
    """Task → what this side did in it, from the newest log that has it; tasks without a run are absent."""
    if side.kind == "results":
        return {}
    views = {task: _view(side, task) for task in tasks}
    return {task: view for task, view in views.items() if view is not None}


def _view(side: Side, task: str) -> TaskView | None:
    name = task if side.kind == "gate" else task.rpartition(":")[2]
    for source in reversed(side.sources):
        sample = _sample(source, name)
        if sample is not None:
            return _from_sample(sample)
    return None


def _sample(source: str, task: str) -> EvalSample | None:
    from inspect_ai.log import read_eval_log_sample

    with boundary(LogError, f"cannot read {source}"):
        for name in (task, int(task)) if task.isdigit() else (task,):
            try:
                return read_eval_log_sample(source, name, epoch=1, resolve_attachments=True)
            except IndexError:
                continue
    return None


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
