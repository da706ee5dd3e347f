"""Programs of the host inside the sandbox: located, bound read-only, and started once for their version.

A program in a system folder is visible already. One that is elsewhere (a home folder, a virtual environment, a Node
prefix) is bound alone, or with the package it belongs to; nothing else of that folder becomes visible.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from steelyard import process
from steelyard.errors import AgentError, command
from steelyard.logs.identity import sha256_of
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import Jail
from steelyard.sandbox.limits import Limits

LIMITS = Limits(memory_mb=8_192, processes=1_024)
"""Limits for the large command-line agents: their runtimes reserve gigabytes before they allocate any."""
BIN = "/run/steelyard/bin"
FILES = "/run/steelyard/agent"
TRIAL_S = 300
"""Seconds for a program to start in: seconds on most machines, a minute on one that is busy."""
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/")


@dataclass(frozen=True, slots=True)
class Program:
    """A command line inside the sandbox, and the files bound for it."""

    words: tuple[str, ...]
    binds: Mapping[str, str] = field(default_factory=dict[str, str])
    path: str = f"/usr/local/bin:/usr/bin:/bin:{BIN}"
    """PATH inside."""
    sha: str = ""
    """Hash of the words and of every file bound for them."""
    integrity: str | None = None
    """npm's hash of the package it came in; None if it was found on PATH."""


def find(name: str, cure: str) -> Program:
    """A program on the host's PATH; `AgentError` with the cure if it is missing."""
    path = shutil.which(name)
    if path is None:
        raise AgentError(f"{name} is not installed", cure=cure)
    return _program(Path(path), name)


def from_command(command: Sequence[str], sandbox: Sandbox = BUBBLEWRAP) -> Program:
    """A command line whose words may be files of the host: each such file is bound, and its word replaced."""
    if not command:
        raise AgentError(
            "the `command` agent has no command", cure="--agent-command, or agent_command in steelyard.yaml"
        )
    first = command[0]
    if first in ("python", "python3"):
        # The host's Python may be a shim or belong to a virtual environment; every sandbox has one that works.
        program = Program((sandbox.python,), sha="python")
    # A program on PATH wins over a file of its name, so that a change cannot replace it by adding that file.
    elif process.on_path(first) or ("/" not in first and not os.path.exists(first)):
        program = find(first, f"install {first}, or name the program by its path")
    else:
        program = _program(_existing(first), Path(first).name)
    words, binds, hashes = list(program.words), dict(program.binds), [program.sha]
    for number, word in enumerate(command[1:]):
        path = Path(word)
        # Not pathlib's, which raises for a word that is too long for a name, such as a script behind `-c`.
        if os.path.exists(word) and not _in_system(path.resolve()):
            inside = f"{FILES}/{number}/{path.resolve().name}"
            binds[inside] = str(path.resolve())
            hashes.append(_content(path))
            words.append(inside)
        else:
            hashes.append(word)
            words.append(word)
    return _startable(Program(tuple(words), binds, sha=sha256_of(hashes)), sandbox)


def _startable(program: Program, sandbox: Sandbox) -> Program:
    """The program, unless the sandbox cannot find it: better now than after money was spent."""
    if not sandbox.foreign:  # Inspect alone can start a foreign one, for a sample
        _find_inside(program.words[0], _binds(program), program.path, sandbox)
    return program


@cache  # every round asks again
def _find_inside(word: str, binds: tuple[tuple[Path, str], ...], path: str, sandbox: Sandbox) -> None:
    """Raise `AgentError` if the sandbox cannot find the program."""
    jail = Jail(read_only=binds, environment={"PATH": path}, limits=LIMITS, image=sandbox.image)
    done = run(jail, ["/bin/sh", "-c", 'command -v "$1"', "sh", word], timeout_s=TRIAL_S)
    if not done.ok:
        detail = f": {done.stderr.strip()[:200]}" if done.stderr.strip() else ""
        raise AgentError(f"the agent's program {word!r} cannot be started in the sandbox{detail}")


def _binds(program: Program) -> tuple[tuple[Path, str], ...]:
    return tuple((Path(host), inside) for inside, host in program.binds.items())


def version(program: Program, sandbox: Sandbox = BUBBLEWRAP, *, flag: str = "--version") -> str:
    """The program's version, as it prints it inside a sandbox like the one it will work in."""
    jail = Jail(read_only=_binds(program), environment={"PATH": program.path}, limits=LIMITS, image=sandbox.image)
    done = run(jail, [*program.words, flag], timeout_s=TRIAL_S)
    # Some programs print their version on standard error.
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    if not done.ok or not lines:
        detail = lines[-1][:200] if lines else f"exit code {done.returncode}"
        raise AgentError(f"{program.words[0]} does not run in the sandbox: {detail}")
    return lines[0][:100]


def _program(path: Path, name: str) -> Program:
    real = path.resolve()
    sha = sha256_of([name, str(real), real.stat().st_size])
    if _in_system(real):
        return Program((str(real) if "/" in name else name,), sha=sha)
    binds = {f"{BIN}/{name}": str(real)}
    words: tuple[str, ...] = (f"{BIN}/{name}",)
    if "node_modules" in real.parts:
        # A package needs its neighbours, and a Node that may not be the system's.
        modules = Path(*real.parts[: real.parts.index("node_modules") + 1])
        binds = {str(modules): str(modules)}
        words = (str(real),)
        node = shutil.which("node")
        if node is not None and not _in_system(Path(node).resolve()):
            binds[f"{BIN}/node"] = str(Path(node).resolve())
    return Program(words, binds, sha=sha)


def _existing(word: str) -> Path:
    path = Path(word)
    if not path.is_file():
        raise AgentError(f"the agent's program {word!r} does not exist")
    if not os.access(path, os.X_OK):
        raise AgentError(f"the agent's program {word!r} is not executable", cure=command("chmod", "+x", word))
    return path


def _in_system(path: Path) -> bool:
    return str(path).startswith(_SYSTEM)


def _content(path: Path) -> str:
    if path.is_file():
        return sha256_of(path.read_bytes())
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return sha256_of([[str(file.relative_to(path)), sha256_of(file.read_bytes())] for file in files])
