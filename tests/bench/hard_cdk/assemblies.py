"""The synthesized stacks of apps, from a record where it has them and from the real engine where it does not.

The record saves minutes, never decides anything: it is keyed by the app's source and belongs to one version of the
CDK. `STEELYARD_RECORD=1 pytest tests/bench/hard_cdk` adds what is missing and drops what is no longer used.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from steelyard.bench.cdk_synth.assembly import Stack, read_assembly
from steelyard.bench.cdk_synth.engine.pool import Pool
from tests.waiting import HANG_S

RECORD = Path(__file__).with_name("assemblies.json.gz")
FIELDS = ("path", "template", "validated", "errors", "name", "environment", "depends_on")
NEW = bool(os.environ.get("STEELYARD_RECORD"))


def synthesized(pool: Pool, sources: Iterable[str]) -> dict[str, tuple[Stack, ...]]:
    """Source → stacks, for apps that synthesize; any other is a failed test."""
    wanted = {source: hashlib.sha256(source.encode()).hexdigest() for source in sources}
    known = _record()
    pending = {source: pool.submit(source.encode(), HANG_S) for source, key in wanted.items() if key not in known}
    for source, future in pending.items():
        result = future.result()
        assembly = read_assembly(result.files)
        assert result.finding is None and assembly is not None, (result.finding, source)
        known[wanted[source]] = [_plain(stack) for stack in assembly.stacks]
    if NEW:
        used = {key: known[key] for key in wanted.values()}
        text = json.dumps({"cdk": version("aws-cdk-lib"), "apps": used}, sort_keys=True)
        RECORD.write_bytes(gzip.compress(text.encode(), mtime=0))
    return {source: tuple(map(_stack, known[key])) for source, key in wanted.items()}


def _record() -> dict[str, Any]:
    data = json.loads(gzip.decompress(RECORD.read_bytes())) if RECORD.exists() else {}
    return data["apps"] if data.get("cdk") == version("aws-cdk-lib") else {}


def _plain(stack: Stack) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(stack, name) for name in FIELDS}
    # What every template has and no assertion looks at.
    template = {key: value for key, value in stack.template.items() if key not in ("Rules", "Metadata")}
    return {**data, "template": template, "errors": list(stack.errors), "depends_on": sorted(stack.depends_on)}


def _stack(data: dict[str, Any]) -> Stack:
    return Stack(**{**data, "errors": tuple(data["errors"]), "depends_on": frozenset(data["depends_on"])})
