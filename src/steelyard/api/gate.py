"""`steelyard gate` as functions: may this change of an agent's configuration ship?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.api.engines import gate_on, unless_driven
from steelyard.api.gate_spec import GateSpec, Policies, Settings
from steelyard.api.spec import Notify, Progress, one_or_several, option, path, silent, sources, spec, takes, texts
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.engine.protocol import EngineOptions
    from steelyard.gate.config.validation import Inspection
    from steelyard.gate.harvest import Harvest, HarvestSpec, Tell
    from steelyard.gate.model import Weighed
    from steelyard.gate.run.plan import Plan, RunSpec
    from steelyard.gate.selftest import SelfTest
    from steelyard.gate.task_folder import Suite


@spec
class GateCompare(Settings, Policies):
    """Two sides to compare: gate runs, any Inspect logs, or plain results files."""

    baseline: tuple[str, ...] = option(
        "Logs, folders of logs or one results file of the side as it is.", metavar="BASE", argument=True,
        converter=sources, single=True,
    )  # fmt: skip
    candidate: tuple[str, ...] = option(
        "The same for the side as it would be; absent if the first has both sides of a gate run.", metavar="[CAND]",
        argument=True, default=(), converter=sources, single=True,
    )  # fmt: skip
    _: KW_ONLY
    scorer: str | None = option(
        "Which score of foreign logs to compare, if they have several: NAME or NAME.KEY.", default=None, rare=True
    )
    require_judge: bool = option(
        "Give no verdict unless the judge scored every task with a rubric.", default=False, rare=True
    )
    interleaved: bool = option(
        "Both sides ran side by side, although the files do not say so.", default=False, rare=True
    )
    vary: tuple[str, ...] = option(
        "A task argument that is under test; repeatable.", metavar="NAME", default=(), converter=texts
    )


@takes(GateCompare)
def compare(spec: GateCompare) -> Weighed:
    """Compare two sides (docs/scoring.md §3.2 and §3.5): gate runs, any Inspect logs, or plain results files.

    Returns:
        The comparison, or why there is none, with where both sides come from.

    Raises:
        InputError: A threshold is out of range, or a results file or the choice of a scorer is wrong.
        LogError: A log cannot be read.
    """
    from steelyard.collector import rarely_collected
    from steelyard.gate.noise.record import find_record
    from steelyard.gate.quarantine.entries import ACCEPTED, QUARANTINE, complete_entries
    from steelyard.gate.read import read_arms, refuse_swapped
    from steelyard.gate.read.changed import with_change
    from steelyard.gate.read.parting import with_partings
    from steelyard.gate.settings import load_settings, noise_folder, thresholds
    from steelyard.gate.weigh import Spec, weigh

    settings = load_settings(spec.settings)
    limits = thresholds(settings.thresholds, spec.thresholds)
    stated = not limits.cost_counts or any(given.startswith("cost_counts") for given in spec.thresholds)
    with rarely_collected():
        arms = read_arms([*spec.baseline], [*spec.candidate] or None, scorer=spec.scorer)
        refuse_swapped(arms)
        entries = complete_entries([each.model_dump() for each in settings.quarantine], QUARANTINE)
        accepted = complete_entries([each.model_dump() for each in settings.accepted_losses], ACCEPTED)
        registered: Mapping[str, Any] = (arms[1].registration or {}).get("thresholds") or {}
        costed = limits.cost_counts if stated else registered.get("cost_counts", True)
        chosen = Spec(
            replace(limits, cost_counts=costed),
            spec.scorer,
            spec.require_judge,
            policy=spec.stated_policy(settings),
            interleaved=spec.interleaved,
            vary=spec.vary,
            quarantine=entries.entries,
            accepted=accepted.entries,
            noise=find_record(noise_folder(settings), arms[0]),
            notes=(*entries.notes, *accepted.notes),
        )
        return with_change(with_partings(weigh(*arms, chosen, now=datetime.now(UTC))))


@spec
class GateRun(GateSpec):
    """A gate run, also of a skill."""

    _: KW_ONLY
    skill: Path | None = option(
        "Test this skill against none, or --baseline.", metavar="DIR", default=None, converter=path
    )
    scope: Literal["isolated", "whole"] = option(
        "With --skill: it alone, or with the plugin or folder it comes in.", default="isolated", rare=True
    )
    evals: Path | None = option(
        "With --skill: its file of evals [default: evals/evals.json].", default=None, converter=path, rare=True
    )
    count_cost: bool = option(
        "With --skill: let cost move the score; it is shown in any case.", default=False, rare=True
    )

    def resolved(self) -> RunSpec:
        """The run, with what the settings add; the tasks and configurations of a skill are written beside the logs."""
        from steelyard.gate.skill import prepare

        if self.skill is None:
            return super().resolved()
        if self.candidate:
            raise InputError("--skill is what is tested; there is no other candidate", cure="leave out --candidate")
        agent = next(iter(self.agent), "claude-code")
        inputs = prepare(
            self.skill, Path(str(self.log_dir)) / "skill-inputs", agent,
            scope=self.scope, baseline=self.baseline or "none", tasks=self.tasks, evals=self.evals,
        )  # fmt: skip
        sides = {"tasks": inputs.tasks, "baseline": inputs.baseline, "candidate": inputs.candidate, "agent": (agent,)}
        return inputs.applied(replace(self, skill=None, **sides).resolved(), count_cost=self.count_cost)


def gate_report(weighed: Weighed, format: str) -> str:
    """Render a comparison.

    Args:
        weighed: The result of `compare`, `gate_run` or `gate_example`.
        format: `json`, `markdown`, `junit`, `sarif` or `html`; the page also reads transcripts from the logs.

    Returns:
        The text of the report.

    Raises:
        InputError: There is no such format.
        LogError: A transcript cannot be read.
    """
    from steelyard.errors import InputError
    from steelyard.gate.read.views import read_views
    from steelyard.gate.report import FORMATS

    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", cure=f"one of {', '.join(FORMATS)}")
    return FORMATS[format](weighed, read_views)


def gate_plan(spec: RunSpec | GateSpec) -> Plan:
    """Plan a gate run without starting it.

    Args:
        spec: A `GateRun`, or the `steelyard.gate.run.plan.RunSpec` that follows from it and the settings.

    Returns:
        The units that are left to run; `steelyard.gate.run.preview.dry_run` shows them as a document.

    Raises:
        InputError: Tasks or configurations cannot be used, or the log folder contains other runs.
        AgentError: The agent is not available.
        IncomparableError: The earlier baseline has a different fingerprint.
    """
    from steelyard.gate.run.plan import plan

    return plan(spec.resolved() if isinstance(spec, GateSpec) else spec)


def gate_run(
    spec: RunSpec | GateSpec,
    *,
    engine: EngineOptions | None = None,
    notify: Notify = silent,
    progress: Progress = silent,
) -> Weighed:
    """Run the tasks under two configurations side by side and compare them; finished runs are not repeated.

    Args:
        spec: A `GateRun`, or the `steelyard.gate.run.plan.RunSpec` that follows from it and the settings.
        engine: Where runs happen; in this process if absent. A worker gets both arms of one task in one round.
        notify: Called with each line of progress; under `adaptive` one per round, with the evidence so far.
        progress: Called with a round, how many of its runs have ended, and how many it has.

    Returns:
        The comparison, which is also written to `comparison.json` in the log folder. If both sides are the same
        configuration, nothing is run or written, and the outcome is a `NoVerdict` that is `unchanged`.

    Raises:
        InputError: Tasks or configurations cannot be used, the log folder contains other runs or runs under other
            settings, another process adds runs to it, or the same adaptive comparison was begun in another folder.
        AgentError: The agent is not available.
        IncomparableError: The earlier baseline has a different fingerprint.
        LogError: A round could not be run to its end.
        Stopped: The budget is spent before the fixed rounds are complete.
        ToolchainError: The engine is not available.
    """
    from steelyard.gate.run import gate_run as run

    if isinstance(spec, GateSpec):
        spec, engine = spec.resolved(), engine or spec.chosen_engine()
    if (engine := unless_driven(engine)) is None:
        return run(spec, notify, progress)
    with gate_on(spec, engine, progress) as execute:
        return run(spec, notify, progress, execute)


def gate_init(folder: str | Path = ".") -> tuple[Path, ...]:
    """Write a first `steelyard.yaml`, with the policy `adaptive`, and a first task that works at once.

    Args:
        folder: Where to write; it may exist.

    Returns:
        The files that were written.

    Raises:
        InputError: One of the files exists already; nothing is written then.
        ArtifactError: A file cannot be written.
    """
    from steelyard.gate.starter import write_starter

    return write_starter(Path(folder))


@one_or_several("tools")
def gate_tasks(folder: str | Path, *, tools: Sequence[str] = ()) -> Suite:
    """List and validate a folder of tasks, and try whether the programs of their checks are available.

    Args:
        folder: A folder of task folders, or one task folder.
        tools: Programs of this machine that checks may use, beside those that the tasks name.

    Returns:
        The tasks, and why others cannot be used.

    Raises:
        InputError: There is no such folder.
    """
    from steelyard.gate.selftest import unavailable
    from steelyard.gate.task_folder import read_suite

    suite = read_suite(Path(folder), tools)
    return suite._replace(problems=(*suite.problems, *unavailable(suite)))


def gate_harvest(spec: HarvestSpec, notify: Tell | None = None) -> Harvest:
    """Make tasks from the history of a repository: commits whose tests are red before them and green after them.

    Args:
        spec: The repository, the folder for the tasks, and the limits.
        notify: Called with the commit that is tried, the number of tasks so far, and the number that is wanted.

    Returns:
        The tasks that were written, and why other commits became none.

    Raises:
        InputError: There is no repository, or no commit of it comes into question.
        SandboxError: No sandbox is available.
    """
    from steelyard.gate.harvest import harvest
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    return harvest(spec) if notify is None else harvest(spec, notify)


@one_or_several("tools")
def gate_selftest(folder: str | Path, *, tools: Sequence[str] = (), notify: Notify = silent) -> tuple[SelfTest, ...]:
    """Prove that tasks can tell right from wrong: references pass, doing nothing and hostile solutions fail.

    Args:
        folder: A folder of tasks.
        tools: Programs of this machine that checks may use, beside those that the tasks name.
        notify: Called with the task that is being tested.

    Returns:
        One result per task.

    Raises:
        InputError: A task cannot be used, or there are none.
        SandboxError: No sandbox is available.
    """
    from steelyard.gate.selftest import selftest
    from steelyard.gate.task_folder import load_suite
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    results: list[SelfTest] = []
    for task in load_suite(Path(folder), tools).tasks:
        notify(f"testing {task.id}")
        results.append(selftest(task))
    return tuple(results)


def gate_validate(
    config: str, *, baseline: str | None = None, repo: str | Path | None = None, agent: str | None = None
) -> Inspection:
    """Inspect a configuration: artifacts by kind, parse errors, secrets, absolute paths, what an agent ignores.

    Args:
        config: A folder, or `git:REF[:PATH]`.
        baseline: A configuration to compare the files with.
        repo: The repository of `git:REF`; the current folder if absent.
        agent: Warn of artifacts that this agent does not load; if absent, of those that none does.

    Returns:
        What the configuration contains, and what is wrong with it.

    Raises:
        InputError: The folder or the ref does not exist, or contains no artifacts.
    """
    from steelyard.gate.config import load_config
    from steelyard.gate.config.validation import inspect_config

    where = None if repo is None else Path(repo)
    before = load_config(baseline, repo=where) if baseline else None
    return inspect_config(load_config(config, repo=where), before, agent)
