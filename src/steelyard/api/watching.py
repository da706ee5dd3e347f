"""`steelyard gate watch` and `steelyard gate accept` as functions: what happens beside single comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.api.gate import Notify, silent

if TYPE_CHECKING:
    from steelyard.gate.accept.proposal import Decided, Loop
    from steelyard.gate.run.plan import RunSpec
    from steelyard.gate.watch.night import Watched


def gate_watch(spec: RunSpec, *, tasks: int = 5, alpha: float = 0.05) -> Watched:
    """Run a few tasks of the baseline and test whether it has moved since it was recorded (docs/scoring.md §3.5).

    Args:
        spec: A `steelyard.gate.run.plan.RunSpec` with a baseline and a store; its candidate is not used.
        tasks: How many tasks run, drawn at random.
        alpha: How often the test may be wrong over all nights together.

    Returns:
        The shift so far, and whether it is one.

    Raises:
        InputError: The store has no runs of this baseline.
        LogError: The tasks could not be run to their end.
    """
    from steelyard.gate.watch.night import watch

    return watch(spec, tasks, alpha)


def gate_watch_issue(watched: Watched, repo: str) -> str:
    """Open one issue on GitHub about a baseline that moved, or bring the open one up to date.

    Args:
        watched: The result of `gate_watch`.
        repo: `OWNER/NAME` on GitHub.

    Returns:
        The address of the issue.

    Raises:
        InputError: GitHub refuses.
        ToolchainError: `gh` is not installed.
    """
    from steelyard.gate.watch.issue import write_issue

    return write_issue(watched, repo)


def gate_accept(spec: RunSpec, loop: Loop, *, notify: Notify = silent) -> Decided:
    """Decide one proposal of a loop that improves itself (docs/scoring.md §3.5).

    Args:
        spec: A `steelyard.gate.run.plan.RunSpec`: what the loop has so far, the proposal, the policy and the ledger.
        loop: A `steelyard.gate.accept.proposal.Loop`: the share of hidden tasks, where their runs go, the error.
        notify: Called with each line of progress.

    Returns:
        Whether the proposal is accepted, its number and its level.

    Raises:
        InputError: There is no verdict, no ledger, or no place for the hidden runs.
        LogError: A round could not be run to its end.
    """
    from steelyard.gate.accept.proposal import accept

    return accept(spec, loop, notify)
