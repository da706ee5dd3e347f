"""The prompt of a judge: templates are files, versioned by their content.

Law: instructions and rubric form the system message, which is the same for every text graded by one rubric (so that
providers can cache it). The graded text is one block inside a fence that is drawn for that call and does not occur
in the text; the instruction is repeated after it, with a second code that the reply must carry. Filling a template is
one pass: nothing inside a text is ever filled in again. Neither the arm nor the name of the graded subject is part of a
question.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib import resources
from typing import Any, Generic, NamedTuple, TypeVar

from steelyard.judge.parse import PARSER_VERSION, Verdict, VerdictError, parse_verdict
from steelyard.judge.rubric import BANDS, Dimension, Rubric

V = TypeVar("V")

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Question(Generic[V]):
    """One text to grade, and everything needed to ask about it."""

    system: str
    """Instructions and rubric; the same for every text of one rubric."""
    task: str
    """Trusted context of this item, shown before the graded text."""
    text: str
    """The graded text: hostile. Cleaned before a judge or a parser sees it."""
    parse: Callable[[str, str, str], V]
    """(whole reply, cleaned text, the call's code) to a verdict; raises `VerdictError`."""
    identity: str
    """Hash of rubric, prompt and parser version: part of the cache key, and of a run's fingerprint."""
    encode: Callable[[V], Any]
    """A verdict as JSON, for the cache."""
    decode: Callable[[Any], V]
    """A verdict from the cache; any exception makes the entry a miss."""


class Codes(NamedTuple):
    """Random codes drawn for one call; neither occurs in the graded text."""

    fence: str
    """Marks where the graded text begins and ends."""
    reply: str
    """The reply must repeat it: what was written before the call cannot hold it."""

    @classmethod
    def draw(cls, text: str) -> Codes:
        """Two codes for a call about `text`."""
        return cls(draw_code(text), draw_code(text))


class Prompt(NamedTuple):
    """The two messages of one call."""

    system: str
    user: str


def question(rubric: Rubric, *, task: str, text: str) -> Question[Verdict]:
    """The question that grades `text`, an answer to `task`, by `rubric`."""
    system = rubric_prompt(rubric)
    return Question(
        system=system,
        task=task,
        text=text,
        parse=partial(parse_verdict, rubric, topic=task),
        identity=rubric_identity(rubric),
        encode=encode_verdict,
        decode=decode_verdict,
    )


@cache
def rubric_identity(rubric: Rubric) -> str:
    """The hash of rubric, prompt and parser version that `question` uses."""
    return identity(rubric_prompt(rubric), f"parser {PARSER_VERSION}")


def identity(*parts: str) -> str:
    """A short hash of everything that shapes a verdict besides the judge and the text; the frame is part of it."""
    content = json.dumps([template("frame"), template("again"), template("names"), *parts])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@cache
def rubric_prompt(rubric: Rubric) -> str:
    """The system message for a rubric."""
    kind = "criteria" if rubric.criteria else "dimensions"
    values = {"name": rubric.name, "about": rubric.about, "items": _items(rubric), "schema": _schema(rubric)}
    return fill(template(kind), values)


def render(
    question: Question[Any], text: str, *, codes: Codes | None = None, complaint: VerdictError | str | None = None
) -> Prompt:
    """The messages that ask about the cleaned `text`; `complaint` says what was wrong with the last reply."""
    codes = codes or Codes.draw(text)
    values = {"task": question.task.strip(), "text": text, "fence": codes.fence, "code": codes.reply}
    user = fill(template("frame"), values)
    return Prompt(question.system, user if complaint is None else user + _again(complaint, codes))


def _again(complaint: VerdictError | str, codes: Codes) -> str:
    """The request to reply once more. Names that the judge made up are data, because a graded text may dictate them."""
    reason, names = (complaint.reason, complaint.names) if isinstance(complaint, VerdictError) else (complaint, ())
    values = {"reason": reason, "code": codes.reply, "fence": codes.fence, "names": "\n".join(names)}
    return fill(template("again"), values) + (fill(template("names"), values) if names else "")


def draw_code(text: str, draw: Callable[[], str] = lambda: secrets.token_hex(8)) -> str:
    """A random code that does not occur in `text`."""
    while (code := draw()) in text:
        pass
    return code


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with each `{{name}}` replaced once; a value is never searched for slots."""
    return _SLOT.sub(lambda slot: values[slot[1]], text)


@cache
def template(name: str) -> str:
    """The shipped prompt `name` (without `.md`), without its last line end."""
    return resources.files("steelyard.judge").joinpath("prompts", f"{name}.md").read_text("utf-8").removesuffix("\n")


def encode_verdict(verdict: Verdict) -> Any:
    """A `Verdict` as JSON."""
    return asdict(verdict)


def decode_verdict(data: Any) -> Verdict:
    """A `Verdict` from JSON; `Verdict` itself checks every number."""
    evidence = {str(key): tuple(map(str, quotes)) for key, quotes in data["evidence"].items()}
    scores = {str(key): float(value) for key, value in data["scores"].items()}
    if scores.keys() != evidence.keys():
        raise VerdictError("scores and evidence name different items")
    return Verdict(float(data["score"]), scores, evidence, str(data["rationale"]))


def _items(rubric: Rubric) -> str:
    weights = rubric.weights
    lines: list[str] = []
    for item in rubric.items:
        body = item.about if isinstance(item, Dimension) else item.question
        lines.append(f"- {item.id} (weight {weights[item.id]:.4g}): {body}")
        if isinstance(item, Dimension) and item.bands is not None:
            lines += [f"  - {band.name} %: {item.bands[band.name]}" for band in reversed(BANDS)]  # type: ignore[index]
    return "\n".join(lines)


def _schema(rubric: Rubric) -> str:
    value = '"met": true or false' if rubric.criteria else '"score": 0.00 to 1.00'
    grades = ", ".join(f'"{item.id}": {{{value}, "evidence": ["…"]}}' for item in rubric.items)
    return f'{{"code": "…", "grades": {{{grades}}}, "rationale": "…"}}'
