"""`steelyard gate` as functions: may this change of an agent's configuration ship?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from steelyard.api.gate_spec import GateSpec, Policies, Settings, Thresholds
from steelyard.api.spec import argument, checked, named, option, parameter, rare, spec, takes
from steelyard.api.values import Notify, Progress, keeper, path, silent, sources, texts
from steelyard.errors import InputError
from steelyard.gate.config.artifacts import AGENTS
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.engine.protocol import EngineOptions
    from steelyard.gate.config.validation import Inspection
    from steelyard.gate.model import Weighed
    from steelyard.gate.run.plan import Plan, RunSpec
    from steelyard.gate.selftest import SelfTest
    from steelyard.gate.task_folder import Suite
    from steelyard.gate.verify import Verification


@spec
class GateCompare(Thresholds, Policies):
    """Two sides to compare: gate runs, any Inspect logs, or plain results files."""

    baseline: tuple[str, ...] = argument(
        "Logs, folders of logs or one results file of the side as it is.", "BASE", converter=sources, single=True
    )
    candidate: tuple[str, ...] = argument(
        "The same for the side as it would be; absent if the first has both sides of a gate run.", "[CAND]", default=(),
        converter=sources, single=True,
    )  # fmt: skip
    _: KW_ONLY
    scorer: str | None = rare(
        "Which score of foreign logs to compare, if they have several: NAME or NAME.KEY.", default=None
    )
    require_judge: bool = rare("Give no verdict unless the judge scored every task with a rubric.", default=False)
    interleaved: bool = rare("Both sides ran side by side, although the files do not say so.", default=False)
    vary: tuple[str, ...] = option(
        "A task argument that is under test; repeatable.", "NAME", default=(), converter=texts
    )


@takes(GateCompare)
def compare(spec: GateCompare) -> Weighed:
    """Compare two sides (docs/scoring.md §3.2 and §3.5): gate runs, any Inspect logs, or plain results files.

    Returns: The comparison, or why there is none, with where both sides come from.
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
    # True is also the default, so it counts as stated only if it is false or was named on the command line.
    stated = not limits.cost_counts or any(given.startswith("cost_counts") for given in spec.thresholds)
    with rarely_collected():
        arms = read_arms([*spec.baseline], [*spec.candidate] or None, scorer=spec.scorer)
        refuse_swapped(arms)
        entries = complete_entries([each.model_dump() for each in settings.quarantine], QUARANTINE)
        accepted = complete_entries([each.model_dump() for each in settings.accepted_losses], ACCEPTED)
        registered: Mapping[str, Any] = (arms[1].registration or {}).get("thresholds") or {}
        # Otherwise what the run registered holds; `gate run --skill`, for example, leaves costs out.
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


@named
class GateRun(GateSpec):
    """A gate run, also of a skill."""

    skill: Path | None = option("Test this skill against none, or --baseline.", "DIR", default=None, converter=path)
    scope: Literal["isolated", "whole"] = rare(
        "With --skill: it alone, or with the plugin or folder it comes in.", default="isolated"
    )
    evals: Path | None = rare(
        "With --skill: its file of evals [default: evals/evals.json].", default=None, converter=path
    )
    count_cost: bool = rare("With --skill: let cost move the score; it is shown in any case.", default=False)

    def members(self) -> list[Self]:
        """One run per agent and model; a skill is tested with one agent at a time."""
        sides = super().members()
        if self.skill is not None and len(sides) > 1:
            raise InputError("--skill is tested with one agent at a time", cure="name one with --agent")
        return sides

    def resolved(self) -> RunSpec:
        """The run, with what the settings add; the tasks and configurations of a skill are written beside the logs."""
        from steelyard.gate.skill import prepare

        if self.skill is None:
            return super().resolved()
        self.members()
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

    Returns: The text of the report.
    """
    from steelyard.gate.read.views import read_views
    from steelyard.gate.report import FORMATS

    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}", cure=f"one of {', '.join(FORMATS)}")
    return FORMATS[format](weighed, read_views)


def gate_plan(spec: RunSpec | GateSpec) -> Plan:
    """Plan a gate run without starting it.

    Args:
        spec: A `GateRun`, or the `steelyard.gate.run.plan.RunSpec` that follows from it and the settings.

    Returns: The units that are left to run; `steelyard.gate.run.preview.dry_run` shows them as a document.
    """
    from steelyard.gate.run.plan import plan

    return plan(checked(spec).resolved() if isinstance(spec, GateSpec) else spec)


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
        Stopped: The budget is spent before the fixed rounds are complete (`steelyard.gate.run.Stopped`).
    """
    from steelyard.gate.run.engine import run_on

    if isinstance(spec, GateSpec):
        spec, engine = checked(spec).resolved(), engine or spec.chosen_engine()
    return run_on(spec, engine, notify, progress)


def gate_preview(spec: RunSpec, options: EngineOptions) -> str:
    """Show what an engine would start for a gate run; under `adaptive`, for its next round.

    Args:
        spec: A `steelyard.gate.run.plan.RunSpec`.
        options: The engine, and how many workers it may use.

    Returns: Commands, or a job array. The files that they name are written into `.engine` below the log folder.
    """
    from steelyard.gate.run.engine import preview

    return preview(spec, options)


@spec
class GateCheck(Settings):
    """Tasks, a configuration or a verdict, to be looked at before anything is paid for or believed."""

    what: str = argument(
        "A folder of tasks; a configuration, as a folder or `git:REF[:PATH]`; or the comparison.json of a gate run.",
        "DIR|COMPARISON.json", converter=str,
    )  # fmt: skip
    _: KW_ONLY
    prove: bool = option("Tasks: run references, nothing and hostile solutions through the checks.", default=False)
    baseline: str | None = option("A configuration: show what changed against this one.", "CONFIG", default=None)
    agent: str | None = option("A configuration: warn of what this agent does not load.", default=None, choices=AGENTS)
    repo: Path | None = rare("Repository for git:REF [default: the current folder].", default=None, converter=path)
    ledger: str | None = rare(
        "A comparison: where attempts are counted [default: beside the logs].", "PLACE", default=None, converter=keeper
    )
    notify: Notify = parameter("Called with the task that is being proved.", default=silent)


@takes(GateCheck)
def gate_check(spec: GateCheck) -> Suite | tuple[SelfTest, ...] | Inspection | Verification:
    """Check a folder of tasks, a configuration, or a comparison.

    Returns:
        Of tasks, those that can be used and why others cannot; with `prove`, whether each tells right from wrong. Of a
        configuration, its artifacts and what is wrong with them. Of a comparison, whether it was decided as it was
        registered (docs/scoring.md §3.5), recomputed offline from its logs.
    """
    if spec.what.endswith(".json"):
        from steelyard.gate.settings import load_settings, noise_folder
        from steelyard.gate.verify import verify

        return verify(location(spec.what), spec.ledger, spec.repo, noise_folder(load_settings(spec.settings)))
    if not any(Path(spec.what).glob("*/task.yaml")):
        return _inspected(spec)
    if spec.baseline or spec.agent or spec.repo:
        raise InputError(
            f"{spec.what} contains tasks; --baseline, --agent and --repo are for configurations",
            cure="leave them out, or name the folder of a configuration",
        )
    return _proved(spec) if spec.prove else _listed(spec)


def _inspected(spec: GateCheck) -> Inspection:
    from steelyard.gate.config import load_config
    from steelyard.gate.config.validation import inspect_config

    if spec.prove:
        raise InputError(f"{spec.what} contains no tasks to prove", cure="name a folder of folders with a task.yaml")
    before = load_config(spec.baseline, repo=spec.repo) if spec.baseline else None
    return inspect_config(load_config(spec.what, repo=spec.repo), before, spec.agent)


def _listed(spec: GateCheck) -> Suite:
    """The tasks, as far as the programs of their checks are there."""
    from steelyard.gate.selftest import unavailable
    from steelyard.gate.settings import load_settings
    from steelyard.gate.task_folder import read_suite

    suite = read_suite(Path(spec.what), load_settings(spec.settings).tools)
    return suite._replace(problems=(*suite.problems, *unavailable(suite)))


def _proved(spec: GateCheck) -> tuple[SelfTest, ...]:
    from steelyard.gate.selftest import selftest
    from steelyard.gate.settings import load_settings
    from steelyard.gate.task_folder import load_suite
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    results: list[SelfTest] = []
    for task in load_suite(Path(spec.what), load_settings(spec.settings).tools).tasks:
        spec.notify(f"testing {task.id}")
        results.append(selftest(task))
    return tuple(results)
