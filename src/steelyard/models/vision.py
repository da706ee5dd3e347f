"""Does a model read images? One answer, whichever way a run is started.

Inspect's model database records no input modalities, so a short table of model families decides. The name is read
without its route (`openrouter/`, `bedrock/us.`, `azure/`, `vertex/`, …). A name that the table does not know is looked
up in Inspect's database, which knows many deployments under their usual name. When in doubt the answer is no: a model
that cannot see fails every picture, while a model that can see still reads the same architecture in words.
"""

from __future__ import annotations

import re

_EMBEDDED = ("steelyard/", "mockllm/", "none/", "scripted/")
"""Providers inside this process; none of their models reads images."""

_LOCAL = ("hf/", "vllm/", "sglang/", "transformer_lens/", "nnterp/")
"""Providers that load weights or start a server when Inspect looks a name up; the table alone answers for them."""

_BLIND = re.compile(
    r"claude-(?:1|2|instant)|gpt-3|gpt-4(?:-(?:0|32k)|$)|gpt-oss|(?:^|[^a-z])o1-(?:mini|preview)|o3-mini|nova-micro"
    r"|gemma-3-(?:1b|270m)|audio|tts|transcribe|realtime|embed|whisper"
)
"""Families that do not read images, whatever `_SEEING` says."""

_SEEING = re.compile(
    r"(?:^|[^a-z])(?:claude-|gemini-|gemma-3|gpt-4(?:o|\.1|\.5|-turbo)|gpt-[5-9]|chatgpt-4o|o1|o3|o4-mini|pixtral"
    r"|llama-?4|grok-4|nova-(?:lite|pro|premier)|llava)|vision|[\d-]vl(?:-|$|:)"
)
"""Families that read images."""


def sees_images(model: str | None) -> bool:
    """Whether a model, under its Inspect name, is known to read images."""
    name = (model or "").lower()
    if not name or name.startswith(_EMBEDDED):
        return False
    answer = _by_family(name.rsplit("/", 1)[-1])
    if answer is None and not name.startswith(_LOCAL):
        answer = _by_family(_usual_name(name))
    return bool(answer)


def _by_family(name: str) -> bool | None:
    """The answer of the table; None when it does not know the family."""
    # First, because names such as gpt-4o-audio match both tables.
    if _BLIND.search(name):
        return False
    return True if _SEEING.search(name) else None


def _usual_name(model: str) -> str:
    """The model's own name according to Inspect, in the spelling of the table; empty when Inspect does not know it."""
    from inspect_ai.model import get_model_info

    info = get_model_info(model)
    return "-".join((info.model or "").lower().split()) if info is not None else ""
