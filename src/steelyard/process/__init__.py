"""Runs a subprocess with limits, and kills everything it started.

The child gets its own session; at the time limit, and when it ends, the whole process group is killed, and with
`mark` also the processes that left the group; output is kept up to `output_limit` bytes per stream and discarded beyond
that, so a flood can neither fill memory nor block the child. A run is over when the child is: what it wrote is read in
full, and other processes that still hold its pipes are not waited for. The environment is exactly what the caller
passes, or one without keys; the working folder is the caller's, or one that no repository is in (`isolated`). No shell
is involved. Nothing else in the host's code starts a process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from steelyard.errors import ToolchainError
from steelyard.process import isolated

OUTPUT_LIMIT = 1_000_000
"""Default for the bytes kept of each output stream."""

_POLL_S = 0.1
"""Seconds until a call notices that it is to stop, and a reader that the child has ended."""

_SWEEPS = 5
"""How often the process table is searched: a process can start another one during the search."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended."""

    returncode: int
    """Exit code; negative is the signal that ended it."""
    stdout: str
    stderr: str
    seconds: float
    """Wall time."""
    timed_out: bool
    truncated: bool
    """Whether output beyond the limit was dropped."""
    raw: bytes = b""
    """`stdout` as bytes, for output that is not text."""

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.returncode == 0 and not self.timed_out


def on_path(word: str) -> bool:
    """Whether a shell would take this word for a program on PATH, whatever files are in the current folder."""
    return "/" not in word and shutil.which(word) is not None


def run(
    argv: Sequence[str | os.PathLike[str]],
    *,
    timeout_s: float,
    stdin: str | bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    output_limit: int = OUTPUT_LIMIT,
    stop: threading.Event | None = None,
    mark: str | None = None,
    pass_fds: Sequence[int] = (),
) -> Finished:
    """Run `argv` to its end or to the time limit. Raises `ToolchainError` when it cannot be started.

    Setting `stop` from another thread ends it early; the result is then `timed_out` too. `mark` is a NAME=value of
    `env` that no other process has: it identifies descendants that started a session of their own, so they are killed.
    """
    started = time.monotonic()
    # Unbuffered, because the readers poll the pipe and would miss what is already in a buffer.
    child = start(argv, cwd=cwd, env=env, pass_fds=pass_fds, buffered=False)
    kept = (_Drain(child.stdout, output_limit), _Drain(child.stderr, output_limit))
    # In a thread, because a child that does not read its input would block the caller.
    feeder = threading.Thread(target=_feed, args=(child.stdin, stdin), daemon=True)
    feeder.start()
    try:
        timed_out = not _ended(child, timeout_s, stop)
    finally:
        # Also after a normal end: a background process must not outlive the run, nor hold the pipes open.
        kill_group(child)
        child.wait()
        if mark is not None:
            _kill_marked(mark)
    raw, err = (drain.rest() for drain in kept)
    truncated = any(drain.truncated for drain in kept)
    out, err = raw.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    return Finished(child.returncode, out, err, time.monotonic() - started, timed_out, truncated, raw)


def _ended(child: subprocess.Popen[bytes], timeout_s: float, stop: threading.Event | None) -> bool:
    """Wait; whether the child ended by itself."""
    deadline = time.monotonic() + timeout_s
    while stop is None or not stop.is_set():
        left = max(deadline - time.monotonic(), 0.0)
        try:
            child.wait(left if stop is None else min(left, _POLL_S))
            return True
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline:
                return False
    return False


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the process group of a child that was started in its own session; harmless when it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def _kill_marked(mark: str) -> None:
    """Kill every process whose environment holds `mark`."""
    for _ in range(_SWEEPS):
        marked = [candidate for candidate in psutil.process_iter() if _has_mark(candidate, mark)]
        for descendant in marked:
            with contextlib.suppress(psutil.Error):
                descendant.kill()
        if not marked:
            return


def _has_mark(candidate: psutil.Process, mark: str) -> bool:
    name, _, value = mark.partition("=")
    try:
        return candidate.environ().get(name) == value
    except (psutil.Error, OSError):  # gone, or another user's
        return False


def start(
    argv: Sequence[str | os.PathLike[str]],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: int = subprocess.PIPE,
    output: IO[bytes] | int = subprocess.PIPE,
    errors: IO[bytes] | int | None = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
    buffered: bool = True,
) -> subprocess.Popen[bytes]:
    """Start `argv` in a session of its own; `errors=None` shares ours. The caller ends it with `kill_group`."""
    try:
        return subprocess.Popen(
            [os.fspath(word) for word in argv],
            bufsize=-1 if buffered else 0,
            stdin=input,
            stdout=output,
            stderr=errors,
            cwd=isolated.FOLDER if cwd is None else cwd,
            env=isolated.environment() if env is None else dict(env),
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except (OSError, ValueError) as error:
        raise ToolchainError(f"cannot start {os.fspath(argv[0])!r}: {error}") from error


def _feed(pipe: IO[bytes] | None, data: str | bytes) -> None:
    assert pipe is not None
    rest = memoryview(data.encode() if isinstance(data, str) else data)
    with pipe:
        try:
            while rest:
                rest = rest[os.write(pipe.fileno(), rest) :]
        except OSError:
            pass  # the child closed its input or is gone; its exit code is reported


class _Drain:
    """Reads one stream on a thread and keeps the first `limit` bytes."""

    def __init__(self, stream: IO[bytes] | None, limit: int) -> None:
        assert stream is not None
        os.set_blocking(stream.fileno(), False)
        self._stream, self._limit = stream, limit
        self._kept: bytearray = bytearray()
        self.truncated = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        poll = select.poll()
        poll.register(self._stream, select.POLLIN)
        with self._stream:
            while not self._over.is_set():
                if poll.poll(_POLL_S * 1000) and not self._keep(65536):
                    return
            # All that the child wrote is in the pipe now, and no more is read: someone else may write on for ever.
            self._keep(fcntl.fcntl(self._stream, fcntl.F_GETPIPE_SZ))

    def _keep(self, size: int) -> bool:
        """Read up to `size` bytes; whether the stream goes on."""
        chunk = self._stream.read(size)
        free = self._limit - len(self._kept)
        self._kept += (chunk or b"")[:free]
        self.truncated = self.truncated or len(chunk or b"") > free
        return chunk != b""

    def rest(self) -> bytes:
        """What was kept, after reading what is left in the pipe of a child that has ended."""
        self._over.set()
        self._thread.join()
        return bytes(self._kept)
