"""Which adaptive comparisons were begun on this machine, and in which log folder (docs/scoring.md §3.5).

A second adaptive run of the same candidate against the same baseline continues the first e-process; starting a fresh
one until it says yes would void its error rate, whatever the settings. One small file per comparison in the cache
folder, named after the hash of both configurations, the fingerprint and the folder of tasks: two projects that happen
to hold the same files do not meet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.errors import InputError, ToolchainError, boundary
from steelyard.gate.read.arm import identity
from steelyard.gate.run.plan import Plan, log_files
from steelyard.gate.tasks import fingerprint
from steelyard.location import location
from steelyard.logs.identity import sha256_of
from steelyard.toolchain import cache_folder


def enter(planned: Plan) -> tuple[str, ...]:
    """Record where an adaptive run keeps its logs; warnings for the report about earlier logs that are gone.

    Raises:
        InputError: The same comparison was begun in another folder that still has its logs.
    """
    path, folder = _path(planned), str(planned.spec.log_dir.resolve())
    known = _known(path)
    earlier = cast(str | None, known.get("folder"))
    gone = cast(list[str], known.get("gone") or [])
    if earlier is not None and earlier != folder:
        if log_files(location(earlier)):
            raise InputError(
                f"this comparison was begun in {earlier}, and rounds cannot be started over",
                cure=f"continue with --log-dir {earlier}",
            )
        # A folder that was moved brings its logs along; otherwise they are lost.
        gone = gone if planned.rows else [*gone, earlier]
    with boundary(ToolchainError, f"cannot write {path}", cure="set STEELYARD_CACHE to a writable folder"):
        path.parent.mkdir(parents=True, exist_ok=True)
        artifact.write_json(path, {"folder": folder, "gone": gone})
    return tuple(
        f"this comparison was begun before in {place}, whose logs are gone: their rounds are lost" for place in gone
    )


def _known(path: Path) -> dict[str, Any]:
    try:
        return cast(dict[str, Any], artifact.read_json(path)) if path.is_file() else {}
    except InputError:  # a damaged note must not stop a run
        return {}


def _path(planned: Plan) -> Path:
    arms = planned.arms
    key = {
        "tasks": str(planned.spec.tasks.resolve()),
        "configs": {name: arm.config.sha for name, arm in arms.items()},
        "fingerprint": identity(fingerprint(arms["candidate"])),
    }
    return cache_folder() / "gate" / "comparisons" / f"{sha256_of(key)}.json"
