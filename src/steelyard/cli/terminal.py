"""The terminal: how wide it is. Asked by every `--help`, so that nothing else is loaded for it."""

from __future__ import annotations

import os
import sys


def width() -> int:
    """`COLUMNS`, else the columns of the terminal, or 80 if there is none."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdigit() and int(stated) > 0:
        return int(stated)
    try:
        return (os.get_terminal_size(1).columns if sys.stdout.isatty() else 0) or 80
    except OSError:
        return 80
