"""Commands of checks: each runs in a fresh sandbox without network that holds the tree and nothing else.

So nothing one check does can reach another check, the host, or the agent (which has been stopped). A sandbox that
cannot be started is our fault and raises `SandboxError`; everything that happens inside is the agent's.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.gate.checks.tools import find_tools
from steelyard.gate.tree import to_tar
from steelyard.gate.workspace import hidden
from steelyard.sandbox.jail import Jail, argv

TAIL = 2_000
"""Characters of output kept."""

_UNPACK = """mark=$1 program=$2
shift 2
printf %s "$mark" >&2
[ -z "$program" ] || command -v "$program" >/dev/null 2>&1 || { printf %s "$mark" >&2; exit 125; }
tar -xf - -C /work || exit 125
exec "$@" </dev/null"""
"""Before anything of the agent is unpacked, says that the sandbox has started, and whether it lacks the program."""
_GIT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}
_HOOKLESS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "/dev/null"}


def run_in_sandbox(
    command: Sequence[str],
    archive: bytes,
    *,
    timeout_s: float,
    read_only: tuple[tuple[Path, str], ...] = (),
    tools: Sequence[str] = (),
    program: str = "",
) -> process.Finished:
    """Run `command` in a fresh sandbox; `read_only` binds further (host path, inside path) pairs.

    If the sandbox lacks `program`, nothing could be checked: that is a `SandboxError` and not the agent's failure.
    """
    found = find_tools(tools)
    environment = {**_GIT, **_HOOKLESS}
    jail = Jail(read_only=(*read_only, *found.binds), hide=hidden(), environment=environment, path=found.path)
    # The first thing the shell inside prints: without it the sandbox never started.
    mark = secrets.token_hex(8)
    words = argv(jail, ["/bin/sh", "-c", _UNPACK, "sh", mark, program, *command])
    done = process.run(words, timeout_s=timeout_s, stdin=archive, env={})
    if not done.stderr.startswith(mark):
        raise SandboxError(f"the sandbox of a check could not be started: {done.stderr.strip()[:300]}")
    if program and done.stderr == mark * 2 and done.returncode == 125:
        raise missing_program([program])
    return process.Finished(
        done.returncode, done.stdout, done.stderr.removeprefix(mark), done.seconds, done.timed_out, done.truncated
    )


def missing_program(programs: Iterable[str]) -> SandboxError:
    """The error for programs that the sandbox of a check does not have."""
    names = ", ".join(repr(program) for program in programs)
    return SandboxError(
        f"the sandbox of a check does not have the program {names}",
        cure="name it under tools: in task.yaml or steelyard.yaml",
    )


def absent_programs(programs: Sequence[str], tools: Sequence[str]) -> tuple[str, ...]:
    """Those of the programs that a sandbox with these tools does not have."""
    script = 'for program; do command -v "$program" >/dev/null 2>&1 || printf "%s\\n" "$program"; done'
    done = run_in_sandbox(["/bin/sh", "-c", script, "sh", *programs], to_tar({}), timeout_s=60, tools=tools)
    return tuple(done.stdout.splitlines())


def tail(done: process.Finished) -> str:
    """The last of what a command printed."""
    text = "\n".join(part for part in (done.stdout.strip(), done.stderr.strip()) if part)
    return text if len(text) <= TAIL else f"…{text[-TAIL:]}"
