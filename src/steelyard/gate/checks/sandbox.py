"""Commands of checks: each runs in a fresh sandbox without network that holds the tree and nothing else.

So nothing one check does can reach another check, the host, or the agent (which has been stopped). A sandbox that
cannot be started is our fault and raises `SandboxError`; everything that happens inside is the agent's.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.gate.workspace import hidden
from steelyard.sandbox.jail import Jail, argv

TAIL = 2_000
"""Characters of output kept."""

_UNPACK = 'printf %s "$1" >&2; shift; tar -xf - -C /work || exit 125; exec "$@" </dev/null'
_GIT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}
_HOOKLESS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "/dev/null"}


def run_in_sandbox(
    command: Sequence[str], archive: bytes, *, timeout_s: float, read_only: tuple[tuple[Path, str], ...] = ()
) -> process.Finished:
    """Run `command` in a fresh sandbox; `read_only` binds further (host path, inside path) pairs."""
    jail = Jail(read_only=read_only, hide=hidden(), environment={**_GIT, **_HOOKLESS})
    # The first thing the shell inside prints: without it the sandbox never started.
    mark = secrets.token_hex(8)
    words = argv(jail, ["/bin/sh", "-c", _UNPACK, "sh", mark, *command])
    done = process.run(words, timeout_s=timeout_s, stdin=archive, env={})
    if not done.stderr.startswith(mark):
        raise SandboxError(f"the sandbox of a check could not be started: {done.stderr.strip()[:300]}")
    return process.Finished(
        done.returncode, done.stdout, done.stderr.removeprefix(mark), done.seconds, done.timed_out, done.truncated
    )


def tail(done: process.Finished) -> str:
    """The last of what a command printed."""
    text = "\n".join(part for part in (done.stdout.strip(), done.stderr.strip()) if part)
    return text if len(text) <= TAIL else f"…{text[-TAIL:]}"
