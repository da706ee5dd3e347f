"""Reads both sides of a comparison: gate logs, any other Inspect logs, or plain results files."""

from __future__ import annotations

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from steelyard.gate.model import Arm
from steelyard.gate.read.arm import read_arm


class Arms(NamedTuple):
    """Both sides."""

    baseline: Arm
    candidate: Arm


def read_arms(baseline: Sequence[str], candidate: Sequence[str], *, scorer: str | None = None) -> Arms:
    """Both sides, from logs, folders or results files; `scorer` chooses one of several scores of foreign logs."""
    with uncollected():
        return Arms(
            read_arm(baseline, "baseline", scorer=scorer),
            read_arm(candidate, "candidate", scorer=scorer),
        )


@contextmanager
def uncollected() -> Generator[None]:
    """Pause the garbage collector: large logs become hundreds of thousands of objects that are all kept, and half of
    the time would be spent looking for garbage among them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
