"""The templates of a cloud assembly on disk: what the intent is evaluated on.

A folder with `manifest.json` holds stacks; stages are folders of the same kind inside it; nested stacks are template
files that no manifest lists as a stack. What cannot be read is left out: whether an assembly is whole is
for others to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steelyard.bench.cdk_synth.template import mapping

MAX_BYTES = 20_000_000
"""Size of one file that is still read."""
NESTED = ".nested.template.json"
"""How the file name of a nested stack's template ends."""


def templates(folder: Path) -> dict[str, Any]:
    """Stack name to template for every stack under `folder`; nested stacks go by their file name."""
    found: dict[str, Any] = {}
    for manifest in sorted(folder.glob("**/manifest.json")):
        for name, template in _stacks(manifest):
            found[name if name not in found else f"{manifest.parent.name}/{name}"] = template
    for path in sorted(folder.glob(f"**/*{NESTED}")):
        if (template := _json(path)) is not None:
            found[path.name.removesuffix(NESTED)] = template
    return found


def _stacks(manifest: Path) -> Iterator[tuple[str, Any]]:
    for artifact_id, artifact in mapping(mapping(_json(manifest)).get("artifacts")).items():
        told = mapping(mapping(artifact).get("properties"))
        written = told.get("templateFile")
        if mapping(artifact).get("type") == "aws:cloudformation:stack" and isinstance(written, str):
            name = told.get("stackName")
            template = _json(manifest.parent / Path(written).name)
            if template is not None:
                yield (name if isinstance(name, str) else artifact_id), template


def _json(path: Path) -> Any:
    try:
        if path.is_symlink() or path.stat().st_size > MAX_BYTES:
            return None
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
