"""The program `steelyard`, and `python -m steelyard`: loads the command line so that even then Ctrl-C is one line."""

from __future__ import annotations

import gc
import resource
import sys


def main() -> None:
    """Run the command line; `cli.exit` answers for everything once it is loaded."""
    # A core dump holds the keys of the environment; the programs and workers that this one starts inherit the limit.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    gc.set_threshold(50_000)  # a start loads thousands of modules that stay; looking through them takes a tenth of it
    try:
        from steelyard.cli.main import main as root
    except KeyboardInterrupt:
        print("steelyard: interrupted; run the same command again to continue", file=sys.stderr)  # noqa: T201
        sys.exit(130)
    root(prog_name="steelyard")


if __name__ == "__main__":
    main()
