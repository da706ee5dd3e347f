"""The host side of one kernel: starts it, sends it one app at a time, reads its reports with deadlines and size limits.

A kernel that does not answer, sends invalid data or has died is `Broken`; the pool finds out whose fault that is.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import signal
import struct
import subprocess
import time
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from steelyard import process
from steelyard.bench.cdk_synth.assembly import read_assembly
from steelyard.bench.cdk_synth.classify import Ending, Failure, Stopped, classify
from steelyard.bench.cdk_synth.project import APP, Entry, Project
from steelyard.bench.cdk_synth.synthesizer.kernel_sandbox import START_TIMEOUT_S, Allowance, command_line, context_json
from steelyard.errors import SandboxError, ToolchainError
from steelyard.sandbox import cgroup

App: TypeAlias = bytes | Project
"""The text of an `app.py`, or a folder of files."""
GRACE_S = 60.0
"""Seconds beyond the app's own limit after which a kernel counts as hung."""
LOOKUP_LIMIT = 500
"""Different context keys an app may ask for: the largest real app known asks for a few dozen."""
_CLOSE_S = 5.0
_FRAME_LIMIT = 300_000_000
_OUTPUT_KEPT = 200_000
"""Bytes kept of an app's output, from its end."""


class Broken(Exception):
    """The kernel cannot be used any more; the message says why."""


@dataclass(frozen=True, slots=True)
class Report:
    """A kernel's report on one app."""

    ending: Ending
    files: dict[str, str]
    """Relative path in `cdk.out` → text."""
    retire: tuple[str, ...]
    """Why the kernel must not run another app."""
    foreign: bool
    """Whether Node handed the app an object older than the app."""
    requests: int
    node_rss_mb: int
    seconds: float
    unresolved: tuple[str, ...] = ()
    """Context keys that the app asked for and that could not be provided."""

    @property
    def failure(self) -> Failure | None:
        """Why the app failed, by this report alone; None if it passes."""
        return classify(self.ending, read_assembly(self.files), self.unresolved)


class Kernel:
    """One sandboxed kernel process."""

    def __init__(self, allowance: Allowance, *, warm: bool) -> None:
        self._group = cgroup.make(allowance.memory_mb)
        """For its apps, one after the other; None where none can be made."""
        try:
            self._child = _start(allowance, warm, self._group)
        except BaseException:
            self._leave_group()
            raise
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._stdin, self._stdout, self._stderr = self._child.stdin, self._child.stdout, self._child.stderr
        self._answers, self._output = bytearray(), bytearray()
        self.apps = 0
        """Number of apps that this kernel has run."""
        self.control: dict[str, str] = {}
        """The control app's files when the kernel was new; empty unless it is warm."""

    @property
    def pid(self) -> int:
        """The kernel's process id."""
        return self._child.pid

    def wait_ready(self) -> None:
        """Wait until it can run an app; raises `Broken`."""
        answer = self._frame(time.monotonic() + START_TIMEOUT_S)
        if answer.get("ready") is not True:
            raise Broken("the kernel did not start properly")
        self.control = dict(answer.get("control") or {})

    def run(self, app: App, timeout_s: float) -> Report:
        """Run one app as the CLI does: again, with the failed lookups, if it asks for context. Raises `Broken`.

        The time limit is for all runs together: an app can ask for something else every time.
        """
        report = self._run(_order(app), timeout_s)
        unresolved: tuple[str, ...] = ()
        # Only keys that are new start another run: the others have failed, and the app was told so.
        while (missing := _missing(report)) and not set(missing) <= set(unresolved) and not report.retire:
            unresolved = tuple(sorted({*unresolved, *missing}))
            left = timeout_s - report.seconds
            if left <= 0 or len(unresolved) > LOOKUP_LIMIT:
                stopped = replace(report.ending, exit_code=None, stopped="time")
                return replace(report, ending=stopped, files={}, unresolved=unresolved)
            again = self._run(_order(app, unresolved), left)
            report = replace(again, unresolved=unresolved, seconds=report.seconds + again.seconds)
        return report

    def _run(self, order: dict[str, Any], timeout_s: float) -> Report:
        self.apps += 1
        self._output.clear()
        body = json.dumps({**order, "timeout_s": timeout_s}).encode()
        try:
            self._stdin.write(struct.pack(">I", len(body)) + body)
            self._stdin.flush()
        except OSError as error:
            raise Broken(f"the kernel is gone: {error}") from error
        deadline = time.monotonic() + timeout_s + GRACE_S
        killed = self._group.begin() if self._group else 0
        answer = self._frame(deadline)
        if "broken" in answer:
            raise Broken(str(answer["broken"]))
        # Linux kills without a reason; the counter of the group tells that it was the limit.
        if self._group and self._group.kills() != killed:
            answer["stopped"] = answer.get("stopped") or "memory"
        return _report(answer, self._printed(str(answer.get("nonce")), deadline))

    def close(self) -> None:
        """Kill it and everything inside; its folders disappear with it."""
        process.kill_group(self._child)
        self._child.wait()
        with contextlib.suppress(Broken):
            # The pipe closes when the last process inside ends.
            deadline = time.monotonic() + _CLOSE_S
            while True:
                self._pump(deadline)
        for stream in (self._stdin, self._stdout, self._stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        self._leave_group()

    def _leave_group(self) -> None:
        group, self._group = self._group, None
        if group is not None:
            group.remove()

    def _frame(self, deadline: float) -> dict[str, Any]:
        (size,) = struct.unpack(">I", self._taken(4, deadline))
        if size > _FRAME_LIMIT:
            raise Broken("the kernel sent invalid data")
        try:
            return cast("dict[str, Any]", json.loads(self._taken(size, deadline)))
        except ValueError as error:
            raise Broken("the kernel sent invalid data") from error

    def _taken(self, size: int, deadline: float) -> bytes:
        """So many bytes of its answers."""
        while len(self._answers) < size:
            self._pump(deadline)
        data = bytes(self._answers[:size])
        del self._answers[:size]
        return data

    def _printed(self, nonce: str, deadline: float) -> str:
        """The app's output, up to the mark that it cannot know."""
        mark = f"\n{nonce}\n".encode()
        while (end := self._output.rfind(mark)) < 0:
            self._pump(deadline)
        return bytes(self._output[:end]).decode("utf-8", "replace")

    def _pump(self, deadline: float) -> None:
        """Read what has arrived on either pipe into its buffer."""
        poll = select.poll()
        streams = {self._stdout.fileno(): self._answers, self._stderr.fileno(): self._output}
        for handle in streams:
            poll.register(handle, select.POLLIN)
        ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
        if not ready:
            raise Broken("the kernel did not answer in time")
        for handle, _ in ready:
            data = os.read(handle, 1 << 16)
            if not data and handle == self._stdout.fileno():
                said = bytes(self._output[-400:]).decode("utf-8", "replace").strip().splitlines()[-1:]
                raise Broken(f"the kernel ended {''.join(f'({line})' for line in said)}")
            streams[handle] += data
        # At twice the size, so that a flood of output is not moved with every read.
        if len(self._output) > 2 * _OUTPUT_KEPT:
            del self._output[:-_OUTPUT_KEPT]


def _start(allowance: Allowance, warm: bool, group: cgroup.Group | None) -> subprocess.Popen[bytes]:
    try:
        handles = (group.entrance(), group.events()) if group else ()
        try:
            # The jail sets the variables inside; none of this process's are passed on.
            return process.start(command_line(allowance, warm, handles), env={}, pass_fds=handles)
        finally:
            for handle in handles:
                os.close(handle)
    except (OSError, ToolchainError) as error:
        raise SandboxError(f"cannot start the sandbox: {error}", cure="steelyard doctor") from error


def _order(app: App, unresolved: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the kernel needs to run an app, or to run it again in the folder as it is, with failed lookups."""
    project = app if isinstance(app, Project) else None
    entry = project.entry if project else Entry(APP)
    order: dict[str, Any] = {"target": entry.target, "module": entry.module, "arguments": entry.arguments}
    order["environment"] = dict(entry.environment)
    if project or unresolved:
        order["context"] = context_json(unresolved, project.context if project else None)
    if unresolved:
        return order | {"again": True}
    files = project.files if project else {APP: cast(bytes, app)}
    order["files"] = {path: base64.b64encode(content).decode() for path, content in files.items()}
    if project is None:
        return order
    others = {"executable": sorted(project.executable), "links": project.links, "folders": sorted(project.folders)}
    return order | others


def _missing(report: Report) -> tuple[str, ...]:
    assembly = read_assembly(report.files) if report.ending.exit_code == 0 else None
    return assembly.missing if assembly is not None else ()


def _report(answer: dict[str, Any], output: str) -> Report:
    if answer.get("failure"):
        raise Broken(f"the app could not be isolated: {answer['failure']}")
    stopped = cast("Stopped | None", answer.get("stopped"))
    if answer.get("too_large"):
        stopped = stopped or "output"
    status = answer.get("status")
    exit_code = os.waitstatus_to_exitcode(status) if isinstance(status, int) else None
    if exit_code is None and stopped is None:
        raise Broken("the app vanished")
    signalled = -exit_code if exit_code is not None and exit_code < 0 else None
    code = None if signalled is not None or stopped else exit_code
    # A SIGKILL at a limit is ours, not the app's.
    fatal = signalled if signalled != signal.SIGKILL or stopped is None else None
    return Report(
        ending=Ending(code, fatal, stopped, tuple(answer.get("refused", ())), output),
        files=dict(answer.get("files", {})),
        retire=tuple(answer.get("retire", ())),
        foreign=bool(answer.get("foreign")),
        requests=int(answer.get("requests", 0)),
        node_rss_mb=int(answer.get("node_rss_mb", 0)),
        seconds=float(answer.get("seconds", 0.0)),
    )
