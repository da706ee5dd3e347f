"""The comparison as an HTML page: the report, and for every task that changed both sides next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import LogError, boundary
from steelyard.gate.metadata import SCORER
from steelyard.gate.model import Comparison, Side, Weighed
from steelyard.gate.report.document import changed, document
from steelyard.report import html
from steelyard.report.document import Block, Cell, Code, Details, Paragraph, table

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage

_SHOWN = 20
"""Tasks shown side by side: the worst first."""

_TEXT = 20_000
"""Characters of one transcript or diff."""

_STYLE = """
.pair{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem;align-items:start}
.pair>section{min-width:0}
.pair pre{max-height:32rem;overflow:auto}
@media(max-width:60rem){.pair{grid-template-columns:minmax(0,1fr)}}
"""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What one side did in one task."""

    diff: str
    transcript: str
    outputs: tuple[tuple[str, bool, str, str], ...]
    """(check, passed, message, output)"""


def page(weighed: Weighed) -> str:
    """The whole page."""
    shown = document(weighed)
    body = f"<header><h1>{html.escape(shown.title)}</h1></header>\n<main id=main>\n{html.fragment(shown.blocks)}\n"
    if isinstance(weighed.outcome, Comparison):
        body += "".join(_task(weighed, each.task) for each in changed(weighed.outcome)[:_SHOWN])
    return html.page(shown.title, f"{body}</main>", script=html.asset("tables.js"), style=_STYLE)


def _task(weighed: Weighed, task: str) -> str:
    sides = [
        (name, glimpse(side, task)) for name, side in (("Baseline", weighed.baseline), ("Candidate", weighed.candidate))
    ]
    if not any(found for _, found in sides):
        return ""
    columns = "".join(f"<section><h3>{name}</h3>{html.fragment(_blocks(found))}</section>" for name, found in sides)
    return f'<h2 id="{html.slug(task)}">{html.escape(task)}</h2>\n<div class="pair">{columns}</div>\n'


def _blocks(found: Glimpse | None) -> list[Block]:
    if found is None:
        return [Paragraph("No run of this task.", "muted")]
    blocks: list[Block] = []
    if found.outputs:
        rows = [(name, _result(passed), message) for name, passed, message, _ in found.outputs]
        blocks.append(table(("Check", "Result", "Message"), rows))
    outputs = [(name, output) for name, passed, _, output in found.outputs if output and not passed]
    blocks += [Details(f"Output of {name}", (Code(output),)) for name, output in outputs]
    if found.diff:
        blocks += [Paragraph("What it changed", "muted"), Code(found.diff, "diff")]
    return [*blocks, Details("Transcript", (Code(found.transcript or "(empty)"),))]


def _result(passed: bool) -> Cell:
    return Cell("passed", "good") if passed else Cell("failed", "bad")


def glimpse(side: Side, task: str) -> Glimpse | None:
    """One side's run of a task, from the newest log that holds it."""
    if side.kind == "results":
        return None
    for source in reversed(side.sources):
        sample = _sample(source, task if side.kind == "gate" else task.rpartition(":")[2])
        if sample is not None:
            return _glimpse(sample)
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


def _glimpse(sample: EvalSample) -> Glimpse:
    score = (sample.scores or {}).get(SCORER)
    details: dict[str, Any] = (score.metadata if score else None) or {}
    outputs = cast(Sequence[dict[str, Any]], details.get("outputs") or ())
    return Glimpse(
        diff=str(details.get("diff") or "")[:_TEXT],
        transcript="\n\n".join(_message(each) for each in sample.messages)[-_TEXT:],
        outputs=tuple(
            (str(each.get("name")), bool(each.get("passed")), str(each.get("message")), str(each.get("output") or ""))
            for each in outputs
        ),
    )


def _message(message: ChatMessage) -> str:
    calls = [f"→ {call.function} {call.arguments}" for call in getattr(message, "tool_calls", None) or ()]
    return "\n".join([f"[{message.role}]", message.text, *calls])
