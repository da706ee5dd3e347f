"""Runs git safely: no shell, prompts or hooks, no inherited GIT_* variables, and a name cannot become an option."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from steelyard import process
from steelyard.errors import InputError, command
from steelyard.tree import File, leads_inside, safe_path

_KEPT = ("GIT_SSH", "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSL_", "GIT_PROXY_", "GIT_ASKPASS")
"""Variables that say who commits and how the remote is reached; the others point git at another repository."""
_SETTINGS = tuple(f"GIT_CONFIG_{name}" for name in ("GLOBAL", "SYSTEM", "NOSYSTEM", "COUNT", "KEY_", "VALUE_"))
"""Variables that hold settings, such as `safe.directory` or `core.autocrlf`: without them a clean tree may differ."""

_FIXED = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"),
    *("-c", "core.safecrlf=false", "-c", "core.trustctime=true", "-c", "core.checkStat=default"),
)
"""Whatever the user has set: no hook runs, line ends are no error, and a change is seen although its time was set
back."""

_PROGRAMS = r"^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv)|core\.alternaterefscommand)$"
"""Settings that make git run a program. How a remote is reached (`core.sshCommand`, helpers) is left to the clone."""

TIMEOUT_S = 120.0
_FATAL = 128
"""How git ends that could not look at all."""
_LIMIT = 200_000_000


def environment(**extra: str) -> dict[str, str]:
    """The user's environment (keys, proxies, identity) without variables that point git at another repository."""
    names = (name for name in os.environ if not name.startswith("GIT_") or name.startswith(_KEPT + _SETTINGS))
    kept = {name: os.environ[name] for name in names}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **extra}


def environment_of_others(**extra: str) -> dict[str, str]:
    """The same for a program that calls git itself: what `git` here is told by options, that one reads in variables."""
    kept = environment(**extra)
    first = int(kept.get("GIT_CONFIG_COUNT", "0"))
    for number, setting in enumerate(_FIXED[1::2], first):
        name, _, value = setting.partition("=")
        kept |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {**kept, "GIT_CONFIG_COUNT": str(first + len(_FIXED) // 2)}


def git(
    repo: Path, *words: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, check: bool = True
) -> process.Finished:
    """Run git in `repo`; unless `check` is off, a failure is an `InputError` with git's message."""
    start, env = ["git", "-C", str(repo.absolute()), *_FIXED], env or environment()
    argv = [*start, *(_users_own(start, env) if _verb(words) in _RUNNING else ()), *words]
    done = process.run(argv, timeout_s=TIMEOUT_S, stdin=stdin, env=env, output_limit=_LIMIT)
    if check and not done.ok:
        detail = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
        raise InputError(f"git {_verb(words)} failed in {repo}: {detail}")
    if done.truncated:
        raise InputError(f"git {_verb(words)} in {repo} gives more than {_LIMIT // 1_000_000} MB")
    return done


_RUNNING = frozenset({"add", "commit", "diff", "fetch", "log", "read-tree", "update-index", "worktree"})
"""Commands that look at files of the work tree, at differences or at another repository, and may run programs."""


def _users_own(start: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """Options that take programs from the user's settings alone, and none from those that lie in the repository.

    `.git/config` comes with an unpacked archive or a copied folder, so whoever made that could run code here.
    """
    words = ("config", "--includes", "--show-scope", "-z", "--get-regexp", _PROGRAMS)
    fields = process.run([*start, *words], timeout_s=TIMEOUT_S, env=env).stdout.split("\0")
    users, repositories = dict[str, str](), set[str]()
    # The output with -z: scope, NUL, name, newline, value, NUL.
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        name, _, value = setting.partition("\n")
        if scope in ("local", "worktree"):
            repositories.add(name)
        else:
            users[name] = value
    # An empty value turns a filter off; `required` would make that an error.
    given = {name: users.get(name, "false" if name.endswith(".required") else "") for name in sorted(repositories)}
    return [word for name, value in given.items() for word in ("-c", f"{name}={value}")]


def _verb(words: Sequence[str]) -> str:
    return next(word for word in words if not word.startswith("-") and "=" not in word)


def commit_of(repo: Path, ref: str) -> str:
    """The commit of a ref; a ref that looks like an option is still only a name."""
    # A checkout in CI has no local branches: `main` is there only as `origin/main`.
    for name in (ref, f"refs/remotes/origin/{ref}"):
        done = git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
        if done.ok:
            return done.stdout.strip()
        if done.returncode == _FATAL:
            raise InputError(f"git cannot read {repo}: {done.stderr.strip()}")
    if ref == "HEAD":
        raise InputError(f"{repo} has no commits where HEAD is", cure="make one, or name a branch that has some")
    cure = "name a branch, a tag or a commit" if ref.startswith("-") else command("git", "fetch", "origin", ref)
    raise InputError(f"{repo} has no commit {ref!r}", cure=cure)


def remote_ref(repo: Path, remote: str, branch: str) -> str:
    """The branch as the remote last had it, as far as this clone knows; the local branch if it knows nothing."""
    name = f"refs/remotes/{remote}/{branch}"
    known = git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
    return f"{remote}/{branch}" if known.ok else branch


Entry = tuple[str, str, str]
"""Mode, name of the blob and path of a file at a commit."""

LINK, SUBMODULE = "120000", "160000"
"""Modes of entries that are not files."""


class NoFiles(InputError):
    """A commit has no files under a path."""


class Place(NamedTuple):
    """An object, and the repository that has it: a submodule's own, if the path leads into one."""

    repo: Path
    kind: str
    name: str
    path: str
    """Inside that repository; empty at its root."""

    def entries(self) -> list[Entry]:
        """The files of a folder, and its submodules."""
        listed = git(self.repo, "ls-tree", "-r", "-z", "--full-tree", self.name)
        return [_entry(line) for line in _text(listed.raw).split("\0") if line]

    def contents(self, names: Sequence[str]) -> dict[str, bytes]:
        """Blob name → content."""
        return blobs_at(self.repo, names)


def tree_at(repo: Path, ref: str, path: str, *, any_link: bool = False) -> dict[str, File]:
    """The files below `path` at `ref`, byte for byte (no filters, no attributes); submodules are left out.

    A symbolic link that leads outside is an `InputError`, unless `any_link` is set.
    """
    place = folder_at(repo, ref, path)
    entries = [entry for entry in place.entries() if entry[0] != SUBMODULE]
    blobs = place.contents([blob for _, blob, _ in entries])
    return {name: as_file(mode, blobs[blob], name, any_link) for mode, blob, name in entries}


def entries_at(repo: Path, ref: str, path: str) -> list[Entry]:
    """The files below `path` at `ref`; their paths are relative to `path`."""
    return folder_at(repo, ref, path).entries()


def folder_at(repo: Path, ref: str, path: str) -> Place:
    """The folder at `path` in a commit, with links followed; `NoFiles` if there is none."""
    where = "" if path in ("", ".") else safe_path(path)
    if where is None or "\n" in where:
        raise InputError(f"{path!r} is not a path inside the repository")
    place = object_at(repo, ref, where)
    if place is None or place.kind != "tree":
        raise NoFiles(f"{ref!r} has no files under {path!r}")
    return place


def object_at(repo: Path, ref: str, path: str) -> Place | None:
    """What is at `path` in a commit, with links inside it followed; None if there is nothing."""
    commit = commit_of(repo, ref)
    words = ("cat-file", "--batch-check=%(objecttype) %(objectname)", "--follow-symlinks")
    found = git(repo, *words, stdin=f"{commit}:{path}\n".encode("utf-8", "surrogateescape")).stdout.split()
    if found[0] in ("tree", "blob"):
        return Place(repo, found[0], found[1], path)
    if found[0] in ("symlink", "dangling", "loop"):
        where = "outside the repository" if found[0] == "symlink" else "nowhere"
        raise InputError(f"{path} is a symbolic link that leads {where} in {ref}")
    return _in_submodule(repo, commit, path)


def _in_submodule(repo: Path, commit: str, path: str) -> Place | None:
    """What is at a path that leads into a submodule, at the commit of it that the repository names."""
    parts = path.split("/")
    ways = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    listed = git(repo, "ls-tree", "-z", "--full-tree", commit, "--", *(f":(literal){way}" for way in ways))
    for mode, name, way in map(_entry, filter(None, _text(listed.raw).split("\0"))):
        if mode == SUBMODULE:
            own = _top(repo) / way
            if not (own / ".git").exists():
                cure = command("git", "submodule", "update", "--init", way)
                raise InputError(f"{way} is a submodule that is not here", cure=cure)
            return object_at(own, name, path.removeprefix(way).lstrip("/"))
    return None


def _entry(line: str) -> Entry:
    head, _, name = line.partition("\t")
    mode, _, blob = head.split(" ")
    return mode, blob, name


def as_file(mode: str, data: bytes, name: str, any_link: bool = False) -> File:
    """A file of a commit or an index."""
    if mode != LINK:
        return File(data, mode == "100755")
    target = _text(data)
    if not any_link and not leads_inside(name, target):
        raise InputError(f"{name} is a symbolic link that leads outside")
    return File(link=target)


def blobs_at(repo: Path, names: Sequence[str], env: Mapping[str, str] | None = None) -> dict[str, bytes]:
    """Blob name → content."""
    asked = "".join(f"{name}\n" for name in dict.fromkeys(names))
    data = git(repo, "cat-file", "--batch", stdin=asked, env=env).raw
    contents: dict[str, bytes] = {}
    place = 0
    # By places: to cut off each object would copy all that follow it, once for each.
    while place < len(data):
        end = data.index(b"\n", place)
        name, kind, *size = data[place:end].decode().split(" ")
        if kind != "blob":
            raise InputError(f"{repo} lacks the object {name}", cure="git fsck, or clone it again")
        length = int(size[0])
        contents[name] = data[end + 1 : end + 1 + length]
        # Each object is followed by a newline.
        place = end + 1 + length + 1
    return contents


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _top(repo: Path) -> Path:
    return Path(git(repo, "rev-parse", "--show-toplevel").stdout.strip()).resolve()


def inside(path: Path, repo: Path) -> str | None:
    """The path as the repository knows it; None if it is outside.

    Links in the repository are not followed: a change could lead them to a place that its base does not have.
    """
    top, whole = _top(repo), Path(os.path.abspath(path))
    for folder in (*reversed(whole.parents), whole):
        if folder.resolve() == top:
            return whole.relative_to(folder).as_posix()
    return whole.resolve().relative_to(top).as_posix() if whole.resolve().is_relative_to(top) else None


def settings_text(path: Path, ref: str, repo: Path) -> str | None:
    """A settings file as it is at a commit, the one at the root if `path` is outside; None if the commit has none."""
    return text_at(inside(path, repo) or "steelyard.yaml", ref, repo)


def text_at(name: str, ref: str, repo: Path) -> str | None:
    """A file by its path in the repository, as it is at a commit; None if the commit has none."""
    place = object_at(repo, ref, name)
    if place is None or place.kind != "blob":
        return None
    return place.contents([place.name])[place.name].decode("utf-8", "replace")
