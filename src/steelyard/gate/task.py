"""Tasks as folders: `task.yaml`, a fixture the agent works on, checks, and what must stay out of its reach.

    id, title, prompt            what to do
    fixture                      folder the agent starts from (minus what is protected)
    checks                       what must hold afterwards (`kind` and its fields)
    protect                      fixture paths the agent never sees: laid in fresh before the checks
    rubric, judge_weight         a rubric file (or inline) and the judge's weight, 0.4 unless given
    timeout_s                    for the agent, 120 unless given
    reference                    folder laid over the fixture that solves the task (`gate selftest`); the paths named
                                 in its file `.deleted`, one per line, are removed

Unknown keys are refused. Every path is relative and stays inside the task's folder. A path that a `test_suite` names
is protected without being listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from steelyard.errors import InputError
from steelyard.gate.settings import Name, Share
from steelyard.gate.tree import File, Tree, lay_over, only, read_tree, safe_path, tree_hash, without
from steelyard.judge.rubric import Rubric, load_rubric
from steelyard.logs.identity import sha256_of
from steelyard.yamlfile import Entry, Strict, read

FILE = "task.yaml"
DELETED = ".deleted"
"""In a reference: the paths it removes."""
DEFAULT_TIMEOUT_S = 120.0
MAX_CHECKS = 200
"""Results of all checks must fit one small field of a log's summary."""


def _relative(path: str) -> str:
    plain = safe_path(path)
    if plain is None:
        raise ValueError(f"{path!r} must be a relative path that stays inside the folder")
    return plain


def _expression(pattern: str) -> str:
    try:
        re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern[:80]!r} is not a regular expression: {error}") from error
    return pattern


def _words(value: Any) -> Any:
    """A command as one text is given to a shell, as a list it is started as it is."""
    return ["/bin/sh", "-c", value] if isinstance(value, str) else value


Inside = Annotated[str, AfterValidator(_relative)]
Command = Annotated[tuple[str, ...], BeforeValidator(_words), Field(min_length=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class _Check(Strict):
    name: Name | None = None
    """How reports call it; made from kind and path when absent."""

    @property
    def label(self) -> str:
        return self.name or f"{getattr(self, 'kind', '')} {self.subject}".strip()

    @property
    def subject(self) -> str:
        return str(getattr(self, "path", ""))


class CommandCheck(_Check):
    """A command ends with the expected exit code."""

    kind: Literal["command"]
    run: Command
    exit_code: Annotated[int, Field(ge=0, le=255)] = 0
    stdout_contains: str | None = None
    timeout_s: Seconds = 60

    @property
    def subject(self) -> str:
        return " ".join(self.run[2:] if self.run[:2] == ("/bin/sh", "-c") else self.run)[:80]


class FileExists(_Check):
    kind: Literal["file_exists"]
    path: Inside


class FileAbsent(_Check):
    kind: Literal["file_absent"]
    path: Inside


class FileContains(_Check):
    kind: Literal["file_contains"]
    path: Inside
    text: Annotated[str, StringConstraints(min_length=1)]


class FileMatches(_Check):
    kind: Literal["file_matches"]
    path: Inside
    pattern: Annotated[str, StringConstraints(min_length=1), AfterValidator(_expression)]
    """Python regular expression, searched in the whole file with `^` and `$` at each line."""


class JsonValue(_Check):
    kind: Literal["json_value"]
    path: Inside
    pointer: Annotated[str, StringConstraints(pattern=r"^(/.*)?$")]
    """RFC 6901, such as `/servers/0/port`."""
    equals: Any


class TestSuite(_Check):
    """Protected tests pass: every test there is ran, none failed, none was skipped."""

    __test__ = False  # not a test of ours, whatever its name

    kind: Literal["test_suite"]
    path: Inside
    runner: Literal["unittest", "pytest"] = "unittest"
    allow_skips: bool = False
    timeout_s: Seconds = 120


class OnlyChanged(_Check):
    """Nothing outside these paths was added, removed or changed."""

    kind: Literal["only_changed"]
    paths: tuple[Inside, ...]

    @property
    def subject(self) -> str:
        return ", ".join(self.paths)


Check = Annotated[
    CommandCheck | FileExists | FileAbsent | FileContains | FileMatches | JsonValue | TestSuite | OnlyChanged,
    Field(discriminator="kind"),
]


class TaskFile(Strict):
    """`task.yaml`, as a person writes it."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    title: Name
    prompt: Name
    fixture: Inside | None = None
    checks: Annotated[tuple[Check, ...], Field(max_length=MAX_CHECKS)] = ()
    rubric: Inside | dict[str, Any] | None = None
    judge_weight: Share = 0.4
    timeout_s: Seconds = DEFAULT_TIMEOUT_S
    protect: tuple[Inside, ...] = ()
    reference: Inside | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A task, loaded."""

    file: TaskFile
    visible: dict[str, File]
    """What the agent starts from."""
    protected: dict[str, File]
    """What is laid in fresh after it has stopped."""
    protect: tuple[str, ...]
    """Paths that belong to the task alone, listed or implied."""
    reference: dict[str, File] | None
    """What the agent's tree looks like when the task is solved."""
    rubric: Rubric | None
    sha: str
    """Everything that shapes a score: the file, the fixture, the rubric."""

    @property
    def id(self) -> str:
        return self.file.id

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the checks, in order, each once."""
        return unique_names([check.label for check in self.file.checks])


class Suite(NamedTuple):
    """What stands in a folder of tasks."""

    tasks: tuple[Task, ...]
    problems: tuple[str, ...]
    folder: Path | None = None

    @property
    def sha(self) -> str:
        return sha256_of({task.id: task.sha for task in self.tasks})


def read_suite(folder: Path) -> Suite:
    """Every task below `folder`, and what is wrong with those that cannot be used."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder of tasks")
    files = [folder / FILE] if (folder / FILE).is_file() else sorted(folder.glob(f"*/{FILE}"))
    tasks: list[Task] = []
    problems: list[str] = []
    for file in files:
        try:
            tasks.append(load_task(file))
        except InputError as error:
            problems.append(str(error))
    ids = [task.id for task in tasks]
    problems += [
        f"the id {each!r} is used by two tasks" for each in sorted({each for each in ids if ids.count(each) > 1})
    ]
    return Suite(tuple(sorted(tasks, key=lambda task: task.id)), tuple(problems), folder)


def load_suite(folder: Path) -> Suite:
    """Like `read_suite`, but anything wrong, or nothing at all, is an `InputError`."""
    suite = read_suite(folder)
    if suite.problems:
        more = f" (and {len(suite.problems) - 1} more problems)" if len(suite.problems) > 1 else ""
        raise InputError(f"{next(iter(suite.problems))}{more}", cure=f"steelyard gate tasks {folder}")
    if not suite.tasks:
        raise InputError(f"no tasks in {folder}", cure=f"each task is a folder with a {FILE}")
    return suite


def load_task(path: Path) -> Task:
    """One task; the error names the file and, where it can, the line."""
    document = read(path)
    file = document.validated(TaskFile)
    source, folder = str(path), path.parent
    fixture = _folder(folder, file.fixture, source) if file.fixture else {}
    suites = [check.path for check in file.checks if isinstance(check, TestSuite)]
    protect = tuple(dict.fromkeys((*file.protect, *suites)))
    for each in protect:
        if not only(fixture, [each]):
            raise InputError(f"{source}: {each!r} is protected, but the fixture does not hold it")
    rubric = _rubric(folder, file.rubric, document)
    if not file.checks and rubric is None:
        raise InputError(f"{source}: nothing grades this task: it has neither checks nor a rubric")
    shape = {"file": file.model_dump(mode="json"), "fixture": tree_hash(fixture), "rubric": rubric and rubric.sha}
    visible, protected = without(fixture, protect), only(fixture, protect)
    layer = _folder(folder, file.reference, source) if file.reference else None
    if layer is not None and (touched := next(iter(only(layer, protect)), None)):
        raise InputError(f"{source}: the reference holds the protected {touched!r}")
    reference = None if layer is None else _solved(visible, layer)
    return Task(file, visible, protected, protect, reference, rubric, sha256_of(shape))


def unique_names(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, with a number behind one that stands twice."""
    found: list[str] = []
    for label in labels:
        name, number = label, 2
        while name in found:
            name, number = f"{label} ({number})", number + 1
        found.append(name)
    return tuple(found)


def _solved(visible: Tree, layer: dict[str, File]) -> dict[str, File]:
    gone = layer.pop(DELETED, File()).data.decode("utf-8", "replace").split("\n")
    return lay_over(without(visible, [line.strip() for line in gone if line.strip()]), layer)


def _folder(folder: Path, name: str, source: str) -> dict[str, File]:
    path = folder / name
    if not path.is_dir() or not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{source}: {name!r} is not a folder inside the task's own")
    return read_tree(path, source=f"{source}: {name}")


def _rubric(folder: Path, rubric: str | dict[str, Any] | None, document: Entry) -> Rubric | None:
    if rubric is None:
        return None
    entry = document.at(("rubric",))
    if isinstance(rubric, dict):
        return entry.validated(Rubric)
    path = folder / rubric
    if not path.resolve().is_relative_to(folder.resolve()):
        raise entry.fail(f"the rubric {rubric!r} is outside the task's folder")
    return load_rubric(path)
