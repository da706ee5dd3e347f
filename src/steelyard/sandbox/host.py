"""The host's end of a sandbox: starts it, sends requests to the supervisor inside, and removes everything.

A thread reads the replies and resolves the future of each request, so several commands may run at once and any event
loop can wait for them. When the sandbox is gone, every open future fails with a `SandboxError`.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import struct
import subprocess
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, cast

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.process import isolated
from steelyard.sandbox import cgroup, container
from steelyard.sandbox.jail import Jail, argv

_SUPERVISOR = "/run/steelyard/supervisor.py"
_REPLY_LIMIT = 400_000_000
"""Size in bytes of the largest frame accepted from inside: twice a file of 100 MB in base64 fits."""
START_TIMEOUT_S = 300.0
END_TIMEOUT_S = 30.0


class Host:
    """A running sandbox."""

    def __init__(self, jail: Jail) -> None:
        source = Path(__file__).with_name("supervisor.py")
        supervised = replace(jail, pid1=True, python=True, read_only=(*jail.read_only, (source, _SUPERVISOR)))
        self.jail = jail
        """What the sandbox contains and allows."""
        self.python = jail.interpreter
        """The Python inside."""
        self._group = _group(jail)
        self._child = self._start(supervised)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._gone = False
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        # Make sure that the supervisor answers: a sandbox that cannot start fails here, not in its first command.
        self.ask(do="exec", argv=["/bin/true"], cwd="/", env={}, keep=1000).result(START_TIMEOUT_S)

    def _start(self, jail: Jail) -> subprocess.Popen[bytes]:
        """Start the supervisor. The commands enter the control group, not the supervisor itself: the kernel must not
        end it when files or processes of the sandbox have used up its memory."""
        command = [jail.interpreter, "-I", "-S", _SUPERVISOR]
        if jail.image is not None:
            return process.start(container.argv(jail, command), env=isolated.environment("DOCKER_"))
        with _entrance(self._group) as handles:
            return process.start(argv(jail, [*command, *map(str, handles)]), env={}, pass_fds=handles)

    def make_room(self) -> None:
        """Lift the limit of memory, so that what was left behind can be taken although it fills the memory."""
        if self._group is not None:
            self._group.lift()

    def ask(self, **request: Any) -> Future[dict[str, Any]]:
        """Send one request; the reply arrives in the future, whose `number` attribute names it for `kill`."""
        reply: Future[dict[str, Any]] = Future()
        with self._lock:
            number = next(self._numbers)
            reply.number = number  # type: ignore[attr-defined]
            if self._gone:
                raise SandboxError(self._failure())
            # Registered before sending, because the reply may arrive before `write` returns.
            self._waiting[number] = reply
            frame = json.dumps({"id": number, **request}).encode()
            try:
                assert self._child.stdin is not None
                self._child.stdin.write(struct.pack(">I", len(frame)) + frame)
                self._child.stdin.flush()
            except OSError as error:
                self._waiting.pop(number, None)
                raise SandboxError(self._failure()) from error
        return reply

    def kill(self, reply: Future[dict[str, Any]]) -> None:
        """End the command behind a future, if it still runs."""
        if not reply.done() and not self._gone:
            self.ask(do="kill", target=reply.number)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Kill everything inside; the folders of the sandbox vanish with it."""
        with self._lock:
            self._gone = True
            if self._child.stdin is not None:
                # At the end of its input process 1 ends, and the kernel kills everything inside. bubblewrap waits for
                # that, so nothing is left once it has ended.
                with contextlib.suppress(OSError):
                    self._child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(END_TIMEOUT_S)
        process.kill_group(self._child)
        self._child.wait()
        self._reader.join(timeout=END_TIMEOUT_S)
        for pipe in (self._child.stdout, self._child.stderr):
            if pipe is not None:
                pipe.close()
        if self._group is not None:
            self._group.remove()
            self._group = None

    def _listen(self) -> None:
        stream = self._child.stdout
        assert stream is not None
        while (frame := _frame(stream)) is not None:
            reply = self._waiting.pop(frame["id"], None)
            if reply is not None:
                reply.set_result(frame)
        with self._lock:
            self._gone = True
            for waiting in self._waiting.values():
                waiting.set_exception(SandboxError(self._failure()))
            self._waiting.clear()

    def _failure(self) -> str:
        # Reading from the stderr of a running process would block.
        if self._child.poll() is None or self._child.stderr is None or self._child.stderr.closed:
            return "the sandbox is gone"
        message = self._child.stderr.read(2000).decode("utf-8", "replace").strip()
        return f"the sandbox could not be started: {message}" if message else "the sandbox is gone"


def run(
    jail: Jail,
    command: Sequence[str],
    *,
    timeout_s: float,
    stdin: bytes = b"",
    output_limit: int = process.OUTPUT_LIMIT,
) -> process.Finished:
    """Run one command in a sandbox of its own; `SandboxError` if that cannot be started, or is killed from outside."""
    if jail.image is None:
        return _run_once(jail, command, timeout_s, stdin, output_limit)
    # A container outlives the program that started it, unless its first process watches over both.
    began, host = time.monotonic(), Host(jail)
    try:
        keep = output_limit
        request: dict[str, Any] = {
            "argv": [*command],
            "input": encoded(stdin),
            "cwd": jail.cwd,
            "env": {},
            "timeout_s": timeout_s,
        }
        reply = host.ask(do="exec", keep=keep, first=True, **request).result()
    finally:
        host.close()
    seconds = time.monotonic() - began
    if "error" in reply:
        return process.Finished(127, "", f"{reply['text']}\n", seconds, timed_out=False, truncated=False)
    raw, err = decoded(reply, "stdout"), decoded(reply, "stderr")
    # The supervisor cuts silently, so output of exactly this length counts as cut.
    out, truncated = raw.decode("utf-8", "replace"), max(len(raw), len(err)) >= keep
    return process.Finished(
        reply["returncode"], out, err.decode("utf-8", "replace"), seconds, reply["timed_out"], truncated, raw
    )


def _run_once(
    jail: Jail, command: Sequence[str], timeout_s: float, stdin: bytes, output_limit: int
) -> process.Finished:
    group = _group(jail)
    try:
        with _entrance(group) as handles:
            words = argv(jail, command, *handles)
            done = process.run(
                words, timeout_s=timeout_s, stdin=stdin, env={}, pass_fds=handles, output_limit=output_limit
            )
    finally:
        if group is not None:
            group.remove()
    if done.returncode < 0 and not done.timed_out:
        # Nothing inside can reach this process: what a signal ends there is reported as 128 and its number.
        raise SandboxError(f"signal {-done.returncode} ended the sandbox from outside", cure="run it again")
    return done


def _group(jail: Jail) -> cgroup.Group | None:
    """One control group for all processes and files of a sandbox, where the kernel lets us make one."""
    memory = jail.limits.memory_mb
    return None if memory is None or jail.image is not None else cgroup.make(memory, together=False)


@contextlib.contextmanager
def _entrance(group: cgroup.Group | None) -> Generator[tuple[int, ...]]:
    """The descriptor by which a process enters the group; none if there is no group."""
    if group is None:
        yield ()
        return
    handle = group.entrance()
    try:
        yield (handle,)
    finally:
        os.close(handle)


def decoded(reply: dict[str, Any], key: str) -> bytes:
    """The bytes of one field of a reply."""
    return base64.b64decode(reply[key])


def encoded(data: str | bytes | None) -> str:
    """Bytes as base64 text, the form they travel in."""
    raw = data.encode() if isinstance(data, str) else data or b""
    return base64.b64encode(raw).decode()


def _frame(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next reply; None at the end, or if what arrives is none."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    (size,) = struct.unpack(">I", head)
    # Nothing from inside is trusted: a frame may claim a size of 4 GB.
    body = stream.read(size) if size <= _REPLY_LIMIT else b""
    try:
        frame = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], frame) if isinstance(frame, dict) and isinstance(frame.get("id"), int) else None
