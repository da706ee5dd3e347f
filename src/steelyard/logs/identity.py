"""The identity of a run on its way into a log and back: hashes, versions, and reading the stamp."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import fields as fields_of
from functools import cache
from typing import Any, cast

from steelyard.errors import LogError
from steelyard.logs import field_types
from steelyard.stamp import STAMP_KEY, STAMP_VERSION, Fingerprint, Stamp

_WATCHED = ("steelyard", "inspect-ai", "aws-cdk-lib", "numpy", "scipy", "anthropic")
"""Distributions whose version is recorded beside the fingerprint."""


def read_stamp(task_metadata: Mapping[str, Any] | None) -> Stamp | None:
    """The stamp of a log, or None if it has none; raises `LogError` for a damaged one."""
    raw = (task_metadata or {}).get(STAMP_KEY)
    fields: dict[str, Any] = dict(cast(Mapping[str, Any], raw)) if isinstance(raw, dict) else {}
    # Somebody else's, or of a version whose fields mean something else: a log without a stamp.
    if fields.pop("schema_version", None) != STAMP_VERSION:
        return None
    mark = field_types.mapping(fields.get("fingerprint"), "stamp.fingerprint")
    # A field that is ignored here could be the one in which two fingerprints differ.
    _refuse_unknown({*fields} - _names(Stamp) | {*mark} - _names(Fingerprint))
    return Stamp(
        wing=field_types.text(fields.get("wing"), "stamp.wing"),
        unit=field_types.text(fields.get("unit"), "stamp.unit"),
        fingerprint=_fingerprint(mark),
        label=field_types.text_or_none(fields.get("label"), "stamp.label"),
        environment=field_types.texts(fields.get("environment", {}), "stamp.environment"),
        extra=field_types.mapping(fields.get("extra", {}), "stamp.extra"),
    )


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
    return {"python": platform.python_version(), **extra, **_installed()}


# Finding a version walks the installed packages, and a gate asks for every arm of every round.
@cache
def _installed() -> Mapping[str, str]:
    """The versions of those that are installed."""
    from importlib import metadata  # not needed to read a log

    versions: dict[str, str] = {}
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
