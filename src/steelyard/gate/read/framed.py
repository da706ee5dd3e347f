"""The same questions in another frame: a prompt that a task writes into every input.

Where a task argument differs and the inputs of both sides do too, each side's inputs are cut by what all of them begin
and end with. If the same is left of every sample, the questions are the same and only the words around them differ.
One changed question is left over as a difference.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any, cast

from steelyard.gate.model import Arm
from steelyard.gate.under_test import argument_name, differing_fields
from steelyard.logs.identity import sha256_of
from steelyard.logs.read import open_log


def unframed(baseline: Arm, candidate: Arm) -> tuple[Arm, Arm]:
    """Both sides, with the words around their questions cut off if they differ by a task argument and by these."""
    shared = baseline.questions.keys() & candidate.questions.keys()
    alike = all(baseline.questions[name] == candidate.questions[name] for name in shared)
    # With a single sample, nothing tells the question from the words around it.
    if len(shared) < 2 or alike or not _arguments_differ(baseline, candidate):
        return baseline, candidate
    return _cut(baseline, shared), _cut(candidate, shared)


def _arguments_differ(baseline: Arm, candidate: Arm) -> bool:
    found = differing_fields(baseline.identity, candidate.identity)
    return any(argument_name(name) is not None for name, *_ in found)


def _cut(arm: Arm, shared: Iterable[str]) -> Arm:
    texts = _inputs(arm)
    if not {*shared} <= texts.keys():
        return arm
    known = {name: texts[name] for name in shared}
    start = _shared_start(known.values())
    # Measured on what is left, so that start and end cannot overlap.
    end = _shared_start([text[start:][::-1] for text in known.values()])
    cores = {name: text[start : len(text) - end] for name, text in known.items()}
    # The hash of the target comes last.
    targets = {name: content.rpartition("-")[2] for name, content in arm.questions.items()}
    questions = {name: f"{sha256_of(core)[:16]}-{targets[name]}" for name, core in cores.items()}
    return dataclasses.replace(arm, questions={**arm.questions, **questions}, framed=True)


def _shared_start(texts: Collection[str]) -> int:
    """How many characters all texts begin with alike; of two that lie farthest apart in order, all others share it."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(last)))


def _inputs(arm: Arm) -> dict[str, str]:
    """Sample → its whole input as text, in the first epoch."""
    texts: dict[str, str] = {}
    for source in arm.side.sources:
        with open_log(source) as log:
            prefixes = {name: name.removeprefix(f"{log.row.task}:") for name in arm.questions}
            names = {own: name for name, own in prefixes.items()}
            for sample in log.samples((own, 1) for own in names):
                data = sample.model_dump(mode="json", include={"input", "choices"})
                texts[names[str(sample.id)]] = _text(data)
    return texts


def _text(data: dict[str, Any]) -> str:
    whole: Any = data["input"]
    if isinstance(whole, list):
        messages = cast(list[dict[str, Any]], whole)
        whole = "\n".join(f"{message.get('role')}: {message.get('content')}" for message in messages)
    choices = cast(list[str] | None, data.get("choices"))
    return f"{whole}\n{choices}" if choices else str(whole)
