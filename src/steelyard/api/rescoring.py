"""`steelyard rescore` as a function: grades for runs that have none, in logs of every wing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING

from steelyard.api.groups import Judges
from steelyard.api.spec import option, sources, spec, takes
from steelyard.errors import JudgeError, LogError

if TYPE_CHECKING:
    from steelyard.logs.rescore import Rescored


@spec
class Rescoring(Judges):
    """A log, and who grades what it leaves open."""

    log: tuple[str, ...] = option("The log, which is rewritten.", default=(), converter=sources)
    _: KW_ONLY
    everything: bool = option("Grade every run again, not only those without a score.", "--all", default=False)
    baseline_log: tuple[str, ...] = option(
        "For pairwise judging [default: beside each log].",
        metavar="LOGS", default=(), converter=sources, rare=True,
    )  # fmt: skip


@takes(Rescoring)
def rescore(spec: Rescoring) -> Rescored:
    """Grade the runs of one log that have no score, without asking a model or an agent again.

    With a judge, a log of the bench that the heuristic scored is kept, and the judged copy is written beside it.

    Returns:
        How many runs were graded, and why some still have no score.

    Raises:
        NothingToJudge: Nothing in the log needs a judge.
        InputError: Another judge graded the log, or the key or the document changed since the run.
        JudgeError: No judge is named, or none is available.
        LogError: The log cannot be read or written, or is not one of ours.
    """
    [log] = spec.log
    found = rescorer(spec)(log)
    assert found is not None  # the first log of a rescorer is never a repetition
    return found


def rescorer(spec: Rescoring) -> Callable[[str], Rescored | None]:
    """Make a function that grades one log after the other.

    Args:
        spec: Who grades, and what; its own log does not matter.

    Returns:
        A function of a log's path; it returns None for a log that was already graded under another path.
    """
    from steelyard.audit.rescore import rescore_log as audit
    from steelyard.bench.rescore import rescore_log as bench
    from steelyard.bench.rescore import target_of
    from steelyard.gate.rescore import rescore_log as gate
    from steelyard.logs.read import read_log

    panel, graded = spec.panel(), set[str]()

    def grade(path: str) -> Rescored | None:
        stamp = read_log(path).stamp
        wing = None if stamp is None else stamp.wing
        if wing == "bench":
            target = os.path.realpath(target_of(path, panel))
            if target in graded:  # a heuristic log and its judged copy have one target
                return None
            done = bench(path, panel, everything=spec.everything)
            graded.add(target)
            return done
        if wing == "audit":
            if panel is None:
                raise JudgeError("no judge is named", cure="--judge NAME")
            return audit(path, panel, everything=spec.everything)
        if wing == "gate":
            required = replace(spec, require_judge=True).panel("auto")
            assert required is not None  # it is required
            return gate(path, required, everything=spec.everything, baseline=spec.baseline_log)
        raise LogError(f"{path} is not a log of Steelyard, or has no stamp")

    return grade
