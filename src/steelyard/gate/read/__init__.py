"""Reads both sides of a comparison: gate logs, any other Inspect logs, or plain results files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from steelyard.collector import rarely_collected
from steelyard.errors import InputError
from steelyard.gate.model import Arm
from steelyard.gate.read import skillci_file
from steelyard.gate.read.arm import arm_of, holds_both, read_arm, read_file, read_rows
from steelyard.gate.read.framed import unframed
from steelyard.location import location
from steelyard.rows import LogRow


class Arms(NamedTuple):
    """Both sides."""

    baseline: Arm
    candidate: Arm


def read_arms(baseline: Sequence[str], candidate: Sequence[str] | None = None, *, scorer: str | None = None) -> Arms:
    """Both sides, from logs, folders or results files; `scorer` chooses one of several scores of foreign logs.

    Without a candidate, both sides come from the logs of one gate run.
    """
    with rarely_collected():
        if candidate is None or list(candidate) == list(baseline):
            return _both(baseline, scorer, alone=candidate is None)
        before = read_arm(baseline, "baseline", scorer=scorer)
        after = read_arm(candidate, "candidate", scorer=scorer)
        return Arms(*unframed(before, after)) if before.side.kind == after.side.kind == "log" else Arms(before, after)


def refuse_swapped(arms: Arms) -> None:
    """Raise if the logs say that the baseline is the candidate of a run, and the candidate its baseline."""
    if [{*arm.units.values()} for arm in arms] == [{"candidate"}, {"baseline"}]:
        raise InputError("the sides are swapped, as their logs say", cure="name the baseline first")


def _both(sources: Sequence[str], scorer: str | None, *, alone: bool) -> Arms:
    """Both sides from the same logs, each read once."""
    if alone and (pair := skillci_file.read_both(location(sources[0]))):
        return Arms(*pair)
    file = read_file(sources)
    rows = () if file else read_rows(sources, "baseline")
    if alone and (file or not holds_both(rows)):
        raise InputError(
            f"{', '.join(sources)} does not hold both sides of a gate run", cure="name the baseline and the candidate"
        )
    return Arms(file, file) if file else arms_of(rows, scorer=scorer)


def arms_of(rows: Sequence[LogRow], *, scorer: str | None = None) -> Arms:
    """Both sides from logs that were read."""
    return Arms(arm_of(rows, "baseline", scorer=scorer), arm_of(rows, "candidate", scorer=scorer))
