"""What every answer key must satisfy, whichever form it was read from (docs/scoring.md §2.4).

Ids are unique and P01, P02 … have no gaps, every severity is known, every problem has all three criteria. The error
names every line that breaks a rule, not only the first.
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
SEVERITY_READINGS: Mapping[str, Severity] = {
    **{"high": "Critical", "major": "Critical", "severe": "Critical", "urgent": "Critical", "very high": "Critical"},
    **{"高": "Critical", "緊急": "Critical", "深刻": "Critical"},
    **{"significant": "Medium", "moderate": "Medium", "normal": "Medium", "important": "Medium"},
    **{"重要": "Medium", "中度": "Medium"},
    **{"low": "Minor", "trivial": "Minor", "info": "Minor", "informational": "Minor", "very low": "Minor"},
    **{"低": "Minor", "低い": "Minor"},
}
"""Severities that people write, and how they are read; the key gets one warning for all of them."""
_LEVELS: Mapping[str, Severity] = {"error": "Critical", "warning": "Medium", "note": "Minor", "none": "Minor"}
"""Levels of SARIF as severities."""
_REMARK = re.compile(r"\([^()]{0,200}\)\s*$")
_ID = re.compile(r"^(?P<prefix>[A-Za-z][A-Za-z0-9]{0,11}?)\s?(?P<joint>[-_]?)\s?(?P<number>\d{1,4})$")
_CRITERIA = {"detected": "○", "partial": "△", "missed": "×"}


@dataclass(slots=True)
class Draft:
    """A problem while it is being read: fields as text, each with its line."""

    id: str
    """As `problem_name` gives it."""
    title: str
    line: int
    fields: dict[str, str] = field(default_factory=dict[str, str])
    lines: dict[str, int] = field(default_factory=dict[str, int])
    criteria: dict[str, str] = field(default_factory=dict[str, str])
    extra: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    repeated: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """(field, line) of what is stated again in the same words."""


def problem_name(text: str) -> str | None:
    """`P01`, `p1`, `P-1`, full-width or not, as `P01`; other ids (`SEC-03`) as they are; None for anything else."""
    match = _ID.match(narrow(text).strip())
    if match is None:
        return None
    if match["prefix"] in "Pp":
        return f"P{int(match['number']):02d}"
    return match[0].replace(" ", "")


def natural(name: str) -> tuple[str, int, str]:
    """Sorts ids by their number: `SEC-9` before `SEC-10`."""
    match = _ID.match(name)
    return (match["prefix"].casefold(), int(match["number"]), name) if match else (name, 0, name)


@dataclass(slots=True)
class Faults:
    """Every line of a key that breaks a rule."""

    source: str
    lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    cures: set[str] = field(default_factory=set[str])

    def add(self, line: int, fault: str, cure: str = "") -> None:
        """Remember one more."""
        self.lines.append((line, fault))
        self.cures |= {cure} if cure else set()

    def fail(self) -> None:
        """Raise `InputError` with all of them, in the order of the file; nothing if there are none."""
        if self.lines:
            said = "; ".join(f"line {line}: {fault}" for line, fault in sorted(self.lines))
            raise InputError(f"{self.source}, {said}", cure="; ".join(sorted(self.cures)) or None)


def checked(
    drafts: list[Draft],
    bonuses: list[tuple[BonusEntry, int]],
    faults: Faults,
    title: str,
    notes: Iterable[tuple[str, str]],
) -> Key:
    """The key made of the drafts; raises `InputError` for every rule it breaks."""
    if not drafts:
        faults.fail()
        cure = "a problem starts with a heading like `### P01: Title`, or is a row of a table `| ID | Problem | … |`"
        raise InputError(f"{faults.source}: no problem found", cure=cure)
    _check_ids(drafts, faults)
    _check_bonuses(bonuses, faults)
    ordered = sorted(drafts, key=lambda draft: natural(draft.id))
    problems = [_problem(draft, faults) for draft in ordered]
    faults.fail()
    usable = tuple(problem for problem in problems if problem is not None)
    warnings = (*_missing_fields(usable), *_readings(ordered), *_repeated_fields(ordered))
    kept = tuple((" ".join(heading.split()), tidy(text)) for heading, text in notes if text.strip())
    return Key(usable, tuple(_tidied(bonus) for bonus, _ in bonuses), " ".join(title.split()), kept, warnings)


def _tidied(bonus: BonusEntry) -> BonusEntry:
    return BonusEntry(narrow(bonus.id), tidy(bonus.category), tidy(bonus.content), tidy(bonus.condition))


def _check_ids(drafts: list[Draft], faults: Faults) -> None:
    first: dict[str, int] = {}
    for draft in drafts:
        if draft.id in first:
            faults.add(draft.line, f"duplicate problem {draft.id}, first on line {first[draft.id]}")
        first.setdefault(draft.id, draft.line)
    # Ids of other kinds than P01 may have gaps.
    numbers = sorted((natural(name)[1], line) for name, line in first.items() if natural(name)[0] == "p")
    # Each number with the one before it, the first with 0, so that a key that begins with P02 has a gap.
    for before, (number, line) in zip([0, *(number for number, _ in numbers)], numbers, strict=False):
        if number != before + 1:
            absent = " and ".join(f"P{missing:02d}" for missing in range(before + 1, min(number, before + 4)))
            faults.add(line, f"P{number:02d} follows a gap, {absent} {'is' if number == before + 2 else 'are'} missing")


def _check_bonuses(bonuses: list[tuple[BonusEntry, int]], faults: Faults) -> None:
    first: dict[str, int] = {}
    for entry, line in bonuses:
        if entry.id in first:
            faults.add(line, f"duplicate bonus {entry.id}, first on line {first[entry.id]}")
        first.setdefault(entry.id, line)


def _problem(draft: Draft, faults: Faults) -> Problem | None:
    if not draft.title:
        faults.add(draft.line, f"{draft.id} has no title")
    absent = [f"{sign} ({criterion})" for criterion, sign in _CRITERIA.items() if not draft.criteria.get(criterion)]
    severity = _severity(draft, faults)
    if absent:
        faults.add(draft.line, f"{draft.id} has no detection criteria for {', '.join(absent)}")
    if absent or severity is None or not draft.title:
        return None
    return Problem(
        id=draft.id,
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


def _severity(draft: Draft, faults: Faults) -> Severity | None:
    written = draft.fields.get("severity", "")
    if not written:
        faults.add(draft.line, f"{draft.id} has no severity", "Critical, Medium or Minor")
        return None
    severity = _SEVERITY.get(_bare(written)) or SEVERITY_READINGS.get(_bare(written))
    if severity is None:
        line = draft.lines.get("severity", draft.line)
        faults.add(line, f"unknown severity {written!r} of {draft.id}", "Critical, Medium or Minor")
    return severity


def known_severity(written: str) -> Severity | None:
    """A severity as people and scanners write it; None for anything else."""
    word = _bare(written)
    return _SEVERITY.get(word) or SEVERITY_READINGS.get(word) or _LEVELS.get(word)


def _bare(severity: str) -> str:
    """A severity without the emphasis, emoji and remark in parentheses that people put around it."""
    word = _REMARK.sub("", narrow(severity).strip(" *_`"))
    # Emoji, and the variation selectors and joiners in them.
    letters = (mark for mark in word if unicodedata.category(mark) not in ("So", "Mn", "Cf"))
    return "".join(letters).strip(" *_`").casefold()


def tidy(text: str) -> str:
    """Text as both forms store it: unix line ends, no trailing white space."""
    return "\n".join(line.rstrip() for line in unix(text).split("\n")).strip()


def _missing_fields(problems: tuple[Problem, ...]) -> Iterable[str]:
    """One warning per field that is absent, not one per problem."""
    for name in ("category", "location", "description"):
        absent = [problem for problem in problems if not getattr(problem, name)]
        if len(absent) == 1:
            yield f"{absent[0].id} (line {absent[0].line}) has no {name}"
        elif absent:
            yield f"no {name}: {', '.join(f'{problem.id} (line {problem.line})' for problem in absent)}"


def _readings(drafts: list[Draft]) -> Iterable[str]:
    """One warning for all severities that are not the three."""
    readings: dict[str, list[str]] = {}
    for draft in drafts:
        word = _bare(draft.fields.get("severity", ""))
        if word not in _SEVERITY and word in SEVERITY_READINGS:
            shown = draft.fields["severity"].strip(" *_`")
            readings.setdefault(f"{shown} as {SEVERITY_READINGS[word]}", []).append(draft.id)
    if readings:
        yield "severities read: " + "; ".join(f"{said} ({', '.join(ids)})" for said, ids in readings.items())


def _repeated_fields(drafts: list[Draft]) -> Iterable[str]:
    """One warning for all fields that a problem states twice in the same words."""
    repeated = [f"{name} of {draft.id} (line {line})" for draft in drafts for name, line in draft.repeated]
    if repeated:
        yield f"stated twice: {', '.join(repeated)}"
