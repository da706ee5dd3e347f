"""The supervisor: process 1 of a sandbox, which runs commands and copies files for the host.

This file runs *inside*, with nothing but the standard library (`python -I -S supervisor.py`). It talks to the host over
its stdin and stdout in frames: 4 bytes of length, then JSON; bytes travel as base64. It is process 1 of its PID
namespace, ignores signals and is not dumpable, so the code it runs can neither kill nor read it. It is a single thread
with a single loop, so it still answers when the sandbox has used up its process limit.

    {"id": 1, "do": "exec", "argv": [...], "input": b64, "cwd": "...", "env": {...}, "timeout_s": 5, "keep": bytes,
     "first": false}
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
import sys
import time
from functools import partial
from typing import Any

PR_SET_DUMPABLE = 4
CHUNK = 65536
AFTER_EXIT_S = 0.2
"""Seconds that output is still read after a command has ended while a background child holds its pipes."""


class Running:
    """A running command."""

    def __init__(self, request: dict[str, Any], child: subprocess.Popen[bytes]) -> None:
        self.request, self.child = request, child
        self.kept = {"stdout": bytearray(), "stderr": bytearray()}
        self.open: set[str] = {"stdout", "stderr"}
        self.input = memoryview(base64.b64decode(request.pop("input", "")))
        limit = request.get("timeout_s")
        self.deadline = None if limit is None else time.monotonic() + limit
        self.ended: float | None = None
        self.timed_out = False


class Supervisor:
    """Reads requests from the host, runs them, and reports the results."""

    def __init__(self, entrance: int | None) -> None:
        self.entrance = entrance
        """The descriptor by which commands enter a memory control group, if there is one."""
        self.selector = selectors.DefaultSelector()
        self.running: dict[int, Running] = {}
        self.inbox = bytearray()

    def serve(self) -> None:
        """Handle requests until the host closes the pipe."""
        os.set_blocking(0, False)
        os.set_blocking(1, True)
        self.selector.register(0, selectors.EVENT_READ, self.receive)
        alive = True
        while alive:
            # The end of a process does not wake the selector, so it must look again soon while commands run.
            for key, _ in self.selector.select(timeout=0.05 if self.running else None):
                # Only `receive` returns False: the host has closed the pipe.
                alive = key.data() is not False and alive
            self.update()

    def receive(self) -> bool:
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

    def answer(self, request: dict[str, Any]) -> None:
        try:
            handle = {"exec": self.start, "read": self.read, "write": self.write, "kill": self.kill}[request["do"]]
            reply = handle(request)
        except OSError as error:
            reply = {"error": errno.errorcode.get(error.errno or 0, "EIO"), "text": str(error)}
        except ValueError as error:  # a NUL in a path or argument
            reply = {"error": "EINVAL", "text": str(error)}
        if reply is not None:
            self.send(request["id"], reply)

    def start(self, request: dict[str, Any]) -> None:
        child = subprocess.Popen(
            request["argv"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=request["cwd"],
            env=environment(request["env"]),
            # A group of its own, which `end` kills as a whole.
            start_new_session=True,
            # preexec_fn is dangerous only beside other threads, and there are none.
            preexec_fn=self.enter_group,
        )
        command = self.running[request["id"]] = Running(request, child)
        for name in ("stdout", "stderr"):
            pipe = getattr(child, name)
            os.set_blocking(pipe.fileno(), False)
            drain = partial(self.drain, command, name)
            self.selector.register(pipe, selectors.EVENT_READ, drain)
        assert child.stdin is not None
        os.set_blocking(child.stdin.fileno(), False)
        self.selector.register(child.stdin, selectors.EVENT_WRITE, partial(self.feed, command))

    def enter_group(self) -> None:
        """Called in the process of a command before it starts; descriptors are closed after that."""
        if self.entrance is not None:
            os.write(self.entrance, b"0")

    def feed(self, command: Running) -> None:
        pipe = command.child.stdin
        assert pipe is not None
        try:
            sent = os.write(pipe.fileno(), command.input[:CHUNK]) if command.input else 0
        except BlockingIOError:
            return
        except OSError:
            sent = len(command.input)  # the command no longer reads its input
        command.input = command.input[sent:]
        if not command.input:
            self.selector.unregister(pipe)
            pipe.close()

    def drain(self, command: Running, name: str) -> None:
        pipe = getattr(command.child, name)
        try:
            data = os.read(pipe.fileno(), CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            kept = command.kept[name]
            kept += data
            excess = len(kept) - command.request["keep"]
            if excess > 0 and command.request.get("first"):
                del kept[-excess:]
            elif excess > 0:  # keep the end: it usually explains the failure
                del kept[:excess]
        else:
            self.shut(command, name)

    def shut(self, command: Running, name: str) -> None:
        pipe = getattr(command.child, name)
        if not pipe.closed:
            self.selector.unregister(pipe)
            pipe.close()
        command.open.discard(name)

    def update(self) -> None:
        """Reap processes, enforce time limits, and report the commands that have ended."""
        now = time.monotonic()
        for number, command in list(self.running.items()):
            if command.ended is None and command.child.poll() is not None:
                command.ended = now
            if command.ended is None and command.deadline is not None and now >= command.deadline:
                command.timed_out = True
                self.end(command)
            if command.ended is not None and (not command.open or now - command.ended > AFTER_EXIT_S):
                self.finish(number, command)
        self.reap()

    def reap(self) -> None:
        """Orphans become children of process 1; a command's own process is left to its `poll`."""
        ours = {command.child.pid for command in self.running.values()}
        while True:
            try:
                # WNOWAIT leaves the process in place, because a command's exit code belongs to its `poll`.
                orphan = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if orphan is None or orphan.si_pid in ours:
                return
            os.waitpid(orphan.si_pid, 0)

    def end(self, command: Running) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(command.child.pid, signal.SIGKILL)

    def finish(self, number: int, command: Running) -> None:
        for name in tuple(command.open):
            self.shut(command, name)
        pipe = command.child.stdin
        if pipe is not None and not pipe.closed:
            self.selector.unregister(pipe)
            pipe.close()
        del self.running[number]
        encoded = {name: base64.b64encode(kept).decode() for name, kept in command.kept.items()}
        self.send(number, {"returncode": command.child.returncode, "timed_out": command.timed_out, **encoded})

    def read(self, request: dict[str, Any]) -> dict[str, Any]:
        # O_NONBLOCK: opening a pipe that nobody writes to would hang the only thread.
        with open(os.open(request["path"], os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if os.fstat(file.fileno()).st_size > request["keep"]:
                return {"error": "EFBIG", "text": "the file is larger than the limit"}
            data = file.read(request["keep"] + 1)
        # Files in /proc report a size of 0.
        if len(data) > request["keep"]:
            return {"error": "EFBIG", "text": "the file is larger than the limit"}
        return {"data": base64.b64encode(data).decode()}

    def write(self, request: dict[str, Any]) -> dict[str, Any]:
        os.makedirs(os.path.dirname(request["path"]) or "/", exist_ok=True)
        with open(request["path"], "wb") as file:
            file.write(base64.b64decode(request["data"]))
        return {}

    def kill(self, request: dict[str, Any]) -> dict[str, Any]:
        command = self.running.get(request["target"])
        if command is not None:
            self.end(command)
        return {}

    def send(self, number: int, reply: dict[str, Any]) -> None:
        frame = json.dumps({"id": number, **reply}).encode()
        data = memoryview(struct.pack(">I", len(frame)) + frame)
        while data:
            data = data[os.write(1, data) :]


def ignore(number: int, frame: object) -> None:
    """Handle a signal by doing nothing."""


def environment(asked: dict[str, str]) -> dict[str, str]:
    """The sandbox's own variables and those of a request; the programs of a virtual environment come first."""
    variables = {**os.environ, **asked}
    home = variables.get("VIRTUAL_ENV")
    if home and "PATH" in asked:
        variables["PATH"] = f"{home}/bin:{asked['PATH']}"
    return variables


def main() -> None:
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGPIPE):
        # A handler, not SIG_IGN: commands would inherit SIG_IGN, and SIGTERM must end them as usual.
        signal.signal(number, ignore)
    Supervisor(int(sys.argv[1]) if sys.argv[1:] else None).serve()


if __name__ == "__main__":
    main()
