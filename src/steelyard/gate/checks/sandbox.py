"""Commands of checks: each runs in a fresh sandbox without network that holds the tree and nothing else.

So nothing one check does can reach another check, the host, or the agent (which has been stopped). A sandbox that
cannot be started is our fault and raises `SandboxError`; everything that happens inside is the agent's.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.gate.checks.check import CheckInput
from steelyard.gate.checks.programs import Need
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.dependencies import NOTHING, Dependencies, installed
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import Jail
from steelyard.sandbox.tools import find_tools
from steelyard.tree import to_tar

TAIL = 2_000
"""Characters of output kept."""

_HAS_MODULE = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
_LACKS = f"""lacks() {{
    case $1 in
        *' -m '*) ! "${{1%% *}}" -I -c '{_HAS_MODULE}' "${{1##* }}" 2>/dev/null ;;
        *) ! command -v "$1" >/dev/null 2>&1 ;;
    esac
}}
"""
"""Whether a need, written as `Need` is, is not met."""
# The archive comes by standard input, so the command itself gets an empty one.
_UNPACK = f"""{_LACKS}
mark=$1 needs=$2
shift 2
printf %s "$mark" >&2
while [ "$needs" -gt 0 ]; do
    ! lacks "$1" || {{ printf %s "$mark$1" >&2; exit 125; }}
    needs=$((needs - 1))
    shift
done
tar -xf - -C /work || exit 125
exec "$@" </dev/null"""
"""Before anything of the agent is unpacked, says that the sandbox has started, and what it lacks."""
_GIT = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}
# Set by environment variables, which override the configuration of any repository in the tree.
_HOOKLESS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "/dev/null"}


def run_in_sandbox(
    command: Sequence[str],
    work: CheckInput,
    *,
    timeout_s: float,
    read_only: tuple[tuple[Path, str], ...] = (),
    needs: Sequence[Need] = (),
) -> process.Finished:
    """Run `command` on the tree in a fresh sandbox; `read_only` binds further (host path, inside path) pairs.

    If the sandbox lacks one of `needs`, nothing could be checked: that is a `SandboxError`, not the agent's failure.
    """
    found = find_tools(work.tools)
    environment = {**_GIT, **_HOOKLESS}
    extra = installed(work.dependencies, work.sandbox)
    binds = (*read_only, *found.binds, *extra.binds)
    variables = {**environment, **extra.variables}
    jail = Jail(binds, hide=hidden(), environment=variables, path=found.path, image=work.sandbox.image)
    # The first thing the shell inside prints: without it the sandbox never started.
    mark = secrets.token_hex(8)
    words = ["/bin/sh", "-c", _UNPACK, "sh", mark, str(len(needs)), *map(str, needs), *command]
    if work.sandbox.foreign:
        from steelyard.sandbox import foreign  # which needs all of Inspect

        done = foreign.run(work.sandbox, jail, words, timeout_s=timeout_s, stdin=work.archive)
    else:
        done = run(jail, words, timeout_s=timeout_s, stdin=work.archive)
    # In a foreign sandbox, Inspect returns no stderr for a command that timed out or printed too much.
    if not done.stderr.startswith(mark) and not (work.sandbox.foreign and (done.timed_out or done.truncated)):
        raise SandboxError(f"the sandbox of a check could not be started: {done.stderr.strip()[:300]}")
    lacking = done.stderr.removeprefix(mark * 2) if done.stderr.startswith(mark * 2) else ""
    # The exit code alone proves nothing: the command itself may end in 125.
    if done.returncode == 125 and lacking in map(str, needs):
        raise missing_program([lacking], work.sandbox)
    return process.Finished(
        done.returncode, done.stdout, done.stderr.removeprefix(mark), done.seconds, done.timed_out, done.truncated
    )


def hidden(folder: Path | None = None) -> tuple[str, ...]:
    """Folders to hide from a sandbox: this package, whose examples contain their solutions, and the tasks themselves,
    if they are installed below a folder that every sandbox can read."""
    ours = Path(str(resources.files("steelyard"))).resolve()
    readable = (Path("/usr"), Path(sys.base_prefix).resolve())
    secret = (ours, folder.resolve()) if folder is not None else (ours,)
    return tuple(str(path) for path in secret if any(path.is_relative_to(root) for root in readable))


def missing_program(programs: Iterable[str], sandbox: Sandbox = BUBBLEWRAP) -> SandboxError:
    """The error for programs that the sandbox of a check does not have."""
    listed = list(programs)
    names = ", ".join(map(repr, listed))
    if sandbox == BUBBLEWRAP and all(" -m " in program for program in listed):
        return SandboxError(
            f"the sandbox of a check does not have {names}",
            cure="name a Python that has it under tools:; for runner: pytest, install pytest beside Steelyard",
        )
    return SandboxError(
        f"the sandbox of a check does not have the program {names}",
        cure="name it under tools: in task.yaml or steelyard.yaml"
        if sandbox == BUBBLEWRAP
        else f"a system for the sandbox {sandbox.name} that has it",
    )


def absent_programs(
    needs: Sequence[Need], tools: Sequence[str], dependencies: Dependencies = NOTHING
) -> tuple[str, ...]:
    """Those of the needs that a sandbox with these tools and dependencies does not meet."""
    script = f'{_LACKS}\nfor need; do ! lacks "$need" || printf "%s\\n" "$need"; done'
    nothing = CheckInput({}, {}, frozenset(), to_tar({}), tuple(tools), dependencies=dependencies)
    done = run_in_sandbox(["/bin/sh", "-c", script, "sh", *map(str, needs)], nothing, timeout_s=60)
    return tuple(done.stdout.splitlines())


def tail(done: process.Finished) -> str:
    """The last of what a command printed."""
    text = "\n".join(part for part in (done.stdout.strip(), done.stderr.strip()) if part)
    return text if len(text) <= TAIL else f"…{text[-TAIL:]}"
