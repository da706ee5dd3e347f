"""Errors of Inspect as messages of ours: one line, without its terminal markup."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager

from steelyard.errors import SteelyardError, boundary

_MARKUP = re.compile(r"\[/?[a-z ]+\]")


@contextmanager
def inspect_boundary(kind: type[SteelyardError], doing: str) -> Generator[None]:
    """A `boundary` that also removes Inspect's markup from its messages."""
    try:
        with boundary(kind, doing):
            yield
    except SteelyardError as error:
        error.args = (_MARKUP.sub("", str(error.args[0])).replace("ERROR: ", ""), *error.args[1:])
        raise
