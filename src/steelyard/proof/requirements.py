"""What a revision needs in order to run its tests, from its own files. Pure.

Read in this order, all that are there: `pyproject.toml` (dependencies, and the extras and groups for tests),
`setup.cfg`, the literal lists of `setup.py`, requirements files for tests, and the `deps` of `tox.ini`. Options,
includes and local paths in them are left out: what they add is found by the tests that fail without it.
"""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from steelyard.artifact import listed, table
from steelyard.tree import Tree

FOR_TESTS = frozenset({"test", "tests", "testing", "dev", "develop"})
"""Extras, groups and files with what tests need."""
_FILES = re.compile(
    r"(?:requirements/|requirements[-_])?(?:requirements|test|tests|testing|dev)(?:[-_]requirements)?\.txt"
)


@dataclass(frozen=True, slots=True)
class Project:
    """What a revision says about itself."""

    requirements: tuple[str, ...]
    """Lines of a requirements file, sorted, without the project itself."""
    name: str = ""
    version: str = ""
    version_file: str = ""
    """A module that a build writes and no commit has."""


def project(tree: Tree) -> Project:
    """What a revision needs, and its name."""
    pyproject, setup = _toml(tree), _ini(tree, "setup.cfg")
    about = table(pyproject.get("project"))
    own = str(about.get("name") or setup.get("metadata", "name", fallback="") or _literal(tree, "name") or "")
    version = str(about.get("version") or setup.get("metadata", "version", fallback="") or "0")
    lines = [
        *_declared(about, pyproject),
        *_of_setup(setup),
        *_of_script(tree),
        *_of_files(tree),
        *_of_tox(tree),
        *_of_imports(tree),
    ]
    wanted = {str(found) for found in map(_requirement, lines) if found is not None and not _same(found.name, own)}
    # `attr:` names a variable of the project, and nothing is imported here.
    version = "0" if version.startswith("attr:") else version
    return Project(tuple(sorted(wanted)), own, version, _version_file(table(pyproject.get("tool"))))


def _version_file(tools: Mapping[str, Any]) -> str:
    """The module that setuptools_scm or hatch-vcs writes."""
    scm, hook = table(tools.get("setuptools_scm")), table(tools.get("hatch"))
    for name in ("build", "hooks", "vcs"):
        hook = table(hook.get(name))
    paths = (scm.get("version_file"), scm.get("write_to"), hook.get("version-file"))
    return next((path for path in paths if isinstance(path, str) and path.endswith(".py")), "")


def _declared(about: Mapping[str, Any], pyproject: Mapping[str, Any]) -> Iterator[str]:
    yield from _texts(about.get("dependencies"))
    for groups in (about.get("optional-dependencies"), pyproject.get("dependency-groups")):
        for name, lines in table(groups).items():
            if name.lower() in FOR_TESTS:
                yield from _texts(lines)


def _of_setup(setup: configparser.ConfigParser) -> Iterator[str]:
    yield from setup.get("options", "install_requires", fallback="").splitlines()
    yield from setup.get("options", "tests_require", fallback="").splitlines()
    for name in FOR_TESTS:
        yield from setup.get("options.extras_require", name, fallback="").splitlines()


def _of_script(tree: Tree) -> Iterator[str]:
    for name in ("install_requires", "tests_require"):
        yield from _texts(_literal(tree, name))
    for name, lines in table(_literal(tree, "extras_require")).items():
        if name.lower() in FOR_TESTS:
            yield from _texts(lines)


def _of_files(tree: Tree) -> Iterator[str]:
    for path, file in tree.items():
        if _FILES.fullmatch(path.lower()) and file.link is None:
            yield from file.data.decode("utf-8", "replace").splitlines()


def _of_tox(tree: Tree) -> Iterator[str]:
    for line in _ini(tree, "tox.ini").get("testenv", "deps", fallback="").splitlines():
        # `py311: name` holds for one environment; whichever it is, the package does no harm.
        yield line.rpartition(": ")[2]


def _of_imports(tree: Tree) -> Iterator[str]:
    """`pkg_resources` came with every Python once, so nobody asked for it."""
    sources = (file.data for path, file in tree.items() if path.endswith(".py") and path != "setup.py")
    if any(b"pkg_resources" in data for data in sources):
        # The bound that the deprecation warning of pkg_resources names.
        yield "setuptools<81"


def _literal(tree: Tree, keyword: str) -> Any:
    """The value of a keyword of `setup(…)` if it is written out, there or in a variable of the script."""
    try:
        module = ast.parse(_text(tree, "setup.py"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the latter two: nested too deeply
        return None
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call))
    names = {each.id: node.value for node in module.body if isinstance(node, ast.Assign) for each in _names(node)}
    for given in (given for call in calls for given in call.keywords if given.arg == keyword):
        value = names.get(given.value.id, given.value) if isinstance(given.value, ast.Name) else given.value
        try:
            return ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None
    return None


def _names(node: ast.Assign) -> list[ast.Name]:
    return [target for target in node.targets if isinstance(target, ast.Name)]


def _requirement(line: str) -> Requirement | None:
    text = re.split(r"\s#", line.strip(), maxsplit=1)[0].strip()
    try:
        found = Requirement(text)
    except InvalidRequirement:
        return None
    return found if found.url is None else None


def _same(one: str, other: str) -> bool:
    return re.sub(r"[-_.]+", "-", one).lower() == re.sub(r"[-_.]+", "-", other).lower()


def _texts(value: Any) -> list[str]:
    return [line for line in listed(value) if isinstance(line, str)]


def _toml(tree: Tree) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_text(tree, "pyproject.toml"))
    except (ValueError, RecursionError):
        return {}


def _ini(tree: Tree, path: str) -> configparser.ConfigParser:
    # A percent sign, or a key given twice, must not lose the rest of the file.
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(_text(tree, path))
    except configparser.Error:
        return configparser.ConfigParser(interpolation=None)
    return parser


def _text(tree: Tree, path: str) -> str:
    file = tree.get(path)
    return "" if file is None or file.link is not None else file.data.decode("utf-8", "replace")
