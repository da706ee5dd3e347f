"""What a worker needs to know about a run: the arguments of the function that runs it, and what must be equal there.

A worker of another version, or with other data, would write logs that look alike and are not comparable, so it refuses.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard import artifact
from steelyard.errors import IncomparableError, InputError
from steelyard.process import isolated

if TYPE_CHECKING:
    from steelyard.location import Location

SCHEMA_VERSION = 1

WORKER = "steelyard.worker"
"""The module that a worker process runs."""


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("steelyard", "inspect-ai")}


@dataclass(frozen=True, slots=True)
class Definition:
    """One run, for workers elsewhere."""

    wing: str
    arguments: Mapping[str, Any]
    """Keyword arguments of the wing's function in `api`, as JSON data."""
    fingerprints: Mapping[str, Any]
    """Category or arm → what its data, scorer and configuration must be."""
    versions: Mapping[str, str] = field(default_factory=_versions)
    folder: str = field(default_factory=os.getcwd)
    """Where relative paths of the run begin."""

    def write(self, path: Location) -> None:
        """Write it to a file."""
        artifact.write_json(path, {"schema_version": SCHEMA_VERSION, **asdict(self)})

    def enter_folder(self) -> None:
        """Go to the folder of the run; raises if this machine does not have it."""
        try:
            os.chdir(self.folder)
        except OSError as error:
            raise InputError(
                f"this worker has no folder {self.folder}: {error.strerror}",
                cure="workers need the folder of the run and that of its logs on a file system they share",
            ) from error

    def require_same(self, fingerprints: Mapping[str, Any]) -> None:
        """Raise unless this machine has the same versions and the same data."""
        for name, wanted in self.versions.items():
            if (here := _versions().get(name)) != wanted:
                raise IncomparableError(
                    f"this worker has {name} {here}, the run was started with {wanted}",
                    cure="install the same version on every node",
                )
        for key, wanted in self.fingerprints.items():
            if fingerprints.get(key) != wanted:
                raise IncomparableError(
                    f"the data or the scorer of {key} differs on this worker from those of the run",
                    cure="install the same version and the same items on every node",
                )


def read_definition(path: Location) -> Definition:
    """The definition in a file; raises `InputError` if it is not one."""
    data: Any = artifact.read_json(path)
    if not isinstance(data, dict) or cast(dict[str, Any], data).get("schema_version") != SCHEMA_VERSION:
        raise InputError(f"{path} is not the definition of a run that this version understands")
    known = cast(dict[str, Any], data)
    try:
        return Definition(**{each.name: known[each.name] for each in fields(Definition)})
    except KeyError as error:
        raise InputError(f"{path} is not the definition of a run: it has no {error.args[0]}") from error


def worker_command(definition: Location, selection: Location, *options: str) -> list[str]:
    """The command that runs the tasks of a selection; `worker` explains its options."""
    return isolated.python("-m", WORKER, *options, str(definition), str(selection))


def absolute(folder: Location) -> str:
    """A folder as workers elsewhere find it."""
    return str(folder.absolute()) if isinstance(folder, Path) else str(folder)
