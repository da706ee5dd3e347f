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

import json
import threading
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from steelyard import toolchain
from steelyard.bench.architecture_design.diagram.drawing import Drawing, drawing
from steelyard.errors import SandboxError, ToolchainError, one_line
from steelyard.sandbox.choose import try_bubblewrap
from steelyard.sandbox.jail import Jail, argv
from steelyard.sandbox.limits import Limits
from steelyard.sandbox.line_server import TIMEOUT_S, LineServer, NoReply

DIAGRAM_CPU_S = 5.0
"""Seconds of processor time for one diagram; an ordinary one takes a few hundredths of a second."""
KNOWN = "flowchart LR\n  a[Client] -->|asks| b[(Store)]"
"""The known-good diagram."""
_MEMORY_MB = 1_024
_INSIDE = "/opt/steelyard"


class Process(LineServer):
    """One Node process."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            super().__init__("the parser", command)
        except ToolchainError as error:
            raise ToolchainError(f"cannot start mermaid's parser: {error}") from error
        self._count = 0

    def ask(self, text: str, cpu_s: float = TIMEOUT_S) -> Drawing | str:
        """What a text draws, or the parser's error message; raises `NoReply` if there is no reply."""
        self._count += 1
        reply: dict[str, Any] = json.loads(self.reply(json.dumps({"id": self._count, "text": text}).encode(), cpu_s))
        # A reply to an earlier request would judge another answer's diagram.
        if reply.get("id") != self._count:
            raise NoReply("the parser replied to a different request")
        if reply.get("ok") is not True:
            return one_line(reply.get("error") or "no reason given", 500)
        return drawing(dict(reply["nodes"]), ((source, target) for source, target in reply["edges"]))


class Parser:
    """Parses texts, starting, testing and replacing its process as needed. Thread-safe; one text at a time."""

    def __init__(self, start: Callable[[], Process], *, cpu_s: float = DIAGRAM_CPU_S) -> None:
        self._start, self._cpu_s = start, cpu_s
        self._node: Process | None = None
        self._lock = threading.Lock()
        self.starts = 0
        """Processes started so far."""

    def read(self, text: str) -> Drawing | str:
        """What a text draws, or mermaid's error message. Raises only if the parser does not work."""
        with self._lock:
            problem: NoReply | None = None
            for _ in range(2):
                node = self._ready()
                try:
                    return node.ask(text, self._cpu_s)
                except NoReply as error:
                    problem = error
                    node.close()
            # Raises, as our fault, if a fresh process no longer accepts the known-good diagram.
            self._ready()
            return f"mermaid's parser failed twice on this diagram: {problem}"

    def _ready(self) -> Process:
        """A process that has accepted the known-good diagram."""
        if self._node is not None and self._node.alive:
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
        self._node = node
        return node

    def close(self) -> None:
        """End the process; the next text starts another."""
        with self._lock:
            if self._node is not None:
                self._node.close()


def _start_error(problem: NoReply) -> ToolchainError | SandboxError:
    """Why a new process does not reply; usually its sandbox did not start."""
    trial = try_bubblewrap()
    if not trial.works:
        return SandboxError(f"no working sandbox for mermaid's parser: {trial.detail}", cure=trial.cure)
    return ToolchainError(f"mermaid's parser does not work: {problem}", cure="run `steelyard doctor`")


@cache
def parser() -> Parser:
    """The shared parser of this Python process."""
    return Parser(sandboxed)


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
        # Node's own limit counts only its heap, so the process gets twice as much.
        limits=Limits(memory_mb=2 * _MEMORY_MB),
        python=False,
    )
    return Process(argv(jail, [f"{_INSIDE}/node", f"--max-old-space-size={_MEMORY_MB}", f"{_INSIDE}/mermaid.mjs"]))
