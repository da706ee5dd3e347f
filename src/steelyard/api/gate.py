"""`steelyard gate` as functions: may this change of an agent's configuration ship?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.api.engines import gate_on, unless_driven
from steelyard.api.options import one_or_several

if TYPE_CHECKING:
    from steelyard.engine.protocol import EngineOptions
    from steelyard.gate.config.inspect import Inspection
    from steelyard.gate.evidence.policy import Policy, PolicyName
    from steelyard.gate.harvest import Harvest, HarvestSpec, Tell
    from steelyard.gate.model import Weighed
    from steelyard.gate.run.plan import Plan, RunSpec
    from steelyard.gate.selftest import SelfTest
    from steelyard.gate.skill import SkillInputs
    from steelyard.gate.task import Suite
    from steelyard.location import Location
    from steelyard.logs.rescore import Rescored

Sources = Sequence["str | Location"]
"""Folders, files, globs, or URLs of any of these (`s3://…`)."""

Notify = Callable[[str], None]
"""Called with one line of progress."""


Progress = Callable[[str, int, int], None]
"""Called with a step, how many of its runs have ended, and how many it has."""


def silent(_: str) -> None:
    pass


def _unseen(what: str, done: int, total: int) -> None:
    pass


@one_or_several("baseline", "candidate", "vary")
def compare(
    baseline: Sources,
    candidate: Sources | None = None,
    *,
    min_composite_gain: float = 0.01,
    regression_composite_drop: float = 0.05,
    objective_drop_is_regression: bool = True,
    cost_counts: bool | None = None,
    scorer: str | None = None,
    require_judge: bool = False,
    policy: Policy | PolicyName | None = None,
    interleaved: bool = False,
    vary: Sequence[str] = (),
    quarantine: Sequence[Mapping[str, str | None]] = (),
    accepted_losses: Sequence[Mapping[str, str | None]] = (),
    noise: str | Path | None = None,
) -> Weighed:
    """Compare two sides (docs/scoring.md §3.2 and §3.5): gate runs, any Inspect logs, or plain results files.

    Args:
        baseline: Logs, folders of logs or one results file of the side as it is.
        candidate: The same for the side as it would be; absent if `baseline` holds both sides of a gate run.
        min_composite_gain: The net gain must exceed this to be `improved`; in [0, 1].
        regression_composite_drop: A task whose composite drops by more than this is a hard regression; in [0, 1].
        objective_drop_is_regression: Whether fewer passed checks are a hard regression.
        cost_counts: Whether cost moves the composite; as the runs were registered, or else it does, if absent.
        scorer: Which score of foreign logs to compare, if they have several: `NAME` or `NAME.KEY`.
        require_judge: Give no verdict unless the judge scored every task that has a rubric.
        policy: What decides, as a `Policy` or by its name; absent, the policy that gate runs were registered for, or
            else `auto`.
        interleaved: Both sides ran side by side, although the files do not say so.
        vary: Task arguments of foreign logs that are under test, where the logs do not show it.
        quarantine: Entries of `task`, `check`, `reason`, `owner` and `until` that count neither for nor against; those
            that were registered with gate runs win.
        accepted_losses: Entries of the same fields: a `mixed` of which every loss is listed counts as `improved`.
        noise: Folder of noise records; the one with the fingerprint of the baseline is used.

    Returns:
        The comparison, or why there is none, with where both sides come from.

    Raises:
        InputError: A threshold is out of range, or a results file or the choice of a scorer is wrong.
        LogError: A log cannot be read.
    """
    from steelyard.gate.evidence.policy import named_policy
    from steelyard.gate.noise.record import find_record
    from steelyard.gate.quarantine.entries import ACCEPTED, QUARANTINE, complete_entries
    from steelyard.gate.read import read_arms, refuse_swapped, uncollected
    from steelyard.gate.read.changed import with_change
    from steelyard.gate.read.parting import with_partings
    from steelyard.gate.settings import ThresholdSettings, thresholds
    from steelyard.gate.weigh import Spec, weigh

    overrides = {
        "min_composite_gain": min_composite_gain,
        "regression_composite_drop": regression_composite_drop,
        "objective_drop_is_regression": objective_drop_is_regression,
    }
    limits = thresholds(ThresholdSettings(), [f"{name}={value}" for name, value in overrides.items()])
    with uncollected():  # large logs: no garbage to look for while they are compared either
        sides = [None if side is None else [str(path) for path in side] for side in (baseline, candidate)]
        arms = read_arms(sides[0] or [], sides[1], scorer=scorer)
        refuse_swapped(arms)
        entries = complete_entries(quarantine, QUARANTINE)
        accepted = complete_entries(accepted_losses, ACCEPTED)
        registered: Mapping[str, Any] = (arms[1].registration or {}).get("thresholds") or {}
        costed = registered.get("cost_counts", True) if cost_counts is None else cost_counts
        spec = Spec(
            replace(limits, cost_counts=costed),
            scorer,
            require_judge,
            policy=named_policy(policy) if isinstance(policy, str) else policy,
            interleaved=interleaved,
            vary=tuple(vary),
            quarantine=entries.entries,
            accepted=accepted.entries,
            noise=find_record(None if noise is None else Path(noise), arms[0]),
            notes=(*entries.notes, *accepted.notes),
        )
        return with_change(with_partings(weigh(*arms, spec, now=datetime.now(UTC))))


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


def gate_plan(spec: RunSpec) -> Plan:
    """Plan a gate run without starting it.

    Args:
        spec: A `steelyard.gate.run.plan.RunSpec`: tasks, two configurations, an agent and the limits.

    Returns:
        The units that are left to run; `steelyard.gate.run.preview.dry_run` shows them as a document.

    Raises:
        InputError: Tasks or configurations cannot be used, or the log folder contains other runs.
        AgentError: The agent is not available.
        IncomparableError: The earlier baseline has a different fingerprint.
    """
    from steelyard.gate.run.plan import plan

    return plan(spec)


def gate_run(
    spec: RunSpec, *, engine: EngineOptions | None = None, notify: Notify = silent, progress: Progress = _unseen
) -> Weighed:
    """Run the tasks under two configurations side by side and compare them; finished runs are not repeated.

    Args:
        spec: A `steelyard.gate.run.plan.RunSpec`: tasks, two configurations, an agent, a policy and the limits.
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

    if (engine := unless_driven(engine)) is None:
        return run(spec, notify, progress)
    with gate_on(spec, engine, progress) as execute:
        return run(spec, notify, progress, execute)


def gate_skill(
    skill: str | Path,
    log_dir: str | Path,
    *,
    agent: str = "claude-code",
    scope: Literal["isolated", "whole"] = "isolated",
    baseline: str = "none",
    tasks: Path | None = None,
    evals: Path | None = None,
) -> SkillInputs:
    """Write what a gate run needs to test a skill: tasks from its `evals.json`, and the configurations to compare.

    Args:
        skill: The folder of a `SKILL.md`.
        log_dir: Where the runs go; the inputs are written to `skill-inputs` in it.
        agent: The agent whose folder for skills is used.
        scope: The skill alone, or with the plugin or folder it comes in.
        baseline: `none`, the folder of another version of the skill, or any configuration.
        tasks: A folder of tasks to use instead of evals.
        evals: The file of evals; `evals/evals.json` of the skill if absent.

    Returns:
        The inputs; `inputs.applied(spec)` is the run for `gate_run`, in which cost is shown and does not decide.

    Raises:
        InputError: The folder is not a skill, or its evals cannot be used.
    """
    from steelyard.gate.skill import prepare

    folder = Path(log_dir) / "skill-inputs"
    return prepare(Path(skill), folder, agent, scope=scope, baseline=baseline, tasks=tasks, evals=evals)


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


@one_or_several("judge")
def gate_rescore(
    log: str | Path,
    judge: Sequence[str],
    *,
    judge_repeats: int = 1,
    judge_cache: bool = True,
    everything: bool = False,
    baseline: Sequence[str] = (),
) -> Rescored:
    """Grade the runs of one gate log again, without starting the agent.

    Args:
        log: The log, which is rewritten.
        judge: Inspect models that grade; several make a jury.
        judge_repeats: Verdicts per judge and text.
        judge_cache: Whether stored verdicts are reused.
        everything: Grade every run, not only those without a verdict.
        baseline: Logs of the baseline for tasks that are judged in pairs; by default those beside the log.

    Returns:
        How many runs were graded, and why some still have no score.

    Raises:
        NothingToJudge: The log is of another wing, or none of its tasks has a rubric.
        LogError: The log cannot be read or written.
    """
    from steelyard.gate.rescore import rescore_log
    from steelyard.judge.panel import Panel

    panel = Panel(tuple(judge), judge_repeats, judge_cache)
    return rescore_log(str(log), panel, everything=everything, baseline=tuple(baseline))


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
    from steelyard.gate.task import read_suite

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
    from steelyard.gate.task import load_suite
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
    from steelyard.gate.config.inspect import inspect_config

    where = None if repo is None else Path(repo)
    before = load_config(baseline, repo=where) if baseline else None
    return inspect_config(load_config(config, repo=where), before, agent)
