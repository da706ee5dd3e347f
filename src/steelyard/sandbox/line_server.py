"""A program that answers every line with a line, started once for many questions.

A question that is not answered ends the program. A fork of this process leaves the program to its parent.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import psutil

from steelyard import process

TIMEOUT_S = 300.0
"""Seconds until a program that does not reply is given up, also one that has just started."""
_POLL_S = 0.1


class NoReply(Exception):
    """The program hung or ended without a reply."""


class LineServer:
    """One such program; `name` stands in errors."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name, self._owner, self._closed = name, os.getpid(), False
        self._thread = ThreadPoolExecutor(1)
        # Not in the caller's thread: a sandbox dies with the thread that started it.
        starting = self._thread.submit(process.start, command, env={}, errors=subprocess.DEVNULL)
        self._child = starting.result()
        atexit.register(self.close)

    @property
    def alive(self) -> bool:
        """Whether this process may ask it."""
        return not self._closed and self._owner == os.getpid()

    def reply(self, line: bytes, cpu_s: float = TIMEOUT_S) -> bytes:
        """The answer to a line, for at most `cpu_s` seconds of processor time; raises `NoReply` if there is none."""
        try:
            return self._reply(line, cpu_s)
        except BaseException:
            # A late reply would be read as the answer to the next question.
            self.close()
            raise

    def _reply(self, line: bytes, cpu_s: float) -> bytes:
        into, out = self._child.stdin, self._child.stdout
        assert into is not None and out is not None
        try:
            into.write(line + b"\n")
            into.flush()
        except OSError:
            raise NoReply(f"{self._name} ended") from None
        used, started, reply = self._cpu_s(), time.monotonic(), self._thread.submit(out.readline)
        while time.monotonic() - started < TIMEOUT_S:
            try:
                answer = reply.result(_POLL_S)
            except TimeoutError:
                # Processor time, because it does not depend on what else the machine is doing.
                if self._cpu_s() - used >= cpu_s:
                    raise NoReply(f"not finished after {cpu_s:g} s of processor time") from None
                continue
            if not answer.endswith(b"\n"):
                raise NoReply(f"{self._name} ended")
            return answer
        raise NoReply(f"no reply after {TIMEOUT_S:g} s")

    def _cpu_s(self) -> float:
        """Processor time used so far by the sandbox and everything in it, in seconds."""
        total = 0.0
        with contextlib.suppress(psutil.Error):
            sandbox = psutil.Process(self._child.pid)
            for member in (sandbox, *sandbox.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    total += sum(member.cpu_times()[:2])
        return total

    def close(self) -> None:
        """Kill the program."""
        if not self.alive:
            return
        self._closed = True
        atexit.unregister(self.close)
        process.kill_group(self._child)
        self._thread.shutdown()
        self._child.communicate()  # closes its pipes and waits for it
