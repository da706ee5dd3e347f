"""The agent's sandbox, seen from outside: filling it, stopping the agent, taking what it left behind.

Before anything is taken, every process in the sandbox is killed; the archive taken is read as hostile data. Nothing
here is written to the log: file contents belong in scores, keys nowhere.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment

from steelyard.errors import SandboxError
from steelyard.sandbox.bubblewrap import BubblewrapSandbox
from steelyard.tree import MAX_BYTES, Gathered, TooLarge, Tree, from_tar, to_tar

WORK = "/work"
TASK_FILES = "/tmp/steelyard"
"""Inside: prompt, configuration and telemetry of a `command` agent. Deleted before the checks."""

TOOL_CALLS = "tool_calls.jsonl"
"""Task file in which a trusted `command` agent reports its tool calls."""

_ARCHIVE_LIMIT = 2 * MAX_BYTES
# Kills everything but process 1 and this shell, again and again: a fork bomb keeps forking while it is killed.
_STOP = """n=0
while [ $n -lt 1000 ]; do
  kill -9 -1 2>/dev/null
  set -- /proc/[0-9]*
  [ $# -le 2 ] && exit 0
  sleep 0.02
  n=$((n+1))
done
exit 1"""
# /tmp is emptied first to make room; one byte over the limit shows that there was more.
_PACK = f"""find /tmp -mindepth 1 -delete 2>/dev/null
chmod -R u+rwX {WORK} 2>/dev/null
for name; do shift; set -- "$@" --exclude "./$name"; done
tar -C {WORK} --hard-dereference "$@" -cf - . 2>/dev/null | head -c {_ARCHIVE_LIMIT + 1} > /tmp/left.tar"""


async def run_unlogged(
    box: SandboxEnvironment, words: list[str], *, timeout_s: float | None = 60, **options: Any
) -> ExecResult[str]:
    """Run a command without an event in the log: its input or environment may contain secrets."""
    limit = None if timeout_s is None else max(1, round(timeout_s))
    with _unlogged(box):
        # By default, Inspect runs a command again that timed out.
        return await box.exec(words, timeout=limit, timeout_retry=False, **options)


async def write_file(box: SandboxEnvironment, path: str, data: bytes) -> None:
    """Write one file inside."""
    with _unlogged(box):
        await box.write_file(path, data)


async def unpack(box: SandboxEnvironment, tree: Tree, folder: str) -> None:
    """Unpack a tree into `folder`."""
    await write_file(box, f"{TASK_FILES}/tree.tar", to_tar(tree))
    script = 'mkdir -p "$1" && tar -xf "$2" -C "$1" && rm -f "$2"'
    done = await run_unlogged(box, ["/bin/sh", "-c", script, "sh", folder, f"{TASK_FILES}/tree.tar"])
    if not done.success:
        raise SandboxError(f"cannot unpack the task in the sandbox: {done.stderr.strip()[:300]}")


async def read_task_file(box: SandboxEnvironment, name: str) -> bytes | None:
    """A file in `TASK_FILES`; None if there is none or it is implausibly large."""
    try:
        with _unlogged(box):
            return await box.read_file(f"{TASK_FILES}/{name}", text=False)
    except (OSError, OutputLimitExceededError):
        return None


async def gather(box: SandboxEnvironment, without: Sequence[str] = ()) -> Gathered:
    """Kill every process, then take the work folder without some of its entries; `TooLarge` beyond the limits."""
    _make_room(box)
    stopped = await run_unlogged(box, ["/bin/sh", "-c", _STOP])
    if not stopped.success:
        raise SandboxError("the agent's processes could not be stopped")
    await run_unlogged(box, ["/bin/sh", "-c", _PACK, "sh", *without], timeout_s=120)
    try:
        with _unlogged(box):
            data = await box.read_file("/tmp/left.tar", text=False)
    except OutputLimitExceededError:
        # Treated as too large.
        data = b" " * (_ARCHIVE_LIMIT + 1)
    if len(data) > _ARCHIVE_LIMIT:
        raise TooLarge(f"more than {_ARCHIVE_LIMIT // 1_000_000} MB")
    return from_tar(data)


def _make_room(box: SandboxEnvironment) -> None:
    """Whoever fills its memory with files must not keep us from taking them."""
    with contextlib.suppress(TypeError):  # a sandbox that is not ours
        box.as_type(BubblewrapSandbox).host.make_room()


def _unlogged(box: SandboxEnvironment) -> contextlib.AbstractContextManager[None]:
    """Inspect's proxy around a sandbox can be silenced; a bare sandbox logs nothing anyway."""
    no_events: Any = getattr(box, "no_events", None)
    return (
        cast(contextlib.AbstractContextManager[None], no_events()) if callable(no_events) else contextlib.nullcontext()
    )


def task_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The variables by which a `command` agent finds its task files, and `extra`."""
    return {
        "STEELYARD_PROMPT": f"{TASK_FILES}/prompt.md",
        "STEELYARD_CONFIG": f"{TASK_FILES}/config",
        "STEELYARD_TELEMETRY": f"{TASK_FILES}/telemetry.json",
        "STEELYARD_TOOL_CALLS": f"{TASK_FILES}/{TOOL_CALLS}",
        **extra,
    }
