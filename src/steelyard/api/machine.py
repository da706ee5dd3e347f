"""This machine, a first look at everything, and what to start from: examples, and what a repository gives."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard import toolchain
from steelyard.api.spec import argument, named, option, parameter, rare, spec, takes
from steelyard.api.values import Location, Notify, Progress, file, new_folder, path, place, silent, sources, texts
from steelyard.doctor import Examination, examine
from steelyard.errors import InputError
from steelyard.gate.starter import write_starter
from steelyard.proof.candidates import Limits
from steelyard.report.document import Document
from steelyard.status.model import Status
from steelyard.status.weigh import weigh

if TYPE_CHECKING:
    from steelyard.audit.model import Result, SuiteResult
    from steelyard.audit.plant.planting import Planting
    from steelyard.demo import Demo
    from steelyard.gate.harvest import Harvest, HarvestSpec
    from steelyard.gate.model import Weighed
else:
    Document = object  # the fields of a spec are read with their types

Show = Callable[[Document], None]
"""Called with a result as a document."""


def doctor(*, notify: Notify = silent) -> Examination:
    """Try every part of Steelyard on this machine.

    Args:
        notify: Called with the name of each part before it is tried.

    Returns: The state of each part, with the cure for what does not work.
    """
    return examine(notify)


@named
class MachineSetup:
    """What to install."""

    agents: tuple[str, ...] = option(
        "Install the client of this coding agent instead.", "--agent", "NAME", default=(), converter=texts
    )
    agent_version: str | None = rare("Install this version of the client, not the pinned one.", "VERSION", default=None)
    notify: Notify = parameter("Called with each line of progress.", default=silent)


@takes(MachineSetup)
def setup(spec: MachineSetup) -> Path:
    """Install the pinned Node tools and the embedded model, as far as the installed extras need them.

    With `agents` the pinned clients of these agents (`claude-code`, `codex`, `gemini-cli`, `opencode`) instead.

    Returns: The cache folder that holds them.

    Raises:
        ToolchainError: No extra is installed, or a download or its checksum fails.
        InputError: A version is given without exactly one agent.
    """
    from steelyard.toolchain import clients, installing

    if spec.agent_version is not None and len(spec.agents) != 1:
        raise InputError("a version belongs to one agent", cure="--agent NAME --agent-version VERSION")
    if spec.agents:
        for agent in spec.agents:
            spec.notify(f"{agent}: {clients.install_client(agent, spec.notify, spec.agent_version)}, starts")
        return toolchain.cache_folder()
    installing.setup(spec.notify)
    if importlib.util.find_spec("aws_cdk") is not None:
        from steelyard.bench.cdk_synth.synthesizer import packages, prepare

        packages.check(thorough=True)
        repaired = prepare.prepare(thorough=True)  # now, so that the first verification does not wait for it
        spec.notify(
            f"CDK synthesizer: {repaired}; prepared again" if repaired else "CDK synthesizer: prepared and intact"
        )
    return toolchain.cache_folder()


def clean(*, notify: Notify = silent) -> int:
    """Remove from the cache folder what this version does not use.

    That is what interrupted installations left, and Node tools and prepared CDK synthesizers of other versions. Another
    version that is still in use installs its parts again.

    Args:
        notify: Called with each folder that is removed and its size.

    Returns: The bytes freed.

    Raises:
        ToolchainError: A folder cannot be removed.
    """
    from steelyard.toolchain import installing

    keep = ()
    if importlib.util.find_spec("aws_cdk") is not None:
        from steelyard.bench.cdk_synth.synthesizer.prepare import home

        keep = (home(),)
    return installing.clean(keep, notify)


@spec
class DemoRun:
    """Where the demo goes, and who hears of it."""

    out: Path = option(
        "Folder for page, JSON and logs; start again with it to continue.", default=Path("steelyard-demo"),
        converter=new_folder,
    )  # fmt: skip
    _: KW_ONLY
    notify: Notify = parameter("Called with each line of progress.", default=silent)
    progress: Progress = parameter("Called as samples end.", default=silent)
    show: Show = parameter("Called with each result, as a document, as soon as it exists.", default=silent)


@takes(DemoRun)
def demo(spec: DemoRun) -> Demo:
    """Run all three wings on embedded subjects, offline, and write the results into a folder.

    Returns: Board, audit and gate, what is not finished, and the page to open.

    Raises:
        ToolchainError: An extra is not installed.
        SandboxError: No sandbox is available.
    """
    from steelyard.demo import Watcher
    from steelyard.demo import demo as run

    return run(spec.out, Watcher(spec.progress, spec.notify, spec.show))


@spec
class LogStatus:
    """Logs of runs that go on, or have ended."""

    logs: tuple[str, ...] = argument(
        "Folders, files, globs, or anything else that Inspect can read.", converter=sources
    )


@takes(LogStatus)
def status(spec: LogStatus) -> Status:
    """Count what has ended, what runs and what is left in folders of logs, also while they are written.

    Returns: One line per subject and category, or per arm and round, and the logs that could not be read.

    Raises:
        LogError: No log was found.
    """
    return next(watch_status(spec))


@takes(LogStatus)
def watch_status(spec: LogStatus) -> Iterator[Status]:
    """Take the status again and again; a log that has not changed is not read again.

    Returns: The status at the moment of each step of the iterator, without end.

    Raises:
        LogError: No log was found.
    """
    from steelyard.status.cost import cost
    from steelyard.status.read import LogReader

    reader = LogReader(spec.logs)
    while True:
        yield weigh(reader.read(), datetime.now(UTC), cost)


@spec
class AuditExample:
    """Recorded runs of a shipped suite."""

    suite: str = option("Or security-review, agent-review, planted.", default="code-review")
    runs: str | None = option(
        "Recorded runs: careful or hasty; for planted: bandit or ruff [default: hasty, or the first].", "--set",
        default=None,
    )  # fmt: skip
    _: KW_ONLY
    lexical: bool = rare("Mark by words instead of the authors' marks, or of file and line.", default=False)


@takes(AuditExample)
def audit_example(spec: AuditExample) -> Result | SuiteResult:
    """Score recorded runs of a shipped suite, offline.

    Returns: The result of the suite's first document with an answer key; of all documents, pooled, for `planted`.

    Raises:
        InputError: There is no such suite or set.
    """
    from steelyard.audit.example import example_result

    return example_result(spec.suite, spec.runs, lexical=spec.lexical)


def audit_example_copy(target: str | Path, suite: str = "code-review") -> Path:
    """Copy a shipped suite, to start your own from it.

    Args:
        target: The new folder.
        suite: `code-review`, `security-review`, `agent-review` or `planted`.

    Returns: The new folder.

    Raises:
        InputError: There is no such suite, or the folder exists already.
        ArtifactError: The folder cannot be written.
    """
    from steelyard.audit.example import copy_suite

    copy_suite(suite, Path(target))
    return Path(target)


@spec
class GateExample:
    """One of the changes that ship with the example."""

    candidate: Literal["better", "neutral", "risky"] = option("Which change to weigh.", default="better")
    _: KW_ONLY
    log_dir: Location | None = rare(
        "Where the logs go [default: logs/gate-example-NAME].", default=None, converter=place
    )
    notify: Notify = parameter("Called with each line of progress.", default=silent)


@takes(GateExample)
def gate_example(spec: GateExample) -> Weighed:
    """Run the shipped example: five small tasks, a deterministic agent, no network.

    Returns: The comparison.

    Raises:
        SandboxError: No sandbox is available.
    """
    from steelyard.gate.example import run_example

    folder = spec.log_dir or Path(f"logs/gate-example-{spec.candidate}")
    return run_example(folder, spec.candidate, spec.notify).weighed


def gate_example_copy(target: str | Path) -> Path:
    """Copy the shipped example, to start your own tasks and configurations from it.

    Args:
        target: The new folder.

    Returns: The new folder; its `steelyard.yaml` holds the settings of a run.

    Raises:
        InputError: The folder exists already or cannot be written.
    """
    from steelyard.gate.example import copy_example

    copy_example(Path(target))
    return Path(target)


def gate_init(folder: str | Path = ".") -> tuple[Path, ...]:
    """Write a first `steelyard.yaml`, with the policy `adaptive`, and a first task that works at once.

    Args:
        folder: Where to write; it may exist.

    Returns: The files that were written.

    Raises:
        InputError: One of the files exists already; nothing is written then.
        ArtifactError: A file cannot be written.
    """
    return write_starter(Path(folder))


@spec
class Repository:
    """A repository with tests, and how far they are trusted to end."""

    repo: Path = argument("The repository.", "REPO", converter=file)
    out: Path = option("Folder for what is written.", "DIR", converter=new_folder)
    _: KW_ONLY
    ref: str = rare("The revision, or the history that leads to it.", default="HEAD")
    depth: int = rare("Commits to look at.", default=1000, least=1)
    timeout_s: float = rare("Seconds for one test run.", "--timeout", default=300.0, least=1)
    progress: Progress = parameter(
        "Called with what is tried, how much of what is wanted there is, and how much is wanted.", default=silent
    )


@named
class GateHarvest(Repository):
    """A history to make tasks from."""

    most: int = option("Tasks to write at most.", default=20, least=1)
    since: str | None = rare("Only commits after this date.", "DATE", default=None)
    max_lines: int = rare("Changed lines of source.", default=200, least=1)
    issues: Path | None = option("Issues as JSON; their text is the prompt.", "FILE", default=None, converter=path)
    typed: Mapping[str, str] | None = parameter(
        "What somebody typed before a commit, by its hash; other commits are left out.", default=None
    )

    def resolved(self) -> HarvestSpec:
        """What to harvest, in the gate's own words."""
        from steelyard.gate.harvest import HarvestSpec

        return HarvestSpec(
            self.repo, self.out, self.most, self.ref, self.since, self.depth, Limits(lines=self.max_lines),
            timeout_s=self.timeout_s, issues=self.issues, typed=self.typed,
        )  # fmt: skip


@takes(GateHarvest)
def gate_harvest(spec: GateHarvest) -> Harvest:
    """Make tasks from the history of a repository: commits whose tests are red before them and green after them.

    Returns: The tasks that were written, and why other commits became none.

    Raises:
        InputError: There is no repository, or no commit of it comes into question.
        SandboxError: No sandbox is available.
    """
    from steelyard.gate.harvest import harvest
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    return harvest(spec.resolved(), spec.progress)


@named
class AuditPlant(Repository):
    """A repository to plant problems into."""

    most: int = option("Problems at most.", default=30, least=1)
    per_document: int = option("Problems in a document.", default=5, least=1)
    form: Literal["repository", "diff"] = option("What the agent gets.", "--as", default="repository")
    from_history: bool = option("Real bugs that commits fixed, instead of planted ones.", default=False)
    seed: int = rare("Order in which places are tried.", default=0)


@takes(AuditPlant)
def audit_plant(spec: AuditPlant) -> Planting:
    """Plant problems into the code of a repository, each proved by a test that fails with it and passes without it.

    Returns: The documents that were written, and what was thrown out.

    Raises:
        InputError: There is no repository, it has no tests, or none of them passes.
        SandboxError: No sandbox is available.
    """
    from steelyard.audit.plant import plant
    from steelyard.audit.plant.planting import PlantSpec
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    settings = {each.name: getattr(spec, each.name) for each in fields(spec) if each.name != "progress"}
    return plant(PlantSpec(**settings), spec.progress)
