"""Tasks as folders: `task.yaml`, a fixture the agent works on, checks, and files the agent must never see.

    id, title, prompt            what to do
    fixture                      folder the agent starts from (minus what is protected)
    checks                       what must hold afterwards (`kind` and its fields; see `checks/`)
    protect                      paths the agent never sees; copied in just before the checks. What the fixture lacks
                                 is taken from the task's folder, so that tasks with one fixture have tests of their own
    freeze                       fixture paths the agent sees; restored just before the checks, whatever it did to them
    tools                        programs of the host that checks may use: names, or absolute paths of files or folders
    requirements, packages       Python packages that agent and checks find installed: a requirements file, or names
    setup                        commands for other languages, run once with a network on the fixture; what they add to
                                 it (`node_modules`) is there for agent and checks, read-only
    rubric, judge_weight         a rubric file (or inline) and the judge's weight, 0.4 unless given
    judge                        `{mode: pairwise}`: the judge compares the results of both arms by the rubric
    timeout_s                    for the agent, 120 unless given
    expect_activation            whether the skill under test must be used: true, false, or any unless given
    reference                    folder that, copied over the fixture, solves the task (`gate check --prove`); the paths
                                 in its file `.deleted`, one per line, are removed

Unknown keys are refused. Every path is relative and stays inside the task's folder; a fixture or a requirements file
that is not there is looked for beside the tasks, so that several can share one; `defaults.yaml` beside the tasks sets
these keys for all of them. A path that a `test_suite` names is protected without being listed, unless it is frozen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, StringConstraints

from steelyard.artifact import read_text
from steelyard.errors import InputError, command
from steelyard.gate.checks import ActivationCheck, Check, CheckInput, check_input
from steelyard.gate.checks.check import Inside, Seconds, unique_names
from steelyard.gate.checks.control import Control
from steelyard.gate.checks.test_suite import TestSuite
from steelyard.gate.checks.transcript import TRANSCRIPT_CHECKS, FileRead
from steelyard.gate.config import OTHER, kind_of
from steelyard.gate.model import JUDGE_WEIGHT
from steelyard.gate.settings import JudgeMode, JudgeSettings, Name, Share
from steelyard.judge.rubric import Rubric, load_rubric
from steelyard.location import require_folder
from steelyard.logs.identity import sha256_of
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.dependencies import NOTHING, Dependencies, packages
from steelyard.sandbox.environment import Packages
from steelyard.tree import File, Tree, lay_over, only, read_tree, to_tar, tree_hash, without
from steelyard.yamlfile import Entry, Strict, read

FILE = "task.yaml"
DEFAULTS = "defaults.yaml"
DELETED = ".deleted"
"""In a reference: the paths it removes."""
DEFAULT_TIMEOUT_S = 120.0
MAX_CHECKS = 200
"""Results of all checks must fit one small field of a log's summary."""


class TaskFile(Strict):
    """`task.yaml`, as a person writes it."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    title: Name
    prompt: Name
    fixture: Inside | None = None
    checks: Annotated[tuple[Check, ...], Field(max_length=MAX_CHECKS)] = ()
    rubric: Inside | dict[str, Any] | None = None
    judge_weight: Share = JUDGE_WEIGHT
    judge: JudgeSettings | None = None
    timeout_s: Seconds = DEFAULT_TIMEOUT_S
    protect: tuple[Inside, ...] = ()
    freeze: tuple[Inside, ...] = ()
    reference: Inside | None = None
    tools: tuple[Name, ...] = ()
    requirements: Inside | None = None
    packages: tuple[Name, ...] = ()
    setup: tuple[Name, ...] = ()
    expect_activation: bool | Literal["any"] = "any"


class Defaults(Strict):
    """`defaults.yaml` beside the tasks: what holds for all of them, unless a task says otherwise."""

    fixture: Inside | None = None
    requirements: Inside | None = None
    packages: tuple[Name, ...] = ()
    """In addition to those of each task."""
    setup: tuple[Name, ...] = ()
    tools: tuple[Name, ...] = ()
    """In addition to those of each task."""
    timeout_s: Seconds | None = None
    judge: JudgeSettings | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A task, loaded."""

    file: TaskFile
    visible: dict[str, File]
    """What the agent starts from."""
    protected: dict[str, File]
    """What is copied in after it has stopped: what it never saw, and what is frozen."""
    protect: tuple[str, ...]
    """Paths that belong to the task alone, listed or implied, hidden or frozen."""
    reference: dict[str, File] | None
    """What the agent's tree looks like when the task is solved."""
    rubric: Rubric | None
    sha: str
    """Hash of everything that shapes a score: the file, the fixture, the rubric."""
    tools: tuple[str, ...] = ()
    """Programs of the host that checks may use, of the task and of the settings."""
    dependencies: Dependencies = NOTHING
    """What its sandboxes also contain."""
    pairwise: bool = False
    """Whether the judge compares the results of both arms instead of grading each."""

    @property
    def id(self) -> str:
        return self.file.id

    @property
    def checks(self) -> dict[str, Check]:
        """Unique name → check, in order."""
        checks = [*self.file.checks, *_activation(self.file)]
        return dict(zip(unique_names([check.label for check in checks]), checks, strict=True))

    @property
    def own_paths(self) -> set[str]:
        """Paths that belong to the task: its fixture's, its solution's and those its checks look at.

        Artifacts of the known kinds in a fixture are not among them: a repository has its own `AGENTS.md`, and a
        configuration replaces it.
        """
        # A file that the agent is to read may well be part of a configuration, such as a skill.
        written = (check for check in self.file.checks if not isinstance(check, FileRead))
        checked = {str(path) for check in written if (path := getattr(check, "path", None))}
        files = {path for path in (*self.visible, *self.protected) if kind_of(path) == OTHER}
        return checked | files | self._solution.keys()

    @property
    def _solution(self) -> dict[str, File]:
        return {path: file for path, file in (self.reference or {}).items() if self.visible.get(path) != file}

    @property
    def hidden_answers(self) -> dict[str, File]:
        """What the agent must find out by itself: the files of the solution, and those it never sees."""
        hidden = {path: file for path, file in self.protected.items() if path not in self.visible}
        return {**hidden, **self._solution}

    @property
    def observed(self) -> bool:
        """Whether a check looks at the tool calls of the agent."""
        return any(isinstance(check, TRANSCRIPT_CHECKS) for check in self.file.checks)

    def check_input(self, start: Tree, left: Tree) -> CheckInput:
        """What the checks see after an agent that started from `start` left `left` behind."""
        given = check_input(start, left, self.protected, self.protect, self.tools)
        return replace(given, dependencies=self.dependencies)

    def control(self, place: Sandbox = BUBBLEWRAP) -> Control:
        """What a check that failed is tried on."""
        untouched = self.visible if self.reference is None else self.reference
        work = replace(self.check_input(self.visible, untouched), sandbox=place)
        return Control(work, solved=self.reference is not None)


class Suite(NamedTuple):
    """The tasks of a folder."""

    tasks: tuple[Task, ...]
    problems: tuple[str, ...]
    """Why some of its tasks cannot be used."""
    folder: Path | None = None
    tools: tuple[str, ...] = ()
    """Programs of the host that the settings allow in checks, beside those of each task."""

    @property
    def sha(self) -> str:
        return sha256_of({task.id: task.sha for task in self.tasks})

    def judged_in(self, mode: JudgeMode | None) -> Suite:
        """The suite whose tasks with a rubric are judged in a mode, unless they name their own."""
        if mode is None:
            return self
        tasks = (
            task if task.rubric is None or task.file.judge else replace(task, pairwise=mode == "pairwise")
            for task in self.tasks
        )
        return self._replace(tasks=tuple(tasks))


def read_suite(folder: Path, tools: Sequence[str] = ()) -> Suite:
    """Every task below `folder`, but not in a hidden folder, and what is wrong with those that cannot be used; checks
    may also use `tools`."""
    require_folder(folder, "a folder of tasks")
    # A hidden folder may hold a task that `gate harvest` has not proved yet.
    files = [folder / FILE] if (folder / FILE).is_file() else sorted(folder.glob(f"[!.]*/{FILE}"))
    tasks: list[Task] = []
    problems: list[str] = []
    for file in files:
        try:
            tasks.append(load_task(file, tools))
        except InputError as error:
            problems.append(str(error))
    ids = [task.id for task in tasks]
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    problems += [f"the id {name!r} is used by two tasks" for name in repeated]
    return Suite(tuple(sorted(tasks, key=lambda task: task.id)), tuple(problems), folder, tuple(tools))


def load_suite(folder: Path, tools: Sequence[str] = ()) -> Suite:
    """Like `read_suite`, but anything wrong, or nothing at all, is an `InputError`."""
    suite = read_suite(folder, tools)
    if suite.problems:
        more = f" (and {len(suite.problems) - 1} more)" if len(suite.problems) > 1 else ""
        raise InputError(f"{next(iter(suite.problems))}{more}", cure=command("steelyard", "gate", "check", folder))
    if not suite.tasks:
        raise InputError(f"no tasks in {folder}", cure=f"each task is a folder with a {FILE}")
    return suite


def load_task(path: Path, tools: Sequence[str] = ()) -> Task:
    """One task; the error names the file and, where it can, the line. Its checks may also use `tools`."""
    document = read(path)
    own = document.validated(TaskFile)
    file = _with_defaults(own, path.parent.parent / DEFAULTS)
    source, folder = str(path), path.parent
    fixture = _folder(_home(folder, file.fixture), file.fixture, source) if file.fixture else {}
    suites = [check.path for check in file.checks if isinstance(check, TestSuite)]
    hidden = _hidden(file, suites)
    fixture |= _own(folder, file, [name for name in hidden if not only(fixture, [name])], source)
    protect = tuple(dict.fromkeys((*hidden, *file.freeze)))
    for path_inside in protect:
        if not only(fixture, [path_inside]):
            what = "frozen, but the fixture does not contain it"
            if path_inside in hidden:
                what = "protected, but neither the fixture nor the task's folder contains it"
            raise InputError(f"{source}: {path_inside!r} is {what}")
    failing = [name for check in file.checks if isinstance(check, TestSuite) and (name := check.failing_test)]
    if lacking := [path_inside for path_inside in failing if path_inside not in fixture]:
        raise InputError(f"{source}: the failing test {lacking[0]!r} is not in the fixture")
    rubric = _rubric(folder, file.rubric, document)
    if not file.checks and rubric is None and not _activation(file):
        raise InputError(f"{source}: the task has neither checks nor a rubric, so nothing grades it")
    if rubric is None and own.judge is not None and own.judge.mode == "pairwise":
        raise document.at(("judge",)).fail("the task has no rubric by which results could be compared")
    # Keys that came later shape the hash only where they are used, so that earlier results stay comparable.
    later = ("freeze", "tools", "requirements", "packages", "setup", "judge")
    unused: dict[str, Any] = {key: True for key in later if not getattr(file, key)}
    unused |= {"expect_activation": True} if file.expect_activation == "any" else {}
    unused |= {} if failing else {"checks": {"__all__": {"failing_test"}}}
    visible, protected = without(fixture, hidden), only(fixture, protect)
    wanted = _packages(folder, file, source)
    shape = {
        "file": file.model_dump(mode="json", exclude=unused),
        "fixture": tree_hash(fixture),
        "rubric": rubric and rubric.sha,
        **({} if wanted is None else {"packages": wanted.sha}),
    }
    layer = _folder(folder, file.reference, source) if file.reference else None
    if layer is not None and (touched := next(iter(only(layer, protect)), None)):
        raise InputError(f"{source}: the reference contains the protected {touched!r}")
    reference = None if layer is None else _solved(visible, layer)
    every_tool = tuple(dict.fromkeys((*file.tools, *tools)))
    start = to_tar(visible) if file.setup else b""
    dependencies = Dependencies(wanted, file.setup, start, every_tool if file.setup else ())
    sha, pairwise = sha256_of(shape), rubric is not None and file.judge is not None and file.judge.mode == "pairwise"
    return Task(file, visible, protected, protect, reference, rubric, sha, every_tool, dependencies, pairwise)


def _with_defaults(file: TaskFile, path: Path) -> TaskFile:
    if not path.is_file():
        return file
    shared = read(path).validated(Defaults)
    given: dict[str, Any] = {name: getattr(shared, name) for name in shared.model_fields_set}
    added = {name: (*given.pop(name), *getattr(file, name)) for name in ("packages", "tools") if name in given}
    return file.model_copy(
        update={**{name: value for name, value in given.items() if name not in file.model_fields_set}, **added}
    )


def _home(folder: Path, name: str) -> Path:
    """The folder that a path of a task is relative to: the task's own, or the one with all tasks."""
    return folder if (folder / name).exists() or not (folder.parent / name).exists() else folder.parent


def _packages(folder: Path, file: TaskFile, source: str) -> Packages | None:
    texts: list[str] = []
    if file.requirements is not None:
        path = _home(folder, file.requirements) / file.requirements
        if not path.resolve().is_relative_to(folder.parent.resolve()):
            raise InputError(f"{source}: the requirements {file.requirements!r} are outside the folder of the tasks")
        texts.append(read_text(path))
    runs_pytest = any(isinstance(check, TestSuite) and check.runner == "pytest" for check in file.checks)
    return packages(texts, file.packages, pytest=runs_pytest)


def _hidden(file: TaskFile, suites: Sequence[str]) -> tuple[str, ...]:
    """The paths the agent never sees: those listed, and test suites unless they are frozen."""
    # As a tree, so that freezing a folder covers the suites inside it.
    frozen = only(dict.fromkeys(suites, File()), file.freeze)
    return tuple(dict.fromkeys((*file.protect, *(path for path in suites if path not in frozen))))


def _own(folder: Path, file: TaskFile, names: Sequence[str], source: str) -> dict[str, File]:
    """Those of the hidden paths that lie in the task's own folder, beside its fixture and not in it."""
    if not names:
        return {}
    # A hidden path must not be found through the folder of the fixture or of the reference.
    others = [name for name in (file.fixture, file.reference, FILE) if name is not None]
    return only(without(read_tree(folder, source=source), others), names)


def _activation(file: TaskFile) -> list[Check]:
    """The check that `expect_activation` adds."""
    if file.expect_activation == "any":
        return []
    return [ActivationCheck(kind="activation", name="activation", expected=file.expect_activation)]


def _solved(visible: Tree, layer: dict[str, File]) -> dict[str, File]:
    # The list itself is not part of the solution.
    deleted = layer.pop(DELETED, File()).data.decode("utf-8", "replace").split("\n")
    return lay_over(without(visible, [line.strip() for line in deleted if line.strip()]), layer)


def _folder(folder: Path, name: str, source: str) -> dict[str, File]:
    path = folder / name
    if not path.is_dir() or not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{source}: {name!r} is not a folder inside the task's folder")
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
