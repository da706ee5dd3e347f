"""Promotion: from an earned verdict to a pull request. A plan first; executed only when somebody says so.

Law (docs/scoring.md §3.2): nothing is believed. The comparison is recomputed from its logs, `should_promote` must hold,
and the candidate's artifacts must hash to what the logs recorded. The commit is made in a worktree of its own, cut from
the base branch of the remote; artifacts are written byte for byte (no filters, no ignore rules, no hooks), and what the
baseline had and the candidate has not is deleted. The user's working tree, index and branch are not touched. Doing it
twice does it once. Whatever fails, nothing is left behind: no worktree, no branch, no half-made request.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.errors import IncomparableError, InputError, Refused
from steelyard.gate.compare import should_promote
from steelyard.gate.config import Config, load_config
from steelyard.gate.git import git
from steelyard.gate.model import Comparison, NoVerdict, Thresholds, Weighed
from steelyard.gate.report.data import SCHEMA
from steelyard.gate.report.document import document, headline
from steelyard.gate.tree import safe_path
from steelyard.gate.weigh import Spec, weigh
from steelyard.logs.read import read_log
from steelyard.report import markdown

_NAMES = ("baseline", "candidate")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a promotion is asked for."""

    comparison: Path
    repo: Path
    base: str = "main"
    remote: str = "origin"
    path: str = "."
    """Where the configuration lives in the repository."""
    candidate: str | None = None
    """The candidate's folder or ref, when it is not where the logs say."""
    draft: bool = False
    reviewers: tuple[str, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)


@dataclass(frozen=True, slots=True)
class Promotion:
    """A promotion that has been earned, ready to be shown or executed."""

    wish: Wish
    config: Config
    branch: str
    deletions: tuple[str, ...]
    """Artifact paths that the baseline had and the candidate has not."""
    baseline: dict[str, str]
    """Artifact path → hash in the baseline that was weighed."""
    title: str
    body: str

    def inside(self, path: str) -> str:
        """An artifact's path in the repository."""
        return path if self.wish.path == "." else f"{self.wish.path}/{path}"


def plan_promotion(wish: Wish) -> Promotion:
    """Everything that must be true, checked; `Refused` when the promotion is not earned."""
    where = wish.path if wish.path == "." else safe_path(wish.path)
    if where is None or ".git" in where.split("/"):
        raise InputError(f"--path {wish.path!r} is not a path inside a repository")
    if not (wish.repo / ".git").exists():
        raise InputError(f"{wish.repo} is not the root of a git repository")
    weighed = recompute(wish)
    config = _candidate(wish, weighed)
    gone = tuple(sorted(weighed.baseline.artifacts.keys() - config.tree.keys()))
    for path in (*config.tree, *gone):
        if safe_path(path) != path or ".git" in path.lower().split("/"):
            raise Refused(f"the artifact {path!r} cannot be written into a repository")
    assert isinstance(weighed.outcome, Comparison)
    return Promotion(
        wish=wish,
        config=config,
        branch=f"steelyard/gate-{config.sha[:12]}",
        deletions=gone,
        baseline=dict(weighed.baseline.artifacts),
        title=f"Agent configuration: {weighed.outcome.verdict} (net gain {weighed.outcome.net_gain:+.3f})",
        body=markdown.render(document(weighed)),
    )


def recompute(wish: Wish) -> Weighed:
    """The comparison again, from its logs and with the thresholds in force here; `Refused` unless it is earned."""
    data = cast(dict[str, Any], artifact.read_json(wish.comparison))
    try:
        artifact.validate(data, SCHEMA)
    except artifact.ArtifactError as error:
        raise InputError(f"{wish.comparison} is not a comparison of the gate: {error}") from error
    sides = [cast(dict[str, Any], data[name]) for name in _NAMES]
    if any(side["kind"] != "gate" for side in sides):
        raise Refused("only gate runs can be promoted: a results file or a foreign log can be compared, not promoted")
    before, after = (_found(side["sources"], wish.comparison, name) for name, side in zip(_NAMES, sides, strict=True))
    weighed = weigh(before, after, Spec(wish.thresholds, historical=bool(sides[0]["historical"])))
    if isinstance(weighed.outcome, NoVerdict):
        raise IncomparableError(f"the logs give no verdict: {weighed.outcome.reasons[0]}")
    if not should_promote(weighed.outcome):
        why = "; ".join(weighed.outcome.ambiguities[:3])
        raise Refused(f"not earned: {headline(weighed.outcome)}{f' Ambiguities: {why}' if why else ''}")
    if not data["should_promote"] or data["net_gain"] != weighed.outcome.net_gain:
        raise Refused(f"{wish.comparison} does not say what its logs say; run `steelyard gate compare` again")
    return weighed


def _found(sources: Sequence[str], comparison: Path, name: str) -> list[str]:
    """Logs where the comparison says they are, or beside it: a folder that was moved as a whole still holds."""
    found: list[str] = []
    for source in sources:
        moved = comparison.parent / Path(source).parent.name / Path(source).name
        path = next((each for each in (Path(source), moved) if each.is_file()), None)
        if path is None:
            raise InputError(f"the log {source} is gone; a promotion is recomputed from its logs")
        stamp = read_log(path).stamp
        if stamp is None or stamp.unit != name:
            raise Refused(f"{path} is not a log of the {name}")
        found.append(str(path))
    return found


def _candidate(wish: Wish, weighed: Weighed) -> Config:
    where = wish.candidate or weighed.candidate.source
    if not where:
        raise InputError("the logs do not say where the candidate is", cure="--candidate DIR")
    config = load_config(where, repo=wish.repo, label=weighed.candidate.label)
    if config.sha != weighed.candidate.config:
        raise Refused(
            f"{where} is not what was weighed: its hash is {config.sha}, the log's {weighed.candidate.config}"
        )
    return config


def commands(promotion: Promotion) -> list[str]:
    """The plan as commands, for a person."""
    wish = promotion.wish
    head = ["git", "-C", str(wish.repo)]
    tree = "WORKTREE"
    lines = [
        [*head, "fetch", wish.remote, f"refs/heads/{wish.base}"],
        [*head, "worktree", "add", "--detach", "--no-checkout", tree, "FETCH_HEAD"],
        *(["write", f"{tree}/{promotion.inside(path)}"] for path in sorted(promotion.config.tree)),
        *(["delete", f"{tree}/{promotion.inside(path)}"] for path in promotion.deletions),
        ["git", "-C", tree, "commit", "--no-verify", "-m", promotion.title],
        ["git", "-C", tree, "push", wish.remote, f"HEAD:refs/heads/{promotion.branch}"],
        pull_request(promotion, "REPORT.md"),
        [*head, "worktree", "remove", "--force", tree],
    ]
    return [shlex.join(line) for line in lines]


def pull_request(promotion: Promotion, body_file: str) -> list[str]:
    """`gh pr create`, with values that can never be taken for options."""
    wish = promotion.wish
    words = ["gh", "pr", "create", f"--base={wish.base}", f"--head={promotion.branch}", f"--title={promotion.title}"]
    words += [f"--body-file={body_file}", *(["--draft"] if wish.draft else [])]
    return [*words, *(f"--reviewer={name}" for name in wish.reviewers)]


def remote_commit(promotion: Promotion, branch: str) -> str | None:
    """The commit of a branch on the remote, or None."""
    wish = promotion.wish
    done = git(wish.repo, "ls-remote", "--end-of-options", wish.remote, f"refs/heads/{branch}")
    return done.stdout.split()[0] if done.stdout.strip() else None
