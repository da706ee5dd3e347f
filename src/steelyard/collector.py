"""Python's search for cycles, put off while much is made that stays."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

_OBJECTS = 500_000
"""New objects after which Python looks for cycles meanwhile; usually 700."""


@contextmanager
def rarely_collected() -> Generator[None]:
    """Look for cycles rarely: the rows of large logs all stay, and Python would go through them again and again."""
    usual = gc.get_threshold()
    if usual[0]:  # 0 would be: not at all
        gc.set_threshold(max(usual[0], _OBJECTS), *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
