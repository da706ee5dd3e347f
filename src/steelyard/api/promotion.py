"""`steelyard gate promote` as functions: what follows from a verdict."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.gate_spec import Thresholds
from steelyard.api.spec import argument, option, parameter, rare, spec, takes
from steelyard.api.values import Location, Notify, file, keeper, place, silent, texts
from steelyard.errors import InputError
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.gate.promote import Promotion, PromotionRequest


@spec
class GatePromote(Thresholds):
    """A verdict, and where its pull request goes."""

    comparison: Location = argument(
        "The `comparison.json` of a gate run; or a REPORT.md, to be the comment on --pr.", "COMPARISON.json|REPORT.md",
        converter=location,
    )  # fmt: skip
    repo: Path = option("The root of a clone of the repository.", default=Path(), converter=file)
    _: KW_ONLY
    base: str | None = option("Branch to merge into [default: main].", default=None)
    remote: str | None = rare("Remote to push to [default: origin].", default=None)
    candidate: str | None = rare("The candidate, if it is not where the logs say.", "CONFIG", default=None)
    draft: bool | None = rare("Open the pull request as a draft.", "--draft/--no-draft", default=None)
    reviewers: tuple[str, ...] = rare(
        "Ask for a review; repeatable.", "--reviewer", "NAME", default=(), converter=texts
    )
    ledger: str | None = rare(
        "Where attempts are counted: a folder, a URL, or git:REF [default: beside the logs].",
        "PLACE",
        default=None,
        converter=keeper,
    )
    blame: Location | None = rare(
        "Of a pruned candidate: no worse will do.", "BLAME.json", default=None, converter=place
    )
    open_pr: bool = option("Execute the plan; without this it is only shown.", default=False)
    tell: Notify = parameter("Called with each line of progress.", default=silent)
    path: str | None = option("Where the configuration lives in the repository [default: its root].", default=None)

    def request(self) -> PromotionRequest:
        """What to promote, with what the settings add.

        Thresholds and noise are taken from the branch to merge into: a change cannot loosen its own gate.
        """
        from steelyard.gate.base import settings_at
        from steelyard.gate.promote import PromotionRequest
        from steelyard.gate.settings import load_settings, noise_folder, thresholds
        from steelyard.git import remote_ref

        if not self.comparison.exists():
            raise InputError(f"{self.comparison} does not exist", cure="a gate run writes it beside its logs")
        defaults = load_settings(self.settings).promote
        base, remote = self.base or defaults.base, self.remote or defaults.remote
        # The rules come from the branch to merge into, so that a change cannot loosen them.
        rules = remote_ref(self.repo, remote, base)
        settings, differing = settings_at(self.settings, rules, self.repo)
        return PromotionRequest(
            comparison=self.comparison,
            repo=self.repo,
            base=base,
            remote=remote,
            path=self.path or defaults.path,
            candidate=self.candidate,
            draft=defaults.draft if self.draft is None else self.draft,
            reviewers=self.reviewers or defaults.reviewers,
            thresholds=thresholds(settings.thresholds, self.thresholds),
            noise=noise_folder(settings),
            rules=rules,
            differing=differing,
            ledger=self.ledger or settings.ledger,
            blame=self.blame,
        )


@takes(GatePromote)
def promote(spec: GatePromote) -> Promotion:
    """Plan the pull request that a verdict has earned, and open it if `open_pr` is set.

    Returns: The plan; its `delivered` is the pull request, if one was opened.

    Raises:
        Refused: The verdict is not earned, or the candidate or the base branch has changed since.
    """
    from steelyard.gate.promote import plan_promotion
    from steelyard.gate.promote.execute import deliver

    promotion = plan_promotion(spec.request())
    return replace(promotion, delivered=deliver(promotion, spec.tell)) if spec.open_pr else promotion


def gate_comment(report: str | Path, repo: str, number: int, *, name: str = "") -> str:
    """Write the gate's comment on a pull request, or update the existing one of this name.

    Args:
        report: A Markdown file.
        repo: `OWNER/NAME` on GitHub.
        number: The pull request.
        name: Which of several comments; jobs of a matrix need one each.

    Returns: The address of the comment.

    Raises:
        Forbidden: The token may not comment (`steelyard.gate.promote.github.Forbidden`).
    """
    from steelyard.gate.promote.comment import write_comment

    return write_comment(Path(report), repo, number, name)
