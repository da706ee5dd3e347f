"""Progress: what runs, how far it is, how long the rest takes, and how often calls were repeated."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import rich.console
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.solver import generate
from tenacity import wait_none

from steelyard.cli import progress
from steelyard.cli.progress import LINE_EVERY_S, Bars
from steelyard.logs.evaluate import evaluate, retries
from tests.wire import Server, message, send


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    printed = capsys.readouterr()
    assert printed.out == ""  # stdout belongs to the result
    return printed.err.splitlines()


def test_a_step_is_announced_measured_and_ended(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    with Bars(clock=lambda: now[0]) as bars:
        bars.tell("model · exam", 0, 50)
        assert lines(capsys) == ["running model · exam"]
        now[0] = LINE_EVERY_S - 1
        bars.tell("model · exam", 9, 50)
        assert lines(capsys) == []
        now[0] = LINE_EVERY_S
        bars.tell("model · exam", 10, 50)  # 10 of 50 in 10 s: 40 more take 40 s
        assert lines(capsys) == ["model · exam: 10 of 50, about 40 s left"]
        now[0] = 42.0
        bars.tell("model · exam", 50, 50)
        bars.tell("model · exam", 50, 50)
        assert lines(capsys) == ["model · exam: 50 of 50 in 42 s"]


def test_without_a_total_only_the_count_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    with Bars(clock=lambda: now[0]) as bars:
        bars.tell("checks", 0)
        now[0] = LINE_EVERY_S
        bars.tell("checks", 3)
    assert lines(capsys) == ["running checks", "checks: 3"]


def test_while_nothing_has_ended_nothing_is_promised(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    with Bars(clock=lambda: now[0]) as bars:
        bars.tell("slow", 0, 5)
        now[0] = LINE_EVERY_S
        bars.tell("slow", 0, 5)
    assert lines(capsys) == ["running slow", "slow: 0 of 5"]


def test_repeated_calls_are_visible(capsys: pytest.CaptureFixture[str]) -> None:
    now, repeated = [0.0], [0]
    with Bars(clock=lambda: now[0], retries=lambda: repeated[0]) as bars:
        bars.tell("model · exam", 0, 50)
        now[0], repeated[0] = LINE_EVERY_S, 3
        bars.tell("model · exam", 10, 50)
    assert lines(capsys)[-1] == "model · exam: 10 of 50, about 40 s left, 3 retries"


def test_each_step_counts_its_own_repeated_calls(capsys: pytest.CaptureFixture[str]) -> None:
    now, repeated = [0.0], [0]
    with Bars(clock=lambda: now[0], retries=lambda: repeated[0]) as bars:
        bars.tell("exam", 0, 1)
        repeated[0] = 1
        bars.tell("exam", 1, 1)
        bars.tell("design", 0, 1)
        repeated[0] = 3
        bars.tell("design", 1, 1)
    assert lines(capsys)[1::2] == ["exam: 1 of 1 in 0 s, 1 retry", "design: 1 of 1 in 0 s, 2 retries"]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What is drawn on a terminal, 100 columns wide, without its control sequences."""
    written = io.StringIO()
    monkeypatch.setattr(progress, "bars", lambda: True)
    monkeypatch.setattr(
        rich.console, "Console", partial(rich.console.Console, file=written, width=100, force_terminal=True)
    )
    yield written


def test_a_bar_shows_repeated_calls_while_nothing_ends(terminal: io.StringIO) -> None:
    repeated = [0]
    with Bars(retries=lambda: repeated[0]) as bars:
        bars.tell("model · exam", 0, 12)
        repeated[0] = 2  # no further report: the calls wait for their next attempt
    assert "0/12, 2 retries" in terminal.getvalue()


def test_ctrl_c_leaves_the_bar_at_what_is_done(terminal: io.StringIO) -> None:
    with pytest.raises(KeyboardInterrupt), Bars() as bars:
        bars.tell("model · exam", 6, 12)
        raise KeyboardInterrupt
    assert "6/12" in terminal.getvalue() and "12/12" not in terminal.getvalue()


def test_calls_that_a_provider_refuses_are_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The real SDK against a server that answers 429, then 500, then well."""
    server = Server()
    refusals = [429, 500]
    error = b'{"type": "error", "error": {"type": "api_error", "message": "later"}}'
    server.respond = lambda handler, _: (
        send(handler, refusals.pop(0), error) if refusals else send(handler, 200, message("Yes."))
    )
    monkeypatch.setattr("inspect_ai.model._retry.wait_exponential_jitter", lambda **_: wait_none())  # seconds otherwise
    model = get_model(
        "anthropic/claude-sonnet-5-5", base_url=server.url, api_key="none", streaming=False, memoize=False
    )
    with Bars(clock=lambda: 0.0, retries=retries) as bars:
        bars.tell("model · exam", 0, 1)
        task = Task(dataset=[Sample("Ready?")], solver=generate(), config=GenerateConfig(max_tokens=10))
        [log] = evaluate(task, model=model, log_dir=str(tmp_path))
        bars.tell("model · exam", 1, 1)
    server.close()
    assert log.status == "success" and len(server.requests) == 3
    assert lines(capsys)[-1] == "model · exam: 1 of 1 in 0 s, 2 retries"
