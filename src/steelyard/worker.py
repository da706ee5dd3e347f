"""A worker of an engine: `python -m steelyard.worker DEFINITION SELECTION` runs the selected tasks of a run.

It reports nothing but its exit code; the logs that it writes are the result. With `--tied` it is interrupted when its
standard input ends, as it does when its driver is gone; with `--environment FILE` it takes its variables from there.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from steelyard.engine.protocol import PATIENCE_S

TIED, ENVIRONMENT = "--tied", "--environment"


def run_selection(definition: str, selection: str) -> tuple[str, ...]:
    """Run the selected tasks here; returns what is not finished, one line each."""
    from inspect_ai._eval.eval_set_selection import INSPECT_EVAL_SET_SELECTION

    from steelyard.engine.definition import read_definition
    from steelyard.engine.presence import at_work
    from steelyard.location import location

    os.environ[INSPECT_EVAL_SET_SELECTION] = selection
    with at_work(location(selection)):
        run = read_definition(location(definition))
        run.enter_folder()
        if run.wing == "bench":
            from steelyard.bench.run.engine import share
        else:
            from steelyard.gate.run.engine import share
        return share(run)


def problems_of(definition: str, selection: str) -> tuple[str, ...]:
    """Run the selected tasks here; an error of ours is a problem like any other."""
    from steelyard.errors import SteelyardError, one_line

    try:
        return run_selection(definition, selection)
    except SteelyardError as error:
        return (one_line(error),)


def _interrupt(signum: int, frame: object) -> None:
    signal.raise_signal(signal.SIGINT)


def _end_with_driver() -> None:
    # Not through `sys.stdin`: Python aborts at its end if a thread still holds that reader.
    while os.read(0, 4096):
        pass
    # The main thread is interrupted and writes its log; if it hangs, the process ends anyway.
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(PATIENCE_S)
    os._exit(130)


def _prepare(options: list[str]) -> None:
    from steelyard.engine import environment

    if ENVIRONMENT in options:
        environment.enter(Path(options[options.index(ENVIRONMENT) + 1]))
    if TIED in options:
        threading.Thread(target=_end_with_driver, daemon=True).start()


def main() -> None:
    """Exit with 0 if every selected task is finished, with 2 and a reason on stderr if not."""
    # A command that a script starts in the background makes it ignore interrupts; engines end workers by one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A scheduler ends a worker whose time is up by SIGTERM: that is an interrupt too, and leaves a log to go on from.
    signal.signal(signal.SIGTERM, _interrupt)
    *options, definition, selection = sys.argv[1:]
    try:
        _prepare(options)
        problems = problems_of(definition, selection)
    except KeyboardInterrupt:
        sys.exit(130)
    for problem in problems:
        print(problem, file=sys.stderr)  # noqa: T201
    sys.exit(2 if problems else 0)


if __name__ == "__main__":
    main()
