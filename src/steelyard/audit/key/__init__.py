"""Answer keys: read from Markdown or YAML, checked for meaning, written as either without loss (docs/scoring.md §2.4).

Forgiving about form, strict about meaning: ids run from P01 without gap or repetition, every severity is known, every
problem has all three criteria. Each error names the line.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from steelyard.audit.model import BonusEntry, Criteria, Key, Problem, Severity
from steelyard.audit.text import narrow, unix
from steelyard.errors import InputError

KeyForm = Literal["md", "yaml"]

_SEVERITY: Mapping[str, Severity] = {
    **{"critical": "Critical", "medium": "Medium", "minor": "Minor"},
    **{"致命的": "Critical", "重大": "Critical", "中": "Medium", "中程度": "Medium", "軽微": "Minor"},
}
_REMARK = re.compile(r"\([^()]{0,200}\)\s*$")
_ID = re.compile(r"^P\s*-?\s*(\d{1,4})$", re.IGNORECASE)
_CRITERIA = {"detected": "○", "partial": "△", "missed": "×"}


@dataclass(slots=True)
class Draft:
    """A problem while it is being read: fields as text, each with its line."""

    number: int
    title: str
    line: int
    fields: dict[str, str] = field(default_factory=dict[str, str])
    lines: dict[str, int] = field(default_factory=dict[str, int])
    criteria: dict[str, str] = field(default_factory=dict[str, str])
    extra: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def parse_key(text: str, source: str, form: KeyForm | None = None) -> Key:
    """The key in `text`; `form` is told by the ending of `source` when it is not given."""
    if (form or form_of(source)) == "yaml":
        from steelyard.audit.key.yaml_form import read

        return read(text, source)
    from steelyard.audit.key.markdown_form import read as read_markdown

    return read_markdown(text, source)


def form_of(source: str) -> KeyForm:
    """`yaml` for .yaml, .yml and .json; everything else is Markdown."""
    return "yaml" if source.lower().endswith((".yaml", ".yml", ".json")) else "md"


def key_text(key: Key, form: KeyForm) -> str:
    """The key as a file that `parse_key` reads back equal."""
    if form == "yaml":
        from steelyard.audit.key.yaml_form import write

        return write(key)
    from steelyard.audit.key.markdown_form import write as write_markdown

    return write_markdown(key)


def key_hash(key: Key) -> str:
    """What must be equal before two results may be compared: the problems and their criteria."""
    problems = [{**asdict(each), "line": 0, "extra": ()} for each in key.problems]
    data: list[dict[str, Any]] = [*problems, *(asdict(each) for each in key.bonuses)]
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def problem_number(text: str) -> int | None:
    """`P01`, `p1`, full-width or not, as 1; None for anything else."""
    found = _ID.match(narrow(text).strip())
    return int(found.group(1)) if found else None


def problem_id(number: int) -> str:
    """1 as `P01`."""
    return f"P{number:02d}"


def checked(
    drafts: list[Draft],
    bonuses: list[tuple[BonusEntry, int]],
    source: str,
    title: str,
    notes: Iterable[tuple[str, str]],
) -> Key:
    """The key behind the drafts, or the first thing that is wrong with it."""
    if not drafts:
        raise InputError(f"{source}: no problem found", cure="a problem starts with a heading like `### P01: Title`")
    _check_numbers(drafts, source)
    _check_bonuses(bonuses, source)
    ordered = sorted(drafts, key=lambda draft: draft.number)
    problems = tuple(_problem(draft, source) for draft in ordered)
    warnings = tuple(_absent(problems))
    kept = tuple((" ".join(heading.split()), tidy(text)) for heading, text in notes if text.strip())
    return Key(problems, tuple(_entry(entry) for entry, _ in bonuses), " ".join(title.split()), kept, warnings)


def _entry(bonus: BonusEntry) -> BonusEntry:
    return BonusEntry(narrow(bonus.id), tidy(bonus.category), tidy(bonus.content), tidy(bonus.condition))


def _check_numbers(drafts: list[Draft], source: str) -> None:
    first: dict[int, int] = {}
    for draft in drafts:
        if draft.number in first:
            name, before = problem_id(draft.number), first[draft.number]
            raise InputError(f"{source}, line {draft.line}: {name} stands twice, first on line {before}")
        first[draft.number] = draft.line
    for expected, number in enumerate(sorted(first), start=1):
        if number != expected:
            found = problem_id(number)
            raise InputError(
                f"{source}, line {first[number]}: {found} follows a gap, {problem_id(expected)} is missing"
            )


def _check_bonuses(bonuses: list[tuple[BonusEntry, int]], source: str) -> None:
    first: dict[str, int] = {}
    for entry, line in bonuses:
        if entry.id in first:
            raise InputError(f"{source}, line {line}: bonus {entry.id} stands twice, first on line {first[entry.id]}")
        first[entry.id] = line


def _problem(draft: Draft, source: str) -> Problem:
    name = problem_id(draft.number)
    if not draft.title:
        raise InputError(f"{source}, line {draft.line}: {name} has no title")
    absent = [f"{_CRITERIA[each]} ({each})" for each in _CRITERIA if not draft.criteria.get(each)]
    severity = _severity(draft, name, source)
    if absent:
        raise InputError(f"{source}, line {draft.line}: {name} has no detection criteria for {', '.join(absent)}")
    return Problem(
        id=name,
        title=draft.title,
        severity=severity,
        criteria=Criteria(**{each: tidy(draft.criteria[each]) for each in _CRITERIA}),
        category=tidy(draft.fields.get("category", "")),
        location=tidy(draft.fields.get("location", "")),
        description=tidy(draft.fields.get("description", "")),
        extra=_extra(draft),
        line=draft.line,
    )


def _extra(draft: Draft) -> tuple[tuple[str, str], ...]:
    """Further fields in their order; text without a name comes first, where nothing else can claim it."""
    loose = "\n\n".join(tidy(text) for name, text in draft.extra if not name)
    named = [(name, tidy(text)) for name, text in draft.extra if name]
    return (*([("", loose)] if loose else []), *named)


def _severity(draft: Draft, name: str, source: str) -> Severity:
    given = draft.fields.get("severity", "")
    if not given:
        raise InputError(f"{source}, line {draft.line}: {name} has no severity", cure="Critical, Medium or Minor")
    known = _SEVERITY.get(_bare(given))
    if known is None:
        line = draft.lines.get("severity", draft.line)
        raise InputError(
            f"{source}, line {line}: unknown severity {given!r} of {name}", cure="Critical, Medium or Minor"
        )
    return known


def _bare(severity: str) -> str:
    """A severity without the emphasis, emoji and remark in parentheses that people put around it."""
    word = _REMARK.sub("", narrow(severity).strip(" *_`"))
    return (
        "".join(mark for mark in word if unicodedata.category(mark) not in ("So", "Mn", "Cf")).strip(" *_`").casefold()
    )


def tidy(text: str) -> str:
    """A text as both forms keep it: one kind of line end, nothing at the ends of its lines."""
    return "\n".join(line.rstrip() for line in unix(text).split("\n")).strip()


def _absent(problems: tuple[Problem, ...]) -> Iterable[str]:
    for problem in problems:
        names = [name for name in ("category", "location", "description") if not getattr(problem, name)]
        if names:
            yield f"{problem.id} (line {problem.line}) has no {', no '.join(names)}"
