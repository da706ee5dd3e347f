# Plain calls on purpose: this code is forked and loads nothing it does not need.
"""What synthesis left in `cdk.out`: manifests, templates, metadata and the validation report, as text.

An app can write into that folder too (its own bundling does), so each file must have the very content that Node wrote
there; anything else is `Forged`. Paths come from the manifest and are followed only if they stay inside, through
regular files and folders; sizes are bounded.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from typing import Any, cast

root = "/work/cdk.out"
"""The folder that is read; as a program, the first argument names another."""
TOTAL_LIMIT = 48_000_000
"""Bytes of everything that is sent to the host."""
_DEPTH = 8


class TooLarge(Exception):
    """The assembly is larger than the limit."""


class Forged(Exception):
    """A file that synthesis did not write, or not like this."""


def harvest(written: dict[str, str] | None = None) -> dict[str, str]:
    """Relative path → text; empty when there is no manifest. `written` (path → SHA-256) is what Node wrote."""
    found: dict[str, str] = {}
    _assembly("", found, 0)
    if written is not None:
        for path, text in found.items():
            if written.get(os.path.join(root, path)) != hashlib.sha256(text.encode()).hexdigest():
                raise Forged(path)
    return found


def _assembly(folder: str, found: dict[str, str], depth: int) -> None:
    manifest = _take(os.path.join(folder, "manifest.json"), found)
    if manifest is None or depth > _DEPTH:
        return
    _take(os.path.join(folder, "validation-report.json"), found)
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if name.endswith(".nested.template.json"):
            _take(os.path.join(folder, name), found)
    try:
        read: object = json.loads(manifest)
    except (ValueError, RecursionError):
        return
    for artifact in _mapping(_mapping(read).get("artifacts")).values():
        _artifact(folder, _mapping(artifact), found, depth)


def _artifact(folder: str, artifact: dict[str, Any], found: dict[str, str], depth: int) -> None:
    properties = _mapping(artifact.get("properties"))
    kind = artifact.get("type")
    if kind == "aws:cloudformation:stack":
        for name in (properties.get("templateFile"), artifact.get("additionalMetadataFile")):
            if isinstance(name, str):
                _take(os.path.join(folder, name), found)
    elif kind == "cdk:cloud-assembly" and isinstance(properties.get("directoryName"), str):
        _assembly(os.path.join(folder, properties["directoryName"]), found, depth + 1)


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _take(relative: str, found: dict[str, str]) -> str | None:
    path = os.path.normpath(relative)
    if path.startswith(("/", "..")) or not _plain(path):
        return None
    handle = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        room = TOTAL_LIMIT - sum(map(len, found.values()))
        data = file.read(room + 1)
    if len(data) > room:
        raise TooLarge(path)
    found[path] = data.decode("utf-8", "replace")
    return found[path]


def _plain(path: str) -> bool:
    """A regular file reached through real folders."""
    parts = path.split("/")
    try:
        for count in range(1, len(parts)):
            if not stat.S_ISDIR(os.lstat(os.path.join(root, *parts[:count])).st_mode):
                return False
        return stat.S_ISREG(os.lstat(os.path.join(root, path)).st_mode)
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    root = sys.argv[1]
    json.dump(harvest(), sys.stdout)
