"""Memory control groups: what all processes in one hold together, files in memory included, has one limit.

A group lies below the one that this process is in, or beside it, never above, so no limit that holds for this
process is evaded. Where none can be made (no controller, no permission), there is none, and the other limits hold. The
process that made a group holds a lock on it; a group without a holder is litter, and whoever makes the next one removes
it. Version 1: below this process's own group. Version 2, where a group with processes cannot hand control on: below the
nearest group above that hands memory control on already, as systemd's do for services and sessions.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

PREFIX = "steelyard-"
"""How the names of groups begin."""
_MOUNTS, _OWN = Path("/proc/self/mountinfo"), Path("/proc/self/cgroup")
_ABOVE_STANDARD = 50
"""Lowest number of a descriptor that is passed on: a launcher uses small numbers itself."""


class _Kind(NamedTuple):
    """The files of one version."""

    limit: str
    further: tuple[tuple[str, str], ...]
    """Other settings, as far as the kernel has them; `{}` is the limit."""
    kills: str
    """Has a line `oom_kill N`: processes in the group that the kernel ended, for whatever reason."""
    peak: str | None
    """The file with the most that the group ever held, which is set back by writing to it; None if the file of kills
    has a line `oom N` for hits of the limit."""
    unlimited: str
    """What the file of the limit takes for none."""


_V1 = _Kind(
    "memory.limit_in_bytes",
    (("memory.memsw.limit_in_bytes", "{}"),),
    "memory.oom_control",
    "memory.max_usage_in_bytes",
    "-1",
)
# Version 2 limits swap separately, so there is none; memsw of version 1 limits memory and swap together.
_V2 = _Kind("memory.max", (("memory.swap.max", "0"),), "memory.events", None, "max")
_TOGETHER = "memory.oom.group"
"""Version 2: whether the kernel ends all processes of a group at once."""
_TRIES = 5
"""Another process may take a new group for litter in the moment before its maker holds it."""
_NEARLY = 0.99
"""Share of the limit at which it counts as reached: the kernel counts in steps."""


@dataclass(eq=False)
class Group:
    """A group; processes enter it by writing `0` to its `entrance`."""

    folder: Path
    _kind: _Kind
    _held: int
    _own: int = 0
    _ended: int = 0
    _hits: int = 0
    _mutex: threading.Lock = field(default_factory=threading.Lock)

    def entrance(self) -> int:
        """A descriptor by which a process enters, whatever user it is by then; to be closed by the caller."""
        return self._opened("cgroup.procs", os.O_WRONLY)

    def events(self) -> int:
        """A descriptor to read `oom_kill N` from; to be closed by the caller."""
        return self._opened(self._kind.kills, os.O_RDONLY)

    def _opened(self, name: str, flags: int) -> int:
        opened = os.open(self.folder / name, flags | os.O_CLOEXEC)
        try:
            return fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STANDARD)
        finally:
            os.close(opened)

    def kills(self) -> int:
        """How many processes the kernel has ended because the group exceeded its limit.

        One that it ended for lack of memory elsewhere, while the group had not reached its limit, is not among them.
        """
        with self._mutex:
            ended, hits = self._counted()
            if hits != self._hits:
                # The kernel's counter includes processes it ended because the whole machine ran out of memory.
                self._own += ended - self._ended
            self._ended = ended
            return self._own

    def begin(self) -> int:
        """The same, before a new program enters: that an earlier one hit the limit no longer counts."""
        own = self.kills()
        with self._mutex, contextlib.suppress(OSError):
            # Version 1 only records the highest use ever: an earlier program's peak would look like a hit of this one.
            if self._kind.peak is not None:
                _set(self.folder / self._kind.peak, 0)
            self._ended, self._hits = self._counted()
        return own

    def _counted(self) -> tuple[int, int]:
        """Processes in the group that the kernel ended, and hits of its limit; as before if the group is gone."""
        try:
            words = dict(line.split(maxsplit=1) for line in (self.folder / self._kind.kills).read_text().splitlines())
            hits = int(words.get("oom", 0))
            if self._kind.peak is not None:
                peak, limit = (int((self.folder / name).read_text()) for name in (self._kind.peak, self._kind.limit))
                # Version 1 does not count hits, so a peak at the limit stands for one.
                hits = int(peak >= _NEARLY * limit)
            return int(words.get("oom_kill", 0)), hits
        except (OSError, ValueError):
            return self._ended, self._hits

    def lift(self) -> None:
        """Lift the limit, for what comes after the program that it was for."""
        with contextlib.suppress(OSError):
            # memsw first: version 1 refuses a memory limit above that of memory and swap together.
            for name in (*(name for name, value in self._kind.further if value == "{}"), self._kind.limit):
                if (self.folder / name).exists():
                    _set(self.folder / name, self._kind.unlimited)

    def remove(self) -> None:
        """Remove it; while a process is left in it, it stays for whoever makes the next one."""
        global _past
        own = self.kills()
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        # Released only now, so that nobody takes the group for litter before. If it is still busy, it becomes litter.
        os.close(self._held)
        with _all:
            _groups.remove(self)
            _past += own


_all = threading.Lock()
_groups: list[Group] = []
"""The groups that this process made and has not removed."""
_past = 0
"""Processes that were ended in groups that are removed."""


def all_kills() -> int:
    """How many processes the kernel has ended because a group that this process made exceeded its limit."""
    with _all:
        return _past + sum(group.kills() for group in _groups)


def make(limit_mb: int, *, together: bool = True) -> Group | None:
    """A new group with this limit in megabytes; None where none can be made. Beyond the limit the kernel ends all of
    its processes `together`, where it can, or the largest."""
    for parent, kind in _places():
        for _ in range(_TRIES):
            with contextlib.suppress(OSError):
                return _made(parent, kind, limit_mb * 1_000_000, together)
    return None


WEAK = "memory is limited for each process, not for a sandbox as a whole, and shared memory is not counted"
"""What does not hold where no group can be made."""


@cache
def available() -> bool:
    """Whether a group can be made here."""
    group = make(64)
    if group is not None:
        group.remove()
    return group is not None


def _made(parent: Path, kind: _Kind, limit: int, together: bool) -> Group:
    _remove_litter(parent)
    folder = parent / f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    folder.mkdir()
    lock = -1
    try:
        lock = _locked(folder)
        # Memory first: memsw may not be below it.
        _set(folder / kind.limit, limit)
        for name, value in kind.further:
            if (folder / name).exists():
                _set(folder / name, value.format(limit))
        if together and (folder / _TOGETHER).exists():
            _set(folder / _TOGETHER, "1")
        # Opened as a test: if the group cannot be entered, the next place is tried.
        os.close(os.open(folder / "cgroup.procs", os.O_WRONLY))
    except OSError:
        if lock >= 0:
            os.close(lock)
        with contextlib.suppress(FileNotFoundError):
            folder.rmdir()
        raise
    group = Group(folder, kind, lock)
    with _all:
        _groups.append(group)
    return group


def _set(path: Path, value: object) -> None:
    # Never created: in a folder that is no group, there is nothing to set.
    with path.open("r+") as file:
        file.write(str(value))


def _locked(folder: Path) -> int:
    """A descriptor that holds the folder; raises if another process does."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _remove_litter(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            # Raises if the process that made the group is still alive.
            handle = _locked(folder)
            try:
                folder.rmdir()
            finally:
                os.close(handle)


def _places() -> Iterator[tuple[Path, _Kind]]:
    """Groups below which this process might make one, and their version."""
    own = dict(_memberships())
    for kind, mounted, root in _mounts():
        name = "memory" if kind is _V1 else ""
        if name not in own:
            continue
        # In a container, the mount may show only a part of the tree without our own group.
        inside = os.path.relpath(own[name], root)
        if inside.startswith(".."):
            continue
        place = (mounted / inside).resolve()
        if kind is _V1:
            yield place, kind
        while kind is _V2 and place.is_relative_to(mounted):
            if _hands_memory_on(place):
                yield place, kind
            place = place.parent


def _hands_memory_on(place: Path) -> bool:
    try:
        return "memory" in (place / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


def _memberships() -> Iterator[tuple[str, str]]:
    """(controller, group): the name is empty for version 2."""
    for line in _read(_OWN):
        _, controllers, group = line.split(":", 2)
        for name in controllers.split(","):
            yield name, group


def _mounts() -> Iterator[tuple[_Kind, Path, str]]:
    """The hierarchies that can limit memory: version, where it is mounted, and which of its groups is there."""
    for line in _read(_MOUNTS):
        here, _, there = line.partition(" - ")
        words, kind, options = here.split(), there.split()[0], there.split()[-1].split(",")
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options):
            yield _V2 if kind == "cgroup2" else _V1, Path(_plain(words[4])), _plain(words[3])


def _plain(word: str) -> str:
    """A path as it is; the kernel writes blanks and backslashes in it (systemd has those) as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), word)


def _read(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
