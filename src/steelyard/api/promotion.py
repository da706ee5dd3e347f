"""`steelyard gate promote`, `verify` and `comment` as functions: what follows from a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.gate import Notify, silent
from steelyard.api.options import one_or_several
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.gate.model import Thresholds
    from steelyard.gate.promote import Promotion
    from steelyard.gate.verify import Verification
    from steelyard.location import Location


@one_or_several("reviewers", "differing")
def promote(
    comparison: str | Location,
    repo: str | Path,
    *,
    open_pr: bool = False,
    tell: Notify = silent,
    base: str = "main",
    remote: str = "origin",
    path: str = ".",
    candidate: str | None = None,
    draft: bool = False,
    reviewers: Sequence[str] = (),
    thresholds: Thresholds | None = None,
    noise: str | Path | None = None,
    rules: str | None = None,
    differing: Sequence[str] = (),
    ledger: str | None = None,
    blame: str | Location | None = None,
) -> Promotion:
    """Plan the pull request that a verdict has earned, and open it if `open_pr` is set.

    Args:
        comparison: The `comparison.json` of a gate run; it is recomputed from its logs.
        repo: The root of a clone of the repository.
        open_pr: Execute the plan: commit, push, and open the pull request with `gh`.
        tell: Called with each line of progress.
        base: The branch to merge into.
        remote: The remote to push to.
        path: Where the configuration is in the repository.
        candidate: The candidate's folder or ref, if it is not where the logs say.
        draft: Open the pull request as a draft.
        reviewers: Whom to ask for a review.
        thresholds: The thresholds that must hold; the defaults if absent.
        noise: Folder of noise records: a gain below the floor of the suite is not promoted.
        rules: A git ref: noise records inside the repository count as they are there.
        differing: How the settings here differ from those that count; the report says it first.
        ledger: Where attempts are counted; beside the logs, or where these say, if absent.
        blame: The `blame.json` that a pruned candidate comes from: then it is enough to be shown no worse.

    Returns:
        The plan; its `delivered` is the pull request, if one was opened.

    Raises:
        Refused: The verdict is not earned, or the candidate or the base branch has changed since.
        InputError: The comparison, a log or the repository cannot be used.
        IncomparableError: The logs give no verdict.
    """
    from steelyard.gate.model import Thresholds
    from steelyard.gate.promote import PromotionRequest, plan_promotion
    from steelyard.gate.promote.execute import deliver

    request = PromotionRequest(
        comparison=location(comparison),
        repo=Path(repo),
        base=base,
        remote=remote,
        path=path,
        candidate=candidate,
        draft=draft,
        reviewers=tuple(reviewers),
        thresholds=thresholds or Thresholds(),
        noise=None if noise is None else Path(noise),
        rules=rules,
        differing=tuple(differing),
        ledger=ledger,
        blame=None if blame is None else location(blame),
    )
    promotion = plan_promotion(request)
    return replace(promotion, delivered=deliver(promotion, tell)) if open_pr else promotion


def gate_verify(
    comparison: str | Location, *, ledger: str | None = None, repo: str | Path | None = None
) -> Verification:
    """Check offline that a comparison was decided as it was registered (docs/scoring.md §3.5).

    Args:
        comparison: The `comparison.json` of a gate run; it is recomputed from its logs.
        ledger: Where attempts are counted; beside the logs, or where these say, if absent.
        repo: The repository of a ledger `git:REF`; the current folder if absent.

    Returns:
        Whether it holds, what does not, and how many looks there were.

    Raises:
        InputError: The file is not a comparison, or a log is missing.
        LogError: A log cannot be read.
    """
    from steelyard.gate.verify import verify

    return verify(location(comparison), ledger, None if repo is None else Path(repo))


def gate_comment(report: str | Path, repo: str, number: int, *, name: str = "") -> str:
    """Write the gate's comment on a pull request, or update the existing one of this name.

    Args:
        report: A Markdown file.
        repo: `OWNER/NAME` on GitHub.
        number: The pull request.
        name: Which of several comments; jobs of a matrix need one each.

    Returns:
        The address of the comment.

    Raises:
        InputError: The report cannot be read, or GitHub refuses (`Forbidden` if the token may not comment).
        ToolchainError: `gh` is not installed.
    """
    from steelyard.gate.promote.comment import write_comment

    return write_comment(Path(report), repo, number, name)
