"""Around single comparisons: what does not count for a while, pull requests, baselines that move, loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from steelyard.api.gate_spec import GateSpec, Settings, logs_in
from steelyard.api.groups import Told
from steelyard.api.spec import argument, named, option, parameter, rare, spec, takes
from steelyard.api.values import Location, Notify, day, file, place, silent, texts
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import AcceptedLoss, QuarantineEntry
from steelyard.gate.quarantine.entries import ACCEPTED
from steelyard.git import remote_ref
from steelyard.location import location
from steelyard.process import run
from steelyard.rows import Table

if TYPE_CHECKING:
    from steelyard.gate.accept.proposal import Decided
    from steelyard.gate.promote import Promotion, PromotionRequest
    from steelyard.gate.quarantine.listing import ListedEntry
    from steelyard.gate.run.plan import RunSpec
    from steelyard.gate.watch.night import Watched


@named
class Exemption:
    """An entry of the settings file; comments and order of the file are kept."""

    check: str | None = option("One check of the task [default: the whole task].", default=None)
    settings: Path = rare(
        "Settings file; created if need be.", "--settings", "--config", default=Path("steelyard.yaml"), converter=file
    )


@spec
class GateQuarantine(Exemption):
    """A task to set aside, or the whole quarantine."""

    task: str | None = argument("The task.", "[TASK]", default=None)
    _: KW_ONLY
    reason: str | None = option("Why it does not count for now.", default=None)
    owner: str | None = option("Who is going to fix it.", default=None)
    until: date | None = option("The last day, at most 30 days ahead.", "DATE", default=None, converter=day)
    days: int = option("Days ahead, without --until.", default=14, least=0, most=30)
    end: bool = option("End the quarantine of TASK now; without TASK, remove what is over.", default=False)


@takes(GateQuarantine)
def quarantine(spec: GateQuarantine) -> QuarantineEntry | Table[ListedEntry] | tuple[str, ...]:
    """Set a task or a check aside, end that, or list what is set aside.

    Returns:
        With a task the new entry; with `end` the names of the entries that were removed; else every entry as it is
        written, whether it holds today, and if not, why.

    Raises:
        InputError: The task is unknown or already quarantined, the date is out of range, or the file cannot be edited.
    """
    from steelyard.gate.quarantine.listing import add, entries_today, expire

    today = datetime.now(UTC).date()
    if spec.end:
        return expire(spec.settings, today, spec.task, spec.check)
    if spec.task is None:
        return Table(entries_today(spec.settings, today))
    if not all(words := [(text or "").strip() for text in (spec.task, spec.reason, spec.owner)]):
        raise InputError("a quarantine needs a task, a reason and an owner", cure="--reason TEXT --owner NAME")
    until = spec.until or today + timedelta(spec.days)
    entry = QuarantineEntry(*words, until=until, check=(spec.check or "").strip() or None)
    add(spec.settings, entry, today)
    return entry


@spec
class GateWaive(Exemption):
    """A loss to accept."""

    task: str = argument("The task.", "TASK")
    _: KW_ONLY
    reason: str = option("Why the loss is worth it.")
    until: date = option("The last day on which it holds.", "DATE", converter=cast(Callable[[str | date], date], day))
    owner: str | None = option("Who accepts it [default: git's user.name].", default=None)


@takes(GateWaive)
def waive(spec: GateWaive) -> AcceptedLoss:
    """Accept the loss of a task, or of one check of it.

    Returns: The entry.

    Raises:
        InputError: The task is unknown or already listed, the day is past, or nobody is named as the owner.
    """
    from steelyard.gate.quarantine.listing import add

    owner = run(["git", "config", "user.name"], timeout_s=10.0).stdout if spec.owner is None else spec.owner
    if not all(words := [text.strip() for text in (spec.task, spec.reason, owner)]):
        raise InputError("an accepted loss needs a task, a reason and an owner", cure="--owner NAME")
    entry = AcceptedLoss(*words, until=spec.until, check=(spec.check or "").strip() or None)
    add(spec.settings, entry, datetime.now(UTC).date(), ACCEPTED)
    return entry


@spec
class GatePromote(Settings):
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
        "Where attempts are counted: a folder, a URL, or git:REF [default: beside the logs].", "PLACE", default=None
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

        if not self.comparison.exists():
            raise InputError(f"{self.comparison} does not exist", cure="a gate run writes it beside its logs")
        defaults = load_settings(self.settings).promote
        base, remote = self.base or defaults.base, self.remote or defaults.remote
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
        InputError: The comparison, a log or the repository cannot be used.
        IncomparableError: The logs give no verdict.
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
        InputError: The report cannot be read, or GitHub refuses (`Forbidden` if the token may not comment).
        ToolchainError: `gh` is not installed.
    """
    from steelyard.gate.promote.comment import write_comment

    return write_comment(Path(report), repo, number, name)


@named
class GateWatch(GateSpec):
    """A baseline to watch."""

    baseline: str | None = option("The configuration to watch: a folder or git:REF[:PATH].", "CONFIG", default=None)
    count: int = option("Tasks to run tonight.", default=5, least=1, most=10_000)
    error: float = rare("Significance level.", "--alpha", default=0.05, least=0.001, most=0.2)
    log_dir: Location = logs_in("logs/watch")

    def resolved(self) -> RunSpec:
        """The run, with what the settings add; there is no candidate."""
        fixed = replace(self, candidate=self.baseline or "baseline", policy="contract")
        return super(GateWatch, fixed).resolved()


@named
class GateAccept(GateSpec, Told):
    """A proposal of a loop, and how the loop decides."""

    baseline: str | None = option("What the loop has so far: a folder or git:REF[:PATH].", "CONFIG", default=None)
    candidate: str | None = option("The proposal: a folder or git:REF[:PATH].", "CONFIG", default=None)
    hidden: float = option("Share of tasks kept from it.", default=0.5, least=0.05, most=0.95)
    hidden_logs: Location | None = rare(
        "Where runs of hidden tasks go, out of the proposer's reach.", default=None, converter=place
    )
    error: float = rare("Error of the whole loop.", "--alpha", default=0.05, least=0.001, most=0.2)
    log_dir: Location = option("Where the logs of this proposal go.", converter=location)

    def resolved(self) -> RunSpec:
        """The run, with what the settings add."""
        return super(GateAccept, replace(self, policy="adaptive")).resolved()


@takes(GateWatch)
def gate_watch(spec: GateWatch) -> Watched:
    """Run a few tasks of the baseline and test whether it has moved since it was recorded (docs/scoring.md §3.5).

    Returns: The shift so far, and whether it is one.

    Raises:
        InputError: The store has no runs of this baseline.
        LogError: The tasks could not be run to their end.
    """
    from steelyard.gate.watch.night import watch

    return watch(spec.resolved(), spec.count, spec.error)


def gate_watch_issue(watched: Watched, repo: str) -> str:
    """Open one issue on GitHub about a baseline that moved, or bring the open one up to date.

    Args:
        watched: The result of `gate_watch`.
        repo: `OWNER/NAME` on GitHub.

    Returns: The address of the issue.

    Raises:
        InputError: GitHub refuses.
        ToolchainError: `gh` is not installed.
    """
    from steelyard.gate.watch.issue import write_issue

    return write_issue(watched, repo)


@takes(GateAccept)
def gate_accept(spec: GateAccept) -> Decided:
    """Decide one proposal of a loop that improves itself (docs/scoring.md §3.5).

    Returns: Whether the proposal is accepted, its number and its level.

    Raises:
        InputError: There is no verdict, no ledger, or no place for the hidden runs.
        LogError: A round could not be run to its end.
    """
    from steelyard.gate.accept.proposal import Loop, accept

    return accept(spec.resolved(), Loop(spec.hidden, spec.hidden_logs, spec.error), spec.notify)
