"""The host's end of a sandbox whose supervisor is broken: nobody waits for ever."""

from __future__ import annotations

import sys

import pytest

from steelyard.errors import SandboxError
from steelyard.sandbox import host
from steelyard.sandbox.jail import Jail
from steelyard.sandbox.limits import Limits
from tests.waiting import HANG_S

SUPERVISOR = """\
import json, struct, sys

def receive():
    (size,) = struct.unpack(">I", sys.stdin.buffer.read(4))
    return json.loads(sys.stdin.buffer.read(size))

def send(frame):
    sys.stdout.buffer.write(struct.pack(">I", len(frame)) + frame)
    sys.stdout.buffer.flush()

send(json.dumps({"id": receive()["id"], "returncode": 0}).encode())
receive()
send(eval(sys.argv[1]))
sys.stdin.buffer.read()
"""
"""Answers the first request, and every later one with the bytes of its argument."""


@pytest.mark.parametrize("frame", ["b'no JSON'", "b'\\xff'", "b'[1]'", "b'{}'", "b'{\"id\": [1]}'", "b'[' * 100_000"])
def test_what_is_no_reply_ends_every_wait(frame: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "argv", lambda jail, command: [sys.executable, "-I", "-c", SUPERVISOR, frame])
    sandbox = host.Host(Jail(limits=Limits(memory_mb=None)))
    try:
        with pytest.raises(SandboxError, match="the sandbox is gone"):
            sandbox.ask(do="exec").result(HANG_S)
        with pytest.raises(SandboxError, match="the sandbox is gone"):
            sandbox.ask(do="exec")
    finally:
        sandbox.close()
