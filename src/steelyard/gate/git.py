"""Runs git safely: no shell, no prompts, no inherited GIT_* variables, and a name cannot become an option."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from steelyard import process
from steelyard.errors import InputError
from steelyard.gate.tree import File, leads_inside, safe_path

_KEPT = ("GIT_SSH", "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSL_", "GIT_PROXY_")
"""Variables that say who commits and how the remote is reached; the others point git at another repository."""

TIMEOUT_S = 120.0
_LIMIT = 200_000_000


def environment(**extra: str) -> dict[str, str]:
    """The user's environment (keys, proxies, identity) without variables that point git at another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **extra}


def git(
    repo: Path, *words: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, check: bool = True
) -> process.Finished:
    """Run git in `repo`; unless `check` is off, a failure is an `InputError` with git's message."""
    argv = ["git", "-C", str(repo), *words]
    done = process.run(argv, timeout_s=TIMEOUT_S, stdin=stdin, env=env or environment(), output_limit=_LIMIT)
    if check and not done.ok:
        detail = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
        raise InputError(f"git {words[0]} failed in {repo}: {detail}")
    return done


def commit_of(repo: Path, ref: str) -> str:
    """The commit of a ref; a ref that looks like an option is still only a name."""
    # A checkout in CI has no local branches: `main` is there only as `origin/main`.
    for name in (ref, f"refs/remotes/origin/{ref}"):
        done = git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
        if done.ok:
            return done.stdout.strip()
    raise InputError(f"{repo} has no commit {ref!r}", cure=f"git fetch origin {ref}")


def remote_ref(repo: Path, remote: str, branch: str) -> str:
    """The branch as the remote last had it, as far as this clone knows; the local branch if it knows nothing."""
    name = f"refs/remotes/{remote}/{branch}"
    known = git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
    return f"{remote}/{branch}" if known.ok else branch


Entry = tuple[str, str, str]
"""Mode, name of the blob and path of a file at a commit."""


class NoFiles(InputError):
    """A commit has no files under a path."""


def tree_at(repo: Path, ref: str, path: str, *, any_link: bool = False) -> dict[str, File]:
    """The files below `path` at `ref`, byte for byte (no filters, no attributes).

    A symbolic link that leads outside is an `InputError`, unless `any_link` is set.
    """
    entries = entries_at(repo, ref, path)
    blobs = blobs_at(repo, [blob for _, blob, _ in entries])
    return {name: _file(mode, blobs[blob], name, any_link) for mode, blob, name in entries if blob in blobs}


def entries_at(repo: Path, ref: str, path: str) -> list[Entry]:
    """The files below `path` at `ref`; their paths are relative to `path`."""
    where = "" if path in ("", ".") else safe_path(path)
    if where is None:
        raise InputError(f"{path!r} is not a path inside the repository")
    commit = commit_of(repo, ref)
    listed = git(repo, "ls-tree", "-r", "-z", "--full-tree", commit, *(["--", f":(literal){where}"] if where else []))
    prefix = f"{where}/" if where else ""
    entries = [_entry(line, prefix) for line in listed.raw.decode("utf-8", "surrogateescape").split("\0") if line]
    if not entries:
        raise NoFiles(f"{ref!r} has no files under {path!r}")
    return entries


def _entry(line: str, prefix: str) -> Entry:
    head, _, name = line.partition("\t")
    mode, _, blob = head.split(" ")
    return mode, blob, name.removeprefix(prefix)


def _file(mode: str, data: bytes, name: str, any_link: bool) -> File:
    if mode != "120000":
        return File(data, mode == "100755")
    target = data.decode("utf-8", "surrogateescape")
    if not any_link and not leads_inside(name, target):
        raise InputError(f"{name} is a symbolic link that leads outside")
    return File(link=target)


def blobs_at(repo: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Blob name → content; submodules, which are not blobs, are left out."""
    data = git(repo, "cat-file", "--batch", stdin="".join(f"{name}\n" for name in dict.fromkeys(names))).raw
    contents: dict[str, bytes] = {}
    while data:
        head, _, data = data.partition(b"\n")
        name, kind, *size = head.decode().split(" ")
        if kind == "missing":
            continue
        length = int(size[0])
        if kind == "blob":
            contents[name] = data[:length]
        data = data[length + 1 :]
    return contents


def inside(path: Path, repo: Path) -> str | None:
    """The path as the repository knows it; None if it is outside."""
    top = Path(git(repo, "rev-parse", "--show-toplevel").stdout.strip()).resolve()
    whole = path.resolve()
    return whole.relative_to(top).as_posix() if whole.is_relative_to(top) else None


def settings_text(path: Path, ref: str, repo: Path) -> str | None:
    """A settings file as it is at a commit, the one at the root if `path` is outside; None if the commit has none."""
    return text_at(inside(path, repo) or "steelyard.yaml", ref, repo)


def text_at(name: str, ref: str, repo: Path) -> str | None:
    """A file by its path in the repository, as it is at a commit; None if the commit has none."""
    shown = git(repo, "cat-file", "blob", f"{commit_of(repo, ref)}:{name}", check=False)
    return shown.raw.decode("utf-8", "replace") if shown.ok else None
