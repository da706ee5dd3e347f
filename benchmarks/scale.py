"""The board of thousands of logs: cold (empty index) and warm, against the board of 300, and of 300 logs on S3.

    python benchmarks/scale.py [--rounds 33] [--base DIR] [--keep DIR]

The logs are those of benchmarks/board.py (100 models × 3 categories), each repeated in `--rounds` further runs with ids
and times of their own: 34 × 300 = 10,200 logs. The number of models stays the same, because pairs grow with its square.
Every measurement is a fresh process with a cache folder of its own. Ratios are of processor time, the interpreter and
its imports included, because other work on the machine stretches the clock more. The S3 server is moto on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

from board import make_logs
from figures import record

FULL = 33
"""Further runs of each log in the measurement that is recorded."""

BOARD = """
import hashlib, json, re, resource, sys, time
start = time.perf_counter()
from steelyard.bench.board import make_board
from steelyard.bench.model import Spec
from steelyard.bench.report.data import json_text
from steelyard.logs import remote
fetched = []
original = remote.RangeFile.fetch
def fetch(self, first, last):
    held = sum(len(data) for _, data in self._parts)
    original(self, first, last)
    fetched.append(sum(len(data) for _, data in self._parts) - held)
remote.RangeFile.fetch = fetch
text = json_text(make_board([sys.argv[1]], Spec()))
spent = time.perf_counter() - start
same = re.sub(r'"(generated_at|run_id)": "[^"]*"', "", text).replace(sys.argv[1].removeprefix("s3://"), "")
print(json.dumps({
    "seconds": spent,
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "requests": sum(size > 0 for size in fetched),
    "bytes": sum(fetched),
    "digest": hashlib.sha256(same.replace("s3://", "").encode()).hexdigest(),
}))
"""


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


def measure(folder: Path | str, cache: Path) -> dict[str, float]:
    """One board in a fresh process."""
    environment = {**os.environ, "STEELYARD_CACHE": str(cache)}
    command = [sys.executable, "-c", BOARD, str(folder)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(done.stdout.splitlines()[-1]), "cpu": cpu}


def measure_s3(base: Path, cache: Path) -> dict[str, float]:
    """The board of the logs in `base` from an S3 server on this machine, and what one request to it takes."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        keys = {"ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "DEFAULT_REGION": "us-east-1"}
        os.environ |= {f"AWS_{name}": value for name, value in keys.items()}
        os.environ["AWS_ENDPOINT_URL"] = f"http://{host}:{port}"
        client = boto3.client("s3")
        client.create_bucket(Bucket="benchmark")
        paths = sorted(base.glob("*.eval"))
        for path in paths:
            client.upload_file(str(path), "benchmark", path.name)
        start = time.perf_counter()
        for path in paths[:20]:
            client.get_object(Bucket="benchmark", Key=path.name, Range="bytes=0-16383")["Body"].read()
        round_trip = (time.perf_counter() - start) / 20
        return {**measure("s3://benchmark", cache), "round_trip_s": round_trip}
    finally:
        server.stop()


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
        print("300 logs:", few, flush=True)
        size = sum(path.stat().st_size for path in base.glob("*.eval"))
        remote = measure_s3(base, Path(scratch) / "cache-s3")
        print("300 logs on S3:", remote, flush=True)
        cold = measure(many, Path(scratch) / "cache-many")
        print("cold:", cold, flush=True)
        # It takes so little that one moment of other work would decide: the one in the middle of three counts.
        warm = sorted((measure(many, Path(scratch) / "cache-many") for _ in range(3)), key=lambda run: run["cpu"])[1]
        print("warm:", warm, flush=True)
    allowed = 2 * few["seconds"] + remote["requests"] * remote["round_trip_s"]
    figures = {
        "logs": 300 * (chosen.rounds + 1),
        "board_of_300_cpu_s": few["cpu"],
        "cold_cpu_s": cold["cpu"],
        "warm_cpu_s": warm["cpu"],
        "cold_per_log_against_300": cold["cpu"] / few["cpu"] / (chosen.rounds + 1),
        "cold_against_warm": cold["cpu"] / warm["cpu"],
        "peak_mb": round(max(cold["peak_mb"], warm["peak_mb"])),
        "s3_s": remote["seconds"],
        "s3_against_allowed": remote["seconds"] / allowed,
        "s3_requests": remote["requests"],
        "s3_mb_fetched": remote["bytes"] / 1e6,
        "s3_mb_of_logs": size / 1e6,
    }
    print(json.dumps(figures, indent=2))
    same = cold["digest"] == warm["digest"] and few["digest"] == remote["digest"]
    if chosen.rounds == FULL and same:
        record("scale", figures)
    linear, fast = figures["cold_per_log_against_300"] <= 1.2, figures["cold_against_warm"] >= 20
    return 0 if same and linear and fast and figures["peak_mb"] <= 500 and figures["s3_against_allowed"] <= 1 else 1


def enable_zstd() -> None:
    """Make `zipfile` read what Inspect compresses."""
    if sys.version_info < (3, 14):
        __import__("zipfile_zstd")


if __name__ == "__main__":
    sys.exit(main())
