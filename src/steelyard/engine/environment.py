"""The environment of workers that a scheduler starts: a file that only its owner can read, beside the selections.

A scheduler keeps what it exports, in its own state, for everybody who administers it; so it exports nothing. The file
is removed when the run ends. One that a killed driver left is used by the workers that are still to start, and replaced
or removed by the next start of the run.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from steelyard.errors import InputError
from steelyard.process import isolated

FILE = "environment.json"
"""Its name in the folder of the engine."""


def write(folder: Path) -> None:
    """Write the environment of this process for its workers."""
    temporary = folder / f".{FILE}.{os.getpid()}"
    # A killed process with the same id may have left one.
    remove(temporary)
    # O_EXCL: a file that was there before could already be open in somebody else's process.
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump({name: value for name, value in isolated.own_environment().items() if not _scheduler(name)}, file)
    temporary.replace(folder / FILE)


def remove(path: Path) -> None:
    """Remove the file, if it is there."""
    path.unlink(missing_ok=True)


def enter(path: Path) -> None:
    """Take over the variables of a file, but for what the scheduler has set; none if the run has no such file."""
    if not path.exists():
        return
    if path.stat().st_uid != os.geteuid() or path.stat().st_mode & 0o077:
        raise InputError(f"{path} can be read or was written by somebody else", cure="run the same command again")
    os.environ.update(json.loads(path.read_text()))


def _scheduler(name: str) -> bool:
    return name.startswith(("SLURM_", "SBATCH_"))
