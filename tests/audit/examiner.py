"""Judges of the audit as real Inspect models: `examiner/NAME` replies with what a function makes of the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from steelyard.audit.key import parse_key

from ..codes import with_code
from .material import KEY_MARKDOWN

REPLIES: dict[str, Callable[[str, str], str]] = {}
"""Name → (system message, user message) → reply."""

SEEN: dict[str, list[tuple[str, str]]] = {}
"""What each judge was asked."""


class Examiner(ModelAPI):
    """A model that does as a test tells it."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        system, user = input[0].text, input[-1].text
        SEEN.setdefault(self.model_name, []).append((system, user))
        LABELS.update({text: name for name, text in shown_findings(user).items() if name.startswith("F")})
        reply = in_form(REPLIES[self.model_name](system, user), user)
        output = ModelOutput.from_content(f"examiner/{self.model_name}", reply)
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output


@modelapi(name="examiner")
def examiner() -> type[ModelAPI]:
    return Examiner


LABELS: dict[str, str] = {}
"""Text of a finding → its id, as the last matching question showed them; rulings are asked for under drawn ids."""

TITLES: dict[str, str] = {}
"""Title of a problem → its id in the key of the last judge; a request shows drawn ids."""


def judge(name: str, reply: Callable[[str, str], str] | list[str], key: str = KEY_MARKDOWN) -> str:
    """Register a judge of runs against `key`; gives the name to ask for."""
    TITLES.clear()
    TITLES.update({problem.title: problem.id for problem in parse_key(key, "key.md").problems})
    if isinstance(reply, list):
        waiting = iter(reply)
        REPLIES[name] = lambda system, user: next(waiting)
    else:
        REPLIES[name] = reply
    SEEN[name] = []
    return f"examiner/{name}"


def shown_findings(user: str) -> dict[str, str]:
    """The findings of a prompt by label."""
    parts = re.split(r"^\[\[(\w+)\]\]$", user.partition("\n<<<")[2].rpartition("\n")[0], flags=re.MULTILINE)
    texts = {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    last = next(reversed(texts), None)
    return texts if last is None else texts | {last: re.sub(r"\n\w+>>>[^>]*$", "", texts[last]).strip()}


def drawn_problems(user: str) -> dict[str, str]:
    """Drawn id → the title of a problem, for a question about problems."""
    head = user.partition("\n<<<")[0]
    return dict(re.findall(r"^([a-z]{4}): (.+?) \((?:Critical|Medium|Minor);", head, re.MULTILINE))


def asked_problems(user: str) -> list[str]:
    """The real problems of a question, by their own ids."""
    return [TITLES[title] for title in drawn_problems(user).values() if title in TITLES]


def asked_findings(user: str) -> list[str]:
    """The findings of a ruling question, by their own ids."""
    found = re.search(r"Rule on exactly these findings: (.*)\.", user)
    texts = shown_findings(user)
    names = found.group(1).split(", ") if found else []
    return sorted(LABELS[texts[name]] for name in names if texts[name] in LABELS)


def matching(claims: dict[str, tuple[str, str, str]], problems: list[str]) -> str:
    """What a judge thinks of these problems, for `in_form`: problem → (finding, mark, quote)."""
    return json.dumps({"match": {name: claims.get(name) for name in problems}})


def rulings(verdicts: dict[str, str], asked: list[str], repeats: dict[str, str] | None = None) -> str:
    """What a judge thinks of these findings, for `in_form`; neither where nothing is said."""
    entries = {name: [verdicts.get(name, "neither"), (repeats or {}).get(name)] for name in asked}
    return json.dumps({"rule": entries})


def in_form(reply: str, user: str) -> str:
    """A reply of `matching` or `rulings` as the request wants it, decoys missed; any other one with its code."""
    if reply.startswith('{"match":'):
        return _matched(json.loads(reply)["match"], user)
    if reply.startswith('{"rule":'):
        return _ruled(json.loads(reply)["rule"], user)
    return with_code(reply, user)


def _matched(claims: dict[str, Any], user: str) -> str:
    rows: list[dict[str, Any]] = []
    shown = dict(re.findall(r"^\[(\d+)\] (.*)$", user, re.MULTILINE))
    asks = "marks" if shown else "candidates"
    for name, title in drawn_problems(user).items():
        if title in TITLES and TITLES[title] not in claims:
            continue
        claim = claims.get(TITLES.get(title, ""))
        marks = [{"passage": int(place), "mark": claim[1]} for place, text in shown.items() if claim]
        candidates = [dict(zip(("finding", "mark", "quote"), claim, strict=True))] if claim else []
        rows.append({"id": name, asks: marks if shown else candidates} | ({} if shown else {"note": "so it is"}))
    return with_code(json.dumps({"problems": rows}), user)


def _ruled(entries: dict[str, Any], user: str) -> str:
    found = re.search(r"Rule on exactly these findings: (.*)\.", user)
    assert found is not None
    texts = shown_findings(user)
    own = {LABELS.get(texts[name], ""): name for name in texts}
    rows = [
        {
            "id": name,
            "verdict": entries.get(label, ["neither"])[0],
            "reason": "so",
            "repeats": own.get((entries.get(label) or [None, None])[1] or "-"),
        }
        for name in found.group(1).split(", ")
        if (label := LABELS.get(texts[name], "")) in entries or not label
    ]
    return with_code(json.dumps({"findings": rows}), user)
