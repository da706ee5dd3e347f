"""The subject of a log: a model with its arguments and the generation config that shapes answers, or a label.

Different arguments under one model name make different subjects. Settings that affect only speed (connections, retries,
caching, batching) or sampling (the seed) do not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, count
from typing import Any

from steelyard.bench.subjects import Subject
from steelyard.report.document import one_row
from steelyard.rows import LogRow
from steelyard.secrets import redact

SHAPES_ANSWERS = (
    *("temperature", "top_p", "top_k", "max_tokens", "stop_seqs", "best_of", "num_choices", "system_message"),
    *("frequency_penalty", "presence_penalty", "logit_bias", "verbosity", "effort", "reasoning_effort"),
    *("reasoning_mode", "reasoning_tokens", "reasoning_history", "response_schema", "extra_body", "modalities"),
)
"""Fields of Inspect's GenerateConfig that change what a model answers."""

_DEFAULTS: Mapping[str, Any] = {"temperature": 0.0}
"""The official settings, left out of names: SA Bench sets temperature 0."""


_as_text = json.JSONEncoder(sort_keys=True, default=str).encode
"""Made once: a board asks for thousands of subjects."""


def subject_of(log: LogRow) -> Subject:
    """The subject of a log."""
    label = log.stamp.label if log.stamp else None
    settings = {name: value for name, value in sorted(log.model_args.items()) if value is not None}
    config = log.generate_config
    settings |= {name: config[name] for name in SHAPES_ANSWERS if name in config and config[name] is not None}
    # A label overrides the settings: whoever gave it says that these logs are of one subject.
    key = f"label:{label}" if label else _as_text([log.model, settings])
    return Subject(key, log.model, label, settings)


def shown_names(subjects: Iterable[Subject]) -> dict[str, str]:
    """Subject key → the name on the board: short if unique, otherwise with the settings that differ."""
    once = list({subject.key: subject for subject in subjects}.values())
    plain = Counter(subject.label or subject.model for subject in once)
    names: dict[str, str] = {}
    for subject in once:
        name = subject.label or subject.model
        shown = redact(one_row(f"{name} [{_settings_text(subject)}]" if plain[name] > 1 else name))
        # Different settings may look the same once they are cut or redacted. A label may look like a number of ours.
        numbered = chain([shown], (f"{shown} ({number})" for number in count(2)))
        names[subject.key] = next(each for each in numbered if each not in names.values())
    return names


def _settings_text(subject: Subject) -> str:
    if subject.label:
        return f"label, {subject.model}"
    own = {name: value for name, value in subject.settings.items() if _DEFAULTS.get(name, _DEFAULTS) != value}
    return ", ".join(f"{name}={_short(value)}" for name, value in own.items()) or "defaults"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= 40 else text[:39] + "…"
