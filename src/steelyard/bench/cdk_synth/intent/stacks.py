"""The templates of a cloud assembly: what the intent is evaluated on.

A folder with `manifest.json` holds stacks; stages are folders of the same kind inside it; nested stacks are template
files that no manifest lists as a stack. What cannot be read is left out: whether an assembly is whole is for others to
say. Pure: file contents in, templates out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from steelyard.bench.cdk_synth.intent.shape import mapping

MANIFEST = "manifest.json"
NESTED = ".nested.template.json"
"""How the file name of a nested stack's template ends."""


def templates(files: Mapping[str, str]) -> dict[str, Any]:
    """Stack name to template, from the files of an assembly (relative path to text); nested stacks go by file name."""
    found: dict[str, Any] = {}
    for path in sorted(files):
        if PurePosixPath(path).name == MANIFEST:
            for name, template in _stacks(files, PurePosixPath(path)):
                found[name if name not in found else f"{PurePosixPath(path).parent}/{name}"] = template
        elif path.endswith(NESTED) and (nested := _json(files, path)) is not None:
            found[PurePosixPath(path).name.removesuffix(NESTED)] = nested
    return found


def _stacks(files: Mapping[str, str], manifest: PurePosixPath) -> Iterator[tuple[str, Any]]:
    for artifact_id, artifact in mapping(mapping(_json(files, str(manifest))).get("artifacts")).items():
        told = mapping(mapping(artifact).get("properties"))
        name, written = told.get("stackName"), told.get("templateFile")
        if mapping(artifact).get("type") == "aws:cloudformation:stack" and isinstance(written, str):
            template = _json(files, str(manifest.parent / written))
            if template is not None:
                yield (name if isinstance(name, str) else artifact_id), template


def _json(files: Mapping[str, str], path: str) -> Any:
    try:
        return json.loads(files.get(path, "null"))
    except (ValueError, RecursionError):
        return None
