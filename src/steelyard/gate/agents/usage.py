"""What model calls cost, measured from the model events of the sample."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool

from steelyard.artifact import table
from steelyard.gate.agents.tool_call import ToolCall, ToolUse
from steelyard.gate.model import Cost
from steelyard.models.prices import usage_usd, weighed_tokens


def model_events() -> list[ModelEvent]:
    """The model events of this sample so far, including calls that failed."""
    return [event for event in transcript().events if isinstance(event, ModelEvent)]


def measured(events: Sequence[ModelEvent], messages: Sequence[ChatMessage]) -> Cost:
    """The cost of these calls; `messages` are the ones they produced."""
    known = [(event.model, event.output.usage) for event in events if event.output.usage is not None]
    prices = [usage_usd(model, usage) if usage.total_cost is None else usage.total_cost for model, usage in known]
    paid = [price for price in prices if price is not None]
    steps = [message for message in messages if isinstance(message, ChatMessageAssistant)]
    # One call without usage makes the sum unknown: a partial sum would look cheap.
    complete = bool(known) and len(known) == len(events)
    return Cost(
        tokens=sum(weighed_tokens(model, usage) for model, usage in known) if complete else None,
        tool_calls=sum(len(message.tool_calls or ()) for message in steps),
        steps=len(steps),
        cost_usd=sum(paid) if complete and len(paid) == len(known) else None,
    )


def measured_events(events: Sequence[ModelEvent]) -> Cost:
    """The cost of the calls that succeeded, each of which is one step."""
    answered = [event for event in events if event.error is None and event.output.choices]
    return measured(answered, [event.output.message for event in answered])


def resolved_models(events: Sequence[ModelEvent]) -> tuple[str, ...]:
    """The models that answered, by the names that their provider gave."""
    return tuple(sorted({event.output.model for event in events if event.error is None and event.output.choices}))


def tool_uses(events: Sequence[ModelEvent]) -> tuple[ToolUse, ...]:
    """The tools that were used, with the results that the model was shown.

    Calls and results are paired within the input of one event: not every API gives a call the same id everywhere.
    """
    uses: dict[str, ToolUse] = {}
    for event in events:
        results = {message.tool_call_id: message for message in event.input if isinstance(message, ChatMessageTool)}
        called = [message for message in event.input if isinstance(message, ChatMessageAssistant)]
        for call in (call for message in called for call in message.tool_calls or ()):
            if (result := results.get(call.id)) is not None:
                printed, failed = _unpacked(result.text)
                failed = failed or result.error is not None
                uses[call.id] = ToolUse(ToolCall(call.function, call.arguments, failed), printed)
    return tuple(uses.values())


def _unpacked(text: str) -> tuple[str, bool]:
    """What a tool printed, and whether it failed: gemini-cli packs both, for which Google's API has no fields."""
    try:
        fields = table(json.loads(text))
    except (ValueError, RecursionError):
        return text, False
    # Exactly one of these keys and no other: a tool may print JSON of its own.
    name = next((name for name in ("error", "output") if [*fields] == [name]), None)
    return (text, False) if name is None else (str(fields[name]), name == "error")


def request_lines(events: Sequence[ModelEvent]) -> frozenset[str]:
    """Every line that the model was sent, without the space around it."""
    texts = {message.text for event in events for message in event.input}
    return frozenset(line.strip() for text in texts for line in text.splitlines())


def tool_calls(events: Sequence[ModelEvent]) -> tuple[ToolCall, ...]:
    """The tools that the model called; whether one failed is in the input of a later call."""
    results = [message for event in events for message in event.input if isinstance(message, ChatMessageTool)]
    failed = {message.tool_call_id for message in results if message.error is not None}
    answered = [event.output.message for event in events if event.error is None and event.output.choices]
    return tuple(
        ToolCall(call.function, call.arguments, call.id in failed)
        for message in answered
        for call in message.tool_calls or ()
    )


def with_failures(calls: Sequence[ToolCall], reported: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls, failed too where the client says so: not every API has a field for it.

    The n-th call of a tool is the n-th that the client reports, provided that it reports as many.
    """
    numbers, told = Counter(call.tool for call in calls), dict[str, list[bool]]()
    for call in reported:
        told.setdefault(call.tool, []).append(call.failed)
    failed = {tool: iter(found) for tool, found in told.items() if len(found) == numbers[tool]}
    return tuple(replace(call, failed=call.failed | next(failed.get(call.tool, iter([False])))) for call in calls)
