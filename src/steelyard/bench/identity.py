"""The identity that a run of SA Bench writes into its log: category, fingerprint, versions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from steelyard.logs.identity import environment, sha256_of
from steelyard.stamp import Fingerprint, Stamp


def stamp(category: str, fingerprint: Fingerprint, label: str | None, dataset_version: str) -> dict[str, Any]:
    """The task metadata of a run."""
    return Stamp(
        "bench", category, fingerprint, label, environment(), {"dataset_version": dataset_version}
    ).as_metadata()


def rows_hash(rows: Iterable[BaseModel]) -> str:
    """The hash of a dataset as loaded."""
    return sha256_of([row.model_dump(mode="json") for row in rows])
