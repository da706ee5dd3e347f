"""Checks: what must hold of the tree an agent left behind. Each gives a result, a message and the tail of its output.

File checks look at the tree in memory, so no path can lead outside. A check that runs something gets a fresh sandbox
of its own, without network, into which the tree is unpacked: nothing one check does can reach another, the host, or
the agent (which is gone). A sandbox that cannot be started is our fault and raises `SandboxError`; everything that
happens inside is the subject's.
"""

from __future__ import annotations

import json
import math
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.gate.task import (
    Check,
    CommandCheck,
    FileAbsent,
    FileContains,
    FileExists,
    FileMatches,
    JsonValue,
    OnlyChanged,
    Task,
    TestSuite,
)
from steelyard.gate.tree import Tree, changes, lay_over, matches, resolve, to_tar, under, without
from steelyard.gate.workspace import hidden
from steelyard.sandbox import room as rooms

TAIL = 2_000
"""Characters of output kept."""

MAX_TEXT = 5_000_000
"""Bytes of the largest file that a check reads."""

_SUITE = "/run/steelyard/suite.py"
_UNPACK = 'printf %s "$1" >&2; shift; tar -xf - -C /work || exit 125; exec "$@" </dev/null'
_PATTERN = (
    "import re,sys;sys.exit(0 if re.search(sys.argv[1],sys.stdin.buffer.read().decode('utf-8','replace'),re.M) else 3)"
)
_GIT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}
_HOOKLESS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "/dev/null"}
_HIJACKED_GIT = (".git/hooks", ".git/config", ".git/config.worktree", ".git/info/attributes")


@dataclass(frozen=True, slots=True)
class Result:
    """How one check ended."""

    name: str
    kind: str
    passed: bool
    message: str
    output: str = ""
    """The tail of what it printed."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What the checks of one task look at."""

    tree: Tree
    """The agent's tree with the protected files laid in fresh."""
    changed: Mapping[str, str]
    """What the agent did to the tree it was given."""
    archive: bytes
    """The tree, ready to be unpacked in a sandbox."""


def scene(task: Task, start: Tree, left: Tree) -> Scene:
    """The scene after an agent that started from `start` left `left` behind."""
    clean = without(left, (*task.protect, *_HIJACKED_GIT))
    tree = lay_over(clean, task.protected)
    return Scene(tree, changes(start, left), to_tar(tree))


def run_checks(task: Task, seen: Scene) -> tuple[Result, ...]:
    """All checks of a task, in order."""
    return tuple(_run(check, name, seen) for check, name in zip(task.file.checks, task.names, strict=True))


def failed_checks(task: Task, why: str) -> tuple[Result, ...]:
    """The checks of a run that failed as a whole: an agent error is never a cheap success."""
    return tuple(Result(name, check.kind, False, why) for check, name in zip(task.file.checks, task.names, strict=True))


def _run(check: Check, name: str, seen: Scene) -> Result:
    match check:
        case CommandCheck():
            passed, message, output = _command(check, seen)
        case TestSuite():
            passed, message, output = _test_suite(check, seen)
        case _:
            passed, message = _look(check, seen)
            output = ""
    return Result(name, check.kind, passed, message, output)


def _look(check: Check, seen: Scene) -> tuple[bool, str]:
    match check:
        case FileExists():
            found = _exists(check.path, seen.tree)
            return found, f"{check.path} {'exists' if found else 'does not exist'}"
        case FileAbsent():
            found = _exists(check.path, seen.tree)
            return not found, f"{check.path} {'exists' if found else 'is absent'}"
        case OnlyChanged():
            return _only_changed(check, seen)
        case FileContains() | FileMatches() | JsonValue():
            return _content(check, seen.tree)
        case _:
            raise AssertionError(f"no such check: {check}")


def _exists(path: str, tree: Tree) -> bool:
    return resolve(tree, path) is not None or any(under(each, [path]) for each in tree if each != path)


def _only_changed(check: OnlyChanged, seen: Scene) -> tuple[bool, str]:
    outside = [f"{path} {how}" for path, how in seen.changed.items() if not matches(path, check.paths)]
    if not outside:
        return True, "nothing else changed"
    return False, "; ".join(outside[:10]) + (f"; and {len(outside) - 10} more" if len(outside) > 10 else "")


def _content(check: FileContains | FileMatches | JsonValue, tree: Tree) -> tuple[bool, str]:
    file = resolve(tree, check.path)
    if file is None:
        return False, f"{check.path} does not exist"
    if len(file.data) > MAX_TEXT:
        return False, f"{check.path} is larger than {MAX_TEXT // 1_000_000} MB"
    match check:
        case FileContains():
            found = check.text in file.data.decode("utf-8", "replace")
            return found, f"{check.path} {'contains' if found else 'does not contain'} {check.text[:80]!r}"
        case FileMatches():
            return _matches(check, file.data)
        case JsonValue():
            return _json_value(check, file.data)


def _matches(check: FileMatches, data: bytes) -> tuple[bool, str]:
    # In a process of its own: a pattern and a hostile file together can keep a regular expression busy for ever.
    done = process.run([sys.executable, "-I", "-c", _PATTERN, check.pattern], timeout_s=10, stdin=data, env={})
    if done.timed_out:
        return False, f"matching {check.path} took too long"
    if done.returncode not in (0, 3):
        return False, f"the pattern cannot be used: {done.stderr.strip().splitlines()[-1:]}"
    return done.returncode == 0, f"{check.path} {'matches' if done.ok else 'does not match'} {check.pattern[:80]!r}"


def _json_value(check: JsonValue, data: bytes) -> tuple[bool, str]:
    try:
        value: Any = json.loads(data.decode("utf-8-sig"))
        for part in [each.replace("~1", "/").replace("~0", "~") for each in check.pointer.split("/")[1:]]:
            value = _step(value, part)
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        return False, f"{check.path}{check.pointer}: {type(error).__name__}: {str(error)[:100]}"
    passed = same_json(value, check.equals)
    return passed, f"{check.path}{check.pointer} is {str(value)[:80]!r}"


def _step(value: Any, part: str) -> Any:
    return cast(list[Any], value)[int(part)] if isinstance(value, list) else value[part]


def same_json(one: Any, other: Any) -> bool:
    """Equality as JSON means it: true is not 1, 1 is 1.0, NaN equals nothing."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float, Decimal)) and isinstance(other, (int, float, Decimal)):
        return math.isfinite(one) and float(one) == float(other)
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast(dict[str, Any], one), cast(dict[str, Any], other)
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        first, second = cast(list[Any], one), cast(list[Any], other)
        return len(first) == len(second) and all(map(same_json, first, second))
    return type(cast(object, one)) is type(cast(object, other)) and one == other


def _command(check: CommandCheck, seen: Scene) -> tuple[bool, str, str]:
    done = in_room(check.run, seen.archive, timeout_s=check.timeout_s)
    output = _tail(done)
    if done.timed_out:
        return False, f"did not end within {check.timeout_s:g} s", output
    if done.returncode != check.exit_code:
        return False, f"exit code {done.returncode} instead of {check.exit_code}", output
    if check.stdout_contains is not None and check.stdout_contains not in done.stdout:
        return False, f"the output does not contain {check.stdout_contains[:80]!r}", output
    return True, f"exit code {done.returncode}", output


def _test_suite(check: TestSuite, seen: Scene) -> tuple[bool, str, str]:
    words = [rooms.python_command(), "-I", _SUITE, check.path, check.runner, "skips" if check.allow_skips else "strict"]
    done = in_room(words, seen.archive, timeout_s=check.timeout_s, suite=True)
    if done.timed_out:
        return False, f"did not end within {check.timeout_s:g} s", _tail(done)
    said = done.stdout.strip().splitlines()
    return done.ok, said[-1][:300] if said else f"exit code {done.returncode}", _tail(done)


def in_room(command: Sequence[str], archive: bytes, *, timeout_s: float, suite: bool = False) -> process.Finished:
    """Run `command` in a fresh sandbox that holds the tree and nothing else."""
    binds = ((Path(__file__).with_name("suite_runner.py"), _SUITE),) if suite else ()
    room = rooms.Room(read_only=binds, hide=hidden(), environment={**_GIT, **_HOOKLESS})
    mark = secrets.token_hex(8)
    words = rooms.argv(room, ["/bin/sh", "-c", _UNPACK, "sh", mark, *command])
    done = process.run(words, timeout_s=timeout_s, stdin=archive, env={})
    if not done.stderr.startswith(mark):
        raise SandboxError(f"the sandbox of a check could not be started: {done.stderr.strip()[:300]}")
    return process.Finished(
        done.returncode, done.stdout, done.stderr.removeprefix(mark), done.seconds, done.timed_out, done.truncated
    )


def _tail(done: process.Finished) -> str:
    text = "\n".join(part for part in (done.stdout.strip(), done.stderr.strip()) if part)
    return text if len(text) <= TAIL else f"…{text[-TAIL:]}"
