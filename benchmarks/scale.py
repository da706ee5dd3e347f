"""The board of thousands of logs: cold (empty index) and warm, against the board of 300.

    python benchmarks/scale.py [--rounds 33] [--keep DIR]

The logs are those of benchmarks/board.py (100 models × 3 categories), each repeated in `--rounds` further runs with ids
and times of their own: 34 × 300 = 10,200 logs. The number of models stays the same, because pairs grow with its square.
Every measurement is a fresh process with a cache folder of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

from board import OURS, make_logs
from figures import record

FULL = 33
"""Further runs of each log in the measurement that is recorded."""


def repeat(source: Path, target: Path, number: int) -> None:
    """Copy a log as another run of the same subject: only its header is written again."""
    shutil.copyfile(source, target)
    with zipfile.ZipFile(target, "a") as archive:
        info = archive.getinfo("header.json")
        header = json.loads(archive.read(info))
        spec = header["eval"]
        for name in ("eval_id", "task_id", "run_id"):
            spec[name] = f"{spec[name]}-{number}"
        spec["created"] = (datetime.fromisoformat(spec["created"]) + timedelta(minutes=number)).isoformat()
        if info is max(archive.infolist(), key=lambda member: member.header_offset):
            archive.start_dir = info.header_offset
        archive.filelist.remove(info)
        del archive.NameToInfo["header.json"]
        archive.writestr("header.json", json.dumps(header))


def measure(folder: Path, cache: Path) -> dict[str, float]:
    """One board in a fresh process."""
    environment = {**os.environ, "STEELYARD_CACHE": str(cache)}
    command = [sys.executable, "-c", OURS, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    result = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": result["seconds"], "peak_mb": result["peak_mb"]}


def main() -> int:
    parser = argparse.ArgumentParser(description="The board of thousands of logs, cold and warm")
    parser.add_argument("--rounds", type=int, default=FULL)
    parser.add_argument("--base", type=Path, help="300 logs that benchmarks/board.py --keep made")
    parser.add_argument("--keep", type=Path, help="make the logs here and leave them")
    chosen = parser.parse_args()
    enable_zstd()
    with tempfile.TemporaryDirectory() as scratch:
        base = chosen.base or Path(scratch) / "base"
        if not base.exists():
            make_logs(base, 100)
        many = chosen.keep or Path(scratch) / "many"
        if not many.exists():
            shutil.copytree(base, many)
            for number in range(1, chosen.rounds + 1):
                for path in sorted(base.glob("*.eval")):
                    repeat(path, many / f"{path.stem}-{number}.eval", number)
        few = measure(base, Path(scratch) / "cache-few")
        cold, warm = (measure(many, Path(scratch) / "cache-many") for _ in range(2))
    logs = 300 * (chosen.rounds + 1)
    figures = {
        "logs": logs,
        "board_of_300_s": few["seconds"],
        "cold_s": cold["seconds"],
        "warm_s": warm["seconds"],
        "cold_per_log_against_300": cold["seconds"] / few["seconds"] / (chosen.rounds + 1),
        "cold_against_warm": cold["seconds"] / warm["seconds"],
        "peak_mb": round(max(cold["peak_mb"], warm["peak_mb"])),
    }
    print(json.dumps(figures, indent=2))
    if chosen.rounds == FULL:
        record("scale", figures)
    linear, fast = figures["cold_per_log_against_300"] <= 1.2, figures["cold_against_warm"] >= 20
    return 0 if linear and fast and figures["peak_mb"] <= 500 else 1


def enable_zstd() -> None:
    """Make `zipfile` read what Inspect compresses."""
    if sys.version_info < (3, 14):
        __import__("zipfile_zstd")


if __name__ == "__main__":
    sys.exit(main())
