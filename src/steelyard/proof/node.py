"""Tests of Node's own runner (`node --test`), with the packages that the revision's files name, as of its day.

    package-lock.json   as it says: `npm ci`
    without it          the dependencies, and the others of `package.json` that a file names, as of the revision's day,
                        or as of today where the registry had none of them by then

Nothing is built, so neither TypeScript nor compiled extensions run; other runners (mocha, jest, tape, …) are not asked.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.artifact import table
from steelyard.errors import SandboxError, ToolchainError
from steelyard.proof.candidates import SOURCE
from steelyard.proof.suite import INSIDE, REPORT, REPORTERS, TestRun, reported
from steelyard.proof.surroundings import quarter_end
from steelyard.sandbox.environment import Say
from steelyard.sandbox.jail import Jail
from steelyard.sandbox.prepared import prepared
from steelyard.tree import File, Tree, only, to_tar

_MANIFEST, _LOCK = "package.json", "package-lock.json"
_QUIET = "--ignore-scripts --no-audit --no-fund"
_NODE = (
    "node",
    "--test",
    f"--test-reporter={INSIDE}/steelyard-proof.mjs",
    f"--test-reporter-destination={REPORT}",
)


_NAME = re.compile(r"(?:@[\w.~-]+/)?[A-Za-z0-9][\w.~-]*", re.ASCII)
"""A package of the registry; npm takes other words for options, folders and addresses."""


@dataclass(frozen=True, slots=True)
class Modules:
    """What the tests of a revision find installed."""

    setup: tuple[str, ...]
    """The commands that install it; none if nothing is needed."""
    binds: tuple[tuple[Path, str], ...] = ()


def modules(tree: Tree, day: str, say: Say = lambda line: None) -> Modules:
    """Install what a revision needs; `ToolchainError` if that fails."""
    # Without a lock the commands name what they install: equal ones share it, whatever else the manifest says.
    read = to_tar(only(tree, (_MANIFEST, _LOCK)) if _LOCK in tree else {_MANIFEST: File()})
    problem: ToolchainError | None = None
    for command in commands(tree, day):
        try:
            return Modules((command,), prepared((command,), read, say=say).binds)
        except ToolchainError as error:
            problem = problem or error
    if problem is not None:
        raise problem
    return Modules(())


def commands(tree: Tree, day: str) -> tuple[str, ...]:
    """What may install what a revision needs, the best first; none if it needs nothing."""
    if _LOCK in tree:
        return (f"npm ci {_QUIET}",)
    manifest = _manifest(tree)
    needed = _names(manifest, "dependencies") | _names(manifest, "peerDependencies")
    needed |= {name: what for name, what in _names(manifest, "devDependencies").items() if _is_named(tree, name)}
    if not needed:
        return ()
    # npm would install whatever the manifest asks for, linters and compilers too; what it becomes here is not kept.
    install = f"echo '{{}}' > {_MANIFEST} && npm install {_QUIET} --no-save --no-package-lock"
    names = shlex.join(f"{name}@{what}" for name, what in sorted(needed.items()))
    return f"{install} --before={quarter_end(day)} {names}", f"{install} {names}"


def is_for_node(file: File) -> bool:
    """Whether a file holds tests for Node's own runner."""
    return file.link is None and b"node:test" in file.data


def run_node_tests(tree: Tree, files: Sequence[str], found: Modules, *, timeout_s: float) -> TestRun:
    """Run these files of a tree; `SandboxError` if there is no Node to run them."""
    jail = Jail(read_only=(*found.binds, (REPORTERS, INSIDE)), environment={"NODE_ENV": "test"})
    run = reported(jail, [*_NODE, *files], tree, timeout_s)
    if run.problem.endswith(("node: not found", "node: command not found")):  # as the shell says it
        raise SandboxError("the sandbox does not have the program 'node'", cure="apt-get install nodejs")
    return run


def _is_named(tree: Tree, name: str) -> bool:
    """Whether a file imports a package, as far as quotation marks tell."""
    marks = [f"{quote}{name}{end}".encode() for quote in "'\"" for end in (quote, "/")]
    sources = (file.data for path, file in tree.items() if path.endswith(SOURCE["node"]) and file.link is None)
    return any(mark in data for data in sources for mark in marks)


def _manifest(tree: Tree) -> Mapping[str, Any]:
    try:
        return table(json.loads(tree[_MANIFEST].data))
    except (KeyError, ValueError, RecursionError):
        return {}


def _names(manifest: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Packages of the registry; places (`file:…`, `git+…`) are left out, and what needs them fails."""
    named = {name: what for name, what in table(manifest.get(kind)).items() if _NAME.fullmatch(name)}
    return {name: what for name, what in named.items() if isinstance(what, str) and not set(what) & set(":/")}
