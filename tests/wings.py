"""A log that says it is of another wing."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path


def of_wing(wing: str, log: str | Path, target: Path) -> Path:
    """A copy of `log` at `target`, stamped as one of `wing`."""
    with zipfile.ZipFile(log) as source, zipfile.ZipFile(target, "w") as made:
        for name in dict.fromkeys(source.namelist()):
            data = source.read(name)
            if name == "header.json":
                header = json.loads(data)
                header["eval"]["metadata"]["steelyard"]["wing"] = wing
                data = json.dumps(header).encode()
            made.writestr(name, data)
    return target
