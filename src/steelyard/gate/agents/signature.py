"""Thought signatures that clients make up, in a form that Inspect can read.

Gemini's models sign their tool calls, and their API wants the signature back with each call. An API without signatures
(a proxy, an earlier model) gives none; gemini-cli then sends Google's documented stand-in,
`skip_thought_signature_validator`. Google's API reads it as URL-safe base64, Inspect as plain base64, which it is not:
it raised, and no call of a run got through. The same bytes in plain base64 pass both. A signature that is no base64 at
all is left out, as an API without signatures would have it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentReasoning,
    GenerateConfig,
    GenerateInput,
    Model,
)
from inspect_ai.tool import ToolChoice, ToolInfo

_PROVIDERS = ("google/", "vertex/")


async def readable_signatures(
    model: Model,
    messages: list[ChatMessage],
    tools: list[ToolInfo],
    tool_choice: ToolChoice | None,
    config: GenerateConfig,
) -> GenerateInput | None:
    """What the bridge asks the model instead; None if nothing needs to change."""
    if not str(model).startswith(_PROVIDERS):
        return None
    return GenerateInput([_readable(message) for message in messages], tools, tool_choice, config)


def _readable(message: ChatMessage) -> ChatMessage:
    if not isinstance(message, ChatMessageAssistant) or isinstance(message.content, str):
        return message
    return message.model_copy(update={"content": _signed(message.content)})


def _signed(parts: Sequence[Content]) -> list[Content]:
    kept: list[Content] = []
    for part in parts:
        # Signatures are kept as redacted reasoning.
        if not isinstance(part, ContentReasoning) or not part.redacted:
            kept.append(part)
        elif (text := plain_base64(part.reasoning)) is not None:
            kept.append(part.model_copy(update={"reasoning": text}))
    return kept


def plain_base64(text: str) -> str | None:
    """The bytes of plain or URL-safe base64 as plain base64; None if it is neither."""
    try:
        # `-` becomes `+` and `_` becomes `/`: from the URL-safe alphabet to the plain one.
        return base64.b64encode(base64.b64decode(text.translate({45: 43, 95: 47}), validate=True)).decode()
    except (binascii.Error, ValueError):
        return None
