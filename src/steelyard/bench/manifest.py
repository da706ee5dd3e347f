"""The shipped data and its hashes: `manifest.json` says what every file of the datasets must be.

A changed file is either damage or a new version of the data; `steelyard bench check --pin` records the latter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.errors import ArtifactError

MANIFEST = "manifest.json"

SCHEMA_VERSION = 1
"""1: first shape."""

_FOLDERS = {"diagrams", "references"}
"""Folders whose files are data."""


def folder() -> Path:
    """The installed `bench` package."""
    return Path(str(resources.files("steelyard.bench")))


def current(category: str) -> dict[str, str]:
    """File → sha256, for the data of a category as it lies on disk."""
    root = folder()
    files = sorted(path for path in (root / category).rglob("*") if path.is_file() and _is_data(path))
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def recorded() -> dict[str, str]:
    """File → sha256, as recorded; empty when nothing is."""
    path = folder() / MANIFEST
    data = cast(dict[str, Any], artifact.read_json(path)) if path.is_file() else {}
    return cast(dict[str, str], data.get("files") or {})


def changed(category: str) -> list[str]:
    """What differs between disk and record, one line per file."""
    wanted = {name: digest for name, digest in recorded().items() if name.startswith(f"{category}/")}
    present = current(category)
    lines = [f"{name} is missing" for name in sorted(wanted.keys() - present.keys())]
    lines += [f"{name} is not in the manifest" for name in sorted(present.keys() - wanted.keys())]
    return lines + [
        f"{name} has changed" for name in sorted(present) if name in wanted and present[name] != wanted[name]
    ]


def pin(categories: Iterable[str]) -> Path:
    """Record the data of these categories as it lies on disk."""
    target = folder() / MANIFEST
    files = {name: digest for category in categories for name, digest in current(category).items()}
    if not files:
        raise ArtifactError(f"there is no data below {folder()}")
    artifact.write_json(target, {"schema_version": SCHEMA_VERSION, "files": files})
    return target


def _is_data(path: Path) -> bool:
    if path.suffix == ".pyc":
        return False
    return path.suffix == ".jsonl" or not _FOLDERS.isdisjoint(path.parts)
