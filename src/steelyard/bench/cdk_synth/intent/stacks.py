"""Reads the templates of a cloud assembly, on which the intent is evaluated.

A folder with `manifest.json` holds stacks; stages are folders of the same kind inside it; nested stacks are template
files that no manifest lists as a stack. Unreadable files are skipped: this module does not check whether an assembly is
complete. Pure: file contents in, templates out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from steelyard.bench.cdk_synth.intent.shape import mapping

MANIFEST = "manifest.json"
NESTED = ".nested.template.json"
"""File name suffix of a nested stack's template."""


def templates(files: Mapping[str, str]) -> dict[str, Any]:
    """Stack name to template, from the files of an assembly (relative path to text); nested stacks go by file name."""
    by_stack: dict[str, Any] = {}
    for path in sorted(files):
        if PurePosixPath(path).name == MANIFEST:
            for name, template in _stacks(files, PurePosixPath(path)):
                by_stack[name if name not in by_stack else f"{PurePosixPath(path).parent}/{name}"] = template
        elif path.endswith(NESTED) and (nested := _json(files, path)) is not None:
            by_stack[PurePosixPath(path).name.removesuffix(NESTED)] = nested
    return by_stack


def _stacks(files: Mapping[str, str], manifest: PurePosixPath) -> Iterator[tuple[str, Any]]:
    for artifact_id, artifact in mapping(mapping(_json(files, str(manifest))).get("artifacts")).items():
        properties = mapping(mapping(artifact).get("properties"))
        name, file = properties.get("stackName"), properties.get("templateFile")
        if mapping(artifact).get("type") == "aws:cloudformation:stack" and isinstance(file, str):
            template = _json(files, str(manifest.parent / file))
            if template is not None:
                yield (name if isinstance(name, str) else artifact_id), template


def _json(files: Mapping[str, str], path: str) -> Any:
    try:
        return json.loads(files.get(path, "null"))
    except (ValueError, RecursionError):
        return None
