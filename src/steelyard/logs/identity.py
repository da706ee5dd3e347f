"""What must be equal before two logs may be compared, and what is only worth a warning.

A `Stamp` is written into Inspect's task metadata when a run starts and read back from the log, never guessed from a
file name. Its `Fingerprint` holds what must be equal (docs/scoring.md §0): dataset hash, sample ids, scorer name and
version, judge and rubric hash, task parameters. Its `environment` holds versions, which are only warned about.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from dataclasses import fields as fields_of
from importlib import metadata
from typing import Any, cast

from steelyard.errors import LogError
from steelyard.logs import field_types

STAMP_KEY = "steelyard"
"""The key of the stamp in `EvalSpec.metadata`."""

STAMP_VERSION = 1
"""1: first version."""

_WATCHED = ("steelyard", "inspect-ai", "aws-cdk-lib", "numpy", "scipy", "anthropic")
"""Distributions whose version is recorded beside the fingerprint."""


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


def read_stamp(task_metadata: Mapping[str, Any] | None) -> Stamp | None:
    """The stamp of a log, or None if it has none; raises `LogError` for a damaged one."""
    raw = (task_metadata or {}).get(STAMP_KEY)
    fields: dict[str, Any] = dict(cast(Mapping[str, Any], raw)) if isinstance(raw, dict) else {}
    if fields.pop("schema_version", None) != STAMP_VERSION:
        return None
    mark = field_types.mapping(fields.get("fingerprint"), "stamp.fingerprint")
    _refuse_unknown({*fields} - _names(Stamp) | {*mark} - _names(Fingerprint))
    return Stamp(
        wing=field_types.text(fields.get("wing"), "stamp.wing"),
        unit=field_types.text(fields.get("unit"), "stamp.unit"),
        fingerprint=_fingerprint(mark),
        label=field_types.text_or_none(fields.get("label"), "stamp.label"),
        environment=field_types.texts(fields.get("environment", {}), "stamp.environment"),
        extra=field_types.mapping(fields.get("extra", {}), "stamp.extra"),
    )


def differences(one: Fingerprint, other: Fingerprint) -> tuple[str, ...]:
    """The names of the fields that forbid a comparison, in a fixed order; empty when the two are comparable."""
    names = [name for name in ("dataset", "samples", "scorer", "judge", "rubric") if _differ(one, other, name)]
    keys = sorted({*one.parameters, *other.parameters})
    missing = object()
    names += [
        f"parameters.{key}" for key in keys if one.parameters.get(key, missing) != other.parameters.get(key, missing)
    ]
    return tuple(names)


def sha256_of(value: Any) -> str:
    """A short, stable hash of any JSON-like value, text or bytes."""
    if isinstance(value, bytes):
        data = value
    else:
        data = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def samples_hash(ids: Iterable[str | int]) -> str:
    """The hash of a set of sample ids; their order does not matter."""
    return sha256_of(sorted(str(sample_id) for sample_id in ids))


def environment(**extra: str) -> dict[str, str]:
    """Python and package versions of this process, plus the versions of tools that the caller passes."""
    versions = {"python": platform.python_version(), **extra}
    for name in _WATCHED:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _fingerprint(mark: Mapping[str, Any]) -> Fingerprint:
    return Fingerprint(
        *(field_types.text(mark.get(name), f"stamp.fingerprint.{name}") for name in ("dataset", "samples", "scorer")),
        judge=field_types.text_or_none(mark.get("judge"), "stamp.fingerprint.judge"),
        rubric=field_types.text_or_none(mark.get("rubric"), "stamp.fingerprint.rubric"),
        parameters=field_types.mapping(mark.get("parameters", {}), "stamp.fingerprint.parameters"),
    )


def _names(kind: type[Stamp] | type[Fingerprint]) -> set[str]:
    return {field.name for field in fields_of(kind)}


def _refuse_unknown(names: set[str]) -> None:
    if names:
        raise LogError(f"the stamp holds {', '.join(sorted(names))}, which version {STAMP_VERSION} does not have")


def _differ(one: Fingerprint, other: Fingerprint, name: str) -> bool:
    return getattr(one, name) != getattr(other, name)
