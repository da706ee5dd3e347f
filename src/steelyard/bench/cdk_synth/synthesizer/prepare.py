"""Prepares the folder that kernels read, once per set of versions: jsii's runtime, unpacked packages and bytecode.

Only trusted packages write it, before any app runs. Its name is a hash of everything it is built from, and it gets that
name when it is complete. It carries the hashes of its files: a damaged folder is never used but prepared again.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from steelyard import process, toolchain
from steelyard.bench.cdk_synth.synthesizer import packages
from steelyard.errors import ToolchainError, boundary
from steelyard.process import isolated
from steelyard.toolchain import installing, integrity

INSIDE = Path(__file__).parent / "inside"
SITE = "/site"
"""Where packages are inside the sandbox."""
SCRIPTS = "bin"
"""The folder inside for scripts that are written when they are first needed."""
PART = ".part-cdk-"
"""How the names of unfinished folders begin; only the holder of the lock has one."""
_FORMAT = 2
"""Raised when the layout changes. 2: the marker lists the files."""
MISSING = "it is not prepared"
_TIMEOUT_S = 600
_CURE = "set STEELYARD_CACHE to a writable folder with 400 MB free"
_log = logging.getLogger("steelyard.cdk")


def prepared() -> Path:
    """The prepared folder, built now if it is missing or damaged (about half a minute, once)."""
    folder = home()
    if folder not in _intact:
        # First: the folder is built from these packages, and would carry their damage on.
        packages.check(thorough=False)
        if (problem := damage(thorough=False)) is not None and (repaired := _prepare_again(problem)):
            _log.warning("the prepared CDK synthesizer was damaged (%s) and has been prepared again", repaired)
        _intact.add(folder)
    return folder


def _prepare_again(problem: str) -> str | None:
    """Like `prepare`; if that fails, the error says why it was necessary: the cache may be another user's."""
    try:
        return prepare()
    except ToolchainError as error:
        reason = problem if problem == MISSING else f"it is damaged ({problem})"
        message = f"the CDK synthesizer cannot be used: {reason}; {error.args[0]}"
        raise ToolchainError(message, cure=error.cure) from error


def prepare(*, thorough: bool = False) -> str | None:
    """Build the folder if it is missing or damaged; returns the damage that was repaired, if any."""
    with toolchain.cache_lock(".cdk.lock"):
        problem = damage(thorough=thorough)
        if problem is not None:
            _make(home())
    return None if problem == MISSING else problem


def damage(*, thorough: bool) -> str | None:
    """What is wrong with the prepared folder: None, `MISSING`, or the damage in a few words."""
    if not toolchain.is_complete(folder := home()):
        return MISSING
    return integrity.damage(folder, thorough=thorough, without=(SCRIPTS,))


def home() -> Path:
    """The prepared folder of the installed versions, whether it exists or not."""
    return toolchain.cache_folder() / f"cdk-{_key()}"


_intact: set[Path] = set()
"""Folders that this process has checked."""


@cache
def _key() -> str:
    made_of = f"{_FORMAT} {sys.version_info[:2]} {packages.installed().versions} {packages.MODULES}"
    digest = hashlib.sha256(made_of.encode())
    for path in sorted((*INSIDE.glob("guard/*"), INSIDE / "unpack.py", INSIDE / "bytecode.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _make(folder: Path) -> None:
    with boundary(ToolchainError, "cannot prepare the CDK synthesizer", cure=_CURE):
        installing.remove_parts(PART)
        # Beside its final place, on the same file system, so that it can be renamed into it.
        work = Path(tempfile.mkdtemp(prefix=PART, dir=folder.parent))
        try:
            _runtime(work)
            _guard(work)
            with ThreadPoolExecutor(1) as beside:
                compiled = beside.submit(_bytecode, work)
                _unpack(work)
                compiled.result()
            _open_to_all(work)
            integrity.seal(work, without=(SCRIPTS,))
            installing.put_in_place(work, folder)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _runtime(work: Path) -> None:
    """jsii's runtime as files, in jsii's own layout."""
    import jsii._embedded.jsii as embedded

    for name, relative in embedded.EMBEDDED_FILES.items():
        if not relative.endswith(".map"):
            target = work / "runtime" / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(str(embedded.__file__)).with_name(name), target)


def _guard(work: Path) -> None:
    """Our own code inside Node, packed as jsii's kernel wants it."""
    with tarfile.open(work / "guard.tgz", "w:gz") as archive:
        for name, source in (("package.json", "package.json"), ("index.js", "index.js"), (".jsii", "assembly.json")):
            data = (INSIDE / "guard" / source).read_bytes()
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def _unpack(work: Path) -> None:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(work),
        "JSII_NODE": str(toolchain.node()),
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(work / "packages"),
    }
    # Node does the writing, and would go on without Python.
    dying = toolchain.dying_with_parent(family=True)
    command = [*dying, *isolated.python("-I", "-B", INSIDE / "unpack.py", work / "guard.tgz")]
    done = process.run(command, env=environment, timeout_s=_TIMEOUT_S)
    if not done.ok:
        raise ToolchainError(f"cannot unpack aws-cdk-lib: {_last_line(done)}", cure=_CURE)


def _bytecode(work: Path) -> None:
    lines = [f"{source}\t{_target(work, name)}\t{name}" for source, name in _sources()]
    shares = [lines[start :: os.cpu_count() or 1] for start in range(os.cpu_count() or 1)]
    command = [*toolchain.dying_with_parent(), *isolated.python("-I", INSIDE / "bytecode.py")]

    def compiled(share: list[str]) -> process.Finished:
        return process.run(command, stdin="\n".join(share), env={}, timeout_s=_TIMEOUT_S)

    with ThreadPoolExecutor(len(shares)) as threads:
        for done in threads.map(compiled, shares):
            if not done.ok:
                raise ToolchainError(f"cannot compile the packages: {_last_line(done)}", cure=_CURE)


def _last_line(done: process.Finished) -> str:
    """The last line of a traceback, which names the error."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1][:300] if lines else f"exit code {done.returncode}"


def _target(work: Path, name: str) -> Path:
    path = Path(name)
    return work / "bytecode" / path.parent.relative_to("/") / f"{path.stem}.{sys.implementation.cache_tag}.pyc"


def _sources() -> Iterator[tuple[Path, str]]:
    """Python files worth compiling: whole packages, but of aws_cdk only the modules that apps often use."""
    for host, name in packages.installed().entries:
        if host.suffix == ".py":
            yield host, f"{SITE}/{name}"
        elif host.is_dir() and not name.endswith(".dist-info"):
            for file in sorted(host.rglob("*.py")):
                relative = file.relative_to(host)
                part = relative.parts[0]
                if name != "aws_cdk" or not part.startswith(("aws_", "alexa")) or part in packages.MODULES:
                    yield file, f"{SITE}/{name}/{relative}"


def _open_to_all(work: Path) -> None:
    """Make it readable for the other user id that a sandbox runs under."""
    for folder, _, names in os.walk(work):
        Path(folder).chmod(0o755)
        for name in names:
            path = Path(folder) / name
            if not path.is_symlink():
                path.chmod(0o644)
