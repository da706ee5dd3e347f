"""`--marker consequence`: findings are judged by what an agent of the gate makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard import artifact
from steelyard.api.values import Notify
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.audit.consequence.tasks import Group
    from steelyard.audit.marking import ByConsequence
    from steelyard.audit.model import Output
    from steelyard.audit.plant.record import PlantedUnit
    from steelyard.gate.agents import AgentSpec
    from steelyard.gate.model import Arm
    from steelyard.gate.task_folder import Suite

    Units = Mapping[str, tuple[PlantedUnit, Sequence[Output]]]
    """By document what was planted, and the runs."""


@dataclass(frozen=True, slots=True)
class Fixer:
    """Who repairs, and where the logs of the repairs are."""

    agent: AgentSpec
    log_dir: Path
    """A repair whose log is there is not tried again."""
    bonus_by_test: bool
    """Whether a finding outside the key may prove itself with a test of its own."""


def by_repairs(units: Units, fixer: Fixer, notify: Notify) -> ByConsequence:
    """The marks by what repairs follow from the findings; what is in the logs already is not tried again."""
    from steelyard.audit.consequence.marks import Repair
    from steelyard.audit.consequence.tasks import groups
    from steelyard.audit.marking import ByConsequence
    from steelyard.sandbox.choose import choose

    choose("bubblewrap")
    found = {name: groups(outputs) for name, (_, outputs) in units.items()}
    notify(_announcement(units, found, fixer))
    joined: dict[str, Repair] = {}
    for name, same in found.items():
        runs = _arm(units[name][0], same, fixer).runs if same else ()
        repairs = {run.task: Repair(run.checks) for run in runs}
        open_ones = [group.key for group in same if group.key not in repairs]
        if open_ones:
            raise InputError(f"{name}: {len(open_ones)} repairs have no result", cure="run the command again")
        joined |= repairs
    return ByConsequence(joined, _named(fixer.agent.name, fixer.agent.model))


def _named(agent: object, model: object) -> str:
    return f"{agent} on {model}" if model else str(agent)


def _announcement(units: Units, found: Mapping[str, Sequence[Group]], fixer: Fixer) -> str:
    from steelyard.audit.consequence.price import RepairText, announcement
    from steelyard.gate.read.arm import is_scored, read_rows
    from steelyard.gate.run.budget import spent_usd
    from steelyard.models.prices import price

    folders = sorted({str(path.parent) for path in fixer.log_dir.rglob("*.eval")})
    rows = [row for folder in folders for row in read_rows([folder], "candidate")]
    tried = {run.id for row in rows for run in row.runs if is_scored(run)}
    done, (total, unknown) = sum(len(row.runs) for row in rows), spent_usd(rows)
    code = {name: sum(len(file.data) for path, file in unit.planted.items() if path.endswith(".py"))
            for name, (unit, _) in units.items()}  # fmt: skip
    readings = [RepairText(code[name], len(group.finding.text))
                for name, same in found.items() for group in same if group.key not in tried]  # fmt: skip
    findings = sum(group.count for same in found.values() for group in same)
    measured = total / done if done and not unknown else None
    prices = price(fixer.agent.model) if fixer.agent.model is not None else None
    known = sum(map(len, found.values())) - len(readings)
    return announcement(readings, findings, known, measured, None if prices is None else prices[0])


def _arm(unit: PlantedUnit, same: Sequence[Group], fixer: Fixer) -> Arm:
    """The runs of the gate on the tasks of one document."""
    from steelyard.audit.consequence.tasks import write_tasks
    from steelyard.gate.task_folder import load_suite
    from steelyard.proof.baseline import furnished

    # The problems were proved with these versions; others could turn a test red or green on their own.
    versions = furnished(unit.right, unit.record.date).packages.versions
    with artifact.scratch_folder("consequence-") as folder:
        write_tasks(folder / "tasks", unit, same, versions, bonus=fixer.bonus_by_test)
        suite = load_suite(folder / "tasks")
        logs = fixer.log_dir / f"{unit.folder.name}-{suite.sha[:12]}"
        arm = _made(fixer.agent, logs)
        done = {run.task for run in arm.runs} if arm else set[str]()
        left = tuple(group.key for group in same if group.key not in done)
        # Clients of agents may be missing where repairs are only read. The name `command` says nothing of the program.
        if arm and (left or fixer.agent.command):
            _require_same(arm, fixer.agent, logs)
        if left:
            _run(suite, folder, fixer.agent, logs, left, len(arm.side.sources) if arm else 0)
            arm = _made(fixer.agent, logs)
        assert arm is not None
        return arm


def _require_same(arm: Arm, spec: AgentSpec, logs: Path) -> None:
    from steelyard.gate.agents import find_agent

    if arm.identity.get("parameters.agent_identity") != find_agent(spec).identity:
        what = "--fixer-command" if spec.command else f"version of {spec.name}"
        raise InputError(f"the repairs in {logs} are by another {what}", cure="another folder for --fixer-logs")


def _made(spec: AgentSpec, logs: Path) -> Arm | None:
    """The repairs that are in the logs; None if there are no logs."""
    from steelyard.gate.read.arm import gate_arm, read_rows

    if not list(logs.glob("*.eval")):
        return None
    arm = gate_arm(read_rows([str(logs)], "candidate"), "candidate")
    made = arm.identity.get("parameters.agent"), arm.identity.get("parameters.model")
    if made != (spec.name, spec.model):
        raise InputError(f"the repairs in {logs} are by {_named(*made)}", cure="another folder for --fixer-logs")
    return arm


def _run(suite: Suite, folder: Path, spec: AgentSpec, logs: Path, left: tuple[str, ...], start: int) -> None:
    """Try the repairs that are left after `start` evaluations."""
    from steelyard.gate.agents import find_agent
    from steelyard.gate.config import Config
    from steelyard.gate.run.evaluation import evaluate, require_whole
    from steelyard.gate.run.plan import RunSpec, Unit
    from steelyard.gate.tasks import ArmSpec, Round

    arm = ArmSpec("candidate", suite, Config("none", {}), find_agent(spec), spec)
    run = RunSpec(folder, None, "none", spec, logs)
    unit = Unit(Round(start=start), {"candidate": left})
    require_whole(evaluate(run, {"candidate": arm}, [unit]))
