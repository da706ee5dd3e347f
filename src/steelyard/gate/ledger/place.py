"""Where a ledger is kept: a folder, a bucket, or a git ref. Entries are only ever added, each under a name of its own.

Two writers never touch the same file, so nothing is lost and nothing is locked. In a git ref the commit is made from
the newest state and the ref is moved only if nobody has moved it since; where the repository has a remote `origin`,
the ref is fetched from it and pushed to it in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from steelyard import artifact
from steelyard.errors import ArtifactError, InputError, LogError, boundary
from steelyard.git import blobs_at, git
from steelyard.location import location, names_in

if TYPE_CHECKING:
    from steelyard.location import Location

FOLDER = "gate-ledger"
"""Name of the ledger beside a log folder."""

_TRIES = 20
"""How often a git ref is tried again that others move at the same time."""
_MISSING = "0" * 40
_SUFFIX = ".json"


class Place(Protocol):
    """A store of small files that are never changed."""

    def names(self, prefix: str) -> list[str]:
        """The files whose names begin so."""
        ...

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Name → content."""
        ...

    def add(self, name: str, data: bytes) -> None:
        """Keep a file."""
        ...


def beside(logs: Location) -> Location:
    """Where the ledger of a log folder lies: next to it, so that every candidate's folder there has the same."""
    whole = logs.resolve() if isinstance(logs, Path) else logs
    return (whole if whole.parent == whole else whole.parent) / FOLDER


def place_of(where: str | Location, repo: Path | None = None) -> Place:
    """The place that `--ledger` names; `git:REF` is a ref of `repo`, or of the current folder's repository."""
    text = str(where)
    if text.startswith("git:"):
        ref = text.removeprefix("git:")
        if not ref:
            raise InputError("--ledger git: names no ref", cure="--ledger git:refs/steelyard/ledger")
        return GitRef(repo or Path("."), ref if ref.startswith("refs/") else f"refs/heads/{ref}")
    return Folder(location(where))


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of this machine, one that several machines mount, or one behind a URL."""

    where: Location

    def names(self, prefix: str) -> list[str]:
        """The files whose names begin so."""
        with boundary(LogError, f"cannot read the ledger {self.where}", cure="check the place and your access"):
            return [name for name in names_in(self.where) if name.startswith(prefix) and name.endswith(_SUFFIX)]

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Name → content."""
        return {name: artifact.read_bytes(self.where / name) for name in names}

    def add(self, name: str, data: bytes) -> None:
        """Keep a file."""
        artifact.write_bytes(self.where / name, data)


@dataclass(frozen=True, slots=True)
class GitRef:
    """A ref whose tree holds the entries; it is shared through the remote `origin`, if there is one."""

    repo: Path
    ref: str

    def names(self, prefix: str) -> list[str]:
        """The files whose names begin so."""
        return sorted(name for name in self._entries(self._tips()) if name.startswith(prefix))

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Name → content."""
        entries = self._entries(self._tips(fetch=False))
        wanted = {name: entries[name] for name in names if name in entries}
        blobs = blobs_at(self.repo, list(wanted.values())) if wanted else {}
        return {name: blobs[blob] for name, blob in wanted.items()}

    def add(self, name: str, data: bytes) -> None:
        """Keep a file: a commit on top of the newest state, tried again if somebody else was faster."""
        blob = git(self.repo, "hash-object", "-w", "--stdin", stdin=data).stdout.strip()
        for _ in range(_TRIES):
            # Read before the entries: the ref moves only if it is still what they were read from.
            before = self._at(self.ref)
            tips = self._tips()
            if before is not None and before not in tips:
                continue
            commit = self._commit(tips, {**self._entries(tips), name: blob}, name)
            # An old value of zeros means: only if the ref still does not exist.
            moved = git(self.repo, "update-ref", self.ref, commit, before or _MISSING, check=False)
            if moved.ok and self._pushed(commit):
                return
        raise ArtifactError(f"the ledger git:{self.ref} could not be written: others move it all the time")

    def _commit(self, tips: list[str], entries: Mapping[str, str], name: str) -> str:
        listing = "".join(f"100644 blob {blob}\t{key}\n" for key, blob in sorted(entries.items()))
        tree = git(self.repo, "mktree", stdin=listing).stdout.strip()
        parents = [word for tip in tips for word in ("-p", tip)]
        # git makes no commit without a name, and a machine of CI may have none.
        who = ["-c", "user.name=steelyard", "-c", "user.email=ledger@steelyard.invalid"]
        return git(self.repo, *who, "commit-tree", tree, "-m", f"ledger: {name}", *parents).stdout.strip()

    def _entries(self, tips: list[str]) -> dict[str, str]:
        """Name of a file → its blob, over all tips: what was written here and could not be pushed is not lost."""
        entries: dict[str, str] = {}
        for tip in tips:
            lines = git(self.repo, "ls-tree", "-z", "--full-tree", tip).stdout.split("\0")
            pairs = (line.partition("\t") for line in lines if line)
            entries |= {name: head.split()[2] for head, _, name in pairs if name.endswith(_SUFFIX)}
        return entries

    def _tips(self, *, fetch: bool = True) -> list[str]:
        """The newest commits of the ledger, the remote's and this repository's; one if they are the same."""
        if fetch and self._shared():
            done = git(self.repo, "fetch", "--quiet", "origin", f"+{self.ref}:{self._fetched}", check=False)
            # Not there before the first push, or being fetched by another process: neither is a failure.
            if not done.ok and "couldn't find remote ref" not in done.stderr and "cannot lock ref" not in done.stderr:
                raise LogError(
                    f"the ledger git:{self.ref} cannot be fetched from origin: {done.stderr.strip()[:200]}",
                    cure="check access to the remote, or keep the ledger elsewhere",
                )
        found = [self._at(self._fetched), self._at(self.ref)]
        return list(dict.fromkeys(tip for tip in found if tip is not None))

    @property
    def _fetched(self) -> str:
        # Not the ref itself: entries that were written here and not pushed yet would be lost.
        return f"refs/steelyard-origin/{self.ref.removeprefix('refs/')}"

    def _at(self, ref: str) -> str | None:
        done = git(self.repo, "rev-parse", "--verify", "--quiet", "--end-of-options", ref, check=False)
        return done.stdout.strip() if done.ok else None

    def _shared(self) -> bool:
        return git(self.repo, "remote", "get-url", "origin", check=False).ok

    def _pushed(self, commit: str) -> bool:
        """Whether the remote has the commit now; False if somebody else was faster."""
        if not self._shared():
            return True
        done = git(self.repo, "push", "--quiet", "--porcelain", "origin", f"{commit}:{self.ref}", check=False)
        if done.ok:
            return True
        if any(reason in done.stdout + done.stderr for reason in ("fetch first", "non-fast-forward", "lock")):
            return False
        raise ArtifactError(
            f"the ledger git:{self.ref} cannot be pushed to origin: {(done.stderr or done.stdout).strip()[:200]}",
            cure="allow this job to push that ref (in GitHub Actions: permissions: contents: write)",
        )
