"""Other Inspect sandboxes: commands in a fresh one, and files that are copied into one because nothing can be bound.

The system inside must have `/bin/sh`, `tar`, Python 3 and a process tree of its own; the user inside must be able to
write to `/work`, `/tmp` and `/run/steelyard`.
"""

from __future__ import annotations

import io
import math
import os
import tarfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio.from_thread
from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment
from inspect_ai.util._sandbox.registry import registry_find_sandboxenv

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.sandbox.choose import Sandbox
from steelyard.sandbox.jail import WORK, Jail, variables

_SETUP = """cat /proc/sys/kernel/random/boot_id && readlink /proc/self/ns/pid && mkdir -p "$0" && tar -xf - -C /"""
_KILLED = 137


def run(
    sandbox: Sandbox, jail: Jail, command: Sequence[str], *, timeout_s: float, stdin: bytes = b""
) -> process.Finished:
    """Run one command in a fresh sandbox that has the binds, environment and PATH of `jail`.

    It is called from a thread of an evaluation, whose event loop starts the sandbox.
    """
    return anyio.from_thread.run(partial(_run, sandbox, jail, command, timeout_s, stdin))


async def _run(
    sandbox: Sandbox, jail: Jail, command: Sequence[str], timeout_s: float, stdin: bytes
) -> process.Finished:
    provider = registry_find_sandboxenv(sandbox.name)
    boxes = await provider.sample_init("steelyard", sandbox.config, {})
    try:
        box = next(iter(boxes.values()))
        await bring(box, jail.read_only)
        return await _executed(box, jail, command, timeout_s, stdin)
    finally:
        await provider.sample_cleanup("steelyard", sandbox.config, boxes, False)


async def _executed(
    box: SandboxEnvironment, jail: Jail, command: Sequence[str], timeout_s: float, stdin: bytes
) -> process.Finished:
    began, limit = time.monotonic(), math.ceil(timeout_s)
    late = flooded = False
    try:
        # timeout_retry=False: otherwise Inspect would run a command that timed out again.
        done = await box.exec([*command], stdin, WORK, variables(jail), timeout=limit, timeout_retry=False)
    except TimeoutError:
        done, late = ExecResult(False, _KILLED, "", ""), True
    except OutputLimitExceededError as error:
        done, flooded = ExecResult(False, _KILLED, error.truncated_output or "", ""), True
    return process.Finished(done.returncode, done.stdout, done.stderr, time.monotonic() - began, late, flooded)


async def bring(box: SandboxEnvironment, binds: Sequence[tuple[Path, str]]) -> None:
    """Copy files and folders of the host to their paths inside; `SandboxError` if that is this machine itself."""
    done = await box.exec(["/bin/sh", "-c", _SETUP, WORK], _archive(binds), "/", timeout=60)
    # With the same kernel and process tree, ending the sandbox's processes would end ours.
    here = [Path("/proc/sys/kernel/random/boot_id").read_text().strip(), os.readlink("/proc/self/ns/pid")]
    if done.stdout.split() == here:
        raise SandboxError("the sandbox shows the processes of this machine", cure="bubblewrap or docker")
    if not done.success:
        raise SandboxError(f"nothing can be brought into the sandbox: {done.stderr.strip()[:300]}")


def _archive(binds: Sequence[tuple[Path, str]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for host, inside in binds:
            # Resolved, because a link would lead nowhere inside.
            archive.add(host.resolve(), inside.lstrip("/"))
    return buffer.getvalue()
