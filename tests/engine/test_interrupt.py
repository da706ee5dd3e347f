"""Whole runs on engines that are interrupted; with real workers, which take seconds to start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from steelyard.logs.read import read_logs
from tests.waiting import HANG_S, gone, until
from tests.wire import Server, message, send

pytestmark = [
    pytest.mark.engines,
    pytest.mark.skipif("STEELYARD_ENGINES" not in os.environ, reason="whole runs on engines: `make engines`"),
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    yield server
    server.close()


def words(logs: Path, engine: str) -> list[str]:
    options = ["--category", "practice_exam", "--limit", "4", "--max-connections", "1", "--images", "no"]
    options += ["-M", "streaming=false", "-G", "max_tokens=500", "--engine", engine, "--workers", "1"]
    return ["bench", "run", "--model", "anthropic/waiting", "--log-dir", str(logs), *options]


def begin(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "steelyard", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A suite started in the background ignores Ctrl-C, and its children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def status(logs: Path) -> dict[str, Any]:
    return json.loads(CliRunner().invoke(main, ["status", str(logs), "--json", "--no-index"]).stdout)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("engine", ["processes", "ray"])
def test_an_interrupt_in_a_sample_ends_the_workers_and_the_same_command_continues(
    server: Server, tmp_path: Path, engine: str, sent: signal.Signals
) -> None:
    logs = tmp_path / "logs"

    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if len(server.requests) == 3:
            server.released.wait(HANG_S)  # the third sample waits for its answer until the run is interrupted
        send(handler, 200, message("ANSWER: A"))

    server.respond = respond
    run, watch = begin(*words(logs, engine)), None
    try:
        assert until(lambda: len(server.requests) == 3 or run.poll() is not None)
        assert run.poll() is None, run.stderr and run.stderr.read()
        watch = begin("status", str(logs), "--watch", "--json", "--interval", "0.2")
        seen = status(logs)
        assert (seen["active"], seen["done"], seen["running"]) == (True, 2, 2)
        children = [child.pid for child in psutil.Process(run.pid).children(recursive=True)]
        run.send_signal(sent)
        _, err = run.communicate(timeout=HANG_S)
        watch.communicate(timeout=HANG_S)
    finally:
        server.released.set()
        for process in (run, watch):
            if process is not None and process.poll() is None:
                process.kill()
                process.communicate()
    assert run.returncode == 130 and watch is not None and watch.returncode == 0
    assert err.splitlines()[-1] == "steelyard: interrupted; run the same command again to continue"
    assert children and gone(children)
    assert (status(logs)["done"], status(logs)["active"]) == (2, False)
    [log] = read_logs([logs]).rows
    assert log.status == "cancelled"  # and not "started": the worker had the time to write it
    again = begin(*words(logs, engine))
    _, err = again.communicate(timeout=HANG_S)
    assert again.returncode == 0, err
    assert len(server.requests) == 5  # four samples, and the one that was in flight again
    [log] = read_logs([logs]).rows
    assert len(log.runs) == 4 and all(run.error is None for run in log.runs)


def test_a_worker_that_is_told_to_end_writes_its_log_and_another_goes_on(server: Server, tmp_path: Path) -> None:
    logs = tmp_path / "logs"

    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if len(server.requests) == 3:
            server.released.wait(HANG_S)
        send(handler, 200, message("ANSWER: A"))

    server.respond = respond
    run = begin(*words(logs, "processes"))
    try:
        assert until(lambda: len(server.requests) == 3 or run.poll() is not None)
        [worker] = [child for child in psutil.Process(run.pid).children() if "steelyard.worker" in child.cmdline()]
        worker.terminate()
        _, err = run.communicate(timeout=HANG_S)
    finally:
        server.released.set()
        run.kill()
    assert run.returncode == 0, err
    assert len(server.requests) == 5  # four samples, and the one that was in flight again
    [log] = read_logs([logs]).rows  # the log of the first worker was written: the second one took over its samples
    assert len(log.runs) == 4 and all(run.error is None for run in log.runs)
