"""What a revision needs, from the files that projects have."""

from __future__ import annotations

import pytest

from steelyard.proof.requirements import project
from steelyard.proof.surroundings import known_from, quarter_end, written_by_builds
from steelyard.tree import File

PYPROJECT = """
[project]
name = "Thing"
version = "1.2"
dependencies = ["attrs>=21", "thing[extra]"]
[project.optional-dependencies]
test = ["pytest>=7"]
docs = ["sphinx"]
[dependency-groups]
tests = ["hypothesis", {include-group = "other"}]
"""
SETUP_CFG = "[metadata]\nname = thing\nversion = attr: thing.v\n[options]\ninstall_requires =\n  attrs\n"
SETUP_PY = "from setuptools import setup\nsetup(name='thing', install_requires=['attrs'], tests_require=TESTS)\n"


@pytest.mark.parametrize(
    ("files", "lines", "name"),
    [
        ({"pyproject.toml": PYPROJECT}, ("attrs>=21", "hypothesis", "pytest>=7"), "Thing"),
        ({"setup.cfg": SETUP_CFG}, ("attrs",), "thing"),
        ({"setup.py": SETUP_PY}, ("attrs",), "thing"),
        ({"setup.py": "needs = ['psutil']\nsetup(install_requires=needs)"}, ("psutil",), ""),
        ({"setup.py": "setup(extras_require={'tests': ['freezegun'], 'docs': ['sphinx']})"}, ("freezegun",), ""),
        ({"thing.py": "import pkg_resources\n", "setup.py": "import pkg_resources\n"}, ("setuptools<81",), ""),
        (
            {"requirements.txt": "-r x\nattrs==1  # why\n./local\n--hash=x\n", "docs/requirements.txt": "no\n"},
            ("attrs==1",),
            "",
        ),
        ({"requirements-test.txt": "mock\n", "requirements/dev.txt": "tox\n"}, ("mock", "tox"), ""),
        ({"tox.ini": "[testenv]\ndeps =\n  pytest\n  py27: mock\n  -rx.txt\n"}, ("mock", "pytest"), ""),
        ({"pyproject.toml": "not toml [", "setup.py": "syntax error (", "setup.cfg": "junk"}, (), ""),
        ({"pyproject.toml": f"a = {'[' * 9_000}", "setup.py": f"x = {'-' * 90_000}1"}, (), ""),  # nested too deeply
        ({}, (), ""),
    ],
)
def test_requirements_are_read_from_what_is_there(files: dict[str, str], lines: tuple[str, ...], name: str) -> None:
    found = project({path: File(text.encode()) for path, text in files.items()})
    assert (found.requirements, found.name) == (lines, name)


@pytest.mark.parametrize(
    ("day", "end"),
    [
        ("2024-01-01", "2024-04-01"),
        ("2024-03-31T23:00:00+00:00", "2024-04-01"),
        ("2024-05-15", "2024-07-01"),
        ("2024-12-31", "2025-01-01"),
    ],
)
def test_days_are_rounded_up_to_the_end_of_their_quarter(day: str, end: str) -> None:
    assert quarter_end(day) == end


@pytest.mark.parametrize(("minor", "day"), [(11, "2023-10-01"), (13, "2025-10-01")])
def test_packages_are_not_older_than_the_python_that_runs_them(minor: int, day: str) -> None:
    assert known_from(minor) == day


HATCH = '[project]\nname = "a-b"\n[tool.hatch]\nbuild.hooks.vcs.version-file = "src/a/_version.py"\n'
SCM = '[tool.setuptools_scm]\nwrite_to = "a/_version.py"\n'


@pytest.mark.parametrize(
    ("files", "written"),
    [
        ({"pyproject.toml": HATCH}, {"src/a/_version.py"}),
        ({"pyproject.toml": SCM}, {"a/_version.py"}),
        ({"pyproject.toml": SCM, "a/_version.py": "version = '1'\n"}, set[str]()),
        ({"pyproject.toml": '[project]\nname = "a-b"\n', "a.py": "import importlib.metadata\n"},
         {"a_b-0.dist-info/METADATA"}),
    ],
)  # fmt: skip
def test_what_only_a_build_writes_is_there(files: dict[str, str], written: set[str]) -> None:
    tree = {path: File(text.encode()) for path, text in files.items()}
    assert set(written_by_builds(project(tree), tree)) == written
