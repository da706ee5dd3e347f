"""Tasks from a repository's own history: what somebody once asked for, and the tests that prove it was done.

candidates   commits that change source and tests, small enough
prompt       what was asked for, without the patch
transcripts  what people typed to an agent before a commit
prove        the tests of the commit: red on its parent, green on it, every time (`proof`)
write        a task whose fixture is the parent, whose reference is the commit, and whose tests are hidden
selftest     a task that cannot tell right from wrong is dropped
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.errors import SandboxError, SteelyardError, ToolchainError
from steelyard.gate.harvest.prompt import Issues, asked
from steelyard.gate.harvest.transcripts import Sessions, sessions
from steelyard.gate.harvest.write import Harvested, Needs, task_name, write_task
from steelyard.gate.selftest import selftest
from steelyard.gate.task_folder import load_task
from steelyard.git import git
from steelyard.proof.baseline import furnished
from steelyard.proof.candidates import DEFAULT, Candidate, Dropped, Limits, Runner, Stage, spread
from steelyard.proof.compiled import furnish, run_compiled_tests
from steelyard.proof.hide import set_aside
from steelyard.proof.history import Commit, files_at, is_shallow
from steelyard.proof.node import is_for_node, modules, run_node_tests
from steelyard.proof.parse import pointless
from steelyard.proof.prove import RUNS, Proof, prove
from steelyard.proof.search import search
from steelyard.proof.suite import TestRun, run_tests
from steelyard.sandbox.jail import bubblewrap
from steelyard.tree import Tree, changes, lay_over, only, without

CACHE = ".harvest.json"
"""In the folder of tasks: what was found out about each commit."""

_TRYING = ".trying"
"""There too: a task that is not proved yet, which an interruption may leave behind."""
_RUNNERS: tuple[Runner, ...] = ("pytest", "node", "cargo", "go")
_IN_VAIN = 3
"""Commits of a year whose tests cannot run, after which the year is given up."""


@dataclass(frozen=True, slots=True)
class HarvestSpec:
    """What to harvest."""

    repo: Path
    out: Path
    most: int = 20
    """Tasks to write at most."""
    ref: str = "HEAD"
    since: str | None = None
    """Only commits after this date."""
    depth: int = 1_000
    """Commits to look at."""
    limits: Limits = DEFAULT
    runs: int = RUNS
    """Runs of the tests on each side."""
    timeout_s: float = 300.0
    """For one run of a commit's tests."""
    issues: Path | None = None
    """A JSON file with issues and pull requests, whose text is asked for instead of the commit's message."""
    typed: Mapping[str, str] | None = None
    """Commit → what somebody typed before it (`transcripts`); other commits are then left out."""


@dataclass(frozen=True, slots=True)
class Harvest:
    """What came of it."""

    tasks: tuple[Harvested, ...]
    dropped: tuple[Dropped, ...]
    looked_at: int
    """Commits of the history."""
    candidates: int
    """Commits that change source and tests, and are small enough."""
    tried: int
    """Candidates whose tests were run."""
    shallow: bool = False

    @property
    def usable(self) -> float | None:
        """Share of the tried candidates that became a task."""
        return len(self.tasks) / self.tried if self.tried else None


Tell = Callable[[str, int, int], None]
"""Receives what is being tried, how many tasks there are, and how many are wanted."""


def typed_for(spec: HarvestSpec) -> Sessions:
    """What people typed before the commits that come into question; nothing is written."""
    kept, _ = _found(spec)
    return sessions(spec.repo, [candidate.commit for candidate in kept])


def _found(spec: HarvestSpec) -> tuple[list[Candidate], list[Dropped]]:
    return search(spec.repo, spec.ref, spec.limits, _RUNNERS, most=spec.depth, since=spec.since)


def _with_prompt(spec: HarvestSpec, kept: list[Candidate]) -> tuple[list[Candidate], list[Dropped]]:
    if spec.typed is None:
        return kept, []
    silent = [candidate.commit for candidate in kept if candidate.commit.sha not in spec.typed]
    reason = "no session log has a prompt for it"
    left = [candidate for candidate in kept if candidate.commit.sha in spec.typed]
    return left, [Dropped(commit.sha, commit.subject, reason) for commit in silent]


def harvest(spec: HarvestSpec, tell: Tell = lambda what, done, wanted: None) -> Harvest:
    """Write the tasks that the history of a repository holds; what was tried before is not tried again."""
    kept, dropped = _found(spec)
    looked_at = len(kept) + len(dropped)
    kept, silent = _with_prompt(spec, kept)
    dropped += silent
    bubblewrap()  # without it every candidate would be dropped, one by one
    issues = Issues.read(spec.issues) if spec.issues is not None else Issues()
    memory, years = _Memory(spec), _Years()
    tasks: list[Harvested] = []
    # In an order that covers the whole history, not newest first.
    for candidate in spread(kept):
        if len(tasks) >= spec.most:
            break
        tell(candidate.commit.subject, len(tasks), spec.most)
        found = memory.get(candidate) or years.hopeless(candidate.commit) or _tried(spec, candidate, issues)
        # Not remembered, so that the next harvest tries again what our own machinery broke.
        if not (isinstance(found, Dropped) and found.stage == "ours"):
            memory.put(candidate, found)
        years.learn(candidate.commit, found)
        tasks += [found] if isinstance(found, Harvested) else []
        dropped += [found] if isinstance(found, Dropped) else []
    tell("", len(tasks), spec.most)
    shallow, tried = is_shallow(spec.repo), len(tasks) + sum(drop.tried for drop in dropped)
    return Harvest(tuple(tasks), tuple(dropped), looked_at, len(kept), tried, shallow)


def _tried(spec: HarvestSpec, candidate: Candidate, issues: Issues) -> Harvested | Dropped:
    commit = candidate.commit
    try:
        old, new = files_at(spec.repo, commit.parent), files_at(spec.repo, commit.sha)
        prompt = asked(commit, issues, _patch(spec.repo, commit), _typed(spec, commit))
        if problem := prompt.problem or pointless(candidate, old, new):
            return Dropped(commit.sha, commit.subject, problem)
        return _proved(spec, candidate, prompt.text, old, new)
    except SteelyardError as error:
        ours = isinstance(error, SandboxError | ToolchainError)
        return Dropped(commit.sha, commit.subject, str(error), "ours" if ours else "not run")


def _typed(spec: HarvestSpec, commit: Commit) -> str:
    return (spec.typed or {}).get(commit.sha, "")


def _patch(repo: Path, commit: Commit) -> str:
    # The user's git settings must not start a program, or colour the lines that are searched for.
    words = ("--no-color", "--no-ext-diff", "--no-textconv", "--unified=0")
    return git(repo, "diff", *words, commit.parent, commit.sha).stdout


def _proved(spec: HarvestSpec, candidate: Candidate, prompt: str, old: Tree, new: Tree) -> Harvested | Dropped:
    commit = candidate.commit
    suites = [path for path in candidate.suites if path in new]
    if candidate.runner == "node" and not (suites := [path for path in suites if is_for_node(new[path])]):
        return Dropped(commit.sha, commit.subject, "its tests are not for `node --test`")
    run, needs, extra = _ready(spec, candidate, suites, new)
    # The parent with the tests of the commit: they must be red here and green on the commit.
    before = lay_over(without(old, candidate.tests), {path: new[path] for path in candidate.tests if path in new})
    proof = prove(lambda: run(lay_over(before, extra)), lambda: run(lay_over(new, extra)), spec.runs)
    if proof.problem:
        return Dropped(commit.sha, commit.subject, proof.problem, "not proved" if proof.ran else "not run")
    kept = set_aside(new, proof, suites)
    if kept is None:
        return Dropped(commit.sha, commit.subject, _unsteady(proof), "not proved")
    new, proof = kept
    # Moved into place only once it is proved, so that an interruption leaves no unproved task behind.
    trying = spec.out / _TRYING
    made = write_task(trying, candidate, proof, prompt, lay_over(old, extra), lay_over(new, extra), needs)
    tested = selftest(load_task(trying / "task.yaml"))
    if tested.fine:
        _remove(spec.out / made.id)
        trying.rename(spec.out / made.id)
        return made
    _remove(trying)
    return Dropped(commit.sha, commit.subject, f"as a task: {tested.problems[0]}", "not proved")


def _ready(
    spec: HarvestSpec, candidate: Candidate, suites: Sequence[str], new: Tree
) -> tuple[Callable[[Tree], TestRun], Needs, Tree]:
    """What runs the suites of a commit, how a task asks for the same, and the files that only a build writes."""
    if candidate.runner == "node":
        found = modules(new, candidate.commit.date)
        return partial(run_node_tests, files=suites, found=found, timeout_s=spec.timeout_s), {"setup": found.setup}, {}
    if candidate.runner != "pytest":
        tools = furnish(new, candidate.runner)
        run = partial(run_compiled_tests, files=suites, found=tools, timeout_s=spec.timeout_s)
        return run, {"tools": [candidate.runner], "setup": tools.setup}, {}
    ready = furnished(new, candidate.commit.date)
    run = partial(run_tests, packages=ready.packages, files=suites, timeout_s=spec.timeout_s)
    pinned = [line for line in ready.packages.versions if "==" in line]
    return run, {"packages": pinned}, only(ready.tree, changes(new, ready.tree))


def _unsteady(proof: Proof) -> str:
    if proof.flaky:
        return f"flaky: {', '.join(proof.flaky[:3])}"
    return f"fails after it, too: {', '.join(proof.broken[:3])}"


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


class _Years:
    """Years whose tests cannot run here: after so many commits in vain, the others are not tried."""

    def __init__(self) -> None:
        self._failed = Counter[str]()
        self._ran: set[str] = set()

    def learn(self, commit: Commit, found: Harvested | Dropped) -> None:
        year = commit.date[:4]
        # Tests that ran, whatever they said, show that tests of that year can run here.
        if isinstance(found, Harvested) or found.stage == "not proved":
            self._ran.add(year)
        elif found.stage == "not run":
            self._failed[year] += 1

    def hopeless(self, commit: Commit) -> Dropped | None:
        year = commit.date[:4]
        if year in self._ran or self._failed[year] < _IN_VAIN:
            return None
        return Dropped(commit.sha, commit.subject, f"not tried: other tests of {year} cannot run here")


class _Memory:
    """What is known about commits, so that an interrupted harvest goes on where it was."""

    def __init__(self, spec: HarvestSpec) -> None:
        self._path = spec.out / CACHE
        self._out, self._spec = spec.out, spec
        self._known = artifact.table(artifact.read_json(self._path) if self._path.is_file() else {})

    def get(self, candidate: Candidate) -> Harvested | Dropped | None:
        entry = artifact.table(self._known.get(candidate.commit.sha))
        # Entries of earlier releases lack newer fields, which then count as empty.
        if not entry or any(entry.get(name, "") != value for name, value in self._asked(candidate).items()):
            return None
        if "reason" in entry:
            stage = cast(Stage, entry.get("stage", "not proved"))
            return Dropped(candidate.commit.sha, candidate.commit.subject, str(entry["reason"]), stage)
        path = self._out / task_name(candidate.commit) / "task.yaml"
        return Harvested.from_data(entry) if path.is_file() else None

    def put(self, candidate: Candidate, found: Harvested | Dropped) -> None:
        entry = {"reason": found.reason, "stage": found.stage} if isinstance(found, Dropped) else asdict(found)
        self._known[candidate.commit.sha] = {**json.loads(json.dumps(entry)), **self._asked(candidate)}
        self._out.mkdir(parents=True, exist_ok=True)
        artifact.write_json(self._path, self._known)

    def _asked(self, candidate: Candidate) -> dict[str, Any]:
        """What must be the same for an answer to hold."""
        typed = _typed(self._spec, candidate.commit)
        digest = hashlib.sha256(typed.encode()).hexdigest()[:16] if typed else ""
        return {"suites": list(candidate.suites), "typed": digest}


__all__ = ["Harvest", "HarvestSpec", "Harvested", "harvest", "typed_for"]
