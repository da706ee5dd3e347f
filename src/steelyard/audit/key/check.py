"""What every answer key must satisfy, whichever form it was read from (docs/scoring.md §2.4).

Ids run from P01 without gaps or duplicates, every severity is known, every problem has all three criteria. Each error
names the line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from steelyard.audit.model import BonusEntry, Criteria, Key, Problem, Severity
from steelyard.errors import InputError
from steelyard.text import narrow, unix

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


def problem_number(text: str) -> int | None:
    """`P01`, `p1`, full-width or not, as 1; None for anything else."""
    match = _ID.match(narrow(text).strip())
    return int(match.group(1)) if match else None


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
    """The key made of the drafts; raises `InputError` for the first rule it breaks."""
    if not drafts:
        raise InputError(f"{source}: no problem found", cure="a problem starts with a heading like `### P01: Title`")
    _check_numbers(drafts, source)
    _check_bonuses(bonuses, source)
    ordered = sorted(drafts, key=lambda draft: draft.number)
    problems = tuple(_problem(draft, source) for draft in ordered)
    warnings = tuple(_missing_fields(problems))
    kept = tuple((" ".join(heading.split()), tidy(text)) for heading, text in notes if text.strip())
    return Key(problems, tuple(_tidied(bonus) for bonus, _ in bonuses), " ".join(title.split()), kept, warnings)


def _tidied(bonus: BonusEntry) -> BonusEntry:
    return BonusEntry(narrow(bonus.id), tidy(bonus.category), tidy(bonus.content), tidy(bonus.condition))


def _check_numbers(drafts: list[Draft], source: str) -> None:
    first: dict[int, int] = {}
    for draft in drafts:
        if draft.number in first:
            name, before = problem_id(draft.number), first[draft.number]
            raise InputError(f"{source}, line {draft.line}: duplicate problem {name}, first on line {before}")
        first[draft.number] = draft.line
    for expected, number in enumerate(sorted(first), start=1):
        if number != expected:
            raise InputError(
                f"{source}, line {first[number]}: {problem_id(number)} follows a gap, {problem_id(expected)} is missing"
            )


def _check_bonuses(bonuses: list[tuple[BonusEntry, int]], source: str) -> None:
    first: dict[str, int] = {}
    for entry, line in bonuses:
        if entry.id in first:
            raise InputError(f"{source}, line {line}: duplicate bonus {entry.id}, first on line {first[entry.id]}")
        first[entry.id] = line


def _problem(draft: Draft, source: str) -> Problem:
    name = problem_id(draft.number)
    if not draft.title:
        raise InputError(f"{source}, line {draft.line}: {name} has no title")
    absent = [f"{sign} ({criterion})" for criterion, sign in _CRITERIA.items() if not draft.criteria.get(criterion)]
    severity = _severity(draft, name, source)
    if absent:
        raise InputError(f"{source}, line {draft.line}: {name} has no detection criteria for {', '.join(absent)}")
    return Problem(
        id=name,
        title=draft.title,
        severity=severity,
        criteria=Criteria(**{criterion: tidy(draft.criteria[criterion]) for criterion in _CRITERIA}),
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
    written = draft.fields.get("severity", "")
    if not written:
        raise InputError(f"{source}, line {draft.line}: {name} has no severity", cure="Critical, Medium or Minor")
    severity = _SEVERITY.get(_bare(written))
    if severity is None:
        line = draft.lines.get("severity", draft.line)
        raise InputError(
            f"{source}, line {line}: unknown severity {written!r} of {name}", cure="Critical, Medium or Minor"
        )
    return severity


def _bare(severity: str) -> str:
    """A severity without the emphasis, emoji and remark in parentheses that people put around it."""
    word = _REMARK.sub("", narrow(severity).strip(" *_`"))
    letters = (mark for mark in word if unicodedata.category(mark) not in ("So", "Mn", "Cf"))
    return "".join(letters).strip(" *_`").casefold()


def tidy(text: str) -> str:
    """Text as both forms store it: unix line ends, no trailing white space."""
    return "\n".join(line.rstrip() for line in unix(text).split("\n")).strip()


def _missing_fields(problems: tuple[Problem, ...]) -> Iterable[str]:
    for problem in problems:
        names = [name for name in ("category", "location", "description") if not getattr(problem, name)]
        if names:
            yield f"{problem.id} (line {problem.line}) has no {', no '.join(names)}"
