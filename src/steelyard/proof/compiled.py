"""Tests of Rust and Go, run and read as the gate does it: `cargo test` and `go test`, all of a revision at once.

What counts are the tests in the files that are asked for. Others are only told of when they fail.

    nothing to fetch, or vendored   as it is
    otherwise                       `cargo vendor` (as `Cargo.lock` says, if there is one) or `go mod vendor`
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import NamedTuple, cast

from steelyard import process
from steelyard.errors import InputError, SandboxError
from steelyard.proof.suite import Outcome, TestRun, run_on
from steelyard.proof.suite_report import COMMANDS, read_report
from steelyard.sandbox.environment import Say
from steelyard.sandbox.jail import Jail
from steelyard.sandbox.prepared import prepared
from steelyard.sandbox.tools import find_tools
from steelyard.tree import Tree, to_tar

_LOCK = "Cargo.lock"
_ASKING_S = 120.0
_OUTPUT_LIMIT = 16_000_000
_TOGETHER = 'exec "$@" 2>&1 </dev/null'
"""Tests and what they print in one stream, as the readers of reports want it."""


class _Language(NamedTuple):
    manifest: str
    complete: tuple[str, ...]
    """A command that ends well if nothing must be fetched."""
    vendor: str
    """A command for a shell that fetches it into the working folder."""
    package: str
    """Of the system, with what builds and runs tests."""


_LANGUAGES = {
    "cargo": _Language(
        "Cargo.toml",
        ("cargo", "metadata", "--offline", "--format-version=1"),
        # It prints the settings that make cargo use what it fetched.
        "mkdir .cargo && cargo vendor >.cargo/config.toml",
        "cargo",
    ),
    "go": _Language("go.mod", ("go", "list", "-deps", "-test", "./..."), "go mod vendor", "golang-go"),
}


@dataclass(frozen=True, slots=True)
class Furnished:
    """What the tests of a revision need."""

    runner: str
    jail: Jail
    """Has the programs, and what the commands fetched."""
    setup: tuple[str, ...] = ()
    """The commands that fetch; none if nothing is needed."""


def furnish(tree: Tree, runner: str, say: Say = lambda line: None) -> Furnished:
    """Fetch what a revision needs; `ToolchainError` if that fails, `SandboxError` without the program."""
    language = _LANGUAGES[runner]
    if language.manifest not in tree:
        raise InputError(f"it has no {language.manifest} at its top")
    program = COMMANDS[runner][0][0]
    if shutil.which(program) is None:
        raise _missing(program, language.package)
    tools = find_tools([program])
    found = Furnished(runner, Jail(read_only=tools.binds, path=tools.path))
    if _run(found, language.complete, tree, _ASKING_S).ok:
        return found
    command = vendoring(tree, runner)
    if runner == "cargo" and any(path.startswith(".cargo/") for path in tree):
        raise InputError("its dependencies are not vendored, and its own .cargo keeps what would be from being found")
    made = prepared((command,), to_tar(tree), tools=tools.binds, path=tools.path, say=say)
    return replace(found, jail=replace(found.jail, read_only=(*tools.binds, *made.binds)), setup=(command,))


def vendoring(tree: Tree, runner: str) -> str:
    """What fetches the dependencies of a revision: as its lock says, or without one, which is then not kept."""
    command = _LANGUAGES[runner].vendor
    if runner != "cargo":
        return command
    return command.replace("vendor", "vendor --locked", 1) if _LOCK in tree else f"{command} && rm {_LOCK}"


def run_compiled_tests(tree: Tree, files: Sequence[str], found: Furnished, *, timeout_s: float) -> TestRun:
    """Run all tests of a tree; names begin with the file that they are in."""
    done = _run(found, COMMANDS[found.runner][0], tree, timeout_s)
    if done.timed_out:
        return TestRun({}, {}, done.seconds, f"did not end within {timeout_s:g} s")
    # The machine lacks something; that says nothing about the commit.
    if "linker `cc` not found" in done.stdout:
        raise _missing("cc", "gcc")
    outcomes: dict[str, Outcome] = {}
    read = _of_cargo(done.stdout, files) if found.runner == "cargo" else _of_go(done.stdout, tree, files)
    try:
        for place, name, state in read:
            # A test elsewhere that fails is told of, because the whole suite fails with it.
            if place in files or state == "failed":
                # Two crates may have a test of the same name: it passes if both do.
                failed = outcomes.get(f"{place}::{name}") == "failed"
                outcomes[f"{place}::{name}"] = "failed" if failed else cast(Outcome, state)
    except ValueError as error:
        return TestRun({}, {}, done.seconds, str(error))
    # A runner ends badly when a test fails, too: it ran if it reported a test of these files.
    ran = done.ok or any(name.startswith(tuple(f"{path}::" for path in files)) for name in outcomes)
    return TestRun(outcomes, {}, done.seconds, "" if ran else _cause(done.stdout))


def _missing(program: str, package: str) -> SandboxError:
    return SandboxError(f"the sandbox does not have the program {program!r}", cure=f"apt-get install {package}")


def _run(found: Furnished, command: Sequence[str], tree: Tree, timeout_s: float) -> process.Finished:
    return run_on(tree, found.jail, _TOGETHER, command, timeout_s=timeout_s, output_limit=_OUTPUT_LIMIT)


_Read = Iterator[tuple[str, str, str]]
"""File (or what else holds them), name and state of tests."""


def _of_cargo(text: str, files: Sequence[str]) -> _Read:
    place, lines = "", list[str]()
    # One more heading at the end closes the section of the last file.
    for line in [*text.splitlines(), "   Doc-tests"]:
        head = line.split() if line.startswith("   ") else []
        if head[:1] in (["Running"], ["Doc-tests"]):
            yield from ((place, name, state) for name, state in read_report("\n".join(lines), "cargo"))
            # The file as its crate calls it, which may be one of several.
            inner = next((word for word in head if word.endswith(".rs")), head[0])
            place, lines = next((path for path in files if f"/{path}".endswith(f"/{inner}")), inner), []
        lines.append(line)


def _of_go(text: str, tree: Tree, files: Sequence[str]) -> _Read:
    manifest = tree["go.mod"].data.decode("utf-8", "replace").splitlines() if "go.mod" in tree else []
    module = next((line.split()[1].strip('"') for line in manifest if line.startswith("module ")), "")
    for test, state in read_report(text, "go"):
        package, _, name = test.partition(" ")
        folder = package.removeprefix(module).lstrip("/") or "."
        function = f"func {name.partition('/')[0]}(".encode()
        # Without a name it is the package that failed.
        beside = (path for path in files if name and str(PurePosixPath(path).parent) == folder and path in tree)
        yield next((path for path in beside if function in tree[path].data), folder), name, state


def _cause(text: str) -> str:
    """What a compiler says first."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("{", "#", " "))]
    told = next((line for line in lines if line.startswith("error")), lines[0] if lines else "the runner failed")
    return told[:300]
