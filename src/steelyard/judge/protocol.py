"""The judge's protocol (docs/scoring.md §4): what is drawn for a call, what is asked, and how its reply is read. Pure.

Ids, order, code and decoys of a call come from the random numbers it is given, so a seed repeats it; none of the codes
occurs in the text. The system message is the same for every text. Prompts are files, versioned by their content.
Neither the arm nor the name of the graded subject is part of a question.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import TypeAdapter

from steelyard.judge.decoys import Entry
from steelyard.judge.parse import PARSER_VERSION, VerdictError, fitting, read_object, rows
from steelyard.judge.rubric import SHIPPED, Rubric

V = TypeVar("V")
R = TypeVar("R")

PROMPTS = ("criteria", "dimensions", "passages", "check", "frame", "shown", "again")
"""The shipped templates that shape every verdict."""

LETTERS = "bcdfghjklmnpqrstvwxz"
"""Of ids and codes: without vowels, so that they are no words."""


@dataclass(frozen=True, slots=True)
class Request(Generic[R]):
    """One call."""

    system: str
    user: str
    read: Callable[[str], R]
    """The whole reply to its result; raises `VerdictError`."""
    schema: Mapping[str, Any]
    """JSON Schema of the reply; the same for every call of its kind, since providers compile it."""
    decoys: int = 0
    decoy_tokens: int = 0
    """What the decoys add to the request: words of up to seven letters, numbers of up to three digits, marks."""


@dataclass(frozen=True, slots=True)
class Quoting(Generic[V]):
    """The quoting protocol. Passages and answers are as the wing likes them."""

    passages: Callable[[str, Random], Request[Mapping[str, Any]]]
    """(cleaned text, random numbers) to the call that names passages; its result has the items that got some."""
    check: Callable[[str, Any, Random], Request[Any]]
    """(item, its passages, random numbers) to the call about one item."""
    verdict: Callable[[Mapping[str, Any], Mapping[str, Any]], V]
    """(passages, answers) per item to the verdict; an item without an answer is not met."""


@dataclass(frozen=True, slots=True)
class Question(Generic[V]):
    """One text to grade, and everything needed to ask about it."""

    text: str
    """The graded text: hostile. Cleaned before a judge or a parser sees it."""
    context: str
    """What else the verdict depends on, beside text and `identity`: part of the cache key."""
    identity: str
    """Hash of rubric, prompt and parser version: part of the cache key, and of a run's fingerprint."""
    single: Callable[[str, Random], Request[V]]
    """(cleaned text, random numbers) to a call about the whole text."""
    nothing: V
    """The verdict on a text that shows nothing."""
    stored: TypeAdapter[V]
    """Writes and reads what the cache holds; any exception makes the entry a miss."""
    quoting: Quoting[V] | None = None
    """None: a text about which no reply can be used gets `nothing`."""


def identity(*parts: str) -> str:
    """A short hash of everything that shapes a verdict besides the judge and the text; the templates are part of it."""
    # A list in JSON keeps the parts apart.
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
    return (SHIPPED / "prompts" / f"{name}.md").read_text("utf-8").removesuffix("\n")


def drawn_code(text: str, rng: Random, length: int = 12) -> str:
    """Random letters that are not in `text`; one more after each try, because it can hold all of one length."""
    while (code := "".join(rng.choices(LETTERS, k=length))) in text:
        length += 1
    return code


def drawn_ids(items: Sequence[R], text: str, rng: Random) -> dict[str, R]:
    """The items in a drawn order under drawn ids that do not occur in `text`."""
    found: dict[str, R] = {}
    for item in rng.sample(items, len(items)):
        while (name := drawn_code(text, rng, 4)) in found:
            pass
        found[name] = item
    return found


def listed(items: Mapping[str, Entry]) -> str:
    """The items as a judge is shown them."""
    lines: list[str] = []
    for name, entry in items.items():
        lines.append(f"- {name}: {' '.join(entry.about.split())}")
        lines += [f"  {band} %: {' '.join(text.split())}" for band, text in (entry.bands or {}).items()]
    return "\n".join(lines)


TEXT: Mapping[str, Any] = {"type": "string"}

Rows: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What a reply says under each drawn id."""


def schema_of(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema of an object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def list_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema of a list."""
    return {"type": "array", "items": dict(schema)}


@dataclass(frozen=True, slots=True)
class Form:
    """What a reply holds: the code of the call, a list of rows, each with an id, and perhaps a rationale."""

    name: str
    """Of the list."""
    fields: Mapping[str, Mapping[str, Any]]
    """Of a row, each with its JSON Schema."""
    rationale: bool = False

    @property
    def row(self) -> dict[str, Any]:
        """JSON Schema of a row."""
        return schema_of(id=TEXT, **self.fields)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of a reply."""
        return schema_of(code=TEXT, **{self.name: list_of(self.row)}, **({"rationale": TEXT} if self.rationale else {}))

    def read(self, reply: str, code: str, ids: Collection[str]) -> tuple[Rows, str]:
        """The rows of a reply to the call with this code and these ids, and its rationale."""
        answer = read_object(reply)
        if answer.get("code") != code:
            raise VerdictError("the reply does not carry the code of this request")
        answer = fitting(answer, self.schema)
        return rows(answer[self.name], ids, self.name), answer.get("rationale", "")


def request(
    frame: tuple[str, str, Mapping[str, str]],
    form: Form,
    ids: Collection[str],
    use: Callable[[Rows, str], R],
    text: str,
    rng: Random,
    decoys: Iterable[str] = (),
) -> Request[R]:
    """A call, and what is made of its reply.

    `frame` is the system message, the template of the user message, and what fills it beside code and fence; `use`
    makes the result of rows and rationale, or raises `VerdictError`. `decoys` are as they are shown.
    """
    system, user, values = frame
    code, shown = drawn_code(text, rng), list(decoys)
    return Request(
        system=system,
        user=fill(user, {**values, "code": code, "fence": drawn_code(text, rng)}),
        read=lambda reply: use(*form.read(reply, code, ids)),
        schema=form.schema,
        decoys=len(shown),
        decoy_tokens=sum(len(re.findall(r"[^\W\d_]{1,7}|\d{1,3}|[^\w\s]|_", decoy)) for decoy in shown),
    )
