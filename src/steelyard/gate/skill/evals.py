"""`evals.json`, the file in which people write down what a skill should do, as tasks of the gate.

    {"skill_name": "…", "evals": [{"id": 1, "prompt": "…", "expected_output": "…", "files": ["…"],
                                   "expectations": ["…"]}]}
    [{"query": "…", "should_trigger": false}]
    {"skills": ["…"], "query": "…", "files": ["…"], "expected_behavior": ["…"]}
    {"positive": ["…"], "negative": ["…"]}

All forms are read, whatever the names: `assertions` or `expected_behavior` for `expectations`, `query` or `input` for
`prompt`, `cases` for `evals`, and so on; a text alone is a prompt. Expectations and the expected output become a rubric
for the judge. A prompt must activate the skill unless `should_trigger` is false, or "any" if both are fine. A field
with null is not there. Fields that are not read are named: they may hold expectations.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from steelyard import artifact
from steelyard.errors import InputError, boundary, one_line
from steelyard.gate.activation import FILE as SKILL
from steelyard.gate.task_folder import FILE
from steelyard.yamlfile import sentence

_LISTS = ("evals", "test_cases", "cases", "tests", "scenarios", "evaluations")
_GROUPS = {"positive": True, "should_trigger": True, "negative": False, "should_not_trigger": False}
"""Name of a list → whether its prompts must activate the skill."""
_PROMPTS = ("prompt", "query", "input")
_EXPECTATIONS = ("expectations", "assertions", "expected_behavior")
_TRIGGERS = ("should_trigger", "expect_activation")
_LABELS = {"name", "title", "description", "category", "kind", "tags", "skills"}
"""Fields that expect nothing."""
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def _id(value: Any) -> Any:
    if isinstance(value, (dict, list)):
        raise ValueError("must be a number or a text")
    return str(value)


def _prompt(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _trigger(value: Any) -> Any:
    if value not in (True, False, "true", "false", "any"):
        raise ValueError('must be true, false or "any"')
    return value


def _texts(value: Any, *names: str) -> list[Any]:
    """One text instead of a list, or an object with its text in a field of these names, is a text too."""
    return [_text(entry, names) for entry in (artifact.listed(value) if isinstance(value, list) else [value])]


def _text(entry: Any, names: Sequence[str]) -> Any:
    """An object without any of the fields is all of its fields: a judge can read them."""
    if not isinstance(entry, dict):
        return entry
    fields = artifact.table(entry)
    whole = ", ".join(f"{name}: {value}" for name, value in fields.items())
    return next((fields[name] for name in names if name in fields), whole)


class Case(BaseModel):
    """One entry of the file."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: Annotated[str | None, BeforeValidator(_id)] = None
    prompt: Annotated[str, AfterValidator(_prompt)] = Field(validation_alias=AliasChoices(*_PROMPTS))
    expected_output: Annotated[
        str, BeforeValidator(lambda value: "\n".join(map(str, _texts(value, "text", "description"))))
    ] = ""
    expectations: Annotated[
        tuple[str, ...], BeforeValidator(lambda value: _texts(value, "text", "description", "name"))
    ] = Field((), validation_alias=AliasChoices(*_EXPECTATIONS))
    files: Annotated[tuple[str, ...], BeforeValidator(lambda value: _texts(value, "path", "file", "name"))] = ()
    should_trigger: Annotated[bool | Literal["any"], BeforeValidator(_trigger)] = Field(
        True, validation_alias=AliasChoices(*_TRIGGERS)
    )

    @model_validator(mode="before")
    @classmethod
    def _given(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"prompt": value}
        if not isinstance(value, dict):
            raise ValueError("must be an object or a text")
        return {name: part for name, part in artifact.table(value).items() if part is not None}

    @model_validator(mode="after")
    def _expects(self) -> Case:
        if self.should_trigger == "any" and _rubric(self) is None:
            raise ValueError("expects nothing: add expectations, or let should_trigger be true or false")
        return self

    @property
    def unread(self) -> set[str]:
        """Fields that nobody looks at."""
        return {*(self.model_extra or {})} - _LABELS


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of the file; `InputError` naming the one that cannot be used."""
    raw = artifact.read_json(path)
    entries = artifact.listed(raw) or _listed(artifact.table(raw))
    if not entries:
        raise InputError(f"{path} has no list of evals", cure='{"evals": [{"prompt": "…"}]}')
    return tuple(_case(path, number, entry) for number, entry in enumerate(entries, 1))


def _listed(raw: dict[str, Any]) -> list[Any]:
    lists = {name: artifact.listed(entries) for name, entries in raw.items()}
    plain = [entry for name in _LISTS for entry in lists.get(name, ())]
    if not plain and any(name in raw for name in _PROMPTS):
        return [raw]
    return plain or [_grouped(entry, wanted) for name, wanted in _GROUPS.items() for entry in lists.get(name, ())]


def _grouped(entry: Any, wanted: bool) -> Any:
    fields = {"prompt": entry} if isinstance(entry, str) else entry
    return {"should_trigger": wanted, **artifact.table(fields)} if isinstance(fields, dict) else entry


def _case(path: Path, number: int, entry: Any) -> Case:
    try:
        return Case.model_validate(entry)
    except ValidationError as error:
        raise InputError(f"{path}: eval {number}: {sentence(error)}") from error


def write_tasks(cases: Sequence[Case], skill: str, home: Path, folder: Path) -> None:
    """One task for each case; files are looked for beside the skill and in its `evals` folder."""
    for name, case in zip(_names(cases, skill), cases, strict=True):
        with boundary(InputError, f"cannot write to {folder}"):
            (folder / name).mkdir(parents=True)
            fixture = _copied(case, home, folder / name / "fixture")
            task: dict[str, Any] = {"id": name, "title": one_line(case.prompt, 70), "prompt": case.prompt}
            task |= {"expect_activation": case.should_trigger, **({"fixture": "fixture"} if fixture else {})}
            task |= {"rubric": rubric} if (rubric := _rubric(case)) else {}
            (folder / name / FILE).write_text(yaml.safe_dump(task, sort_keys=False, allow_unicode=True), "utf-8")


def _names(cases: Sequence[Case], skill: str) -> list[str]:
    """A name for the task of each case: its id, or its number, as far as a folder can be called so."""
    ((most, number),) = Counter(case.id for case in cases if case.id is not None).most_common(1) or [(None, 0)]
    if number > 1:
        raise InputError(f"two evals of {skill} have the id {most!r}")
    names: list[str] = []
    for number, case in enumerate(cases, 1):
        name = _UNFIT.sub("-", f"eval-{number if case.id is None else case.id}")[:100]
        while name in names:  # ids in other scripts, and numbers that are also ids
            name = f"{name}-{number}"
        names.append(name)
    return names


def _copied(case: Case, home: Path, fixture: Path) -> bool:
    """Put the files of a case into the fixture, under their name, or under the path by which the prompt calls them."""
    for name in case.files:
        # Without `..`, by which a file would be put outside the fixture.
        places = [Path(os.path.normpath(folder / name)) for folder in (home, home / "evals")]
        # Resolved, so that a link brings in no file from outside the skill.
        inside = (path for path in places if home in path.parents and home in path.resolve().parents)
        source = next((path for path in inside if path.exists()), None)
        if source is None:
            raise InputError(f"{home.name}: the eval's file {name!r} is not in the skill's folder")
        if source.samefile(home / SKILL):
            continue  # an arm without the skill must not get it in this way
        target = fixture / source.name
        if name in case.prompt or target.exists():
            target = fixture / source.relative_to(home)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, target)
    return fixture.exists()


def _rubric(case: Case) -> dict[str, Any] | None:
    wanted = [text for text in case.expectations if text.strip()]
    if case.expected_output.strip():
        wanted.append(f"The result is what was expected: {case.expected_output.strip()}")
    if not wanted:
        return None
    criteria = [{"id": f"expectation_{number}", "question": text} for number, text in enumerate(wanted, 1)]
    return {"name": "Expectations", "about": one_line(case.prompt, 300), "criteria": criteria}
