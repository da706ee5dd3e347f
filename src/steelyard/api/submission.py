"""`steelyard bench submit` and `steelyard bench check FILE` as functions."""

from __future__ import annotations

from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.groups import Scores, Taskfile
from steelyard.api.spec import Location, Progress, file, option, silent, sources, spec, takes
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.bench.submission.check import SubmissionCheck
    from steelyard.bench.submission.submit import Submitted


@spec
class BenchSubmit(Scores):
    """Logs to submit."""

    logs: tuple[str, ...] = option("Folders, files or globs.", argument=True, converter=sources)
    target: Location = option("The file to write; it must not exist yet.", "--out", metavar="FILE", converter=location)


@takes(BenchSubmit)
def bench_submit(spec: BenchSubmit) -> Submitted:
    """Make a submission of logs: the logs that count, their board and versions in one file.

    Returns:
        The file, its board, and what to look at before it is published.

    Raises:
        InputError: The file exists already, a log is not on this machine, or the items are private.
        LogError: No log belongs to the board.
    """
    from steelyard.bench.model import Spec
    from steelyard.bench.submission.submit import submit

    chosen = Spec(scorer=spec.scorer, diagrams=spec.diagrams, suite=spec.chosen_suite())
    return submit(spec.logs, spec.target, chosen)


@spec
class BenchCheck(Taskfile):
    """A submission."""

    submission: Path = option("The file that `bench_submit` wrote.", converter=file)
    _: KW_ONLY
    progress: Progress = option("Called as logs are checked.", default=silent, programs=True)


@takes(BenchCheck)
def bench_check(spec: BenchCheck) -> SubmissionCheck:
    """Check a submission without a network: items, fingerprints, canary, every grade, every number of its board.

    Returns:
        One line per check, and a verdict over all: `holds`, `fails` or `undecided`.

    Raises:
        InputError: The file is not a submission, or is made to do harm.
        LogError: A log in it cannot be read.
    """
    from steelyard.bench.model import Spec
    from steelyard.bench.submission.check import check_submission

    return check_submission(spec.submission, Spec(suite=spec.chosen_suite()), spec.progress)
