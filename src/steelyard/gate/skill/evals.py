"""`evals.json`, the file in which people write down what a skill should do, as tasks of the gate.

    {"skill_name": "…", "evals": [{"id": 1, "prompt": "…", "expected_output": "…", "files": ["…"],
                                   "expectations": ["…"]}]}
    [{"query": "…", "should_trigger": false}]
    {"skills": ["…"], "query": "…", "files": ["…"], "expected_behavior": ["…"]}

All forms are read, whatever the names: `assertions` or `expected_behavior` for `expectations`, `query` for `prompt`,
`test_cases` for `evals`. Expectations and the expected output become a rubric for the judge. A prompt must activate the
skill unless `should_trigger` is false, or "any" if both are fine. A field with null is not there. Fields that are not
read are named: they may hold expectations.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

import yaml
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from steelyard.errors import InputError, boundary, one_line
from steelyard.gate.task import FILE

_LISTS = ("evals", "test_cases")
_PROMPTS = ("prompt", "query")
_EXPECTATIONS = ("expectations", "assertions", "expected_behavior")
_TRIGGERS = ("should_trigger", "expect_activation")
_LABELS = {"name", "title", "description", "category", "kind", "tags", "skills"}
"""Fields that expect nothing."""
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class Case(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: int | str | None = None
    prompt: str = Field(min_length=1, validation_alias=AliasChoices(*_PROMPTS))
    expected_output: str = ""
    expectations: tuple[str, ...] = Field((), validation_alias=AliasChoices(*_EXPECTATIONS))
    files: tuple[str, ...] = ()
    should_trigger: bool | Literal["any"] = Field(True, validation_alias=AliasChoices(*_TRIGGERS))

    @model_validator(mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: part for name, part in cast(dict[str, Any], value).items() if part is not None}

    @field_validator("expectations", mode="before")
    @classmethod
    def _expectations(cls, value: Any) -> Any:
        return _texts(value, ("text", "description", "name"))

    @field_validator("expected_output", mode="before")
    @classmethod
    def _output(cls, value: Any) -> Any:
        return "\n".join(map(str, _texts(value, ("text", "description"))))

    @field_validator("files", mode="before")
    @classmethod
    def _files(cls, value: Any) -> Any:
        return _texts(value, ("path", "file", "name"))

    @property
    def unread(self) -> set[str]:
        """Fields that nobody looks at."""
        return {*(self.model_extra or {})} - _LABELS


def _texts(value: Any, names: Sequence[str]) -> Any:
    """One text instead of a list, or an object with its text in a field of these names, is a text too."""
    entries = cast(list[Any], value) if isinstance(value, list) else [value]
    return [_text(entry, names) for entry in entries]


def _text(entry: Any, names: Sequence[str]) -> Any:
    """An object without any of the fields is all of its fields: a judge can read them."""
    if not isinstance(entry, dict):
        return entry
    fields = cast(dict[str, Any], entry)
    whole = ", ".join(f"{name}: {value}" for name, value in fields.items())
    return next((fields[name] for name in names if name in fields), whole)


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of the file; `InputError` naming the one that cannot be used."""
    with boundary(InputError, f"cannot read {path}"):
        text = path.read_text("utf-8")
    try:
        raw: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {one_line(str(error), 100)}") from error
    entries: Any = _listed(cast(dict[str, Any], raw)) if isinstance(raw, dict) else raw
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path} has no list of evals", cure='{"evals": [{"prompt": "…"}]}')
    return tuple(_case(path, number, entry) for number, entry in enumerate(cast(list[Any], entries), 1))


def _listed(raw: dict[str, Any]) -> Any:
    if any(name in raw for name in _PROMPTS):
        return [raw]
    return next((raw[name] for name in _LISTS if name in raw), None)


def _case(path: Path, number: int, entry: Any) -> Case:
    try:
        return Case.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}: eval {number}: {f'{where}: ' if where else ''}{first['msg']}") from error


def write_tasks(cases: Sequence[Case], skill: str, home: Path, folder: Path) -> None:
    """One task for each case; files are looked for beside the skill and in its `evals` folder."""
    names: set[str] = set()
    for number, case in enumerate(cases, 1):
        name = _UNFIT.sub("-", f"eval-{number if case.id is None else case.id}")[:100]
        if name in names:
            raise InputError(f"two evals of {skill} have the id {case.id!r}")
        names.add(name)
        with boundary(InputError, f"cannot write to {folder}"):
            (folder / name).mkdir(parents=True)
            fixture = _copied(case.files, home, folder / name / "fixture")
            task: dict[str, Any] = {"id": name, "title": one_line(case.prompt, 70), "prompt": case.prompt}
            task |= {"expect_activation": case.should_trigger, **({"fixture": "fixture"} if fixture else {})}
            task |= {"rubric": rubric} if (rubric := _rubric(case)) else {}
            (folder / name / FILE).write_text(yaml.safe_dump(task, sort_keys=False, allow_unicode=True), "utf-8")


def _copied(files: Sequence[str], home: Path, fixture: Path) -> bool:
    for name in files:
        places = [home / name, home / "evals" / name]
        source = next((path for path in places if path.is_file() and path.resolve().is_relative_to(home)), None)
        if source is None:
            raise InputError(f"{home.name}: the eval's file {name!r} is not in the skill's folder")
        fixture.mkdir(exist_ok=True)
        shutil.copyfile(source, fixture / source.name)
    return bool(files)


def _rubric(case: Case) -> dict[str, Any] | None:
    wanted = [text for text in case.expectations if text.strip()]
    if case.expected_output.strip():
        wanted.append(f"The result is what was expected: {case.expected_output.strip()}")
    if not wanted:
        return None
    criteria = [{"id": f"expectation_{number}", "question": text} for number, text in enumerate(wanted, 1)]
    return {"name": "Expectations", "about": one_line(case.prompt, 300), "criteria": criteria}
