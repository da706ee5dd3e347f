"""Reads the runs of one configuration: both sides of an A/A comparison, or one side with several rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from pathlib import Path
from typing import NamedTuple

from steelyard.errors import IncomparableError, InputError
from steelyard.gate.config import load_config
from steelyard.gate.evidence.variation import TaskVariation, variations
from steelyard.gate.model import Arm, NoVerdict, Run, by_task
from steelyard.gate.noise.measure import usd_per_round
from steelyard.gate.noise.plan import SuiteNoise, idle_task, run_variance
from steelyard.gate.read import arms_of, read_arms
from steelyard.gate.read.arm import arm_of, holds_both, read_file, read_rows
from steelyard.gate.read.history import history_arm
from steelyard.gate.store.arms import Store
from steelyard.gate.under_test import differing_fields
from steelyard.gate.weigh.foreign import foreign_runs
from steelyard.report.numbers import things


class SuiteRuns(NamedTuple):
    """The runs of one configuration, and what identifies the suite."""

    sides: tuple[tuple[Run, ...], ...]
    identity: Mapping[str, object]

    @property
    def runs(self) -> tuple[Run, ...]:
        """Those of all sides."""
        return tuple(run for side in self.sides for run in side)


def read_suite_runs(logs: Sequence[str | Path], *, scorer: str | None = None, same: bool = True) -> SuiteRuns:
    """The runs in logs: one folder of a gate run with both sides, one side, or two of the same configuration.

    With `same` off, the sides may be of different configurations: how much runs scatter is taken from each of them.
    """
    paths = [str(path) for path in logs]
    if not paths or len(paths) > 2:
        raise InputError("one or two sides are needed", cure="a folder of a gate run, or the logs of each side")
    arms = _sides(paths, scorer)
    for arm in arms:
        _complete(arm)
    if len(arms) == 2:
        _comparable(*arms, same=same)
    sides = [arm.runs for arm in arms]
    if arms[0].side.kind == "log":
        converted = foreign_runs(sides[0], sides[1] if len(sides) == 2 else ())
        if isinstance(converted, NoVerdict):
            raise InputError(converted.reasons[0], cure=converted.cures[0])
        sides = [tuple(side) for side in converted][: len(sides)]
    return SuiteRuns(tuple(sides), arms[0].identity)


def _sides(paths: Sequence[str], scorer: str | None) -> list[Arm]:
    if len(paths) == 2:
        return list(read_arms(paths[:1], paths[1:], scorer=scorer))
    file = read_file(paths)
    if file is not None:
        return [file]
    rows = read_rows(paths, "side")
    return list(arms_of(rows, scorer=scorer)) if holds_both(rows) else [arm_of(rows, "baseline", scorer=scorer)]


def suite_from_logs(logs: Sequence[str | Path]) -> SuiteNoise:
    """What earlier logs say of a suite; their sides may be of different configurations."""
    suite = read_suite_runs(logs, same=False)
    if not any(run.round > 1 for run in suite.runs):
        raise InputError("one round shows no chance", cure="--pass-rate to assume it, or steelyard gate plan --measure")
    return _suite(f"logs in {', '.join(map(str, logs))}", suite.sides)


def suite_from_store(where: str, source: str | None = None) -> SuiteNoise:
    """What the runs on record say of a suite: those of a configuration, or of the one with the newest run."""
    store = Store(where)
    arms = [(suite, config) for suite in store.suites() for config in store.configs(suite)]
    if source is not None:
        sha = load_config(source).sha
        # The folder of a configuration is named by the beginning of its hash.
        arms = [(suite, config) for suite, config in arms if sha.startswith(config)]
    if not arms:
        raise InputError(f"the store {where} has no such runs", cure="gate run --store, or --record, or LOGS")
    found = max((history_arm(store.logs(*arm)) for arm in arms), key=lambda arm: arm.side.created or "")
    least = min(map(len, by_task(found.runs).values()))
    label = f"store {where}: {found.side.label}, at least {things(least, 'run')} a task"
    return _suite(label, (found.runs,), least)


def _suite(source: str, sides: Sequence[Sequence[Run]], recorded: int = 0) -> SuiteNoise:
    """What the runs of one or two sides say of a suite."""
    before, after = (*sides, ())[:2]
    runs = by_task(run for side in sides for run in side)
    tasks = sorted({run.task for run in before if run.sound()})
    varying = dict(zip(tasks, variations(before, after), strict=True))
    spread = sqrt(fsum(2 * run_variance(task) for task in varying.values())) / max(1, len(tasks))
    return SuiteNoise(source, len(tasks), spread, usd_per_round(runs), _idle(varying, runs), recorded)


def _idle(varying: Mapping[str, TaskVariation], runs: Mapping[str, Sequence[Run]]) -> tuple[str, ...]:
    """The tasks that never vary; where no check is known by its name, by their composites."""
    return tuple(
        idle_task(name, task.pass_rates or {run.composite or 0.0 for run in runs[name]})
        for name, task in varying.items()
        if not task.varies
    )


def _complete(arm: Arm) -> None:
    if arm.gaps:
        gap = arm.gaps[0]
        raise IncomparableError(
            f"{len(arm.gaps)} runs of the {arm.side.label} have no score; the first is {gap.task}: {gap.reason}"
        )
    if not arm.runs:
        raise InputError(f"the {arm.side.label} has no runs")


def _comparable(one: Arm, other: Arm, *, same: bool) -> None:
    if one.side.kind != other.side.kind:
        raise IncomparableError("the two sides are of different kinds")
    if differing := differing_fields(one.identity, other.identity):
        raise IncomparableError(f"unequal fingerprints: {differing[0][0]} differs between the two sides")
    if same and one.side.config != other.side.config:
        raise IncomparableError(
            "the two sides ran different configurations, so they do not differ by chance alone",
            cure="name the logs of one side, or run the same configuration on both",
        )
