"""A worker of an engine: `python -m steelyard.worker DEFINITION SELECTION` runs the selected tasks of a run.

It reports nothing but its exit code; the logs that it writes are the result.
"""

from __future__ import annotations

import os
import signal
import sys


def run_selection(definition: str, selection: str) -> tuple[str, ...]:
    """Run the selected tasks here; returns what is not finished, one line each."""
    from inspect_ai._eval.eval_set_selection import INSPECT_EVAL_SET_SELECTION

    from steelyard.api.engines import share
    from steelyard.engine.definition import read_definition
    from steelyard.location import location

    os.environ[INSPECT_EVAL_SET_SELECTION] = selection
    return share(read_definition(location(definition)))


def problems_of(definition: str, selection: str) -> tuple[str, ...]:
    """Run the selected tasks here; an error of ours is a problem like any other."""
    from steelyard.errors import SteelyardError, one_line

    try:
        return run_selection(definition, selection)
    except SteelyardError as error:
        return (one_line(error),)


def _interrupt(signum: int, frame: object) -> None:
    signal.raise_signal(signal.SIGINT)


def main() -> None:
    """Exit with 0 if every selected task is finished, with 2 and a reason on stderr if not."""
    # A command that a script starts in the background makes it ignore interrupts; engines end workers by one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A scheduler ends a worker whose time is up by SIGTERM: that is an interrupt too, and leaves a log to go on from.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        problems = problems_of(*sys.argv[1:3])
    except KeyboardInterrupt:
        sys.exit(130)
    for problem in problems:
        print(problem, file=sys.stderr)  # noqa: T201
    sys.exit(2 if problems else 0)


if __name__ == "__main__":
    main()
