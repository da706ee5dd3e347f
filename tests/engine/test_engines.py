"""The engines themselves, with workers that are one line of Python or shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from steelyard.api.groups import Engines
from steelyard.engine import find_engine
from steelyard.engine.processes import Processes
from steelyard.engine.protocol import EngineOptions, Job, Problem
from steelyard.engine.ray_cluster import require_reachable
from steelyard.engine.slurm import _states, parse_states
from steelyard.errors import InputError, SteelyardError, ToolchainError
from tests.waiting import until
from tests.wire import Server


def jobs(folder: Path, *names: str) -> list[Job]:
    return [Job(name, name, folder / "definition.json", folder / f"{name}.json") for name in names]


def worker(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Make every worker run `code`, with the name of its job as the argument."""
    command = lambda definition, selection, *options: [sys.executable, "-S", "-c", code, selection.stem]  # noqa: E731
    monkeypatch.setattr("steelyard.engine.processes.worker_command", command)


def test_processes_report_how_each_worker_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker(
        monkeypatch,
        "import os, sys\n"
        "if sys.argv[1] == 'lost': os.kill(os.getpid(), 9)\n"
        "if sys.argv[1] == 'bad': sys.exit('steelyard: no key')\n",
    )
    ends: dict[str, Problem | None] = {}
    Processes(2).run(jobs(tmp_path, "fine", "lost", "bad"), lambda job, why: ends.update({job.title: why}))
    lost = Problem("its worker was killed by SIGKILL", lost=True)
    assert ends == {"fine": None, "lost": lost, "bad": Problem("no key")}


def test_an_interrupt_ends_the_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The second worker waits until it is interrupted; the first one ends and its report is the interrupt.
    code = f"import sys,signal,time,pathlib; p=pathlib.Path({str(tmp_path)!r})\n"
    # A suite that a script starts in the background passes on that interrupts are ignored; a worker does not.
    code += "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "if sys.argv[1]=='long':\n"
    code += "    try:\n"
    code += "        (p/'up').touch()\n"
    code += "        while True: time.sleep(0.05)\n"
    code += "    except KeyboardInterrupt: (p/'ended').touch()\n"
    code += "while not (p/'up').exists(): pass\n"
    worker(monkeypatch, code)

    def interrupt(job: Job, why: Problem | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Processes(2).run(jobs(tmp_path, "short", "long"), interrupt)
    assert (tmp_path / "ended").exists()


def test_a_job_array_runs_the_selection_of_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "steelyard.engine.slurm.worker_command",
        lambda definition, selection, *options: ["echo", str(definition), str(selection)],
    )
    folder = tmp_path / "with space %j"
    folder.mkdir()
    engine = find_engine(EngineOptions("slurm", workers=8))
    text = engine.preview(jobs(folder, "one", "two"))
    assert "#SBATCH --array=0-1%8\n" in text and "sbatch --wait" in text
    assert "with space %%j/slurm-%A_%a.txt" in text  # Slurm writes %% as %, and %j as the number of the job
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    ran = subprocess.run(["bash", str(folder / "array.sh")], capture_output=True, text=True)
    assert ran.stdout == f"{folder}/definition.json {folder}/two.json\n"
    assert engine.preview([]) == "nothing is left to run\n"


def test_slurm_without_sbatch_names_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match="--dry-run"):
        find_engine(EngineOptions("slurm")).run(jobs(tmp_path, "one"), lambda job, why: None)


STATES = (
    "JobId=1 ArrayJobId=1 ArrayTaskId=4-5,7%2 JobState=PENDING Reason=JobArrayTaskLimit ExitCode=0:0\n"
    "JobId=4 ArrayJobId=1 ArrayTaskId=3 JobState=RUNNING Reason=None ExitCode=0:0\n"
    "JobId=3 ArrayJobId=1 ArrayTaskId=2 JobState=FAILED Reason=None ExitCode=0:9\n"
    "JobId=3 ArrayJobId=1 ArrayTaskId=1 JobState=FAILED Reason=NonZeroExitCode ExitCode=2:0\n"
    "JobId=2 ArrayJobId=1 ArrayTaskId=0 JobState=COMPLETED Reason=None ExitCode=0:0\n"
)
"""As Slurm 22.05 prints them, shortened."""


def test_states_of_an_array_are_read_and_a_killed_worker_is_lost() -> None:
    waiting = dict.fromkeys((4, 5, 7), "PENDING")
    assert parse_states(STATES) == {**waiting, 3: "RUNNING", 2: "NODE_FAIL", 1: "FAILED", 0: "COMPLETED"}
    assert parse_states("slurm_load_jobs error: Invalid job id specified") == {}


def test_a_list_of_tasks_is_asked_for_whole_and_its_steps_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scontrol").write_text(
        '#!/bin/sh\necho "JobId=7 ArrayTaskId=${SLURM_BITSTR_LEN:-15,1...}-12:4,20%2 JobState=PENDING"\n'
    )
    (tmp_path / "scontrol").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    # With the limit 0 there is none, and the list is 0-12:4,20.
    assert _states("7") == dict.fromkeys((0, 4, 8, 12, 20), "PENDING")
    # A list that was cut all the same does not end the driver.
    assert parse_states("JobId=7 ArrayTaskId=1,3-1... JobState=PENDING") == {1: "PENDING"}


SLURM = shutil.which("sbatch") is not None and subprocess.run(["sinfo"], capture_output=True).returncode == 0


@pytest.mark.skipif(not SLURM, reason="no Slurm answers here: its job arrays were not submitted")
def test_slurm_runs_an_array_and_says_how_each_worker_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "with space %j"
    folder.mkdir()
    code = "case $2 in *bad*) echo no key >&2; exit 2;; *lost*) kill -9 $$;; *) echo ran > $2.txt;; esac"
    command = lambda definition, selection, *options: ["/bin/sh", "-c", code, "sh", str(definition), str(selection)]  # noqa: E731
    monkeypatch.setattr("steelyard.engine.slurm.worker_command", command)
    monkeypatch.setattr("steelyard.engine.slurm.ASK_S", 0.2)
    [fine, bad, lost] = jobs(folder, "fine", "bad", "lost")
    again = replace(fine, key="again", selection=folder / "again.json")
    ends: dict[str, Problem | None] = {}

    def ended(job: Job, why: Problem | None) -> Job | None:
        ends[job.key] = why
        return again if why is not None and why.lost else None

    find_engine(EngineOptions("slurm", workers=2)).run([fine, bad, lost], ended)
    assert ends["fine"] is None and ends["again"] is None and ends["bad"] == Problem("no key")
    assert ends["lost"] == Problem("its worker was lost (node fail)", lost=True)
    assert {path.name for path in folder.glob("*.json.txt")} == {"fine.json.txt", "again.json.txt"}


@pytest.mark.skipif(not SLURM, reason="no Slurm answers here: its job arrays were not interrupted")
def test_an_interrupt_reaches_the_workers_of_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "trap 'touch $1.ended; exit 130' INT; touch $1.up; while :; do sleep 0.1; done"
    command = lambda definition, selection, *options: ["/bin/sh", "-c", code, "sh", str(selection)]  # noqa: E731
    monkeypatch.setattr("steelyard.engine.slurm.worker_command", command)
    up, over = tmp_path / "long.json.up", tmp_path / "long.json.ended"

    def interrupt(number: str) -> None:
        assert until(up.exists)
        raise KeyboardInterrupt

    monkeypatch.setattr("steelyard.engine.slurm._states", interrupt)
    with pytest.raises(KeyboardInterrupt):
        find_engine(EngineOptions("slurm")).run(jobs(tmp_path, "long"), lambda job, why: None)
    assert over.exists()


def test_a_stopped_job_gets_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker(monkeypatch, "import sys; sys.exit('steelyard: was started')")
    stop = tmp_path / "stop.json"
    stop.touch()
    [job] = jobs(tmp_path, "late")
    job, ends = replace(job, stop=stop), list[Problem | None]()
    Processes(1).run([job], lambda job, why: ends.append(why))
    assert ends == [None]
    script = find_engine(EngineOptions("slurm")).preview([job])
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "0")
    ran = subprocess.run(["bash", str(tmp_path / "array.sh")], capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stderr == "" and "has all of it" in script


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(InputError, match="no engine abacus"):
        find_engine(EngineOptions("abacus"))


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1:1", "at 127.0.0.1:1 cannot be reached: .*leave it out"),
        ("ray://127.0.0.1:1", "cannot be reached"),
        ("host:port", "is not the address of a Ray cluster"),
        ("", "is not the address of a Ray cluster"),
    ],
)
def test_a_ray_cluster_that_does_not_answer_is_one_line(address: str, reason: str) -> None:
    with pytest.raises(SteelyardError, match=reason):
        require_reachable(address)


def test_a_server_that_is_not_ray_is_one_line_at_once() -> None:
    server = Server()
    try:
        with pytest.raises(ToolchainError, match="what listens there is not Ray"):
            require_reachable(server.url.removeprefix("http://"))
    finally:
        server.close()


def test_the_address_of_a_ray_cluster_needs_that_engine() -> None:
    with pytest.raises(InputError, match="--engine ray"):
        Engines(engine="slurm", workers=2, ray_address="auto").chosen_engine()
