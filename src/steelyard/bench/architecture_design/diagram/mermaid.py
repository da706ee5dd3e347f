"""mermaid's own parser: one long-lived Node process in a sandbox, for all answers of a run.

Law:
- The process starts once, has no network, and sees no host files but Node, the pinned packages and its script. It must
  accept a known-good diagram before it parses anything else.
- A diagram that keeps the parser busy for `DIAGRAM_CPU_S` seconds of processor time, or crashes it, is tried again in a
  fresh process that has accepted the known-good diagram. If that fails too, the diagram is invalid and the error says
  why. Processor time, because how busy the machine is must not decide about an answer.
- Nodes and edges are those of mermaid's own model (flowcharts, sequence, state, architecture and C4 diagrams; other
  kinds connect nothing).
- A process that does not start, or rejects the known-good diagram, is our fault: `ToolchainError` or `SandboxError`,
  and the answer is unscored.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import psutil

from steelyard import process, toolchain
from steelyard.bench.architecture_design.diagram.drawing import Drawing, drawing
from steelyard.errors import SandboxError, ToolchainError, one_line
from steelyard.sandbox.choose import try_bubblewrap
from steelyard.sandbox.jail import Jail, argv
from steelyard.sandbox.limits import Limits

REPLY_TIMEOUT_S = 300.0
"""Seconds until a process that does not reply is given up, also one that has just started."""
DIAGRAM_CPU_S = 5.0
"""Seconds of processor time for one diagram; an ordinary one takes a few hundredths of a second."""
KNOWN = "flowchart LR\n  a[Client] -->|asks| b[(Store)]"
"""The known-good diagram."""
_POLL_S = 0.1
_MEMORY_MB = 1_024
_INSIDE = "/opt/steelyard"


class NoReply(Exception):
    """The process hung or ended without a reply."""


class Process:
    """One Node process, asked through its standard input and output."""

    def __init__(self, command: Sequence[str]) -> None:
        self._replies: queue.Queue[bytes | None] = queue.Queue()
        self._started: queue.Queue[subprocess.Popen[bytes] | Exception] = queue.Queue()
        self._count = 0
        # The thread that starts the process also reads from it, because a sandbox dies with the thread that started it.
        threading.Thread(target=self._run, args=(list(command),), daemon=True).start()
        started = self._started.get()
        if isinstance(started, Exception):
            raise ToolchainError(f"cannot start mermaid's parser: {started}") from started
        self._child = started

    def _run(self, command: list[str]) -> None:
        try:
            child = process.start(command, env={}, errors=subprocess.DEVNULL)
        except ToolchainError as error:
            self._started.put(error)
            return
        self._started.put(child)
        with child:
            assert child.stdout is not None
            for line in child.stdout:
                self._replies.put(line)
        self._replies.put(None)

    def ask(self, text: str, cpu_s: float = REPLY_TIMEOUT_S) -> Drawing | str:
        """What a text draws, or the parser's error message; raises `NoReply` if there is no reply."""
        self._count += 1
        request = json.dumps({"id": self._count, "text": text}).encode() + b"\n"
        assert self._child.stdin is not None
        line = None
        with contextlib.suppress(OSError):
            self._child.stdin.write(request)
            self._child.stdin.flush()
            line = self._reply(cpu_s)
        if line is None:
            raise NoReply("the parser ended")
        reply: dict[str, Any] = json.loads(line)
        if reply.get("id") != self._count:
            raise NoReply("the parser replied to a different request")
        if reply.get("ok") is not True:
            return one_line(reply.get("error") or "no reason given", 500)
        return drawing(dict(reply["nodes"]), ((source, target) for source, target in reply["edges"]))

    def _reply(self, cpu_s: float) -> bytes | None:
        """The next line of output, None after the last one."""
        used, started = self._cpu_s(), time.monotonic()
        while time.monotonic() - started < REPLY_TIMEOUT_S:
            try:
                return self._replies.get(timeout=_POLL_S)
            except queue.Empty:
                if self._cpu_s() - used >= cpu_s:
                    raise NoReply(f"not finished after {cpu_s:g} s of processor time") from None
        raise NoReply(f"no reply after {REPLY_TIMEOUT_S:g} s")

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
        """Kill the process; its reader ends with it."""
        process.kill_group(self._child)


class Parser:
    """Parses texts, starting, testing and replacing its process as needed. Thread-safe; one text at a time."""

    def __init__(self, start: Callable[[], Process], *, cpu_s: float = DIAGRAM_CPU_S) -> None:
        self._start, self._cpu_s = start, cpu_s
        self._node: Process | None = None
        self._owner = 0
        self._lock = threading.Lock()
        self.starts = 0
        """Processes started so far."""

    def read(self, text: str) -> Drawing | str:
        """What a text draws, or mermaid's error message. Raises only if the parser does not work."""
        with self._lock:
            problem: NoReply | None = None
            for _ in range(2):
                try:
                    return self._ready().ask(text, self._cpu_s)
                except NoReply as error:
                    problem = error
                    self._drop()
            self._ready()
            return f"mermaid's parser failed twice on this diagram: {problem}"

    def _ready(self) -> Process:
        """A process that has accepted the known-good diagram."""
        if self._node is not None and self._owner == os.getpid():
            return self._node
        self.starts += 1
        node = self._start()
        try:
            known = node.ask(KNOWN)
        except NoReply as problem:
            node.close()
            raise _start_error(problem) from problem
        if isinstance(known, str):
            node.close()
            raise ToolchainError(f"mermaid's parser rejects a valid diagram: {known}", cure="run `steelyard setup`")
        self._node, self._owner = node, os.getpid()
        return node

    def _drop(self) -> None:
        if self._node is not None and self._owner == os.getpid():
            self._node.close()
        self._node = None

    def close(self) -> None:
        """End the process; the next text starts another."""
        with self._lock:
            self._drop()


def _start_error(problem: NoReply) -> ToolchainError | SandboxError:
    """Why a new process does not reply; usually its sandbox did not start."""
    trial = try_bubblewrap()
    if not trial.works:
        return SandboxError(f"no working sandbox for mermaid's parser: {trial.detail}", cure=trial.cure)
    return ToolchainError(f"mermaid's parser does not work: {problem}", cure="run `steelyard doctor`")


@cache
def parser() -> Parser:
    """The shared parser of this Python process, closed at exit."""
    shared = Parser(sandboxed)
    atexit.register(shared.close)
    return shared


def sandboxed() -> Process:
    """Start a Node process in a sandbox of its own."""
    script = Path(str(resources.files("steelyard").joinpath("node", "mermaid.mjs")))
    jail = Jail(
        read_only=(
            (toolchain.node(), f"{_INSIDE}/node"),
            (toolchain.node_modules(), f"{_INSIDE}/node_modules"),
            (script, f"{_INSIDE}/mermaid.mjs"),
        ),
        cwd="/tmp",
        limits=Limits(memory_mb=2 * _MEMORY_MB),
        python=False,
    )
    return Process(argv(jail, [f"{_INSIDE}/node", f"--max-old-space-size={_MEMORY_MB}", f"{_INSIDE}/mermaid.mjs"]))
