"""The files that `gate init` writes: settings, a first task, two configurations and a stand-in agent without a key."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from steelyard import artifact
from steelyard.errors import InputError

SETTINGS = "steelyard.yaml"
TASKS = "gate/tasks"


def write_starter(folder: Path) -> tuple[Path, ...]:
    """Write the starter files below `folder`; if one of them exists already, nothing is written."""
    source = Path(str(resources.files("steelyard").joinpath("examples", "gate_init")))
    files = {path.relative_to(source): path for path in sorted(source.rglob("*")) if path.is_file()}
    # `exists` follows links; a dangling one would be written through.
    taken = next((path for name in files if (path := folder / name).exists() or path.is_symlink()), None)
    if taken is not None:
        raise InputError(f"{taken} already exists, and nothing is overwritten", cure="name another folder")
    for name, path in files.items():
        artifact.write_bytes(folder / name, path.read_bytes())
    return tuple(folder / name for name in files)
