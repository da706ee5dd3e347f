"""What to start from: shipped examples, first files, and tasks and suites made of a repository."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.spec import argument, named, option, parameter, part, rare, spec, takes
from steelyard.api.values import Location, Notify, Progress, file, new_folder, path, place, silent

if TYPE_CHECKING:
    from steelyard.audit.model import Result, SuiteResult
    from steelyard.audit.plant.planting import Planting
    from steelyard.gate.harvest import Harvest, HarvestSpec
    from steelyard.gate.model import Weighed


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
    """
    from steelyard.audit.example import example_result

    return example_result(spec.suite, spec.runs, lexical=spec.lexical)


def audit_example_copy(target: str | Path, suite: str = "code-review") -> Path:
    """Copy a shipped suite, to start your own from it.

    Args:
        target: The new folder.
        suite: `code-review`, `security-review`, `agent-review` or `planted`.

    Returns: The new folder.
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
    """
    from steelyard.gate.example import run_example

    folder = spec.log_dir or Path(f"logs/gate-example-{spec.candidate}")
    return run_example(folder, spec.candidate, spec.notify).weighed


def gate_example_copy(target: str | Path) -> Path:
    """Copy the shipped example, to start your own tasks and configurations from it.

    Args:
        target: The new folder.

    Returns: The new folder; its `steelyard.yaml` holds the settings of a run.
    """
    from steelyard.gate.example import copy_example

    copy_example(Path(target))
    return Path(target)


def gate_init(folder: str | Path = ".") -> tuple[Path, ...]:
    """Write a first `steelyard.yaml`, with the policy `adaptive`, and a first task that works at once.

    Nothing is written if one of the files exists already.

    Args:
        folder: Where to write; it may exist.

    Returns: The files that were written.
    """
    from steelyard.gate.starter import write_starter

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
        from steelyard.proof.candidates import Limits

        return HarvestSpec(**part(self, HarvestSpec), limits=Limits(lines=self.max_lines))


@takes(GateHarvest)
def gate_harvest(spec: GateHarvest) -> Harvest:
    """Make tasks from the history of a repository: commits whose tests are red before them and green after them.

    Returns: The tasks that were written, and why other commits became none.
    """
    from steelyard.gate.harvest import harvest
    from steelyard.sandbox.choose import choose

    # Fails at once, with the cure, where no sandbox works.
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
    """
    from steelyard.audit.plant import plant
    from steelyard.audit.plant.planting import PlantSpec
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    return plant(PlantSpec(**part(spec, PlantSpec)), spec.progress)
