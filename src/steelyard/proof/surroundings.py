"""The packages of a revision: those of its day, unless the Python that is here cannot run them.

    until = the later of the end of the revision's quarter and the first year of this Python

Nothing that was published before a release of Python knows it, so older revisions get the packages of its first year:
pytest 3 does not start under Python 3.11. Of pytest itself they get the last release that still ran what they wrote
then: 7.4, before 8 dropped the fixtures of nose. A revision that pins a version that does not run is tried without its
pins; so is one whose packages can no longer be installed. What runs is found out by running a test.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache

from packaging.requirements import Requirement

from steelyard.errors import ToolchainError
from steelyard.proof.requirements import Project
from steelyard.proof.suite import run_tests
from steelyard.sandbox.environment import Environment, Packages, Say, environment
from steelyard.tree import File, Tree

_PROBE = {"test_probe.py": File(b"def test_probe():\n    assert 1 == 1\n")}
_PROBE_S = 120.0
_ASKING = (b"importlib.metadata", b"importlib_metadata", b"pkg_resources")
_PYTEST_8 = "2024-01-27"
"""Its release; tests written before it may need what it dropped."""


def surroundings(found: Project, day: str, say: Say = lambda line: None) -> Environment:
    """An environment with the requirements of a revision and with pytest, which runs tests."""
    runner = "pytest<8" if day < _PYTEST_8 else "pytest"
    asked = _lines(found.requirements, runner)
    names = [Requirement(line).name for line in found.requirements]
    loose = _lines(names, runner)
    # Dates in ISO 8601 compare as text.
    until = max(quarter_end(day), known_from(sys.version_info.minor))
    tries = [Packages(asked, until), Packages(loose, until), Packages(_lines(names, "pytest"))]
    problem = ""
    for packages in dict.fromkeys(tries):
        try:
            made = environment(packages, say=say)
        except ToolchainError as error:
            problem = problem or str(error)
            continue
        if runs_tests(made):
            return made
        problem = problem or f"pytest does not run with {', '.join(made.versions)[:200]}"
    raise ToolchainError(problem)


def _lines(requirements: Sequence[str], runner: str) -> str:
    """Lines of a requirements file; a pytest without a version is the one of its time."""
    lines = {line for line in requirements if line.lower() != "pytest"}
    pinned = any(Requirement(line).name.lower() == "pytest" for line in lines)
    return "".join(f"{line}\n" for line in sorted(lines if pinned else {*lines, runner}))


@cache
def runs_tests(packages: Environment) -> bool:
    """Whether pytest starts with these packages, runs a test and reports it."""
    return bool(run_tests(_PROBE, packages, timeout_s=_PROBE_S).ended("passed"))


def quarter_end(day: str) -> str:
    """The first day after the quarter of a date, both ISO 8601; neighbouring revisions share an environment."""
    when = date.fromisoformat(day[:10])
    first = date(when.year, 3 * ((when.month - 1) // 3) + 1, 1)
    # Quarters have 90 to 92 days, so 93 lead into the first month of the next one.
    return (first + timedelta(days=93)).replace(day=1).isoformat()


def known_from(minor: int) -> str:
    """A day by which packages knew Python 3.`minor`: one year after its release, which is in October since 3.9."""
    return date(2012 + minor, 10, 1).isoformat()


def written_by_builds(found: Project, tree: Tree) -> dict[str, File]:
    """What an installation writes and a revision asks for: its metadata, and the module with its version."""
    made: dict[str, File] = {}
    if found.version_file and found.version_file not in tree:
        text = f"__version__ = version = {found.version!r}\n__version_tuple__ = version_tuple = (0, 0, 0)\n"
        made[found.version_file] = File(text.encode())
    if found.name and _asks_for_itself(tree):
        text = f"Metadata-Version: 2.1\nName: {found.name}\nVersion: {found.version}\n"
        # The working folder is on PYTHONPATH, so importlib.metadata finds it there.
        made[f"{found.name.replace('-', '_')}-{found.version}.dist-info/METADATA"] = File(text.encode())
    return made


def _asks_for_itself(tree: Tree) -> bool:
    sources = (file.data for path, file in tree.items() if path.endswith(".py") and file.link is None)
    return any(word in data for data in sources for word in _ASKING)
