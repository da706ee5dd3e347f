"""Peak memory of commands on a log of 64 MB with long transcripts, in both formats.

    python benchmarks/memory.py [--megabytes 64]

A real log of SA Bench (the floor, 50 questions) and one of an audit get messages of random digits until their text has
that size. Each command is a process of its own; its peak is what the operating system reports.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageUser

MEASURE = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "steelyard", *sys.argv[1:]], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime]))
"""

SUITE = Path("src/steelyard/examples/audit/code-review")


def measure(*command: str) -> str:
    """Exit code, peak and processor time of one command."""
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], stdout=subprocess.PIPE, check=True)
    code, peak, seconds = json.loads(done.stdout)
    return f"exit {code}, {peak:.0f} MB, {seconds:.1f} CPU s"


def steelyard(*command: str) -> None:
    """Run a command that prepares."""
    subprocess.run([sys.executable, "-m", "steelyard", *command], check=True, stdout=subprocess.DEVNULL)


def inflate(source: Path, target: Path, megabytes: int) -> None:
    """Copy a log with messages of random digits."""
    log = read_eval_log(str(source))
    samples = log.samples or []
    letters = random.Random(1)
    for sample in samples:
        for _ in range(20):
            text = letters.randbytes(megabytes * 25_000 // len(samples)).hex(" ", 32)
            sample.messages.append(ChatMessageUser(content=text))
    write_eval_log(log, target)


def main() -> None:
    """Print a line for each command and format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=64)
    megabytes = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        os.environ["XDG_CACHE_HOME"] = str(root / "cache")
        model = ("--model", "steelyard/floor")
        steelyard("bench", "run", *model, "--category", "practice_exam", "--log-dir", str(root / "bench"))
        material = ["--key", str(SUITE / "lockers" / "key.md"), "--document", str(SUITE / "lockers" / "document.md")]
        material += ["--agent", str(SUITE / "agent.md"), "--log-dir", str(root / "audit")]
        steelyard("audit", "run", *material, *model, "--lexical")
        for form in ("eval", "json"):
            logs = root / form
            logs.mkdir()
            log, other, audit = (logs / f"{name}.{form}" for name in ("log", "other", "audit"))
            inflate(next((root / "bench").glob("*.eval")), log, megabytes)
            inflate(next((root / "audit").glob("*.eval")), audit, megabytes)
            shutil.copy(log, other)
            print(form, f"{log.stat().st_size / 1e6:.0f} MB")
            for command in (
                ("bench", "board", str(log), "--no-index"),
                ("bench", "items", str(log), "--no-index"),
                ("status", str(log), "--no-index"),
                ("gate", "compare", str(log), str(other), "--no-index"),
                ("audit", "score", str(audit)),
                ("bench", "rescore", str(log), "--all"),
            ):
                print(f"  {' '.join(command[:2])}: {measure(*command)}", flush=True)


if __name__ == "__main__":
    main()
