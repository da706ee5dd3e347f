"""What a task needs beside its own files in another language than Python: made once by its `setup` commands.

The commands run in a sandbox with a network, on a copy of the folder that the agent starts from. The entries they add
at the top of that folder (`node_modules`, `vendor`) are kept, and every later sandbox finds them there, read-only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import ToolchainError, boundary
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.environment import INSTALL_S, NETWORK, Say
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import WORK, Jail
from steelyard.sandbox.limits import Limits
from steelyard.toolchain import cache_folder, cache_lock

_KEPT = "/run/prepared"
_DONE = ".steelyard-complete"
# stdin is the archive, so the commands get none. Their output goes to stderr, where the cause of a failure is sought.
_SETUP = f"""set -e
tar -xf - -C {WORK}
ls -A {WORK} | sort > /tmp/before
"$@" >&2 </dev/null
ls -A {WORK} | sort > /tmp/after
comm -13 /tmp/before /tmp/after | while IFS= read -r name; do cp -a -- "{WORK}/$name" {_KEPT}/; done
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the commands added."""

    folder: Path
    """On the host."""
    names: tuple[str, ...]
    """Entries at the top of the working folder."""

    @property
    def binds(self) -> tuple[tuple[Path, str], ...]:
        """What a sandbox needs in order to contain it."""
        return tuple((self.folder / name, f"{WORK}/{name}") for name in self.names)


def prepared(
    commands: Sequence[str],
    archive: bytes,
    place: Sandbox = BUBBLEWRAP,
    tools: tuple[tuple[Path, str], ...] = (),
    path: tuple[str, ...] = (),
    say: Say = lambda line: None,
) -> Prepared:
    """Run `commands` on the tree in `archive`, unless that was done before; `ToolchainError` with what they print.

    Args:
        commands: Each for a shell, in order.
        archive: The folder as a tar archive.
        place: Where they run.
        tools: Programs of the host (host path, path inside).
        path: Folders inside where programs are looked up.
        say: Receives one line when something is run.
    """
    parts = [list(commands), hashlib.sha256(archive).hexdigest(), place.identity, sorted(map(str, tools))]
    folder = cache_folder() / "prepared" / hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
    with cache_lock(f"prepared-{folder.name}.lock"):
        if not (folder / _DONE).is_file():
            say(f"setting up: {'; '.join(commands)}")
            _run(commands, archive, place, folder, tools, path)
    return Prepared(folder, tuple(sorted(entry.name for entry in folder.iterdir() if entry.name != _DONE)))


def _run(
    commands: Sequence[str],
    archive: bytes,
    place: Sandbox,
    folder: Path,
    tools: tuple[tuple[Path, str], ...],
    path: tuple[str, ...],
) -> None:
    with boundary(ToolchainError, f"cannot write to {folder}", cure="set STEELYARD_CACHE to a writable folder"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        folder.chmod(0o777)  # for root, the sandbox runs under a user id that nobody has
    passed = {name: os.environ[name] for name in (*NETWORK, *map(str.lower, NETWORK)) if name in os.environ}
    limits = Limits(memory_mb=None, processes=1_024, file_mb=4_096, disk_mb=8_192, open_files=8_192)
    jail = Jail(
        read_only=tools,
        writable=((folder, _KEPT),),
        network="host",
        environment=passed,
        limits=limits,
        path=path,
        image=place.image,
    )
    # The closing brace is on its own line because a command may end in a comment.
    script = " && ".join(f"{{ {command}\n}}" for command in commands)
    try:
        done = run(jail, ["/bin/sh", "-c", _SETUP, "sh", "/bin/sh", "-c", script], timeout_s=INSTALL_S, stdin=archive)
        if not done.ok:
            cause = " ".join((done.stderr or done.stdout).split())[-500:] or f"exit code {done.returncode}"
            raise ToolchainError(f"setup failed: {'it took too long' if done.timed_out else cause}")
        folder.chmod(0o755)
        (folder / _DONE).touch()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
