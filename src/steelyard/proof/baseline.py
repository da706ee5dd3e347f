"""A revision as it is: which tests pass every time, which do not, and which test runs which line.

Kept on this machine by the content of the revision and of its environment, so that a second start goes on at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.proof.history import files_at
from steelyard.proof.prove import RUNS
from steelyard.proof.requirements import project
from steelyard.proof.suite import TestRun, run_tests
from steelyard.proof.surroundings import surroundings, written_by_builds
from steelyard.sandbox.environment import Environment, Say
from steelyard.toolchain import cache_folder
from steelyard.tree import Tree, lay_over, tree_hash

_FORM = 2
"""Of what is kept; another number makes older files useless."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The files of a revision, and what they need in order to run."""

    tree: Tree
    packages: Environment

    @property
    def identity(self) -> str:
        """Equal for equal files in equal environments."""
        parts = [_FORM, tree_hash(self.tree), self.packages.folder.name]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What several runs of all tests of a revision show."""

    steady: tuple[str, ...]
    """Passed every time."""
    flaky: tuple[str, ...]
    broken: tuple[str, ...]
    """Failed every time, or could not be collected: without a network, for example."""
    cpu_s: float
    """Processor time of one run, at the median."""
    covered: Mapping[str, Mapping[str, tuple[int, ...]]]
    """File → line → positions in `steady` of the tests that ran it."""
    places: Mapping[str, tuple[str, int]]
    """Test → file and first line of its function."""

    def covering(self, path: str, first: int, last: int) -> frozenset[str]:
        """The steady tests that run a line of a file."""
        lines = self.covered.get(path, {})
        numbers = {number for line in range(first, last + 1) for number in lines.get(str(line), ())}
        return frozenset(self.steady[number] for number in numbers)


def revision(repo: Path, sha: str, day: str, say: Say = lambda line: None) -> Revision:
    """A commit with the packages of its day."""
    return furnished(files_at(repo, sha), day, say)


def furnished(tree: Tree, day: str, say: Say = lambda line: None) -> Revision:
    """Files with the packages that they ask for, as of a day, and with what only an installation would write."""
    found = project(tree)
    extra = written_by_builds(found, tree)
    return Revision(lay_over(tree, extra), surroundings(found, day, say))


def baseline(found: Revision, *, runs: int = RUNS, timeout_s: float, say: Say = lambda line: None) -> Baseline:
    """All tests of a revision, several times and once more with coverage; `InputError` if they prove nothing."""
    path = cache_folder() / "proof" / f"{found.identity}-{runs}.json"
    if path.is_file():
        return _from_data(artifact.read_json(path))
    made = _measured(found, runs, timeout_s, say)
    path.parent.mkdir(parents=True, exist_ok=True)
    artifact.write_json(path, asdict(made))
    return made


def _from_data(data: Mapping[str, Any]) -> Baseline:
    places = {name: (path, line) for name, (path, line) in data["places"].items()}
    lists = {name: tuple(data[name]) for name in ("steady", "flaky", "broken")}
    return Baseline(**lists, cpu_s=data["cpu_s"], covered=data["covered"], places=places)


def _measured(found: Revision, runs: int, timeout_s: float, say: Say) -> Baseline:
    seen: list[TestRun] = []
    for number in range(runs):
        say(f"all tests, run {number + 1} of {runs}")
        seen.append(_usable(run_tests(found.tree, found.packages, timeout_s=timeout_s)))
    names = sorted({name for run in seen for name in run.outcomes})
    # None: a test that a run does not even name is not steady.
    ends = {name: {run.outcomes.get(name) for run in seen} for name in names}
    steady = tuple(name for name in names if ends[name] == {"passed"})
    if not steady:
        raise InputError("no test passes every time", cure="a revision whose tests are green: --ref")
    say("which test runs which line")
    # Tests whose every line is followed take several times as long.
    traced = _usable(run_tests(found.tree, found.packages, timeout_s=10 * timeout_s, coverage=True))
    # Tests that only fail while they are watched are no witnesses of coverage; they stay steady.
    numbers = {name: number for number, name in enumerate(steady)}
    covered = {
        path: {
            # Keys of JSON are text, and a baseline from the cache must look like a fresh one.
            str(line): tuple(sorted(numbers[name] for name in tests if name in numbers))
            for line, tests in lines.items()
        }
        for path, lines in traced.covered.items()
    }
    uncollected = sorted({name for run in seen for name in run.errors})
    return Baseline(
        steady,
        tuple(name for name in names if len(ends[name]) > 1),
        (*(name for name in names if ends[name] == {"failed"}), *uncollected),
        sorted(run.cpu_s for run in seen)[len(seen) // 2],
        covered,
        traced.places,
    )


def _usable(run: TestRun) -> TestRun:
    if run.problem:
        raise InputError(f"its tests do not run: {run.problem}", cure="pytest must find and run them at this revision")
    if not run.outcomes and not run.errors:
        raise InputError("it has no tests that pytest finds", cure="a repository in Python with tests")
    if not run.outcomes:
        raise InputError(f"its tests cannot be collected: {next(iter(run.errors.values()))}")
    return run
