"""Plans a gate run: the rounds that are left to run.

A round is every task once on each arm, both arms in one evaluation, in an order that the seed shuffles. Runs that are
already in the log folder are not repeated, except those left unscored by a fault of the harness.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Literal, get_args

from steelyard.errors import IncomparableError, InputError
from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.base import program_differences, suite_at, task_differences
from steelyard.gate.blame.parts import PartRules
from steelyard.gate.config import NONE, Config, load_config
from steelyard.gate.evidence.policy import AUTO, CONTRACT, AcceptedLoss, Policy, QuarantineEntry, Registration
from steelyard.gate.ledger.confirmation import CountedAttempt
from steelyard.gate.model import Arm, Thresholds
from steelyard.gate.read.arm import gate_arm, identity, read_rows
from steelyard.gate.read.history import history_arm
from steelyard.gate.run.answers import refuse_answers
from steelyard.gate.run.cap import require_prices
from steelyard.gate.run.registration import check_registration
from steelyard.gate.settings import JudgeMode
from steelyard.gate.task_folder import Suite, load_suite
from steelyard.gate.tasks import ArmSpec, Round, fingerprint
from steelyard.gate.under_test import differing_fields
from steelyard.judge.panel import Panel
from steelyard.logs.read import find_logs
from steelyard.rows import LogRow
from steelyard.sandbox.choose import choose

if TYPE_CHECKING:
    from steelyard.location import Location

Name = Literal["baseline", "candidate"]

Earlier = Mapping[Name, Arm | None]
"""What the logs hold of each arm; None if nothing."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What to run: tasks, two configurations, an agent, and the limits."""

    tasks: Path
    baseline: str | None
    """A folder, `git:REF`, or `stored:` and either of them; None with `baseline_log`."""
    candidate: str
    agent: AgentSpec
    log_dir: Location
    panel: Panel | None = None
    policy: Policy = AUTO
    epochs: int = 1
    """Rounds, unless the policy is `adaptive`."""
    quarantine: tuple[QuarantineEntry, ...] = ()
    accepted_losses: tuple[AcceptedLoss, ...] = ()
    notes: tuple[str, ...] = ()
    """Lines about the settings that belong into the report."""
    noise: Path | None = None
    """Folder of noise records; the one with the fingerprint of this run is used."""
    identical: bool = False
    """Whether both sides are one configuration on purpose, to measure noise."""
    seed: int | None = None
    """Shuffles tasks and arms; drawn at random and recorded if absent."""
    baseline_log: str | tuple[str, ...] | None = None
    """Logs of an earlier baseline to reuse."""
    store: str | None = None
    """Folder or URL that keeps the runs of arms; the runs of this one are added to it."""
    drift: float | None = None
    """The allowance for drift of a baseline on record; the default if absent."""
    budget_usd: float | None = None
    budget_minutes: float | None = None
    """Wall clock of this start; no round begins that would not fit."""
    allow_unknown_cost: bool = False
    prices: Path | None = None
    """A price list: per model `{input: USD, output: USD}` for a million tokens, and prices of the cache."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    require_judge: bool = False
    judge_mode: JudgeMode | None = None
    """How tasks with a rubric are judged that do not say it themselves."""
    repo: Path | None = None
    skill: str | None = None
    """The skill under test; None if any skill of a configuration is."""
    max_samples: int | None = None
    """Runs at a time, of both arms together."""
    tools: tuple[str, ...] = ()
    """Programs of the host that checks may use, beside those of each task."""
    base: str | None = None
    """Git ref whose tasks run, so that a change cannot make its own tasks easier."""
    differing: tuple[str, ...] = ()
    """How the settings of the change differ from the base, in words."""
    ledger: str | None = None
    """Where attempts are counted: a folder, a URL or `git:REF`; beside the log folder if absent."""
    only: tuple[str, ...] | None = None
    """Ids of the tasks to run; all of them if absent."""
    confirms: bool = False
    """Whether these are fresh rounds that judge an improvement again."""
    parts: PartRules | None = None
    """How the candidate is taken apart, where units leave parts of it out (`gate.blame`)."""

    @property
    def history(self) -> list[str]:
        """Logs of an earlier baseline; empty if it runs side by side."""
        named = self.baseline_log
        return [] if named is None else [named] if isinstance(named, str) else [*named]

    @property
    def rounds(self) -> int:
        """The last round."""
        return self.policy.max_rounds if self.policy.adaptive else self.epochs

    @property
    def by_contract(self) -> bool:
        """Whether §3.2 will decide, so that no round needs both arms side by side."""
        return self.policy.name == "contract" or (self.policy.name == "auto" and self.epochs == 1)


@dataclass(frozen=True, slots=True)
class Unit:
    """One evaluation to start: what is left of a round."""

    round: Round
    tasks: Mapping[Name, tuple[str, ...]]
    """Arm → tasks still to run. Arms and tasks are in the order in which they start; an arm without tasks is absent."""
    kept: Mapping[Name, tuple[bool, ...]] | None = None
    """Arm → which parts of the candidate it has; None: each arm has its own configuration."""

    @property
    def runs(self) -> int:
        """Runs on both arms."""
        return sum(map(len, self.tasks.values()))


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is left to run, in order; under `adaptive`, at most."""

    spec: RunSpec
    arms: Mapping[Name, ArmSpec]
    units: tuple[Unit, ...]
    finished: int
    """Runs that are already done."""
    rows: tuple[LogRow, ...]
    """The logs of earlier starts."""
    seed: int
    registration: Registration
    attempt: CountedAttempt | None = None
    """Which attempt of the ledger this is; None until it begins, and where nothing is counted."""

    @property
    def runs(self) -> int:
        """Runs still to do, at most."""
        return sum(unit.runs for unit in self.units)

    def earlier(self, rows: Sequence[LogRow]) -> Earlier:
        """What logs of this run hold of each arm."""
        units = {row.stamp.unit for row in rows if row.stamp is not None}
        return {name: gate_arm(rows, name) if name in units else None for name in self.arms}

    def unit(self, earlier: Earlier, number: int, watch: int = 0, only: Sequence[str] | None = None) -> Unit | None:
        """What is left of a round, or of an extra round for the tasks `only`; None if it is complete."""
        left = {name: _left(arm, earlier[name], number, watch, only) for name, arm in self.arms.items()}
        # Rounds are compared side by side, so a run that one arm repeats is repeated by the other.
        if not self.spec.by_contract:
            pairs = {task for tasks in left.values() for task in tasks}
            left = dict.fromkeys(left, pairs)
        # Seeded by the round, so that a later start shuffles it in the same way.
        order = list(self.arms)
        Random(f"{self.seed}:{number}").shuffle(order)
        names = [item.id for item in self.arms["candidate"].suite.tasks]
        Random(f"{self.seed}:{number}:{watch}").shuffle(names)
        tasks: dict[Name, tuple[str, ...]] = {
            arm: tuple(name for name in names if name in left[arm]) for arm in order if left[arm]
        }
        if not tasks:
            return None
        # A round that only one arm completes was not run side by side.
        side_by_side = len(tasks) == 2 and len({frozenset(each) for each in tasks.values()}) == 1
        # Under `adaptive` nobody knows yet how many there will be.
        rounds = number if self.spec.policy.adaptive else self.spec.epochs
        registered = self.registration.as_metadata()
        attempt = None if self.attempt is None else self.attempt.as_metadata(self.spec.confirms)
        return Unit(Round(number, rounds, self.seed, watch, side_by_side, registered, attempt=attempt), tasks)


def load_arms(spec: RunSpec) -> dict[Name, ArmSpec]:
    """The arms to run; mistakes in tasks, configurations, agent and policy are found here."""
    # Called for its errors: a sandbox that does not work here is named before anything is read.
    choose(spec.agent.sandbox)
    suite = suite_at(spec.tasks, spec.base, spec.repo, spec.tools) if spec.base else load_suite(spec.tasks, spec.tools)
    suite = suite.judged_in(spec.judge_mode)
    if spec.only is not None:
        suite = suite._replace(tasks=tuple(task for task in suite.tasks if task.id in spec.only))
    _refuse_unobserved(suite, spec.agent)
    agent = find_agent(spec.agent)
    sources: dict[Name, str] = {"candidate": spec.candidate}
    if spec.baseline_log is None:
        if spec.baseline is None:
            raise InputError("no baseline given", cure="--baseline DIR, git:REF, or --baseline-log LOGS")
        sources = {"baseline": spec.baseline, **sources}
    # Without a rubric nothing is judged, so the judge does not enter the fingerprint.
    panel = spec.panel if any(task.rubric for task in suite.tasks) else None
    require_prices(spec, agent, panel)
    arms: dict[Name, ArmSpec] = {
        name: ArmSpec(name, suite, _config(name, where, spec), agent, spec.agent, panel)
        for name, where in sources.items()
    }
    expecting = next((task.id for task in suite.tasks if task.file.expect_activation != "any"), None)
    if expecting is not None and not getattr(agent, "shows_tools", False):
        raise InputError(
            f"{expecting} expects an activation, which cannot be seen with the agent {agent.name}",
            cure="claude-code, codex, opencode, or gemini-cli without --direct",
        )
    for arm in arms.values():
        refuse_answers(arm)
    return arms


def _refuse_unobserved(suite: Suite, agent: AgentSpec) -> None:
    """Raise if a check looks at tool calls that this agent cannot report, or only claim."""
    task = next((task.id for task in suite.tasks if task.observed), None)
    if task is None:
        return
    if agent.name == "cursor":
        raise InputError(f"{task} has a check on tool calls, which cursor does not report", cure="use another agent")
    if (agent.name == "command" or agent.direct) and agent.telemetry != "trusted":
        raise InputError(
            f"{task} has a check on tool calls, and those of {agent.name} are only claimed",
            cure="--trust-telemetry, or another agent",
        )


def _config(name: Name, where: str, spec: RunSpec) -> Config:
    # A folder named `none` wins.
    if name == "baseline" and where == NONE and not Path(where).exists():
        return Config(NONE, {}, NONE, skill=spec.skill)
    return replace(load_config(where, repo=spec.repo), skill=spec.skill)


def plan(spec: RunSpec, arms: Mapping[Name, ArmSpec] | None = None, *, afresh: bool = False) -> Plan:
    """What is left to run for `spec`; every mistake is found here, before anything is spent.

    `afresh` plans all rounds whatever the log folder holds, and always in the same order: the processes of an external
    runner agree on what there is to run while others write.
    """
    arms = load_arms(spec) if arms is None else arms
    if spec.base is not None:
        tasks = task_differences(arms["candidate"].suite, spec.tasks, spec.base)
        tools = {name for task in arms["candidate"].suite.tasks for name in task.tools}
        programs = program_differences(spec.agent.command, sorted(tools), spec.prices, spec.base, spec.repo)
        spec = replace(spec, differing=(*spec.differing, *tasks, *programs))
    _check_history(spec, arms["candidate"])
    files = log_files(spec.log_dir)
    rows = read_rows(files, "the log folder") if files else ()
    _check_rows(spec.log_dir, rows, arms)
    registration = _registration(spec, arms["candidate"])
    check_registration(registration, rows, spec.log_dir)
    if afresh:
        rows = ()
    empty = Plan(spec, arms, (), 0, rows, _seed(spec, rows, registration if afresh else None), registration)
    earlier = empty.earlier(rows)
    units = tuple(unit for number in range(1, spec.rounds + 1) if (unit := empty.unit(earlier, number)))
    total = len(arms) * len(arms["candidate"].suite.tasks) * spec.rounds
    left = sum(unit.runs for unit in units)
    return Plan(spec, arms, units, total - left, rows, empty.seed, registration)


def _registration(spec: RunSpec, candidate: ArmSpec) -> Registration:
    return Registration(
        # `contract` has no settings beside its thresholds, and rounds may be added to it.
        policy=CONTRACT if spec.policy.name == "contract" else spec.policy,
        thresholds=asdict(spec.thresholds),
        tasks=candidate.suite.sha,
        judge=None if candidate.panel is None else candidate.panel.identity,
        quarantine=spec.quarantine,
        accepted_losses=spec.accepted_losses,
        rounds=spec.epochs if spec.policy.name in ("auto", "evidence") else None,
    )


def _check_history(spec: RunSpec, candidate: ArmSpec) -> None:
    if spec.baseline_log is None:
        return
    earlier = history_arm(spec.history)
    differing = differing_fields(earlier.identity, identity(fingerprint(candidate)))
    if differing:
        name, one, other = differing[0]
        raise IncomparableError(f"the earlier baseline cannot be reused: {name} is {one!r} there and {other!r} here")
    if not earlier.runs:
        raise IncomparableError("the earlier baseline has no scored run")


def log_files(folder: Location) -> list[str]:
    """The logs of a run: in its folder, or in one folder per arm as earlier versions wrote them."""
    arms = [folder / name for name in get_args(Name) if (folder / name).is_dir()]
    return [*map(str, sorted(folder.glob("*.eval"))), *find_logs(arms)]


def _check_rows(folder: Location, rows: Sequence[LogRow], arms: Mapping[Name, ArmSpec]) -> None:
    """Runs of anything else in the log folder are an error."""
    for row in rows:
        stamp = row.stamp
        arm = next((arm for name, arm in arms.items() if stamp and (stamp.wing, stamp.unit) == ("gate", name)), None)
        if stamp is None or arm is None:
            what = "a log of something else" if stamp is None or stamp.wing != "gate" else f"runs of a {stamp.unit}"
            raise InputError(f"{folder} contains {what}: {row.path}", cure="choose another --log-dir")
        differing = [name for name, *_ in differing_fields(identity(stamp.fingerprint), identity(fingerprint(arm)))]
        if stamp.extra.get("config") != arm.config.sha:
            differing.append("config")
        if differing:
            raise InputError(f"{folder} contains other runs: {differing[0]} differs", cure="choose another --log-dir")


def _seed(spec: RunSpec, rows: Sequence[LogRow], registration: Registration | None) -> int:
    if spec.seed is not None:
        return spec.seed
    if registration is not None:
        return int(str(registration.as_metadata()["sha"])[:7], 16)
    recorded = (row.stamp.extra.get("seed") for row in rows if row.stamp is not None)
    return next((int(seed) for seed in recorded if seed is not None), secrets.randbits(31))


def _left(arm: ArmSpec, earlier: Arm | None, number: int, watch: int, only: Sequence[str] | None) -> set[str]:
    """The tasks of a round that have no score yet."""
    tasks = {task.id for task in arm.suite.tasks} if only is None else set(only)
    if earlier is None:
        return tasks
    runs = earlier.extra if watch else earlier.runs
    return tasks - {run.task for run in runs if (run.round, run.watch) == (number, watch)}
