"""When and where a board was made: the clock and the environment, kept out of everything that computes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from steelyard.bench.model import Board, Spec
from steelyard.bench.weigh import board
from steelyard.errors import LogError
from steelyard.logs.read import read_logs


def make_board(where: Sequence[str | Path], spec: Spec) -> Board:
    """The board of the logs behind `where`, made now; a `LogError` when not one of them belongs to SA Bench."""
    moment = datetime.now(UTC)
    made = board(read_logs(where), spec, generated_at=moment.strftime("%Y-%m-%dT%H:%M:%SZ"), run_id=run_id(moment))
    if not made.rows:
        first = f": {made.ignored[0].path}: {made.ignored[0].reason}" if made.ignored else ""
        raise LogError(f"none of {len(made.ignored)} logs can stand on a board{first}")
    return made


def run_id(moment: datetime) -> str:
    """`GITHUB_RUN_ID`, else `local-YYYYMMDD-HHMMSS`."""
    return os.environ.get("GITHUB_RUN_ID") or moment.strftime("local-%Y%m%d-%H%M%S")
