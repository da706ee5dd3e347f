# Plain calls on purpose: this code is forked and loads nothing it does not need.
"""The kernel: a Python process with `aws_cdk` imported and Node started, which forks one child per app.

Runs inside the sandbox, one app at a time. Frames (four bytes of length, then JSON) arrive on descriptor 0 and leave on
descriptor 1; an app's output goes to descriptor 2, where a nonce that only the host learns marks its end.
A kernel that cannot guarantee a clean state any more reports it (`retire`) or ends.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import gc
import json
import os
import resource
import secrets
import signal
import socket
import stat
import struct
import sys
import time
from typing import Any

from . import app, harvest, namespace, sweep
from .node import Node, environment, preload
from .relay import KernelBusy, KernelDied, Traffic

TICK_S = 0.1
_COUNTED = (app.WORK, harvest.root, "/tmp")
"""File systems whose files are counted."""
# As they are before the first app: all apps print to one pipe, and any of them can change it.
_output_flags = fcntl.fcntl(2, fcntl.F_GETFL)
_output_size = fcntl.fcntl(2, fcntl.F_GETPIPE_SZ) if stat.S_ISFIFO(os.fstat(2).st_mode) else 0


class Watch:
    """Ends an app at its deadline, or when it and its children use too much memory."""

    def __init__(self, node: Node, deadline: float, memory_bytes: int, events: int | None) -> None:
        self._node, self._deadline, self._memory = node, deadline, memory_bytes
        self._base, self._base_sockets, self._socket_bytes = _resident(os.getpid()), _sockets(), _socket_bytes()
        self._spared = {os.getpid(), node.process.pid, 1}
        self._interrupted = self._over = False
        self._events, self._kills = events, _kills(events)
        self._folders: list[int] = []
        self.target: int | None = None
        self.reason: str | None = None

    def __enter__(self) -> Watch:
        # Open before the app starts: without root it owns the folders, and may lock them.
        self._folders = [os.open(folder, os.O_PATH) for folder in _COUNTED]
        signal.signal(signal.SIGALRM, lambda number, frame: self._alarm())
        signal.setitimer(signal.ITIMER_REAL, TICK_S)
        return self

    def __exit__(self, *failure: object) -> None:
        self._over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        for folder in self._folders:
            os.close(folder)

    def _alarm(self) -> None:
        if self._over:
            return
        try:
            self._tick()
        finally:
            # Only now: measuring many processes may take longer than a tick, and alarms must not pile up.
            signal.setitimer(signal.ITIMER_REAL, TICK_S)

    def _tick(self) -> None:
        if self.reason is None:
            if time.monotonic() > self._deadline:
                self.reason = "time"
            elif self._held() > self._memory or _kills(self._events) != self._kills:
                self.reason = "memory"
            elif any(_entries(folder) > sweep.ENTRY_LIMIT for folder in self._folders):
                self.reason = "files"
        if self.reason is not None:
            # With every tick: at the first one the app's process may not be known yet.
            _kill(self.target)
            if self._node.relay.in_flight and not self._interrupted:
                self._interrupted = True  # only once: waiting for the app's end must not be interrupted too
                # Ends the read that waits for Node's reply, which may never come.
                raise KernelBusy(self.reason)

    def _held(self) -> int:
        """Bytes that the app's processes use beyond what they share with the kernel."""
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in self._spared]
        sockets = (_sockets() - self._base_sockets) * self._socket_bytes  # which of them are full, nobody says
        # Cheap, and too much: what several processes share is counted for each. Precise only where that matters.
        if sum(map(_resident, pids)) + sockets <= self._memory:
            return 0
        shares = [_share(pid) for pid in pids]
        if None in shares:
            return sum(max(0, _resident(pid) - self._base) for pid in pids) + sockets
        return sum(size for size in shares if size is not None) - self._base + sockets


def serve(settings: dict[str, Any]) -> None:
    """Start, report ready, and run apps until the host closes the pipe."""
    commands, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Frames go by the copies alone: what is printed by accident must not get among them.
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(2, 1)
    # No process of the same user may look into the kernel.
    namespace.set_dumpable(False)
    node, control = _start(settings)
    _send(results, {"ready": True, "control": control})
    while (order := _receive(commands)) is not None:
        try:
            result = run(node, order, settings)
        except KernelDied as error:
            _send(results, {"broken": f"Node died: {node.exit_reason() or error}"})
            return
        _send(results, result)


def run(node: Node, order: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """One app, from an empty folder to an empty folder."""
    started = time.monotonic()
    if not order.get("again"):
        place(order)
        sources = [content for path, content in order["files"].items() if path.endswith(".py")]
        preload(map(base64.b64decode, sources), settings["modules"])
        gc.freeze()
    surroundings = settings["app_environment"] | order.get("environment", {})
    if order.get("context") is not None:
        surroundings["CDK_CONTEXT_JSON"] = order["context"]
        node.guard("context", order["context"])
    program = app.Program(order["target"], order["module"], tuple(order["arguments"]))
    bounds = (settings["limits"], settings["private_mb"], settings["calls"], settings["group"])
    terms = app.Terms(program, surroundings, *bounds)
    traffic, busy = Traffic(), False
    deadline, memory_bytes = started + order["timeout_s"], settings["memory_mb"] * 1_000_000
    with Watch(node, deadline, memory_bytes, settings["events"]) as watch:
        ours, theirs = socket.socketpair()
        status, report = os.pipe()
        first = app.start(terms, theirs, ours, report)
        # Our copies of the app's ends: while one is open, no read notices that the app is gone.
        theirs.close()
        os.close(report)
        watch.target, failure = _second(status)
        try:
            with ours, ours.makefile("rb") as source, ours.makefile("wb") as sink:
                node.relay.serve(source, sink, traffic)
        except KernelBusy:
            busy = True
        except (BrokenPipeError, ConnectionResetError):
            pass  # the app ended before it read its answer
        ended = _ended(status)
    _kill(watch.target)
    os.waitpid(first, 0)
    os.close(status)
    # Before the mark is written: the app may have made the pipe non-blocking and filled it.
    restore_output()
    result = {"status": ended, "stopped": watch.reason, "failure": failure, "requests": traffic.requests}
    result |= {"refused": traffic.refused, "foreign": traffic.foreign, "seconds": time.monotonic() - started}
    # Node is computing or waits for the app's reply to a callback: it would not answer the questions below.
    if busy or traffic.open_callbacks:
        return {**result, "files": {}, "retire": [*traffic.tainted, "Node was interrupted"], **_mark()}
    collected, again = _collect(node, traffic, ended == 0 and watch.reason is None)
    return result | collected | _tidy(node, traffic, again) | _mark()


def place(order: dict[str, Any], work: str = app.WORK) -> None:
    """Put the files of a new app into the working folder, which is empty unless an app before it asked for context."""
    if _kept.pop("files", None) is not None and (left := sweep.sweep()):
        raise RuntimeError(left)
    for path, content in order["files"].items():
        target = os.path.join(work, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(base64.b64decode(content))
        if path in order.get("executable", ()):
            os.chmod(target, 0o755)
    for path in order.get("folders", ()):
        os.makedirs(os.path.join(work, path))
    for path, target in order.get("links", {}).items():
        os.makedirs(os.path.dirname(os.path.join(work, path)), exist_ok=True)
        os.symlink(target, os.path.join(work, path))


_kept: dict[str, dict[str, str]] = {}
"""`files`, what synthesis wrote, as long as the folders of an app are kept because it may run again."""


def restore_output() -> None:
    """Undo what the app did to the pipe that all apps print to, such as making it non-blocking or small."""
    fcntl.fcntl(2, fcntl.F_SETFL, _output_flags)
    if _output_size and fcntl.fcntl(2, fcntl.F_GETPIPE_SZ) != _output_size:
        fcntl.fcntl(2, fcntl.F_SETPIPE_SZ, _output_size)


def _second(status: int) -> tuple[int | None, str | None]:
    line = _line(status)
    return (int(line), None) if line.isdigit() else (None, line or "the app's first process vanished")


def _ended(status: int) -> int | None:
    """The app's wait status, or None if it was killed before it was reported."""
    line = _line(status)
    return int(line.split()[1]) if line.startswith("status ") else None


def _line(handle: int) -> str:
    kept = b""
    # One byte at a time: what follows the line is for the next reader.
    while not kept.endswith(b"\n") and (byte := os.read(handle, 1)):
        kept += byte
    return kept.decode("utf-8", "replace").strip()


def _collect(node: Node, traffic: Traffic, succeeded: bool) -> tuple[dict[str, Any], bool]:
    """The assembly, and whether the CLI would run the app again: what the app wrote must then stay."""
    written = _kept.pop("files", {}) | node.written()
    try:
        files = harvest.harvest(written)
    except harvest.TooLarge as error:
        return {"files": {}, "too_large": str(error)}, False
    except harvest.Forged as error:
        traffic.refused.append(f"cdk.out/{error}")
        return {"files": {}}, False
    try:
        again = succeeded and bool(json.loads(files.get("manifest.json", "{}")).get("missing"))
    except (ValueError, RecursionError, AttributeError):
        again = False
    if again:
        _kept["files"] = written
    return {"files": files}, again


def _tidy(node: Node, traffic: Traffic, again: bool) -> dict[str, Any]:
    """Clean up for the next app; returns the reasons why that cannot be guaranteed."""
    reasons = list(traffic.tainted)
    node.relay.forget(traffic)
    swept = node.sweep()
    reasons += swept["problems"]
    traffic.foreign += swept["foreign"]
    left = None if again else sweep.sweep()
    return {"retire": [*reasons, *([left] if left else [])], "node_rss_mb": swept["rss_mb"]}


def _mark() -> dict[str, str]:
    """Mark the end of the app's output with a nonce it could not know."""
    nonce = secrets.token_hex(16)
    os.write(2, f"\n{nonce}\n".encode())
    return {"nonce": nonce}


def _start(settings: dict[str, Any]) -> tuple[Node, dict[str, str]]:
    terms = {name: settings[name] for name in ("calls", "limits")}
    node = Node(settings["node"], settings["heap_mb"], environment("/home/sandbox", terms))
    node.adopt()
    # As the gc module advises before a fork: a collection would touch the pages that apps share, and copy them.
    gc.disable()
    node.load(settings["guard"])
    sweep.remember()
    gc.collect()
    gc.freeze()
    node.guard("ready")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    control = _warm_up(node, settings) if settings["warm"] else {}
    # Without a first app of ours, the parts that an app is the first to load would look like traces of it; the kernel
    # would be retired, and the app not run again after a failed lookup. No second app follows it anyway.
    if settings["warm"]:
        node.guard("baseline")
    return node, control


def _warm_up(node: Node, settings: dict[str, Any]) -> dict[str, str]:
    """Run an app of our own, so that Node's lazy parts are loaded before its state is recorded; returns its files."""
    with open("/synthesizer/inside/control.py", "rb") as file:
        files = {"app.py": base64.b64encode(file.read()).decode()}
    order = {"files": files, "target": "app.py", "module": False, "arguments": (), "timeout_s": settings["start_s"]}
    result = run(node, order, settings)
    if result["status"] != 0 or not result["files"]:
        raise RuntimeError(f"the first app failed: {result['failure'] or result['status']}")
    return result["files"]


def _resident(pid: int) -> int:
    """Bytes of a process in memory, with its tables of pages: those cost memory even where they lead to none."""
    try:
        return _fields(f"/proc/{pid}/status", "VmRSS:", "VmPTE:")
    except (OSError, IndexError, ValueError):
        return 0


def _share(pid: int) -> int | None:
    """Bytes of a process, where memory that several have counts in equal parts for each; None if unreadable.

    The sum over all processes is what they really hold, and at most what they share with the kernel.
    """
    try:
        return _fields(f"/proc/{pid}/smaps_rollup", "Pss:", "SwapPss:") + _fields(f"/proc/{pid}/status", "VmPTE:")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except (OSError, IndexError, ValueError):
        return None


def _fields(path: str, *names: str) -> int:
    """The sum of some fields of a file in `/proc`, in bytes."""
    with open(path) as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(names))


def _sockets() -> int:
    """Sockets in this network, which the app has for itself: what waits in them belongs to no process."""
    with open("/proc/net/sockstat") as file:
        return int(file.readline().split()[2])


def _socket_bytes() -> int:
    """The most that Linux lets a socket hold."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
        return probe.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)


def _kills(events: int | None) -> int:
    """How many processes in the app's control group Linux has ended; what is left of the app must end too."""
    lines = [] if events is None else os.pread(events, 4096, 0).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(b"oom_kill "))


def _entries(folder: int) -> int:
    """Files and folders in a file system in memory: each costs memory of Linux's own that no size limit counts."""
    status = os.fstatvfs(folder)
    return status.f_files - status.f_ffree


def _kill(pid: int | None) -> None:
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _send(stream: Any, message: dict[str, Any]) -> None:
    body = json.dumps(message).encode()
    stream.write(struct.pack(">I", len(body)) + body)
    stream.flush()


def _receive(stream: Any) -> dict[str, Any] | None:
    head = stream.read(4)
    return json.loads(stream.read(struct.unpack(">I", head)[0])) if len(head) == 4 else None


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
