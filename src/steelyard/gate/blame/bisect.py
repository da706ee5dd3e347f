"""Which commit made it worse: halving over commits, each step an adaptive gate run (docs/scoring.md §3.7).

Commits that leave the configuration as it was are not steps, and one whose configuration does not load is stepped
around. A step that stays undecided is no answer: the next nearest commit is asked instead, and what is left between the
last good and the first bad commit is the answer, one commit or several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from steelyard.errors import InputError, SteelyardError
from steelyard.gate.config import Config, load_config
from steelyard.gate.config.validation import inspect_config
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.run.plan import RunSpec
from steelyard.git import commit_of, git
from steelyard.report.document import Block, Cell, Column, Document, Paragraph, Tone, table
from steelyard.report.numbers import things

Verdict = Literal["worse", "no worse", "undecided", "no verdict", "does not load"]

_TONES: dict[Verdict, Tone] = {"worse": "bad", "no worse": "good"}
"""Any other verdict is no answer."""

Ask = Callable[[str], Verdict]
"""Runs one step: is the configuration at a commit worse than the good one?"""


@dataclass(frozen=True, slots=True)
class Bisected:
    """What a bisect found."""

    culprits: tuple[str, ...]
    """The first bad commit, or those among which it is; empty if the last commit is not shown to be worse."""
    steps: tuple[tuple[str, Verdict], ...]
    """Commits in the order in which they were asked."""
    subjects: dict[str, str]
    """Commit → first line of its message."""


class Commits(NamedTuple):
    """The commits that change a configuration, the oldest first."""

    names: tuple[str, ...]
    subjects: dict[str, str]
    broken: frozenset[str] = frozenset()
    """Those whose configuration does not load."""


def changing(repo: Path, good: str, bad: str, path: str) -> Commits:
    """The commits between two that change the configuration; the last is as bad as `bad`."""
    first, last = commit_of(repo, good), commit_of(repo, bad)
    listed = git(repo, "log", "--first-parent", "--reverse", "--format=%H %s", f"{first}..{last}", "--").stdout
    rows = [line.partition(" ") for line in listed.splitlines()]
    loaded = load_config(at(first, path), repo=repo)
    known, before = _errors(loaded), loaded.sha
    names: list[str] = []
    broken: set[str] = set()
    for name, _, _ in rows:
        now = _loading(at(name, path), repo, known)
        if now is None:
            broken.add(name)
        names += [name] if now != before else []
        before = before if now is None else now
    if not names:
        raise InputError(f"no commit between {good} and {bad} changes the configuration", cure="check both refs")
    if names[-1] in broken:
        raise InputError(f"the configuration at {names[-1][:12]} does not load", cure="name an earlier commit as --bad")
    return Commits(tuple(names), {name: subject for name, _, subject in rows}, frozenset(broken))


def _loading(where: str, repo: Path, known: frozenset[tuple[str, str]]) -> str | None:
    """The hash of a configuration; None if it does not load, or only with errors that the good one does not have."""
    try:
        config = load_config(where, repo=repo)
    except SteelyardError:
        return None
    # What the good commit is refused for as well is no reason to step around a later one.
    return config.sha if _errors(config) <= known else None


def _errors(config: Config) -> frozenset[tuple[str, str]]:
    return frozenset((one.path, one.message) for one in inspect_config(config).findings if one.level == "error")


def at(commit: str, path: str) -> str:
    """A configuration at a commit."""
    return f"git:{commit}:{path}" if path else f"git:{commit}"


def bisected(commits: Commits, ask: Ask) -> Bisected:
    """Halve until one commit is left, or only commits whose steps are undecided."""
    names = commits.names
    # −1 is the good commit, which is not among the names.
    low, high = -1, len(names) - 1
    # The last commit first: if it is no worse, there is nothing to search for.
    steps: list[tuple[str, Verdict]] = [(names[high], ask(names[high]))]
    if steps[0][1] != "worse":
        return Bisected((), tuple(steps), commits.subjects)
    skipped: set[int] = set()
    while left := [place for place in range(low + 1, high) if place not in skipped]:
        middle = (low + high) / 2
        place = min(left, key=lambda one: abs(one - middle))
        verdict = ask(names[place])
        steps.append((names[place], verdict))
        if verdict not in ("worse", "no worse"):
            skipped.add(place)
        low, high = (low, place) if verdict == "worse" else (place, high) if verdict == "no worse" else (low, high)
    return Bisected(names[low + 1 : high + 1], tuple(steps), commits.subjects)


def bisect(
    run: RunSpec, good: str, bad: str, path: str, start: Callable[[RunSpec], Weighed], notify: Callable[[str], None]
) -> Bisected:
    """Ask commit after commit; the logs of each are in a folder of its own below the log folder."""
    repo = run.repo or Path()
    commits = changing(repo, good, bad, path)
    notify(f"{things(len(commits.names), 'commit')} change the configuration")
    first = at(commit_of(repo, good), path)
    store = run.store or str(run.log_dir / "store")
    asked: list[str] = []

    def ask(commit: str) -> Verdict:
        if commit in commits.broken:
            return "does not load"
        # The first step leaves the runs of the good commit in the store, so the others need not pay for them again.
        baseline = f"stored:{first}" if asked else first
        asked.append(commit)
        folder = run.log_dir / commit[:12]
        step = replace(
            run,
            baseline=baseline,
            candidate=at(commit, path),
            log_dir=folder,
            store=store,
            # A bisect proposes nothing, so its steps are no attempts at a promotion.
            ledger=str(folder / "ledger"),
            policy=run.policy.for_safety(),
        )
        verdict = _verdict(start(step))
        notify(f"{commit[:12]} {commits.subjects[commit]}: {verdict}")
        return verdict

    return bisected(commits, ask)


def _verdict(weighed: Weighed) -> Verdict:
    if not isinstance(weighed.outcome, Comparison):
        return "no worse" if weighed.outcome.unchanged else "no verdict"
    known: dict[str, Verdict] = {"regressed": "worse", "mixed": "worse", "undecided": "undecided"}
    return known.get(weighed.outcome.verdict, "no worse")


def document(found: Bisected) -> Document:
    """What was found, and every step."""
    cells = ((name, Cell(verdict, _TONES.get(verdict, "warn"))) for name, verdict in found.steps)
    rows = [(name[:12], found.subjects[name], cell) for name, cell in cells]
    blocks: list[Block] = [
        Paragraph(headline(found), "bad" if found.culprits else "plain"),
        table((Column("Commit"), Column("Subject", shrink=True), Column("Against the good one")), rows),
    ]
    return Document("Which commit did it", tuple(blocks))


def headline(found: Bisected) -> str:
    """The answer in one sentence."""
    if not found.culprits:
        verdict = found.steps[0][1]
        return f"The bad commit is not shown to be worse than the good one ({verdict}), so there is nothing to find."
    if len(found.culprits) == 1:
        name = found.culprits[0]
        return f"{name[:12]} is the first commit that is worse: {found.subjects[name]}"
    names = ", ".join(name[:12] for name in found.culprits)
    return f"The first commit that is worse is one of {names}: the steps between them gave no answer."


def as_json(found: Bisected) -> dict[str, object]:
    """The answer as JSON."""
    return {
        "summary": headline(found),
        "culprits": list(found.culprits),
        "steps": [
            {"commit": name, "subject": found.subjects[name], "verdict": verdict} for name, verdict in found.steps
        ],
    }
