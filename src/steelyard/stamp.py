"""The identity of a run, and what must be equal before two runs may be compared (docs/scoring.md §0).

A `Stamp` is written into Inspect's task metadata when a run starts and read back from the log (`logs.identity`), never
guessed from a file name. Its `Fingerprint` holds what must be equal: dataset hash, sample ids, scorer name and version,
judge and rubric hash, task parameters. Its `environment` holds versions; differences there only cause a warning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

STAMP_KEY = "steelyard"
"""The key of the stamp in `EvalSpec.metadata`."""

STAMP_VERSION = 1
"""1: first version."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What must be equal before two logs may be compared."""

    dataset: str
    """Hash of the items as loaded (`sha256_of`)."""
    samples: str
    """Hash of the sorted sample ids of a full run."""
    scorer: str
    """`name@version`."""
    judge: str | None = None
    """Who judged (models, repeats), or None."""
    rubric: str | None = None
    """Hash of rubric and prompt, or None."""
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Task parameters that shape a score, with resolved values (a diagram mode is never `auto`)."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The identity of a run, as recorded in the log."""

    wing: str
    """`bench`, `audit` or `gate`."""
    unit: str
    """What was run inside the wing: a category key, a suite, an arm."""
    fingerprint: Fingerprint
    label: str | None = None
    """The subject's name, when a person gave one."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Python, package and tool versions."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What only that wing records (seeds, config hashes, rounds)."""

    def as_metadata(self) -> dict[str, Any]:
        """The stamp as task metadata: `Task(metadata=stamp.as_metadata())`."""
        return {STAMP_KEY: {"schema_version": STAMP_VERSION, **asdict(self)}}


def digest_of(fields: Mapping[str, Any]) -> str:
    """The whole SHA-256 of fields, without one that is called `sha`."""
    named = {name: value for name, value in fields.items() if name != "sha"}
    text = json.dumps(named, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # A name may hold a lone surrogate, which JSON allows and UTF-8 does not.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sealed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with their own hash, by which it is seen (`is_sealed`) if they were altered."""
    return {**fields, "sha": digest_of(fields)}


def is_sealed(fields: Mapping[str, Any]) -> bool:
    """Whether fields are as they were sealed."""
    return fields.get("sha") == digest_of(fields)


def differences(one: Fingerprint, other: Fingerprint) -> tuple[str, ...]:
    """The names of the fields that forbid a comparison, in a fixed order; empty when the two are comparable."""
    names = [name for name in ("dataset", "samples", "scorer", "judge", "rubric") if _differ(one, other, name)]
    keys = sorted({*one.parameters, *other.parameters})
    # A missing parameter is not the same as one that is None.
    missing = object()
    names += [
        f"parameters.{key}" for key in keys if one.parameters.get(key, missing) != other.parameters.get(key, missing)
    ]
    return tuple(names)


def _differ(one: Fingerprint, other: Fingerprint, name: str) -> bool:
    return getattr(one, name) != getattr(other, name)
