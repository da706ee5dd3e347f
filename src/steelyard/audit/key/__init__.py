"""Answer keys: read from Markdown, YAML or files of other programs, written as either of the two without loss (§2.4).

Forgiving about form, strict about meaning: `check` holds the rules that every key must satisfy.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any, Literal

from steelyard.audit.key import foreign, markdown_form, yaml_form
from steelyard.audit.model import Key
from steelyard.errors import InputError
from steelyard.yamlfile import parse_output

KeyForm = Literal["md", "yaml"]
"""How a key is written."""


def parse_key(text: str, source: str, pick: str = "") -> Key:
    """The key in `text`, read as the extension of `source` says; `pick` chooses one of several in it."""
    found = foreign.read(text, source, pick)
    if found is not None:
        return found
    return (yaml_form if form_of(source) == "yaml" else markdown_form).read(text, source)


def is_key(text: str, source: str) -> bool:
    """Whether a text is a key of our own form, whole or faulty."""
    if form_of(source) == "yaml":
        value = parse_output(text)
        return isinstance(value, dict) and "problems" in value
    try:
        return bool(markdown_form.read(text, source).problems)
    except InputError as error:
        # A key with faults is a key too.
        return "no problem found" not in str(error)


def form_of(source: str) -> KeyForm:
    """`yaml` for .yaml, .yml and .json; everything else is Markdown."""
    return "yaml" if source.lower().endswith((".yaml", ".yml", ".json")) else "md"


def key_text(key: Key, form: KeyForm) -> str:
    """The key as a file that `parse_key` reads back equal."""
    return (yaml_form if form == "yaml" else markdown_form).write(key)


def key_hash(key: Key) -> str:
    """What must be equal before two results may be compared: the problems and their criteria."""
    # Neither its line nor further fields change what must be found.
    problems = [{**asdict(problem), "line": 0, "extra": ()} for problem in key.problems]
    data: list[dict[str, Any]] = [*problems, *(asdict(bonus) for bonus in key.bonuses)]
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
