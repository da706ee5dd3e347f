"""Answer keys as YAML: the fields of the Markdown form under plain names.

title: …
problems:
  - id: P01
    title: …
    category: …
    severity: Critical
    location: …
    description: …
    criteria: {detected: …, partial: …, missed: …}
    extra: [{name: …, text: …}]
bonuses:
  - {id: B01, category: …, content: …, condition: …}
notes:
  - {heading: …, text: …}
"""

from __future__ import annotations

from typing import Any

from steelyard.audit.key.check import Draft, Faults, checked, problem_name
from steelyard.audit.key.labels import CRITERION_NAMES, FIELD_NAMES, criterion_of, word
from steelyard.audit.model import BonusEntry, Key, Problem
from steelyard.yamlfile import Entry, parse

_TOP = {"title", "problems", "bonuses", "bonus", "notes", "schema_version"}
_BONUS_FIELDS: tuple[str, ...] = ("id", "category", "content", "condition")
_BONUS = {**{name: name for name in _BONUS_FIELDS}, "bonus_condition": "condition"}


def read(text: str, source: str) -> Key:
    """The key in a YAML text."""
    top = parse(text, source).mapping("an answer key", _TOP)
    problems = top.get("problems")
    drafts = [_draft(entry) for entry in problems.items("problems")] if problems else []
    listed = top.get("bonuses") or top.get("bonus")
    bonuses = [_bonus(entry) for entry in listed.items("bonuses")] if listed else []
    notes = [_note(entry) for entry in top["notes"].items("notes")] if "notes" in top else []
    return checked(drafts, bonuses, Faults(source), top["title"].text() if "title" in top else "", notes)


def write(key: Key) -> str:
    """The key as YAML."""
    import yaml

    data: dict[str, Any] = {"schema_version": "1"}
    if key.title:
        data["title"] = key.title
    data["problems"] = [_problem_data(problem) for problem in key.problems]
    if key.bonuses:
        data["bonuses"] = [{name: getattr(bonus, name) for name in _BONUS_FIELDS} for bonus in key.bonuses]
    if key.notes:
        data["notes"] = [{"heading": heading, "text": text} for heading, text in key.notes]
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=100)


def _problem_data(problem: Problem) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(problem, name) for name in ("id", "title", "category", "severity")}
    data |= {name: getattr(problem, name) for name in ("location", "description")}
    criteria = problem.criteria
    data["criteria"] = {"detected": criteria.detected, "partial": criteria.partial, "missed": criteria.missed}
    if problem.extra:
        data["extra"] = [{"name": name, "text": text} for name, text in problem.extra]
    return {name: value for name, value in data.items() if value != ""}


def _draft(entry: Entry) -> Draft:
    fields = entry.mapping("a problem")
    identity = next((value for name, value in fields.items() if word(name) == "id"), None)
    name = problem_name(identity.text()) if identity else None
    if name is None:
        raise (identity or entry).fail("a problem needs an id like P01")
    draft = Draft(name, "", entry.line)
    for name, value in fields.items():
        plain = word(name)
        if plain == "id":
            continue
        if plain == "title":
            draft.title = " ".join(value.text().split())
        elif plain in ("criteria", "detection criteria"):
            _criteria(draft, value)
        elif plain == "extra":
            draft.extra += [_pair(entry, "name") for entry in value.items("extra")]
        elif plain in FIELD_NAMES:
            draft.fields[FIELD_NAMES[plain]] = value.text()
            draft.lines[FIELD_NAMES[plain]] = value.line
        else:
            raise value.fail(f"unknown field {name!r} in a problem")
    return draft


def _criteria(draft: Draft, value: Entry) -> None:
    for name, text in value.mapping("criteria").items():
        kind = criterion_of(name)
        if kind is None:
            raise text.fail(f"unknown criterion {name!r}", cure=", ".join(CRITERION_NAMES))
        draft.criteria[kind] = text.text()


def _bonus(entry: Entry) -> tuple[BonusEntry, int]:
    bonus: dict[str, str] = dict.fromkeys(_BONUS_FIELDS, "")
    for name, value in entry.mapping("a bonus entry").items():
        plain = word(name).replace(" ", "_")
        if plain not in _BONUS:
            raise value.fail(f"unknown field {name!r} in a bonus entry")
        bonus[_BONUS[plain]] = value.text()
    if not bonus["id"]:
        raise entry.fail("a bonus entry needs an id")
    return BonusEntry(**bonus), entry.line


def _note(entry: Entry) -> tuple[str, str]:
    return _pair(entry, "heading")


def _pair(entry: Entry, name: str) -> tuple[str, str]:
    fields = entry.mapping("an entry", {name, "text"})
    return (fields[name].text() if name in fields else "", fields["text"].text() if "text" in fields else "")
