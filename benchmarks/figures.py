"""Where measured figures go: `docs/figures.json`, one key per program; docs quote them and a test compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent.parent / "docs" / "figures.json"


def record(key: str, figures: dict[str, Any]) -> None:
    """Put one program's figures into the file; the others stay as they are."""
    every: dict[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    every[key] = {name: _rounded(value) for name, value in figures.items()}
    FILE.write_text(json.dumps(dict(sorted(every.items())), indent=2) + "\n", "utf-8")


def known(key: str) -> dict[str, Any]:
    """What the file holds of one program."""
    return json.loads(FILE.read_text("utf-8")).get(key, {}) if FILE.exists() else {}


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value
