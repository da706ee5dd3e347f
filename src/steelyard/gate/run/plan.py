"""Plans a gate run: the units (arm × round × tasks) that are left to run.

Both arms of a round run side by side in an order that the seed shuffles, so that neither side always goes first. Runs
that are already in the log folder are not repeated, except those left unscored by a fault of the harness.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from steelyard.errors import IncomparableError, InputError
from steelyard.gate.agents import AgentSpec, find_agent
from steelyard.gate.config import load_config
from steelyard.gate.evidence.policy import CONTRACT, Policy, QuarantineEntry
from steelyard.gate.model import Arm, Thresholds
from steelyard.gate.read.arm import identity, read_arm
from steelyard.gate.task import load_suite
from steelyard.gate.tasks import ArmSpec, Round, fingerprint
from steelyard.gate.weigh import differing_fields
from steelyard.judge.panel import Panel
from steelyard.logs.read import find_logs
from steelyard.sandbox.choose import choose

Name = Literal["baseline", "candidate"]


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What to run: tasks, two configurations, an agent, and the limits."""

    tasks: Path
    baseline: str | None
    """A folder or `git:REF`; None with `baseline_log`."""
    candidate: str
    agent: AgentSpec
    log_dir: Path
    panel: Panel | None = None
    policy: Policy = CONTRACT
    epochs: int = 1
    """Rounds, unless the policy is `adaptive`."""
    quarantine: tuple[QuarantineEntry, ...] = ()
    notes: tuple[str, ...] = ()
    """Lines about the settings that belong into the report."""
    seed: int | None = None
    """Shuffles the order of the arms; drawn at random and recorded if absent."""
    baseline_log: str | None = None
    """Logs of an earlier baseline to reuse."""
    budget_usd: float | None = None
    budget_minutes: float | None = None
    """Wall clock of this start; no round begins that would not fit."""
    allow_unknown_cost: bool = False
    thresholds: Thresholds = field(default_factory=Thresholds)
    require_judge: bool = False
    repo: Path | None = None
    max_samples: int | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One evaluation to start."""

    arm: Name
    round: Round
    tasks: tuple[str, ...]
    """The tasks still to run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is left to run, in order."""

    spec: RunSpec
    arms: dict[Name, ArmSpec]
    units: tuple[Unit, ...]
    finished: int
    """Runs that are already done."""

    @property
    def runs(self) -> int:
        """Runs still to do."""
        return sum(len(unit.tasks) for unit in self.units)

    def folder(self, name: Name) -> Path:
        """Where the logs of an arm go."""
        return self.spec.log_dir / name


def plan(spec: RunSpec) -> Plan:
    """What is left to run for `spec`; every mistake is found here, before anything is spent."""
    choose("bubblewrap")
    suite = load_suite(spec.tasks)
    agent = find_agent(spec.agent)
    sources: dict[Name, str] = {"candidate": spec.candidate}
    if spec.baseline_log is None:
        if spec.baseline is None:
            raise InputError("no baseline given", cure="--baseline DIR, git:REF, or --baseline-log LOGS")
        sources = {"baseline": spec.baseline, **sources}
    panel = spec.panel if any(task.rubric for task in suite.tasks) else None
    arms: dict[Name, ArmSpec] = {
        name: ArmSpec(name, suite, load_config(where, repo=spec.repo), agent, spec.agent, panel)
        for name, where in sources.items()
    }
    _check_history(spec, arms["candidate"])
    earlier: dict[Name, Arm | None] = {name: _earlier(spec.log_dir / name, arm) for name, arm in arms.items()}
    seed = _seed(spec, list(earlier.values()))
    units = tuple(_units(arms, earlier, spec.epochs, seed))
    total = len(arms) * len(suite.tasks) * spec.epochs
    return Plan(spec, arms, units, total - sum(len(unit.tasks) for unit in units))


def _check_history(spec: RunSpec, candidate: ArmSpec) -> None:
    if spec.baseline_log is None:
        return
    earlier = read_arm([spec.baseline_log], "baseline")
    differing = differing_fields(earlier.identity, identity(fingerprint(candidate)))
    if differing:
        name, one, other = differing[0]
        raise IncomparableError(f"the earlier baseline cannot be reused: {name} is {one!r} there and {other!r} here")
    if earlier.gaps:
        raise IncomparableError(f"the earlier baseline has {len(earlier.gaps)} runs without a score")


def _earlier(folder: Path, arm: ArmSpec) -> Arm | None:
    """The runs that an earlier start left in `folder`; runs of anything else there are an error."""
    if not folder.is_dir() or not find_logs([folder]):
        return None
    earlier = read_arm([str(folder)], arm.name)
    differing = differing_fields(earlier.identity, identity(fingerprint(arm)))
    if earlier.side.config != arm.config.sha:
        differing.append(("config", earlier.side.config, arm.config.sha))
    if differing:
        raise InputError(f"{folder} contains other runs: {differing[0][0]} differs", cure="choose another --log-dir")
    return earlier


def _seed(spec: RunSpec, earlier: Sequence[Arm | None]) -> int:
    if spec.seed is not None:
        return spec.seed
    recorded = (arm.seed for arm in earlier if arm is not None)
    return next((seed for seed in recorded if seed is not None), secrets.randbelow(2**31))


def _units(arms: dict[Name, ArmSpec], earlier: dict[Name, Arm | None], epochs: int, seed: int) -> list[Unit]:
    units: list[Unit] = []
    for number in range(1, epochs + 1):
        order = list(arms)
        Random(f"{seed}:{number}").shuffle(order)
        for name in order:
            left = _left(arms[name], earlier[name], number)
            if left:
                units.append(Unit(name, Round(number, epochs, seed), left))
    return units


def _left(arm: ArmSpec, earlier: Arm | None, number: int) -> tuple[str, ...]:
    """The tasks of a round that have no score yet."""
    tasks = tuple(task.id for task in arm.suite.tasks)
    if earlier is None or number > earlier.side.rounds:
        return tasks
    gaps = {gap.task for gap in earlier.gaps if gap.epoch == number}
    return tuple(task for task in tasks if task in gaps)
