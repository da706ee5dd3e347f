"""A program that answers every line with a line, and what ends it."""

from __future__ import annotations

import os
import sys

import psutil
import pytest

from steelyard.errors import ToolchainError
from steelyard.sandbox import line_server
from steelyard.sandbox.line_server import LineServer, NoReply

SHELL = ["/bin/sh", "-c"]


def test_every_line_has_its_answer() -> None:
    server = LineServer("the echo", ["/bin/cat"])
    assert [server.reply(line) for line in (b"one", b"two", b"x" * 100_000)] == [
        b"one\n",
        b"two\n",
        b"x" * 100_000 + b"\n",
    ]
    assert server.alive
    server.close()
    assert not server.alive
    server.close()  # twice does no harm


@pytest.mark.parametrize("script", ["exit", "read line; printf half"])
def test_a_program_that_ends_without_a_whole_line_gives_no_reply(script: str) -> None:
    server = LineServer("the echo", [*SHELL, script])
    with pytest.raises(NoReply, match="the echo ended"):
        server.reply(b"one")
    assert not server.alive


def test_processor_time_is_counted_with_that_of_children_and_nothing_is_left() -> None:
    busy = f"read line; {sys.executable} -c 'while True: pass' & wait"
    server = LineServer("the loop", [*SHELL, busy])
    child = psutil.Process(server._child.pid)
    with pytest.raises(NoReply, match=r"not finished after 0\.2 s of processor time"):
        server.reply(b"one", cpu_s=0.2)
    assert not server.alive and not child.is_running()


def test_a_program_that_waits_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_server, "TIMEOUT_S", 0.2)
    server = LineServer("the sleeper", [*SHELL, "sleep 1000"])
    with pytest.raises(NoReply, match=r"no reply after 0\.2 s"):
        server.reply(b"one")


def test_a_program_that_cannot_be_started_is_named() -> None:
    with pytest.raises(ToolchainError, match="/nonexistent"):
        LineServer("the echo", ["/nonexistent"])


def test_a_fork_leaves_the_program_to_its_parent() -> None:
    server = LineServer("the echo", ["/bin/cat"])
    child = os.fork()
    if child == 0:
        server.close()
        os._exit(1 if server.alive else 0)
    assert os.waitpid(child, 0)[1] == 0
    assert server.reply(b"still here") == b"still here\n"
    server.close()
