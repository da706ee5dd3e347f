"""Driving a run on an engine: what is captured, resumed and retried; with an engine that works in this process."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver

from steelyard.engine import drive as driving
from steelyard.engine.capture import capture, environment, open_tasks
from steelyard.engine.definition import Definition, read_definition
from steelyard.engine.protocol import Ended, Job, Problem
from steelyard.errors import IncomparableError, InputError
from steelyard.logs.evaluate import evaluate_set
from steelyard.logs.read import read_logs

if TYPE_CHECKING:
    from steelyard.location import Location

ASKED: Counter[str] = Counter()
BROKEN: set[str] = set()


@solver
def answer() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        ASKED[str(state.sample_id)] += 1
        if state.sample_id in BROKEN:
            raise ConnectionError("the provider went away")
        state.output = ModelOutput.from_content("x", "yes")
        return state

    return solve


@task
def small(part: str) -> Task:
    return Task([Sample(id=f"{part}{n}", input="?", target="yes") for n in (1, 2)], solver=answer(), scorer=match())


class HereEngine:
    """Runs every job in this process, and loses the first one once before it has started."""

    def __init__(self, folder: Path, lose: int = 0) -> None:
        self.folder, self.lose = folder, lose
        self.attempts: list[int] = []

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        self.attempts.append(len(jobs))
        waiting = list(jobs)
        while waiting:
            job = waiting.pop(0)
            if self.lose:
                self.lose -= 1
                again = ended(job, Problem("its worker was killed by SIGKILL", lost=True))
                waiting += [again] if again else []
                continue
            with environment("INSPECT_EVAL_SET_SELECTION", str(job.selection)):
                define(self.folder)
            ended(job, None)

    def preview(self, jobs: Sequence[Job]) -> str:
        return f"{len(jobs)} jobs"

    def rejoin(self, folder: Location, waiting: Callable[[], None]) -> None:
        pass

    def close(self) -> None:
        pass


def define(folder: Path) -> object:
    return evaluate_set([small("a"), small("b")], model="none/none", log_dir=str(folder), ctl_server=False)


@pytest.fixture(autouse=True)
def fresh() -> None:
    ASKED.clear()
    BROKEN.clear()


def drive(folder: Path, engine: HereEngine) -> driving.Driven:
    run = driving.Drive(Definition("bench", {}, {}), str(folder), engine, "here")
    return driving.drive(run, lambda: define(folder))


def test_tasks_of_a_lost_worker_and_failed_samples_run_again_and_nothing_else(tmp_path: Path) -> None:
    engine = HereEngine(tmp_path, lose=1)
    BROKEN.add("b1")
    driven = drive(tmp_path, engine)
    assert engine.attempts == [2, 1, 1]  # the lost job runs again at once; a failed sample fails again
    assert ASKED["a1"] == ASKED["a2"] == ASKED["b2"] == 1 and len(driven.logs) == 2 and driven.problems == []
    BROKEN.clear()
    [failed] = [Path(log.path) for log in read_logs([tmp_path]).rows if any(run.error for run in log.runs)]
    shutil.copy(failed, failed.with_name(f"{failed.stem}-recovered.eval"))  # as Inspect leaves one after a crash
    drive(tmp_path, engine)
    assert engine.attempts[3:] == [1]
    logs = read_logs([tmp_path]).rows
    assert len(logs) == 2 and all(run.error is None for log in logs for run in log.runs)  # older attempts are gone
    drive(tmp_path, engine)
    assert len(engine.attempts) == 4


def test_a_log_that_a_lost_worker_left_half_written_does_not_stop_the_others(tmp_path: Path) -> None:
    drive(tmp_path, HereEngine(tmp_path))
    [first, second] = sorted(tmp_path.glob("*.eval"))
    first.write_bytes(first.read_bytes()[:500])
    engine = HereEngine(tmp_path)
    driven = drive(tmp_path, engine)
    assert engine.attempts == [1] and len(driven.logs) == 2 and second.exists()


def test_a_worker_that_is_always_lost_is_a_problem(tmp_path: Path) -> None:
    driven = drive(tmp_path, HereEngine(tmp_path, lose=100))
    assert driven.problems == ["none/none, small: its worker was killed by SIGKILL"] * 2 and driven.logs == []


def test_a_preview_writes_what_workers_read_and_runs_nothing(tmp_path: Path) -> None:
    run = driving.Drive(Definition("bench", {"limit": 1}, {}), str(tmp_path), HereEngine(tmp_path), "here")
    assert driving.preview(run, lambda: define(tmp_path)) == "2 jobs" and not ASKED
    assert read_definition(tmp_path / driving.FOLDER / "definition.json").arguments == {"limit": 1}


def test_other_epochs_make_a_task_open_again(tmp_path: Path) -> None:
    define(tmp_path)
    tasks = capture(lambda: define(tmp_path))
    assert open_tasks(tasks, str(tmp_path)) == []
    more = [task.model_copy(update={"epochs": 2}) for task in tasks]
    assert len(open_tasks(more, str(tmp_path))) == 2


def test_a_worker_with_other_versions_or_data_refuses(tmp_path: Path) -> None:
    definition = Definition("bench", {}, {"practice_exam": {"dataset": "1"}})
    definition.require_same({"practice_exam": {"dataset": "1"}})
    with pytest.raises(IncomparableError, match="practice_exam differs"):
        definition.require_same({"practice_exam": {"dataset": "2"}})
    with pytest.raises(IncomparableError, match=r"the run was started with 0\.0"):
        Definition("bench", {}, {}, {"steelyard": "0.0"}).require_same({})


@pytest.mark.parametrize("text", ["[]", "{}", json.dumps({"schema_version": 1, "wing": "bench"})])
def test_a_file_that_is_no_definition_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "d.json").write_text(text)
    with pytest.raises(InputError, match="not the definition"):
        read_definition(tmp_path / "d.json")
