"""Budgets on engines: the driver reads what the workers' logs cost and stops the run, and a larger budget continues."""

from __future__ import annotations

import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from steelyard import api
from steelyard.bench.run.plan import Done
from steelyard.engine.drive import FOLDER
from steelyard.engine.protocol import Job
from steelyard.engine.stop import FILE
from steelyard.logs.read import read_logs
from tests.engine.here import HereEngine
from tests.waiting import until
from tests.wire import Server, message, send

CALL_USD = 942e-6
"""30 + 900 + 12 tokens (tests/wire.py) at one dollar per million."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("steelyard.engine.stop.LOOK_S", 0.01)
    monkeypatch.setattr("steelyard.engine.stop.ASK_S", 0.0)
    server = Server()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    yield server
    server.close()


def bench(folder: Path, budget: float, models: int = 1, limit: int = 2) -> Done:
    prices = folder / "prices.yaml"
    # Inspect keeps a model with its address, and every test has a server of its own.
    port = os.environ["ANTHROPIC_BASE_URL"].rpartition(":")[2]
    names = [f"anthropic/waiting-{port}-{number}" for number in range(models)]
    prices.write_text("".join(f"{name}: {{input: 1, output: 1}}\n" for name in names))
    return api.bench(
        names,
        folder / "logs",
        categories=["practice_exam"],
        limit=limit,
        max_connections=1,
        budget_usd=budget,
        prices=prices,
        model_args={"streaming": False},
        generate_config={"max_tokens": 500},
        engine="processes",  # which `use` replaces
    )


def use(monkeypatch: pytest.MonkeyPatch, engine: HereEngine) -> HereEngine:
    monkeypatch.setattr("steelyard.engine.find_engine", lambda options: engine)
    return engine


def test_no_task_is_handed_out_once_the_logs_show_that_the_budget_is_spent(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = "the budget of $0.0015 is spent; run again with a larger one to continue"

    def stopped(job: Job) -> None:
        assert job.stop is not None and until(job.stop.exists)  # the driver has read the first log

    engine = use(monkeypatch, HereEngine(stopped))
    done = bench(tmp_path, 0.0015, models=3)
    assert done.problems == (spent,) and len(engine.titles) == 1
    assert len(server.requests) == 2
    assert len(read_logs([tmp_path / "logs"]).rows) == 1

    engine = use(monkeypatch, HereEngine())
    assert bench(tmp_path, 1.0, models=3).problems == ()
    assert len(engine.titles) == 2 and len(server.requests) == 6  # what was there is not paid again
    assert not (tmp_path / "logs" / FOLDER / FILE).exists()


def test_a_worker_starts_no_sample_of_its_task_after_that(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = tmp_path / "logs" / FOLDER / FILE

    def respond(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        assert len(server.requests) != 6 or until(stop.exists)  # a sixth call is in flight when the run stops
        send(handler, 200, message("ANSWER: A"))

    server.respond = respond
    use(monkeypatch, HereEngine())
    # Four calls of the first task and one of the second are more than this, which no worker sees in its own task.
    done = bench(tmp_path, 4.5 * CALL_USD, models=2, limit=4)
    asked = len(server.requests)
    assert len(done.problems) == 1 and "is spent" in done.problems[0] and asked in (5, 6)
    errors = [run.error for log in read_logs([tmp_path / "logs"]).rows for run in log.runs if run.error is not None]
    assert len(errors) == 8 - asked and all("by all workers" in error for error in errors)

    server.respond = lambda handler, _: send(handler, 200, message("ANSWER: A"))
    assert bench(tmp_path, 1.0, models=2, limit=4).problems == ()
    assert len(server.requests) == 8
    assert all(run.error is None for log in read_logs([tmp_path / "logs"]).rows for run in log.runs)


def test_a_budget_counts_what_this_start_spends(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, HereEngine())
    assert bench(tmp_path, 1.0, limit=2).problems == ()
    # Two calls are paid. One more costs less than this budget, all three cost more.
    assert bench(tmp_path, 2 * CALL_USD, limit=3).problems == ()
    assert len(server.requests) == 3
