"""The process beside a demo: `python -m steelyard.demo.beside` runs the specs that it reads from its standard input.

It writes its progress as lines of JSON: (what, done, total), and at the end [problems]. Its input stays open as long as
the demo lives, so it ends when that does.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
from typing import TYPE_CHECKING, Any

from steelyard.errors import SteelyardError, one_line

if TYPE_CHECKING:
    from steelyard.bench.run.plan import RunSpec


def main() -> None:
    """Run the specs; whatever else is printed goes to the standard error."""
    # Output of libraries must not get between the lines that the demo reads.
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    runs: tuple[RunSpec, ...] = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def say(*message: Any) -> None:
        said.write(json.dumps(message) + "\n")
        said.flush()

    try:
        say(_problems(runs, say))
    except KeyboardInterrupt:
        os._exit(130)  # the parent reports it


def _problems(runs: tuple[RunSpec, ...], say: Any) -> list[str]:
    from steelyard.bench.run import run

    problems: list[str] = []
    try:
        for spec in runs:
            problems += run(spec, say).problems
    except SteelyardError as error:
        problems.append(one_line(str(error), 200))
    return problems


def _end_with_parent() -> None:
    # Not through `sys.stdin`: Python aborts at its end if a thread still holds that reader.
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
