"""`steelyard bench submit` and `check` as functions: results that somebody else can check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.bench import Logs, Progress, silent
from steelyard.api.own import bench_suite
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.bench.submission.check import SubmissionCheck
    from steelyard.bench.submission.submit import Submitted
    from steelyard.location import Location


def bench_submit(
    logs: Logs,
    target: str | Location,
    *,
    scorer: str | None = None,
    diagrams: Literal["image", "text"] | None = None,
    suite: str = "official",
    dataset: str | Path | None = None,
    categories: str | Path | None = None,
) -> Submitted:
    """Make a submission of logs: the logs that count, their board and versions in one file.

    Args:
        logs: Folders, files or globs.
        target: The file to write; it must not exist yet.
        scorer: Which scores count: `heuristic`, `judge`, or the name of a scorer.
        diagrams: Which diagram mode counts: `image` or `text`.
        suite: Whose board: `official` or `hard`.
        dataset: A folder with items of your own, instead of a shipped suite.
        categories: A file that names any Inspect tasks, instead of a shipped suite.

    Returns:
        The file, its board, and what to look at before it is published.

    Raises:
        InputError: The file exists already, a log is not on this machine, or the items are private.
        LogError: No log belongs to the board.
    """
    from steelyard.bench.model import Spec
    from steelyard.bench.submission.submit import submit

    chosen = bench_suite(suite, dataset=dataset, categories=categories)
    return submit(logs, location(target), Spec(scorer=scorer, diagrams=diagrams, suite=chosen))


def bench_check(
    submission: str | Path,
    *,
    suite: str = "official",
    dataset: str | Path | None = None,
    categories: str | Path | None = None,
    progress: Progress = silent,
) -> SubmissionCheck:
    """Check a submission without a network: items, fingerprints, canary, every grade, every number of its board.

    Args:
        submission: The file that `bench_submit` wrote.
        suite: Whose board: `official` or `hard`.
        dataset: A folder with items of your own, instead of a shipped suite.
        categories: A file that names any Inspect tasks, instead of a shipped suite.
        progress: Called as logs are checked.

    Returns:
        One line per check, and a verdict over all: `holds`, `fails` or `undecided`.

    Raises:
        InputError: The file is not a submission, or is made to do harm.
        LogError: A log in it cannot be read.
    """
    from steelyard.bench.model import Spec
    from steelyard.bench.submission.check import check_submission

    chosen = bench_suite(suite, dataset=dataset, categories=categories)
    return check_submission(Path(submission), Spec(suite=chosen), progress)
