"""The prompts of a judge: templates are files, versioned by their content.

Filling a template is one pass: nothing inside a text is ever filled in again. Neither the arm nor the name of the
graded subject is part of a question.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from steelyard.judge.parse import PARSER_VERSION
from steelyard.judge.rubric import Rubric

PROMPTS = ("criteria", "dimensions", "passages", "check", "frame", "shown", "again")
"""The shipped templates; all of them shape a verdict."""


def identity(*parts: str) -> str:
    """A short hash of everything that shapes a verdict besides the judge and the text; the templates are part of it."""
    content = json.dumps([*map(template, PROMPTS), *parts])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@cache
def rubric_identity(rubric: Rubric) -> str:
    """The hash of rubric, prompts and parser version: what `question` grades by."""
    return identity(rubric.sha, f"parser {PARSER_VERSION}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with each `{{name}}` replaced once; a value is never searched for slots."""
    start, *slots = text.split("{{")
    return start + "".join(values[name] + after for name, _, after in (slot.partition("}}") for slot in slots))


@cache
def template(name: str) -> str:
    """The shipped prompt `name` (without `.md`), without its last line end."""
    return resources.files("steelyard.judge").joinpath("prompts", f"{name}.md").read_text("utf-8").removesuffix("\n")


def complaint(reason: str) -> str:
    """What is added to a request after a reply that could not be used."""
    return fill(template("again"), {"reason": reason})
