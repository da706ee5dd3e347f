"""Executes a promotion: worktree, commit, push, pull request, and the cleanup after a failure."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from steelyard import artifact
from steelyard.artifact import listed, table
from steelyard.errors import InputError, Refused
from steelyard.gate.config import artifacts_at
from steelyard.gate.promote import Delivered, Promotion, pull_request, remote_commit
from steelyard.gate.promote.github import gh, require_gh
from steelyard.git import NoFiles, git, tree_at
from steelyard.tree import File, file_hash

_PUSH = ("push", "--quiet", "--no-follow-tags", "--recurse-submodules=no")
"""Our branch and nothing else, whatever the user's settings add."""
_NOTHING = "0" * 40

Notify = Callable[[str], None]
"""Called with one line of progress."""


def deliver(promotion: Promotion, notify: Notify = lambda _: None) -> Delivered:
    """Open the pull request, unless it is open already."""
    request = promotion.request
    # Before anything is pushed: without gh there would be a branch and no request.
    require_gh()
    base = _base_commit(promotion)
    if not _changes(promotion, base):
        return Delivered(None, False)
    existing = remote_commit(promotion, promotion.branch)
    if existing is not None:
        return _again(promotion, existing, notify)
    refuse_drift(promotion, base)
    _opened(promotion)  # refused if somebody closed an earlier request and deleted its branch
    with _worktree(request.repo, base) as tree:
        commit = _commit(promotion, tree)
        notify(f"pushing {promotion.branch}")
        # The empty lease: only if the branch still does not exist.
        lease = f"--force-with-lease=refs/heads/{promotion.branch}:"
        # From the user's clone, which shares the commit: a remote such as `../remote.git` is relative to it.
        refs = f"{commit}:refs/heads/{promotion.branch}"
        git(request.repo, *_PUSH, lease, request.remote, refs)
    try:
        return Delivered(_open(promotion, notify), True)
    except BaseException:
        # Also on Ctrl-C: a branch without its pull request would look like somebody's work.
        _withdraw(promotion, commit)
        raise


def _base_commit(promotion: Promotion) -> str:
    """The commit of the base branch, fetched."""
    request = promotion.request
    commit = remote_commit(promotion, request.base)
    if commit is None:
        raise InputError(f"{request.remote} has no branch {request.base!r}")
    _fetch(promotion, request.base)
    return commit


def _fetch(promotion: Promotion, branch: str) -> None:
    # The user's tags and FETCH_HEAD stay as they are.
    options = ("--quiet", "--no-tags", "--no-write-fetch-head")
    git(promotion.request.repo, "fetch", *options, promotion.request.remote, f"refs/heads/{branch}")


def _at(promotion: Promotion, commit: str) -> dict[str, File]:
    """The repository's artifacts at a commit, by their path inside the configuration."""
    try:
        return tree_at(promotion.request.repo, commit, promotion.request.path, any_link=True)
    except NoFiles:
        return {}


def _changes(promotion: Promotion, base: str) -> dict[str, File | None]:
    """Artifact path → new content, or None for a deletion; only what differs from the base branch."""
    here = _at(promotion, base)
    written: dict[str, File | None] = {
        path: file for path, file in promotion.config.tree.items() if here.get(path) != file
    }
    return written | {path: None for path in promotion.deletions if path in here}


def refuse_drift(promotion: Promotion, base: str) -> None:
    """Refuse to overwrite files that are not the baseline that was compared."""
    here = _at(promotion, base)
    artifacts = artifacts_at(promotion.request.repo, base, promotion.request.path) if here else {}
    base_name, known = promotion.request.base, promotion.baseline.keys()
    again = f"run the gate again with --baseline git:{promotion.request.remote}/{base_name}"
    if gained := sorted(artifacts.keys() - known - promotion.config.tree.keys()):
        raise Refused(f"{base_name} has gained {gained[0]} since the baseline that was compared; {again}")
    # A base branch without any file of the baseline has never had this configuration.
    if known & here.keys() and (lost := sorted(known & promotion.config.tree.keys() - here.keys())):
        raise Refused(f"{base_name} no longer has {lost[0]}, which the baseline that was compared has; {again}")
    for path in _changes(promotion, base):
        if path in here and promotion.baseline.get(path) not in _hashes(here[path]):
            raise Refused(f"{path} on {base_name} is not the baseline that was compared; {again}")


def _hashes(file: File) -> set[str]:
    """The file's hash, and the hash it has in a working tree with Windows line ends."""
    windows = replace(file, data=file.data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    return {file_hash(version)[:16] for version in (file, windows)}


@contextmanager
def _worktree(repo: Path, commit: str) -> Generator[Path]:
    """A worktree in a temporary folder, with an index of its own; always removed afterwards."""
    with artifact.scratch_folder("steelyard-promote-") as folder:
        tree = folder / "tree"
        git(repo, "worktree", "add", "--quiet", "--detach", "--no-checkout", str(tree), commit)
        try:
            # No file is checked out, but the index is filled: what does not change stays in the commit.
            git(tree, "read-tree", "HEAD")
            yield tree
        finally:
            git(repo, "worktree", "remove", "--force", str(tree), check=False)
            git(repo, "worktree", "prune", check=False)


def _commit(promotion: Promotion, tree: Path) -> str:
    """One commit with exactly the candidate's bytes: objects are stored unfiltered and added by hash."""
    changed = _changes(promotion, git(tree, "rev-parse", "HEAD").stdout.strip())
    entries = [_entry(promotion, tree, path, file) for path, file in sorted(changed.items())]
    git(tree, "update-index", "-z", "--index-info", stdin=b"".join(entries))
    message = f"{promotion.title}\n\nCompared by steelyard gate; candidate {promotion.config.sha}.\n"
    git(tree, "commit", "--quiet", "--no-verify", "--file=-", stdin=message)
    return git(tree, "rev-parse", "HEAD").stdout.strip()


def _entry(promotion: Promotion, tree: Path, path: str, file: File | None) -> bytes:
    name = promotion.inside(path).encode("utf-8", "surrogateescape")
    if file is None:
        # Mode 0 takes a path out of the index.
        return b"0 " + _NOTHING.encode() + b"\t" + name + b"\0"
    mode = "120000" if file.link is not None else "100755" if file.executable else "100644"
    data = file.link.encode("utf-8", "surrogateescape") if file.link is not None else file.data
    # No filters: the commit must hold the bytes that were compared, whatever .gitattributes say.
    blob = git(tree, "hash-object", "-w", "--stdin", "--no-filters", stdin=data).stdout.strip()
    return f"{mode} {blob}\t".encode() + name + b"\0"


def _open(promotion: Promotion, notify: Notify) -> str:
    try:
        with artifact.scratch_folder("steelyard-promote-") as folder:
            body = folder / "report.md"
            body.write_text(promotion.body, "utf-8")
            printed = _gh(promotion, pull_request(promotion, str(body)))
    except InputError as error:
        # It may be open all the same, without the reviewers: to withdraw its branch now would close it for good.
        if (opened := _opened(promotion)) is None:
            raise
        notify(f"the pull request is open, but incomplete: {error}")
        return opened
    lines = printed.strip().splitlines()
    return lines[-1] if lines else ""


def _opened(promotion: Promotion) -> str | None:
    """The address of the open pull request of an earlier promotion; `Refused` if somebody closed it."""
    fields = ("--state=all", "--json=url,state")
    words = ["gh", "pr", "list", f"--head={promotion.branch}", f"--base={promotion.request.base}", *fields]
    known = map(table, listed(json.loads(_gh(promotion, words) or "[]")))
    requests = {str(item.get("state")): str(item.get("url")) for item in known}
    if "OPEN" not in requests and "CLOSED" in requests:
        raise Refused(f"{requests['CLOSED']} proposed this candidate and was closed; reopen it there if it should ship")
    return requests.get("OPEN")


def _again(promotion: Promotion, commit: str, notify: Notify) -> Delivered:
    """The branch exists already: from an earlier promotion, or from somebody else."""
    _fetch(promotion, promotion.branch)
    if _changes(promotion, commit):
        raise Refused(f"the branch {promotion.branch} exists with other content")
    opened = _opened(promotion)
    return Delivered(opened, False) if opened else Delivered(_open(promotion, notify), True)


def _gh(promotion: Promotion, words: list[str]) -> str:
    """What a command of `gh` prints in the repository."""
    return gh(*words[1:], cwd=promotion.request.repo)


def _withdraw(promotion: Promotion, commit: str) -> None:
    """Delete our branch, unless somebody has pushed to it in the meantime."""
    request, name = promotion.request, f"refs/heads/{promotion.branch}"
    lease = f"--force-with-lease={name}:{commit}"
    git(request.repo, *_PUSH, lease, request.remote, f":{name}", check=False)
