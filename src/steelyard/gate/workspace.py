"""The agent's sandbox, seen from outside: laying out what it starts from, stopping it, taking what it left behind.

Law: before anything is taken, every process in the sandbox is killed; what is taken is an archive that is read as
hostile data. Nothing here is written to the log: file contents belong in scores, keys nowhere.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, cast

from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment

from steelyard.errors import SandboxError
from steelyard.gate.tree import MAX_BYTES, Gathered, TooLarge, Tree, from_tar, to_tar

WORK = "/work"
SHELF = "/tmp/steelyard"
"""Inside: what a `command` agent is told about its task. Gone before the checks."""

_ARCHIVE_LIMIT = 2 * MAX_BYTES
# Everything but process 1 and this shell; again until nothing is left, because a fork bomb breeds while it dies.
_STOP = """n=0
while [ $n -lt 100 ]; do
  kill -9 -1 2>/dev/null
  set -- /proc/[0-9]*
  [ $# -le 2 ] && exit 0
  sleep 0.02
  n=$((n+1))
done
exit 1"""
_TAKE = f"""find /tmp -mindepth 1 -delete 2>/dev/null
chmod -R u+rwX {WORK} 2>/dev/null
tar -C {WORK} --hard-dereference -cf - . 2>/dev/null | head -c {_ARCHIVE_LIMIT + 1} > /tmp/left.tar"""


async def quietly(
    box: SandboxEnvironment, words: list[str], *, timeout_s: float | None = 60, **options: Any
) -> ExecResult[str]:
    """Run a command without an event in the log: its input or environment may hold what a log must not."""
    limit = None if timeout_s is None else max(1, round(timeout_s))
    with _unlogged(box):
        return await box.exec(words, timeout=limit, timeout_retry=False, **options)


async def put(box: SandboxEnvironment, path: str, data: bytes) -> None:
    """Write one file inside."""
    with _unlogged(box):
        await box.write_file(path, data)


async def unpack(box: SandboxEnvironment, tree: Tree, folder: str) -> None:
    """Lay out a tree inside `folder`."""
    await put(box, f"{SHELF}/tree.tar", to_tar(tree))
    script = 'mkdir -p "$1" && tar -xf "$2" -C "$1" && rm -f "$2"'
    done = await quietly(box, ["/bin/sh", "-c", script, "sh", folder, f"{SHELF}/tree.tar"])
    if not done.success:
        raise SandboxError(f"cannot lay out the task in the sandbox: {done.stderr.strip()[:300]}")


async def read_shelf(box: SandboxEnvironment, name: str) -> bytes | None:
    """A file the agent left on the shelf; None when there is none or it is too large to be honest."""
    try:
        with _unlogged(box):
            return await box.read_file(f"{SHELF}/{name}", text=False)
    except (OSError, OutputLimitExceededError):
        return None


async def gather(box: SandboxEnvironment) -> Gathered:
    """Stop everything, then take the work folder; `TooLarge` when it is beyond the limits."""
    stopped = await quietly(box, ["/bin/sh", "-c", _STOP])
    if not stopped.success:
        raise SandboxError("the agent's processes could not be stopped")
    await quietly(box, ["/bin/sh", "-c", _TAKE], timeout_s=120)
    try:
        with _unlogged(box):
            data = await box.read_file("/tmp/left.tar", text=False)
    except OutputLimitExceededError:
        data = b" " * (_ARCHIVE_LIMIT + 1)
    if len(data) > _ARCHIVE_LIMIT:
        raise TooLarge(f"more than {_ARCHIVE_LIMIT // 1_000_000} MB")
    return from_tar(data)


def _unlogged(box: SandboxEnvironment) -> contextlib.AbstractContextManager[None]:
    """Inspect's proxy around a sandbox can be silenced; a bare sandbox logs nothing anyway."""
    silence: Any = getattr(box, "no_events", None)
    return cast(contextlib.AbstractContextManager[None], silence()) if callable(silence) else contextlib.nullcontext()


def hidden(folder: Path | None = None) -> tuple[str, ...]:
    """Folders that a sandbox would show and must not: this package, whose examples hold their solutions, and the
    tasks themselves, when they are installed below a folder that every sandbox can read."""
    ours = Path(str(resources.files("steelyard"))).resolve()
    readable = (Path("/usr"), Path(sys.base_prefix).resolve())
    found = (ours, folder.resolve()) if folder is not None else (ours,)
    return tuple(str(each) for each in found if any(each.is_relative_to(root) for root in readable))


def shelf_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """What a `command` agent finds in its environment."""
    return {
        "STEELYARD_PROMPT": f"{SHELF}/prompt.md",
        "STEELYARD_CONFIG": f"{SHELF}/config",
        "STEELYARD_TELEMETRY": f"{SHELF}/telemetry.json",
        **extra,
    }
