"""Where the runs of an arm are in a store, and putting them there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard import artifact
from steelyard.errors import LogError, boundary
from steelyard.gate.read.arm import identity
from steelyard.location import location, names_in
from steelyard.logs.identity import sha256_of
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from steelyard.location import Location

_DIGITS = 24


@dataclass(frozen=True, slots=True)
class Store:
    """A folder or a URL that keeps the runs of arms."""

    where: str

    def folder(self, suite: str, config: str) -> Location:
        """Where the logs of an arm are."""
        return location(self.where) / suite / config[:_DIGITS]

    def logs(self, suite: str, config: str) -> list[str]:
        """The logs of an arm; empty if it never ran."""
        folder = self.folder(suite, config)
        return [str(folder / name) for name in listed(folder) if name.endswith(".eval")]

    def suites(self) -> list[str]:
        """What has runs."""
        return listed(location(self.where))

    def configs(self, suite: str) -> list[str]:
        """The configurations that have runs of a suite."""
        return listed(location(self.where) / suite)

    def keep(self, rows: Iterable[LogRow]) -> int:
        """Copy the logs of gate runs to their places; how many were new."""
        new = 0
        for row in rows:
            if row.stamp is None or row.stamp.wing != "gate" or not row.runs:
                continue
            target = self.folder(suite_key(identity(row.stamp.fingerprint)), str(row.stamp.extra["config"]))
            place = target / Path(row.path).name
            with boundary(LogError, f"cannot write to the store {self.where}", cure="check the place and your access"):
                if not place.exists():
                    artifact.write_bytes(place, artifact.read_bytes(location(row.path)))
                    new += 1
        return new


def suite_key(measured: Mapping[str, object]) -> str:
    """The name of what must be equal before runs may be compared (`read.arm.identity`)."""
    return sha256_of(dict(measured))[:_DIGITS]


def listed(folder: Location) -> list[str]:
    """The names in a folder of a store; none if it does not exist."""
    with boundary(LogError, f"cannot read the store {folder}", cure="check the place and your access"):
        return names_in(folder)
