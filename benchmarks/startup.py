"""How long `steelyard --help` takes, against a bare `import click` in the same Python, alternating.

Promise: at most twice as long. Prints the ratio and writes it to docs/figures.json.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from figures import record

ROUNDS = 15


def seconds(argv: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    ours = [str(Path(sys.executable).with_name("steelyard")), "--help"]
    theirs = [sys.executable, "-c", "import click"]
    seconds(ours), seconds(theirs)  # warm the file cache
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    help_s, click_s = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"steelyard --help {help_s:.3f} s, import click {click_s:.3f} s, ratio {help_s / click_s:.2f} (promise: 2)")
    record("startup", {"help_s": help_s, "import_click_s": click_s, "ratio": help_s / click_s})


if __name__ == "__main__":
    main()
