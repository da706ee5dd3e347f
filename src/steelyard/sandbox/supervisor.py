"""The butler: process 1 of a sandbox, which runs commands and moves files for the host.

This file runs *inside*, with nothing but the standard library (`python -I -S supervisor.py`). It talks to the host over
its stdin and stdout in frames: 4 bytes of length, then JSON; bytes travel as base64. It is process 1 of its PID
namespace, shrugs signals off and is not dumpable, so the code it runs can neither kill nor read it. It is one thread
and one loop: a sandbox whose process limit is used up can still answer.

    {"id": 1, "do": "exec", "argv": [...], "input": b64, "cwd": "...", "env": {...}, "timeout_s": 5, "keep": bytes}
    {"id": 2, "do": "read", "path": "...", "keep": bytes}      {"id": 3, "do": "write", "path": "...", "data": b64}
    {"id": 4, "do": "kill", "target": 1}
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import errno
import json
import os
import selectors
import signal
import struct
import subprocess
import time
from typing import Any

PR_SET_DUMPABLE = 4
CHUNK = 65536
AFTER_EXIT_S = 0.2
"""How long output is still read after a command ended while a background child holds its pipes."""


class Running:
    """One command under way."""

    def __init__(self, ask: dict[str, Any], child: subprocess.Popen[bytes]) -> None:
        self.ask, self.child = ask, child
        self.kept = {"stdout": bytearray(), "stderr": bytearray()}
        self.open: set[str] = {"stdout", "stderr"}
        self.input = memoryview(base64.b64decode(ask.pop("input", "")))
        limit = ask.get("timeout_s")
        self.deadline = None if limit is None else time.monotonic() + limit
        self.ended: float | None = None
        self.timed_out = False


class Supervisor:
    """The loop."""

    def __init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        self.running: dict[int, Running] = {}
        self.inbox = bytearray()

    def serve(self) -> None:
        """Until the host closes the pipe."""
        os.set_blocking(0, False)
        os.set_blocking(1, True)
        self.selector.register(0, selectors.EVENT_READ, self.hear)
        alive = True
        while alive:
            for key, _ in self.selector.select(timeout=0.05 if self.running else None):
                alive = key.data() is not False and alive
            self.tend()

    def hear(self) -> bool:
        data = os.read(0, CHUNK)
        if not data:
            return False
        self.inbox += data
        while len(self.inbox) >= 4:
            (size,) = struct.unpack(">I", self.inbox[:4])
            if len(self.inbox) < 4 + size:
                break
            frame = bytes(self.inbox[4 : 4 + size])
            del self.inbox[: 4 + size]
            self.answer(json.loads(frame))
        return True

    def answer(self, ask: dict[str, Any]) -> None:
        try:
            reply = {"exec": self.start, "read": self.read, "write": self.write, "kill": self.kill}[ask["do"]](ask)
        except OSError as error:
            reply = {"error": errno.errorcode.get(error.errno or 0, "EIO"), "text": str(error)}
        except ValueError as error:  # a NUL in a path or argument
            reply = {"error": "EINVAL", "text": str(error)}
        if reply is not None:
            self.say(ask["id"], reply)

    def start(self, ask: dict[str, Any]) -> None:
        child = subprocess.Popen(
            ask["argv"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ask["cwd"],
            env={**os.environ, **ask["env"]},
            start_new_session=True,
        )
        one = self.running[ask["id"]] = Running(ask, child)
        for name in ("stdout", "stderr"):
            pipe = getattr(child, name)
            os.set_blocking(pipe.fileno(), False)
            self.selector.register(pipe, selectors.EVENT_READ, lambda one=one, name=name: self.drain(one, name))
        assert child.stdin is not None
        os.set_blocking(child.stdin.fileno(), False)
        self.selector.register(child.stdin, selectors.EVENT_WRITE, lambda one=one: self.feed(one))

    def feed(self, one: Running) -> None:
        pipe = one.child.stdin
        assert pipe is not None
        try:
            sent = os.write(pipe.fileno(), one.input[:CHUNK]) if one.input else 0
        except BlockingIOError:
            return
        except OSError:
            sent = len(one.input)  # nobody reads it any more
        one.input = one.input[sent:]
        if not one.input:
            self.selector.unregister(pipe)
            pipe.close()

    def drain(self, one: Running, name: str) -> None:
        pipe = getattr(one.child, name)
        try:
            data = os.read(pipe.fileno(), CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            kept = one.kept[name]
            kept += data
            excess = len(kept) - one.ask["keep"]
            if excess > 0:  # the end of a flood is what explains it
                del kept[:excess]
        else:
            self.shut(one, name)

    def shut(self, one: Running, name: str) -> None:
        pipe = getattr(one.child, name)
        if not pipe.closed:
            self.selector.unregister(pipe)
            pipe.close()
        one.open.discard(name)

    def tend(self) -> None:
        """Reap, enforce deadlines, report what has ended."""
        now = time.monotonic()
        for number, one in list(self.running.items()):
            if one.ended is None and one.child.poll() is not None:
                one.ended = now
            if one.ended is None and one.deadline is not None and now >= one.deadline:
                one.timed_out = True
                self.end(one)
            if one.ended is not None and (not one.open or now - one.ended > AFTER_EXIT_S):
                self.finish(number, one)
        self.reap()

    def reap(self) -> None:
        """Orphans become children of process 1; a command's own process is left to its `poll`."""
        ours = {one.child.pid for one in self.running.values()}
        while True:
            try:
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if found is None or found.si_pid in ours:
                return
            os.waitpid(found.si_pid, 0)

    def end(self, one: Running) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(one.child.pid, signal.SIGKILL)

    def finish(self, number: int, one: Running) -> None:
        for name in tuple(one.open):
            self.shut(one, name)
        pipe = one.child.stdin
        if pipe is not None and not pipe.closed:
            self.selector.unregister(pipe)
            pipe.close()
        del self.running[number]
        encoded = {name: base64.b64encode(kept).decode() for name, kept in one.kept.items()}
        self.say(number, {"returncode": one.child.returncode, "timed_out": one.timed_out, **encoded})

    def read(self, ask: dict[str, Any]) -> dict[str, Any]:
        with open(os.open(ask["path"], os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if os.fstat(file.fileno()).st_size > ask["keep"]:
                return {"error": "EFBIG", "text": "the file is larger than the limit"}
            data = file.read(ask["keep"] + 1)
        if len(data) > ask["keep"]:
            return {"error": "EFBIG", "text": "the file is larger than the limit"}
        return {"data": base64.b64encode(data).decode()}

    def write(self, ask: dict[str, Any]) -> dict[str, Any]:
        os.makedirs(os.path.dirname(ask["path"]) or "/", exist_ok=True)
        with open(ask["path"], "wb") as file:
            file.write(base64.b64decode(ask["data"]))
        return {}

    def kill(self, ask: dict[str, Any]) -> dict[str, Any]:
        one = self.running.get(ask["target"])
        if one is not None:
            self.end(one)
        return {}

    def say(self, number: int, reply: dict[str, Any]) -> None:
        frame = json.dumps({"id": number, **reply}).encode()
        data = memoryview(struct.pack(">I", len(frame)) + frame)
        while data:
            data = data[os.write(1, data) :]


def shrug(number: int, frame: object) -> None:
    """What process 1 does about a signal."""


def main() -> None:
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGPIPE):
        # A handler, not SIG_IGN: commands inherit what is ignored, and must die of SIGTERM like anywhere else.
        signal.signal(number, shrug)
    Supervisor().serve()


if __name__ == "__main__":
    main()
