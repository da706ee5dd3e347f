"""A gate run is a plan first: a list of units (arm × round × tasks) that says what is left to run.

Both arms of a round are run side by side in an order that the seed shuffles, so that neither side always comes first.
What a log folder already holds is not run again; a run that our own machinery left unscored is.
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
from steelyard.gate.model import Arm, Thresholds
from steelyard.gate.read.arm import identity, read_arm
from steelyard.gate.task import load_suite
from steelyard.gate.tasks import ArmSpec, Round, fingerprint
from steelyard.gate.weigh import differing_fields
from steelyard.judge.panel import Panel
from steelyard.logs.read import find_logs, read_logs
from steelyard.sandbox.choose import choose

Name = Literal["baseline", "candidate"]


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What a gate run is asked for."""

    tasks: Path
    baseline: str | None
    """A folder or `git:REF`; None with `baseline_log`."""
    candidate: str
    agent: AgentSpec
    log_dir: Path
    panel: Panel | None = None
    epochs: int = 1
    seed: int | None = None
    """Shuffles the order of the arms; drawn and recorded when absent."""
    baseline_log: str | None = None
    """An earlier baseline to reuse."""
    budget_usd: float | None = None
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
    """The tasks still to be run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is left to run, in order."""

    spec: RunSpec
    arms: dict[Name, ArmSpec]
    units: tuple[Unit, ...]
    finished: int
    """Runs that are already there."""

    @property
    def runs(self) -> int:
        """Runs still to be made."""
        return sum(len(unit.tasks) for unit in self.units)

    def folder(self, name: Name) -> Path:
        """Where the logs of an arm go."""
        return self.spec.log_dir / name


def plan(spec: RunSpec) -> Plan:
    """What is left to run for `spec`; everything that can be wrong is found here, before anything is spent."""
    choose("bubblewrap")
    suite = load_suite(spec.tasks)
    agent = find_agent(spec.agent)
    sources: dict[Name, str] = {"candidate": spec.candidate}
    if spec.baseline_log is None:
        if spec.baseline is None:
            raise InputError("there is no baseline", cure="--baseline DIR, git:REF, or --baseline-log LOGS")
        sources = {"baseline": spec.baseline, **sources}
    panel = spec.panel if any(task.rubric for task in suite.tasks) else None
    arms: dict[Name, ArmSpec] = {
        name: ArmSpec(name, suite, load_config(where, repo=spec.repo), agent, spec.agent, panel)
        for name, where in sources.items()
    }
    _check_history(spec, arms["candidate"])
    kept: dict[Name, Arm | None] = {name: _kept(spec.log_dir / name, arm) for name, arm in arms.items()}
    seed = _seed(spec, list(kept.values()))
    units = tuple(_units(arms, kept, spec.epochs, seed))
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


def _kept(folder: Path, arm: ArmSpec) -> Arm | None:
    """What an earlier start left in `folder`; runs of something else there are an error, not a mix."""
    if not folder.is_dir() or not find_logs([folder]):
        return None
    found = read_arm([str(folder)], arm.name)
    differing = differing_fields(found.identity, identity(fingerprint(arm)))
    if found.side.config != arm.config.sha:
        differing.append(("config", found.side.config, arm.config.sha))
    if differing:
        raise InputError(
            f"{folder} holds runs of something else: {differing[0][0]} differs", cure="choose another --log-dir"
        )
    return found


def _seed(spec: RunSpec, kept: Sequence[Arm | None]) -> int:
    if spec.seed is not None:
        return spec.seed
    for found in kept:
        if found is not None:
            rows = read_logs(list(found.side.sources)).rows
            return next(int(row.stamp.extra.get("seed", 0)) for row in rows if row.stamp is not None)
    return secrets.randbelow(2**31)


def _units(arms: dict[Name, ArmSpec], kept: dict[Name, Arm | None], epochs: int, seed: int) -> list[Unit]:
    units: list[Unit] = []
    for number in range(1, epochs + 1):
        order = list(arms)
        Random(f"{seed}:{number}").shuffle(order)
        for name in order:
            left = _left(arms[name], kept[name], number)
            if left:
                units.append(Unit(name, Round(number, epochs, seed), left))
    return units


def _left(arm: ArmSpec, found: Arm | None, number: int) -> tuple[str, ...]:
    """The tasks of a round that have no score yet."""
    every = tuple(task.id for task in arm.suite.tasks)
    if found is None or number > found.side.rounds:
        return every
    gaps = {gap.task for gap in found.gaps if gap.epoch == number}
    return tuple(task for task in every if task in gaps)
