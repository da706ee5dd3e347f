"""Small git repositories for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from steelyard.git import git


def repository(folder: Path, files: Mapping[str, str]) -> Path:
    """A repository with one commit on `main`."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Somebody")
    git(folder, "config", "user.email", "somebody@example.org")
    commit(folder, files, "Begin")
    return folder


def commit(folder: Path, files: Mapping[str, str | None], message: str) -> None:
    """Write or remove files, and commit everything."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(dedent(text), "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
