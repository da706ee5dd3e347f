"""Whole runs whose driver is killed, or which start in a hostile repository, with the key of a provider."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import psutil
import pytest

from steelyard.logs.read import read_logs
from tests.test_isolated import ran, repository
from tests.waiting import HANG_S, until
from tests.wire import Server, message, send

from .test_engines import SLURM
from .test_faults import question
from .test_interrupt import begin, pytestmark, server, words

__all__ = ["pytestmark", "repository", "server"]

KEY = "sk-ant-api03-7hQ2vXw9LmZk4RtY"
ENGINES = ["processes", "ray", pytest.param("slurm", marks=pytest.mark.skipif(not SLURM, reason="no Slurm answers"))]


def finish(logs: Path, engine: str) -> None:
    """Run the command to its end."""
    run = begin(*words(logs, engine))
    _, err = run.communicate(timeout=HANG_S)
    assert run.returncode == 0, err


@pytest.mark.parametrize("engine", ENGINES)
def test_workers_in_a_hostile_repository_run_nothing_of_it(
    repository: Path, server: Server, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.respond = lambda handler, body: send(handler, 200, message("ANSWER: A"))
    # As an installed program does, this one begins without the current folder on its path.
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.delenv("PYTHONPATH")
    finish(Path("logs"), engine)
    assert ran(repository) == ""
    assert len(server.requests) == 4


@pytest.mark.parametrize("at", [1, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_driver_that_is_killed_and_started_at_once_pays_for_no_finished_sample_again(
    server: Server, tmp_path: Path, engine: str, at: int
) -> None:
    logs = tmp_path / "logs"

    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if len(server.requests) == at:
            server.released.wait(HANG_S)  # until the driver is gone and another one has begun
        send(handler, 200, message("ANSWER: A"))

    server.respond = respond
    first = begin(*words(logs, engine))
    try:
        assert until(lambda: len(server.requests) == at or first.poll() is not None)
        first.kill()
        first.communicate()
        second = begin(*words(logs, engine))
        assert until(lambda: psutil.Process(second.pid).children() or second.poll() is not None)
    finally:
        server.released.set()
    _, err = second.communicate(timeout=HANG_S)
    assert second.returncode == 0, err
    asked = Counter(question(request["body"]) for request in server.requests)
    assert len(asked) == 4 and asked.total() <= 5, asked  # at most the sample in flight again
    [log] = read_logs([logs]).rows
    assert len(log.runs) == 4 and all(run.error is None for run in log.runs)
    assert len(list(logs.glob("*.eval"))) == 1


@pytest.fixture
def busy_slurm() -> Iterator[None]:
    """Every processor is taken, so that whatever is submitted waits."""
    words = ["sbatch", "--parsable", "--exclusive", "--export=NIL", "--output=/dev/null", "--wrap", "exec sleep 3600"]
    number = subprocess.run(words, capture_output=True, text=True, check=True, cwd="/").stdout.strip()
    yield
    subprocess.run(["scancel", number], check=False)


def _waiting() -> str:
    return subprocess.run(["squeue", "--noheader", "--states=PENDING"], capture_output=True, text=True).stdout


@pytest.mark.skipif(not SLURM, reason="no Slurm answers here: no driver found what it had submitted")
def test_a_driver_finds_the_jobs_that_wait_for_its_predecessor(
    server: Server, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server.respond = lambda handler, body: send(handler, 200, message("ANSWER: A"))
    logs = tmp_path / "logs"
    blocker = request.getfixturevalue("busy_slurm")
    assert blocker is None
    first = begin(*words(logs, "slurm"))
    assert until(lambda: "steelya" in _waiting() or first.poll() is not None)
    first.kill()
    first.communicate()
    second = begin(*words(logs, "slurm"))
    assert until(lambda: psutil.Process(second.pid).children() or second.poll() is not None)
    assert _waiting().count("steelya") == 1
    names = subprocess.run(["squeue", "--noheader", "--format=%A %j"], capture_output=True, text=True).stdout.split()
    subprocess.run(["scancel", names[names.index("wrap") - 1]], check=True)
    _, err = second.communicate(timeout=HANG_S)
    assert second.returncode == 0, err
    assert len(server.requests) == 4 and len(list(logs.glob("*.eval"))) == 1


def _kept() -> list[Path]:
    """Where the controller and the node keep what they know of jobs."""
    shown = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True).stdout.splitlines()
    names = ("StateSaveLocation", "SlurmdSpoolDir", "SlurmctldLogFile", "SlurmdLogFile")
    return [Path(line.partition("=")[2].strip()) for line in shown if line.startswith(names)]


def _holding(folder: Path) -> list[Path]:
    files = [folder] if folder.is_file() else folder.rglob("*")
    return [path for path in files if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.skipif(not SLURM or os.geteuid() != 0, reason="no Slurm answers here, or its state cannot be read")
def test_slurm_keeps_no_key(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs, seen = tmp_path / "logs", dict[str, Any]()
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if not seen:  # while the worker is at work
            shown = [
                ["scontrol", "show", "job", "--details"],
                ["squeue", "--format=%all"],
                ["ps", "axww", "-o", "args"],
            ]
            seen["shown"] = [subprocess.run(each, capture_output=True, text=True).stdout for each in shown]
            seen["state"] = [path for place in _kept() for path in _holding(place)]
            seen["logs"] = [(path.name, path.stat().st_mode & 0o777) for path in _holding(logs)]
        send(handler, 200, message("ANSWER: A"))

    server.respond = respond
    finish(logs, "slurm")
    assert "steelyard" in seen["shown"][0] and not any(KEY in text for text in seen["shown"])
    assert seen["state"] == [] and seen["logs"] == [("environment.json", 0o600)]
    assert _holding(logs) == [] and len(_kept()) == 4 and not any(map(_holding, _kept()))
    assert all(KEY in str(request["headers"]) for request in server.requests), server.requests[0]["headers"]
