"""Who was weighed: a model with its arguments and the generation config that matters, or a label a person gave.

Two different arguments under one model name are two subjects. What only shapes speed (connections, retries, caching,
batching) or draws (the seed) does not make another subject.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.errors import redact
from steelyard.logs.read import LogRow
from steelyard.report.document import one_row

SHAPES_ANSWERS = (
    *("temperature", "top_p", "top_k", "max_tokens", "stop_seqs", "best_of", "num_choices", "system_message"),
    *("frequency_penalty", "presence_penalty", "logit_bias", "verbosity", "effort", "reasoning_effort"),
    *("reasoning_mode", "reasoning_tokens", "reasoning_history", "response_schema", "extra_body", "modalities"),
)
"""Fields of Inspect's GenerateConfig that change what a model answers."""

_DEFAULTS: Mapping[str, Any] = {"temperature": 0.0}
"""The official setting, left out of a name: SA Bench asks for temperature 0."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What tells one subject from another."""

    key: str
    model: str
    label: str | None
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Model arguments and generation config, flat."""


def subject_of(log: LogRow) -> Subject:
    """The subject of a log."""
    label = log.stamp.label if log.stamp else None
    settings = {name: value for name, value in sorted(log.model_args.items()) if value is not None}
    for name in SHAPES_ANSWERS:
        if log.generate_config.get(name) is not None:
            settings[name] = log.generate_config[name]
    key = f"label:{label}" if label else json.dumps([log.model, settings], sort_keys=True, default=str)
    return Subject(key, log.model, label, settings)


def shown_names(subjects: Iterable[Subject]) -> dict[str, str]:
    """Subject key → the name on the board: short where that is enough, with its settings where namesakes differ."""
    once = list({subject.key: subject for subject in subjects}.values())
    plain = Counter(subject.label or subject.model for subject in once)
    names: dict[str, str] = {}
    for subject in once:
        name = subject.label or subject.model
        shown = one_row(f"{name} [{_told(subject)}]" if plain[name] > 1 else name)
        shown = redact(shown)
        again = sum(each == shown or each.startswith(f"{shown} (") for each in names.values())
        names[subject.key] = f"{shown} ({again + 1})" if again else shown
    return names


def _told(subject: Subject) -> str:
    if subject.label:
        return f"label, {subject.model}"
    own = {name: value for name, value in subject.settings.items() if _DEFAULTS.get(name, _DEFAULTS) != value}
    return ", ".join(f"{name}={_short(value)}" for name, value in own.items()) or "defaults"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= 40 else text[:39] + "…"
