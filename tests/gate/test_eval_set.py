"""A gate run as one eval set: runners list its tasks and run some of them, and engines run pairs of arms."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from steelyard.engine.capture import capture, environment
from steelyard.engine.definition import read_definition
from steelyard.engine.protocol import Ended, EngineOptions, Job
from steelyard.errors import IncomparableError, InputError
from steelyard.gate.evidence.policy import CONTRACT, Policy
from steelyard.gate.model import Comparison
from steelyard.gate.run import Shared, gate_run
from steelyard.gate.run import engine as engines
from steelyard.gate.run.plan import RunSpec
from steelyard.logs.read import read_logs
from steelyard.worker import problems_of
from tests.gate.simulated import Suite, simulated

if TYPE_CHECKING:
    from steelyard.location import Location

Start = Callable[..., tuple[RunSpec, Suite]]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate_spec: Callable[..., RunSpec]) -> Start:
    def make(**options: Any) -> tuple[RunSpec, Suite]:
        return simulated(tmp_path, monkeypatch, gate_spec, lambda arm, check: 1.0, tasks=2, **options)

    return make


def test_a_runner_lists_every_round_and_runs_what_it_selects(start: Start, tmp_path: Path) -> None:
    spec, suite = start(policy=Policy("evidence"), epochs=3)
    tasks = capture(lambda: gate_run(spec))
    assert [(task.args["arm"], task.args["round"]) for task in tasks].count(("baseline", 3)) == 1 and len(tasks) == 6
    assert [task.args["round"] for task in tasks] == [1, 1, 2, 2, 3, 3] and not suite.started
    assert not spec.log_dir.exists()
    selection = tmp_path / "selection.json"
    chosen = [{"identifier": task.identifier} for task in tasks if task.args["round"] == 2]
    selection.write_text(json.dumps({"version": 7, "eval_set_id": "x", "tasks": chosen}))
    with environment("INSPECT_EVAL_SET_SELECTION", str(selection)), pytest.raises(Shared):
        gate_run(spec)
    assert {(arm, number) for arm, number, _, _ in suite.started} == {("baseline", 2), ("candidate", 2)}
    assert sorted(path.suffix for path in spec.log_dir.iterdir()) == [".eval", ".eval"]


def test_an_adaptive_run_cannot_be_listed(start: Start) -> None:
    spec, _ = start()
    with pytest.raises(InputError, match="cannot be listed in advance"):
        capture(lambda: gate_run(spec))


class HereEngine:
    """Runs every job in this process, as a warm worker would."""

    def __init__(self) -> None:
        self.jobs: list[list[dict[str, Any]]] = []

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        for job in jobs:
            self.jobs.append(json.loads(Path(str(job.selection)).read_text())["tasks"])
            assert problems_of(str(job.definition), str(job.selection)) == ()
            del os.environ["INSPECT_EVAL_SET_SELECTION"]  # a worker keeps it, but this process also drives
            ended(job, None)

    def preview(self, jobs: Sequence[Job]) -> str:
        return "".join(f"{job.title}\n" for job in jobs)

    def rejoin(self, folder: Location, waiting: Callable[[], None]) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> HereEngine:
    here = HereEngine()
    monkeypatch.setattr("steelyard.engine.find_engine", lambda options: here)
    return here


def test_an_adaptive_run_on_an_engine_gives_a_worker_both_arms_of_a_task(start: Start, engine: HereEngine) -> None:
    spec, suite = start(policy=Policy("adaptive", question="safe", margin=0.3, min_rounds=2, max_rounds=3), seed=1)
    with engines.on_engine(spec, EngineOptions("here"), lambda what, done, total: None) as execute:
        weighed = gate_run(spec, execute=execute)
    assert isinstance(weighed.outcome, Comparison)
    assert engine.jobs and all(len(tasks) == 2 for tasks in engine.jobs)
    pairs = [{(number, task) for _, number, _, task in suite.started[at : at + 2]} for at in range(0, 8, 2)]
    assert all(len(pair) == 1 for pair in pairs)  # one worker runs one task of one round on both arms
    rows = read_logs([spec.log_dir]).rows
    assert all(row.stamp is not None and row.stamp.extra["interleaved"] for row in rows)


def test_nothing_is_planned_before_the_workers_of_a_driver_that_is_gone_have_ended(
    start: Start, engine: HereEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, _ = start(policy=CONTRACT)
    awaited: list[Location] = []
    monkeypatch.setattr(engine, "rejoin", lambda folder, waiting: awaited.append(folder))
    with engines.on_engine(spec, EngineOptions("here"), lambda what, done, total: None):
        assert awaited == [spec.log_dir / ".engine"]


def test_a_worker_has_the_tools_and_the_skill_and_takes_the_tasks_of_the_base(
    start: Start, engine: HereEngine, tmp_path: Path
) -> None:
    spec, _ = start(policy=CONTRACT, tools=("git",), skill="review", base="HEAD", repo=tmp_path)
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "tasks"]):
        subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@example.com", *words], cwd=tmp_path, check=True)
    task = next(spec.tasks.rglob("task.yaml"))
    task.write_text(task.read_text() + "\n# the change makes it easier\n")
    engines.preview(spec, EngineOptions("here"))
    definition = read_definition(spec.log_dir / ".engine" / "definition.json")
    assert len(capture(lambda: engines.share(definition))) == 4  # two tasks on two arms: the worker did not refuse


def test_a_preview_names_the_tasks_and_a_worker_with_another_configuration_refuses(
    start: Start, engine: HereEngine
) -> None:
    spec, suite = start(policy=Policy("evidence"), epochs=2)
    assert engines.preview(spec, EngineOptions("here")).count("gate (round") == 4 and not suite.started
    definition = read_definition(spec.log_dir / ".engine" / "definition.json")
    Path(spec.candidate, "CLAUDE.md").write_text("Something else.")
    with pytest.raises(IncomparableError, match="the candidate differs on this worker"):
        engines.share(definition)
