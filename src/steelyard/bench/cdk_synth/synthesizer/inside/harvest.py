# Plain calls on purpose: this code is forked and loads nothing it does not need.
"""Collects the output of synthesis from `cdk.out`: manifests, templates, metadata and the validation report, as text.

An app can write into that folder too (for instance by bundling), so every file must have exactly the content that Node
wrote, and every file that Node wrote and the manifest names must still be there; anything else is `Forged`. Paths come
from the manifest and are followed only if they stay inside, through regular files and folders; sizes are limited.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from typing import Any, cast

root = "/work/cdk.out"
"""The folder to read; when run as a program, the first argument."""
TOTAL_LIMIT = 48_000_000
"""Largest total size sent to the host, in bytes; in JSON one byte may take six, which the host still accepts."""
_DEPTH = 64
"""Stages within stages."""


class TooLarge(Exception):
    """The assembly is larger than the limit."""


class Forged(Exception):
    """Says which file synthesis did not write, or was changed, removed, replaced or locked afterwards."""


def harvest(written: dict[str, str] | None = None) -> dict[str, str]:
    """Relative path → text; empty without a manifest. `written` (path → SHA-256) lists what Node wrote."""
    files: dict[str, bytes] = {}
    named: set[str] = set()
    try:
        _assembly("", files, named, 0)
    except OSError as error:
        raise Forged(f"{os.path.relpath(error.filename, root)} cannot be read: {error.strerror}") from error
    # The stock CLI synthesized: there is no record of what Node wrote.
    if written is None:
        return _texts(files)
    for path, data in files.items():
        if written.get(os.path.join(root, path)) != hashlib.sha256(data).hexdigest():
            raise Forged(f"{path} was not written by synthesis")
    folders = {os.path.dirname(path) for path in named}
    for path in sorted(named | {path for path in _belongs(written) if os.path.dirname(path) in folders}):
        if path not in files:
            raise Forged(f"{path} was removed or replaced after synthesis")
    return _texts(files)


def _texts(files: dict[str, bytes]) -> dict[str, str]:
    return {path: data.decode("utf-8", "replace") for path, data in files.items()}


def _belongs(written: dict[str, str]) -> set[str]:
    """Files that Node wrote and that belong to an assembly although no manifest names them."""
    inside = (os.path.relpath(path, root) for path in written if path.startswith(root + "/"))
    return {path for path in inside if path.endswith((".nested.template.json", "validation-report.json"))}


def _assembly(folder: str, files: dict[str, bytes], named: set[str], depth: int) -> None:
    """Collect the assembly in `folder`; `named` receives the paths that its manifest names."""
    manifest = _take(os.path.join(folder, "manifest.json"), files)
    if manifest is None or depth > _DEPTH:
        return
    _take(os.path.join(folder, "validation-report.json"), files)
    # No manifest names the templates of nested stacks.
    for name in sorted(os.listdir(os.path.join(root, folder))):
        if name.endswith(".nested.template.json"):
            _take(os.path.join(folder, name), files)
    try:
        read: object = json.loads(manifest.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    for artifact in _mapping(_mapping(read).get("artifacts")).values():
        _artifact(folder, _mapping(artifact), files, named, depth)


def _artifact(folder: str, artifact: dict[str, Any], files: dict[str, bytes], named: set[str], depth: int) -> None:
    properties = _mapping(artifact.get("properties"))
    kind = artifact.get("type")
    if kind == "aws:cloudformation:stack":
        for name in (properties.get("templateFile"), artifact.get("additionalMetadataFile")):
            if isinstance(name, str):
                path = os.path.join(folder, name)
                named.add(os.path.normpath(path))
                _take(path, files)
    elif kind == "cdk:cloud-assembly" and isinstance(properties.get("directoryName"), str):
        inner = os.path.join(folder, properties["directoryName"])
        named.add(os.path.normpath(os.path.join(inner, "manifest.json")))
        _assembly(inner, files, named, depth + 1)


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _take(relative: str, files: dict[str, bytes]) -> bytes | None:
    path = os.path.normpath(relative)
    if path.startswith(("/", "..")) or not _plain(path):
        return None
    # A process of the app may have put a link or a pipe in its place since `_plain` looked; a pipe would block.
    handle = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        room = TOTAL_LIMIT - sum(map(len, files.values()))
        data = file.read(room + 1)
    if len(data) > room:
        raise TooLarge(path)
    files[path] = data
    return data


def _plain(path: str) -> bool:
    """A regular file reached through real folders."""
    parts = path.split("/")
    try:
        for count in range(1, len(parts)):
            if not stat.S_ISDIR(os.lstat(os.path.join(root, *parts[:count])).st_mode):
                return False
        return stat.S_ISREG(os.lstat(os.path.join(root, path)).st_mode)
    except PermissionError:
        raise  # locked is not missing
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    root = sys.argv[1]
    json.dump(harvest(), sys.stdout)
