"""Whole runs on engines that a full disk or the time limit of a scheduler stops; with real workers."""

from __future__ import annotations

import random
import socket
import subprocess
from base64 import b64encode
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from steelyard.engine import find_engine
from steelyard.engine.protocol import EngineOptions, Job, Problem
from steelyard.logs.read import read_logs
from tests.waiting import HANG_S
from tests.wire import Server, message, send

from .test_engines import SLURM, jobs
from .test_interrupt import begin, pytestmark, server, status, words

__all__ = ["pytestmark", "server"]


def resized(folder: Path, size: str, *more: str) -> bool:
    """Mount a file system in memory there, or change its size."""
    command = ["mount", "-t", "tmpfs", "-o", ",".join([*more, f"size={size}"]), "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    if not resized(folder, "2m"):
        pytest.skip("no file system can be mounted here: no disk was filled")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def question(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


LONG = b64encode(random.Random(1).randbytes(3_000_000)).decode() + "\nANSWER: A"
CURE = "(free disk space, then run the same command again: finished samples are kept)"


def fill_at_the_third(server: Server) -> None:
    """Answer the third question, and those after it, with more than a small disk holds."""

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        asked = list(dict.fromkeys(question(request["body"]) for request in server.requests))
        send(handler, 200, message(LONG if len(asked) >= 3 else "ANSWER: A"))

    server.respond = answer


def assert_whole(logs: Path, server: Server) -> None:
    """Every sample is there, and what was finished before the disk was full was asked once."""
    [log] = read_logs([logs]).rows
    assert len(log.runs) == 4 and all(run.error is None for run in log.runs)
    asked = Counter(question(request["body"]) for request in server.requests)
    assert len(asked) == 4 and list(asked.values())[:2] == [1, 1]


@pytest.mark.parametrize("place", ["logs", "TMPDIR"])
def test_a_disk_that_fills_up_is_named_and_nothing_is_lost(
    server: Server, tmp_path: Path, small_disk: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = (small_disk if place == "logs" else tmp_path) / "logs"
    if place == "TMPDIR":
        monkeypatch.setenv("TMPDIR", str(small_disk))
    fill_at_the_third(server)
    run = begin(*words(logs, "processes"))
    _, err = run.communicate(timeout=HANG_S)
    assert run.returncode not in (0, 130), err
    [line] = [line for line in err.splitlines() if "disk is full" in line]
    assert f"the disk is full: {logs if place == 'logs' else small_disk} {CURE}" in line
    assert "Traceback" not in err
    assert resized(small_disk, "200m", "remount")
    run = begin(*words(logs, "processes"))
    _, err = run.communicate(timeout=HANG_S)
    assert run.returncode == 0, err
    assert_whole(logs, server)


@contextmanager
def two_nodes(small: Path, *, both: bool) -> Generator[str]:
    """The address of a Ray cluster of two nodes; the disk for temporary files of the first, or of both, is small."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for scratch in (small, small if both else small.parent):
            # With processors to spare, Ray places the first worker where the run was started: on the first node.
            cluster.add_node(num_cpus=4, include_dashboard=False, env_vars={"TMPDIR": str(scratch)})
        yield str(cluster.address)
    finally:
        cluster.shutdown()


def on_ray(logs: Path, address: str) -> tuple[int, str]:
    """The exit code of a run on that cluster, and its messages."""
    run = begin(*words(logs, "ray"), "--ray-address", address)
    _, err = run.communicate(timeout=HANG_S)
    return run.returncode, err


def test_a_task_that_fills_the_disk_of_one_node_is_taken_over_by_another(
    server: Server, tmp_path: Path, small_disk: Path
) -> None:
    logs = tmp_path / "logs"
    fill_at_the_third(server)
    with two_nodes(small_disk, both=False) as address:
        code, err = on_ray(logs, address)
    assert code == 0 and "tasks on ray, attempt 2" in err, err
    assert_whole(logs, server)


def test_a_full_disk_on_every_node_is_named_and_nothing_is_lost(
    server: Server, tmp_path: Path, small_disk: Path
) -> None:
    logs = tmp_path / "logs"
    fill_at_the_third(server)
    with two_nodes(small_disk, both=True) as address:
        code, err = on_ray(logs, address)
        assert code == 2, err
        [line] = [line for line in err.splitlines() if "disk is full" in line]
        assert f"on {socket.gethostname()}, the disk is full: {small_disk} {CURE}" in line
        assert "Traceback" not in err
        assert resized(small_disk, "200m", "remount")
        code, err = on_ray(logs, address)
    assert code == 0, err
    assert_whole(logs, server)


@pytest.mark.skipif(not SLURM, reason="no Slurm answers here: no worker ran out of time")
def test_a_worker_that_slurm_kills_at_its_time_limit_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "trap '' INT TERM; [ -e $1.up ] && exit 0; touch $1.up; while :; do sleep 1; done"
    command = lambda definition, selection, *options: ["/bin/sh", "-c", code, "sh", str(selection)]  # noqa: E731
    monkeypatch.setattr("steelyard.engine.slurm.worker_command", command)
    monkeypatch.setattr("steelyard.engine.slurm.GRACE_S", 1)
    monkeypatch.setenv("SBATCH_TIMELIMIT", "1")
    ends: list[Problem | None] = []

    def ended(job: Job, why: Problem | None) -> Job | None:
        ends.append(why)
        return job if why is not None and why.lost else None

    find_engine(EngineOptions("slurm")).run(jobs(tmp_path, "long"), ended)
    assert ends == [Problem("its worker was lost (timeout)", lost=True), None]


@pytest.mark.skipif(not SLURM, reason="no Slurm answers here: no run was stopped by its time limit")
def test_a_run_goes_on_after_the_time_limit_of_its_worker(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    monkeypatch.setenv("SBATCH_TIMELIMIT", "2")
    held: list[str] = []

    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if len(server.requests) >= 3 and not held:
            held.append(question(body))
            server.released.wait(HANG_S)  # until its time is up
        send(handler, 200, message("ANSWER: A"))

    server.respond = respond
    run = begin(*words(logs, "slurm"))
    try:
        _, err = run.communicate(timeout=HANG_S)
    finally:
        server.released.set()
    assert run.returncode == 0, err
    [log] = read_logs([logs]).rows
    assert len(log.runs) == 4 and all(run.error is None for run in log.runs)
    asked = Counter(question(request["body"]) for request in server.requests)
    assert len(asked) == 4 and asked.total() > 4 and asked[held[0]] > 1  # in flight when the time was up
    assert (status(logs)["done"], status(logs)["active"]) == (4, False)
