"""Promotion: from an earned verdict to a pull request. This module plans; `execute` does it.

Nothing is taken on trust (docs/scoring.md §3.2): the comparison is recomputed from its logs, `should_promote` must
hold, and the candidate's artifacts must hash to what the logs recorded. The commit is made in a worktree of its own,
created from the remote's base branch; artifacts are written byte for byte (no filters, no ignore rules, no hooks), and
files that only the baseline had are deleted. The user's working tree, index and branch are not touched. Promoting
twice opens one pull request. A failure leaves nothing behind: no worktree, no branch, no unfinished request.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.errors import IncomparableError, InputError, Refused
from steelyard.gate.blame.prune import no_worse, pruned_document, read_blame, refuse_other
from steelyard.gate.compare import should_promote
from steelyard.gate.config import Config, load_config
from steelyard.gate.config.validation import inspect_config
from steelyard.gate.model import Comparison, NoVerdict, Thresholds, Weighed
from steelyard.gate.noise.record import find_record
from steelyard.gate.report.document import document, headline
from steelyard.gate.verify import SIDES, counted, read_comparison, read_recorded
from steelyard.gate.weigh import Spec, weigh
from steelyard.git import git
from steelyard.report import markdown
from steelyard.tree import safe_path

if TYPE_CHECKING:
    from steelyard.location import Location


@dataclass(frozen=True, slots=True)
class PromotionRequest:
    """What to promote, and where to."""

    comparison: Location
    repo: Path
    base: str = "main"
    remote: str = "origin"
    path: str = "."
    """Where the configuration lives in the repository."""
    candidate: str | None = None
    """The candidate's folder or ref, if it is not where the logs say."""
    draft: bool = False
    reviewers: tuple[str, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    noise: Path | None = None
    """Folder of noise records: a gain below the floor of the suite is not promoted."""
    rules: str | None = None
    """The git ref whose noise records count; None: those of the working tree."""
    differing: tuple[str, ...] = ()
    """How the settings here differ from those that count, for the top of the report."""
    ledger: str | None = None
    """Where attempts are counted; beside the logs, or where these say, if absent."""
    blame: Location | None = None
    """The `blame.json` that a pruned candidate comes from: no worse is then enough."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The pull request of a promotion."""

    url: str | None
    """Its address; None if the base branch already has the candidate."""
    created: bool
    """False if an earlier promotion had opened it."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """A promotion that has been earned, ready to be shown or executed."""

    request: PromotionRequest
    config: Config
    branch: str
    deletions: tuple[str, ...]
    """Artifact paths that only the baseline has."""
    baseline: dict[str, str]
    """Artifact path → hash, in the baseline that was compared."""
    title: str
    body: str
    delivered: Delivered | None = None
    """The pull request, once it has been opened."""

    def inside(self, path: str) -> str:
        """An artifact's path in the repository."""
        return path if self.request.path == "." else f"{self.request.path}/{path}"


def plan_promotion(request: PromotionRequest) -> Promotion:
    """Check everything a promotion requires; `Refused` if it is not earned."""
    where = request.path if request.path == "." else safe_path(request.path)
    if where is None or ".git" in where.split("/"):
        raise InputError(f"--path {request.path!r} is not a path inside a repository")
    if not (request.repo / ".git").exists():
        raise InputError(f"{request.repo} is not the root of a git repository")
    weighed = recompute(request)
    config = _candidate(request, weighed)
    if errors := inspect_config(config).errors:
        more = f" (and {len(errors) - 1} more errors)" if len(errors) > 1 else ""
        raise Refused(f"the candidate is not valid: {errors[0]}{more}; see `steelyard gate check`")
    deletions = tuple(sorted(weighed.baseline.artifacts.keys() - config.tree.keys()))
    for path in (*config.tree, *deletions):
        # In lower case: where file names ignore case, `.GIT/hooks` is `.git/hooks`.
        if safe_path(path) != path or ".git" in path.lower().split("/"):
            raise Refused(f"the artifact {path!r} cannot be written into a repository")
    assert isinstance(weighed.outcome, Comparison)
    title = f"Agent configuration: {weighed.outcome.verdict} (net gain {weighed.outcome.net_gain:+.3f})"
    body = markdown.render(document(weighed))
    if request.blame is not None:
        data = read_blame(request.blame)
        refuse_other(data, config, weighed.baseline.config, request.repo)
        title, body = f"{title}, pruned", f"{body}\n{markdown.render(pruned_document(data))}"
    return Promotion(
        request=request,
        config=config,
        branch=f"steelyard/gate-{config.sha[:12]}",
        deletions=deletions,
        baseline=dict(weighed.baseline.artifacts),
        title=title,
        body=body,
    )


def recompute(request: PromotionRequest) -> Weighed:
    """The comparison, recomputed from its logs with the request's thresholds; `Refused` unless it is earned."""
    data = read_comparison(request.comparison)
    if any(data[side]["kind"] != "gate" for side in SIDES):
        raise Refused("only gate runs can be promoted: a results file or a foreign log can be compared, not promoted")
    recorded = read_recorded(request.comparison, data)
    arms = recorded.arms
    for name, arm in zip(SIDES, arms, strict=True):
        # Otherwise a log of one side could be passed off as the other's.
        if strange := next((path for path, unit in arm.units.items() if unit != name), None):
            raise Refused(f"{strange} is not a log of the {name}")
    noise = find_record(request.noise, arms.baseline, base=request.rules, repo=request.repo)
    book = counted(recorded, request.ledger, request.repo)
    absent = () if book.missing is None else (f"its ledger {book.missing} is not here",)
    spec = Spec(
        request.thresholds,
        historical=recorded.historical,
        drift=recorded.drift,
        noise=noise,
        differing=request.differing,
        irregular=(*book.irregular, *absent),
    )
    weighed = weigh(*arms, spec, now=datetime.now(UTC))
    if isinstance(weighed.outcome, NoVerdict):
        raise IncomparableError(f"the logs give no verdict: {weighed.outcome.reasons[0]}")
    earned = should_promote(weighed.outcome)
    if not earned and not (request.blame is not None and no_worse(weighed.outcome)):
        doubts = "; ".join((*weighed.outcome.ambiguities, *weighed.outcome.exploratory)[:3])
        raise Refused(f"not earned: {headline(weighed.outcome)}{f' Ambiguities: {doubts}' if doubts else ''}")
    stated = data["should_promote"], data["verdict"], data["net_gain"], data["regressions"], data["ambiguities"]
    if stated != (earned, weighed.outcome.verdict, weighed.outcome.net_gain, [], []):
        raise Refused(f"{request.comparison} does not match its logs; run `steelyard gate compare` again")
    return weighed


def _candidate(request: PromotionRequest, weighed: Weighed) -> Config:
    where = request.candidate or weighed.candidate.source
    if not where:
        raise InputError("the logs do not say where the candidate is", cure="--candidate DIR")
    config = load_config(where, repo=request.repo, label=weighed.candidate.label)
    if config.sha != weighed.candidate.config:
        raise Refused(
            f"{where} is not what was compared: its hash is {config.sha}, the log's {weighed.candidate.config}"
        )
    return config


def commands(promotion: Promotion) -> list[str]:
    """The plan as shell commands, for a person."""
    request = promotion.request
    head = ["git", "-C", str(request.repo)]
    tree = "WORKTREE"
    lines = [
        [*head, "fetch", request.remote, f"refs/heads/{request.base}"],
        [*head, "worktree", "add", "--detach", "--no-checkout", tree, "FETCH_HEAD"],
        *(["write", f"{tree}/{promotion.inside(path)}"] for path in sorted(promotion.config.tree)),
        *(["delete", f"{tree}/{promotion.inside(path)}"] for path in promotion.deletions),
        ["git", "-C", tree, "commit", "--no-verify", "-m", promotion.title],
        ["git", "-C", tree, "push", request.remote, f"HEAD:refs/heads/{promotion.branch}"],
        pull_request(promotion, "REPORT.md"),
        [*head, "worktree", "remove", "--force", tree],
    ]
    return [shlex.join(line) for line in lines]


def pull_request(promotion: Promotion, body_file: str) -> list[str]:
    """`gh pr create`, with values that cannot be mistaken for options."""
    request = promotion.request
    words = ["gh", "pr", "create", f"--base={request.base}", f"--head={promotion.branch}", f"--title={promotion.title}"]
    words += [f"--body-file={body_file}", *(["--draft"] if request.draft else [])]
    return [*words, *(f"--reviewer={name}" for name in request.reviewers)]


def remote_commit(promotion: Promotion, branch: str) -> str | None:
    """The commit of a branch on the remote, or None."""
    request = promotion.request
    done = git(request.repo, "ls-remote", "--end-of-options", request.remote, f"refs/heads/{branch}")
    return done.stdout.split()[0] if done.stdout.strip() else None
